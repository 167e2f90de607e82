"""Arguments of kernels whose parameters are vectors, structs, complex arrays, or optional.

Each becomes the plain arguments of the compiled kernel: a struct its numbers, an array of vectors
or complex numbers the array of its numbers, `None` another kernel without that parameter.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hologram import remembered
from hologram.frontend.forms.records import layout_of, size_of
from hologram.frontend.forms.shapes import Struct, described

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hologram.frontend.forms.definitions import Parameter
    from hologram.frontend.forms.records import Layout


def flat(
    parameters: Sequence[Parameter],
    given: Mapping[str, object],
    title: str,
    *,
    as_numbers: bool = False,
) -> tuple[dict[str, object], list[str]]:
    """The plain arguments by name, and the optional arrays that are not there. With `as_numbers`
    arrays of complex numbers may be those of their numbers, as the command has them. Raises
    ValueError with the parameter and what it wants."""
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
            plain[name] = _array(name, parameter, value, as_numbers)
        else:
            plain[name] = value
    if missing:
        count = len(parameters) - len(missing)
        raise ValueError(
            f"{title} takes {len(parameters)} arguments, not {count}; {', '.join(missing)} is "
            "missing"
        )
    return plain, absent


def places(
    parameters: Sequence[Parameter], given: Mapping[str, object], absent: Sequence[str]
) -> tuple[remembered.Place, ...]:
    """How these arguments, which `flat` has taken apart, became plain ones."""
    found = []
    for parameter in parameters:
        name, initial, shape = parameter.name, parameter.default, parameter.kind.shape
        if name in absent:
            place = remembered.absent(name)
        elif not isinstance(shape, Struct):
            place = remembered.plain(name, initial)
        elif parameter.kind.what == "struct":
            is_complex = shape.kind == "complex"
            place = remembered.numbers(name, initial, shape.size, is_complex=is_complex)
        else:
            layout = layout_of(shape)
            dtype = getattr(given[name], "dtype", None)
            place = remembered.values(
                name,
                layout.words if layout.mixed else shape.size,
                dtype if getattr(dtype, "kind", "") in ("V", "c") else None,
                of_numbers=not layout.mixed,
                is_flat=shape.kind != "complex",
            )
        found.append(place)
    return tuple(found)


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


def _array(name: str, parameter: Parameter, value: Any, as_numbers: bool) -> object:
    """An array of NumPy as the array of its numbers, in place; others are passed as they are."""
    shape, rank = parameter.kind.shape, parameter.kind.rank
    assert isinstance(shape, Struct)
    dtype = getattr(value, "dtype", None)
    kind = getattr(dtype, "kind", "")
    if not kind or not hasattr(value, "reshape"):
        return value
    value = _plain_array(value)
    layout = layout_of(shape)
    if layout.mixed:
        return _records(name, parameter, layout, value)
    scalar = layout.word
    outer: tuple[int, ...] = tuple(value.shape)
    if kind == "V" and dtype.names is not None:  # type: ignore[union-attr]
        _check_records(name, shape, layout, dtype)
        if rank != value.ndim:
            raise ValueError(f"{name} has {value.ndim} dimensions, and {rank} in the kernel")
    elif kind == "c":
        if shape.kind != "complex" or _fields(dtype) != _places(layout):
            raise ValueError(f"{name} is an array of {shape.name}, not of {dtype}")
        if rank != value.ndim:
            raise ValueError(f"{name} has {value.ndim} dimensions, and {rank} in the kernel")
    else:
        # Numbers one after another are more likely real ones where complex ones are wanted.
        is_flat = as_numbers or shape.kind != "complex"
        outer = _outer(name, shape, rank, tuple(value.shape), is_flat)
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous; pass np.ascontiguousarray({name})")
    numbers = value if kind not in "Vc" else value.view(_dtype(scalar))
    return numbers.reshape(-1) if rank == 1 else numbers.reshape((*outer, shape.size))


def _plain_array(value: Any) -> Any:
    """Without a subclass, whose views mean something else: a masked array is its data."""
    numpy: Any = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(value, numpy.ndarray)
    return value.view(numpy.ndarray) if is_array and type(value) is not numpy.ndarray else value


def _records(name: str, parameter: Parameter, layout: Layout, value: Any) -> object:
    """An array of records as that of their words, in place."""
    shape, rank = parameter.kind.shape, parameter.kind.rank
    assert isinstance(shape, Struct)
    _check_records(name, shape, layout, value.dtype)
    if value.ndim != rank:
        raise ValueError(f"{name} has {value.ndim} dimensions, and {rank} in the kernel")
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous; pass np.ascontiguousarray({name})")
    words = value.reshape(-1).view(_dtype(layout.word))
    return words if rank == 1 else words.reshape((*value.shape, layout.words))


def _check_records(name: str, shape: Struct, layout: Layout, dtype: Any) -> None:
    """Raises ValueError unless the numbers have the places, types and names of the struct."""
    found = _fields(dtype) if dtype.names is not None else None
    if found == _places(layout) and dtype.itemsize == layout.bytes and _has_names(dtype, shape):
        return
    raise ValueError(
        f"{name} is an array of {shape.name}; pass records with fields as C lays them out, "
        f"np.zeros(n, np.dtype([{_described(shape)}], align=True))"
    )


def _has_names(dtype: Any, shape: Struct) -> bool:
    """Whether each field is where its name says. Vectors have names of their own, which only must
    not be in another order; numbers in an array inside a record have none."""
    if dtype.names is None:
        return True
    found, wanted = list(dtype.names), [field for field, _ in shape.fields]
    if shape.kind == "struct" and found != wanted:
        return False
    places = [shape.position(field) for field in found]
    if None not in places and places != list(range(len(found))):
        return False
    return all(
        isinstance(inner, str) or _has_names(dtype.fields[field][0], inner)
        for field, (_, inner) in zip(found, shape.fields, strict=False)
    )


def _places(layout: Layout) -> list[tuple[int, str]]:
    return [(field.offset, _dtype(field.scalar)) for field in layout.fields]


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
            part = f"{_order(dtype)}f{half}"
            return [(start, part), (start + half, part)]
        return [(start, f"{_order(dtype)}{dtype.kind}{dtype.itemsize}")]
    found: list[tuple[int, str]] = []
    for name in dtype.names:
        inner, offset = dtype.fields[name][:2]
        found += _fields(inner, start + offset)
    return found


def _order(dtype: Any) -> str:
    """Of bytes, where it is not the machine's: such numbers are nowhere what a kernel takes."""
    return "" if dtype.isnative else ">"


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


def _outer(
    name: str, shape: Struct, rank: int, found: tuple[int, ...], is_flat: bool
) -> tuple[int, ...]:
    """The extents of an array that has the numbers of each value in its last dimensions, or with
    `is_flat` one after another."""
    inner = found[rank:]
    count = 1
    for extent in inner:
        count *= extent
    if len(found) > rank and count == shape.size:
        return found[:rank]
    if is_flat and len(found) == 1 and rank == 1 and found[0] % shape.size == 0:
        return (found[0] // shape.size,)
    wanted = ("n, " * rank) + str(shape.size)
    raise ValueError(f"{name} is an array of {shape.name}; pass one of shape ({wanted})")


def _dtype(scalar: str) -> str:
    return f"{scalar[0]}{size_of(scalar)}"
