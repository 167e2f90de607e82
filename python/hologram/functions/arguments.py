"""Arguments of kernels whose parameters are vectors, structs, complex arrays, or optional.

Each becomes the plain arguments of the compiled kernel: a struct its numbers, an array of vectors
or complex numbers the array of its numbers, `None` another kernel without that parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hologram.frontend.forms.records import layout_of, size_of
from hologram.frontend.forms.shapes import Struct, described

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hologram.frontend.forms.definitions import Parameter
    from hologram.frontend.forms.records import Layout


def flat(
    parameters: Sequence[Parameter], given: Mapping[str, object], title: str
) -> tuple[dict[str, object], list[str]]:
    """The plain arguments by name, and the optional arrays that are not there. Raises ValueError
    with the parameter and what it wants."""
    plain: dict[str, object] = {}
    absent: list[str] = []
    missing: list[str] = []
    for parameter in parameters:
        name = parameter.name
        value = given.get(name, parameter.default)
        if name not in given and value is None and not parameter.optional:
            missing.append(name)
        elif value is None and parameter.optional:
            absent.append(name)
        elif parameter.kind.what == "struct" and isinstance(parameter.kind.shape, Struct):
            numbers = _numbers(name, parameter.kind.shape, value)
            plain.update(zip(parameter.leaves, numbers, strict=True))
        elif isinstance(parameter.kind.shape, Struct):
            plain[name] = _array(name, parameter, value)
        else:
            plain[name] = value
    if missing:
        count = len(parameters) - len(missing)
        raise ValueError(
            f"{title} takes {len(parameters)} arguments, not {count}; {', '.join(missing)} is "
            "missing"
        )
    return plain, absent


def _numbers(name: str, shape: Struct, value: Any) -> list[object]:
    """Of a tuple, list, array, complex number or an object with the fields."""
    if shape.kind == "complex" and isinstance(value, (int, float, complex)):
        return [complex(value).real, complex(value).imag]
    if hasattr(value, "tolist"):
        value = value.tolist()
        if isinstance(value, complex):
            return [value.real, value.imag]
    if not isinstance(value, (tuple, list)):
        try:
            value = [getattr(value, field) for field, _ in shape.fields]
        except AttributeError:
            fields = ", ".join(field for field, _ in shape.fields)
            raise ValueError(f"{name} is {described(shape)}; pass ({fields})") from None
    if len(value) != len(shape.fields):
        raise ValueError(
            f"{name} is {described(shape)} of {len(shape.fields)} values, not {len(value)}"
        )
    numbers: list[object] = []
    for (_, inner), item in zip(shape.fields, value, strict=True):
        numbers += [item] if isinstance(inner, str) else _numbers(name, inner, item)
    return numbers


def _array(name: str, parameter: Parameter, value: Any) -> object:
    """An array of NumPy as the array of its numbers, in place; others are passed as they are."""
    shape, rank = parameter.kind.shape, parameter.kind.rank
    assert isinstance(shape, Struct)
    dtype = getattr(value, "dtype", None)
    kind = getattr(dtype, "kind", "")
    if not kind or not hasattr(value, "reshape"):
        return value
    layout = layout_of(shape)
    if layout.mixed:
        return _records(name, parameter, layout, value)
    scalar = layout.word
    outer: tuple[int, ...] = tuple(value.shape)
    if kind == "V" and dtype.names is not None:  # type: ignore[union-attr]
        if rank != value.ndim or dtype.itemsize != layout.bytes:  # type: ignore[union-attr]
            raise ValueError(f"{name} is an array of {shape.name}; its records have other fields")
    elif kind == "c":
        if shape.kind != "complex" or rank != value.ndim:
            raise ValueError(
                f"{name} is an array of {shape.name} of {rank} dimensions, not of {dtype}"
            )
    else:
        outer = _outer(name, shape, rank, tuple(value.shape))
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous; pass np.ascontiguousarray({name})")
    numbers = value if kind not in "Vc" else value.view(_dtype(scalar))
    return numbers.reshape(-1) if rank == 1 else numbers.reshape((*outer, shape.size))


def _records(name: str, parameter: Parameter, layout: Layout, value: Any) -> object:
    """An array of records as that of their words, in place."""
    shape, rank = parameter.kind.shape, parameter.kind.rank
    assert isinstance(shape, Struct)
    wanted = [(f.offset, _dtype(f.scalar)) for f in layout.fields]
    found = _fields(value.dtype) if value.dtype.names is not None else None
    if found != wanted or value.dtype.itemsize != layout.bytes:
        raise ValueError(
            f"{name} is an array of {shape.name}; pass records with fields as C lays them out, "
            f"np.zeros(n, np.dtype([{_described(shape)}], align=True))"
        )
    if value.ndim != rank:
        raise ValueError(f"{name} has {value.ndim} dimensions, and {rank} in the kernel")
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous; pass np.ascontiguousarray({name})")
    words = value.reshape(-1).view(_dtype(layout.word))
    return words if rank == 1 else words.reshape((*value.shape, layout.words))


def _fields(dtype: Any, start: int = 0) -> list[tuple[int, str]]:
    """Place and type of each number."""
    if dtype.subdtype is not None:
        base, extents = dtype.subdtype
        count = 1
        for extent in extents:
            count *= extent
        return [f for k in range(count) for f in _fields(base, start + k * base.itemsize)]
    if dtype.names is None:
        if dtype.kind == "c":
            half = dtype.itemsize // 2
            return [(start, f"f{half}"), (start + half, f"f{half}")]
        return [(start, f"{dtype.kind}{dtype.itemsize}")]
    found: list[tuple[int, str]] = []
    for name in dtype.names:
        inner, offset = dtype.fields[name][:2]
        found += _fields(inner, start + offset)
    return found


def _described(shape: Struct) -> str:
    """The fields as NumPy takes them."""
    texts = []
    for field, inner in shape.fields:
        if isinstance(inner, str):
            texts.append(f'("{field}", "{_dtype(inner)}")')
        elif inner.scalar is not None:
            texts.append(f'("{field}", "{_dtype(inner.scalar)}", {inner.size})')
        else:
            texts.append(f'("{field}", np.dtype([{_described(inner)}], align=True))')
    return ", ".join(texts)


def _outer(name: str, shape: Struct, rank: int, found: tuple[int, ...]) -> tuple[int, ...]:
    """The extents of an array that has the numbers of each value in its last dimensions."""
    inner = found[rank:]
    count = 1
    for extent in inner:
        count *= extent
    if len(found) > rank and count == shape.size:
        return found[:rank]
    if len(found) == 1 and rank == 1 and found[0] % shape.size == 0:
        return (found[0] // shape.size,)
    wanted = ("n, " * rank) + str(shape.size)
    raise ValueError(f"{name} is an array of {shape.name}; pass one of shape ({wanted})")


def _dtype(scalar: str) -> str:
    return f"{scalar[0]}{size_of(scalar)}"
