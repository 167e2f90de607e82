"""What is said in the decorators of hologram.ufuncs: options, types of the arguments, layouts.

Types are Numba's, as text (`"float64(float64)"`) or as its objects (`float64(float64)`,
`(float64[:], float64[:])`), which are known by what they have; Numba is not imported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

TYPES = {
    **{f"{long}{bits}": f"{short}{bits}"
       for long, short in (("int", "i"), ("uint", "u"), ("float", "f"))
       for bits in (8, 16, 32, 64) if (short, bits) != ("f", 8)},
    **{f"{short}{size}": f"{short}{8 * size}" for short in "iuf" for size in (1, 2, 4, 8)
       if (short, size) != ("f", 1)},
    **{name: name for name in ("i16", "i32", "i64", "u16", "u32", "u64", "f16", "f32", "f64")},
    "double": "f64", "bool_": "bool", "boolean": "bool", "bool": "bool", "b1": "bool",
    "char": "i8", "short": "i16", "intc": "i32", "int_": "i64", "intp": "i64", "long_": "i64",
    "longlong": "i64", "ssize_t": "i64", "uchar": "u8", "byte": "u8", "ushort": "u16",
    "uintc": "u32", "uint": "u64", "uintp": "u64", "ulong": "u64", "ulonglong": "u64",
    "size_t": "u64",
}  # fmt: skip
_SHOWN = ", ".join(name for name in TYPES if name not in ("size_t", "ssize_t"))
_ACCEPTED = {
    "target": ("cpu", "parallel"),  # a launch takes the threads that it is worth
    "nopython": (True,),
    "cache": (True, False),  # compiled code is kept in any case
    "forceobj": (True, False),  # a function is compiled, or refused
    "fastmath": (False,),
    "identity": (0, 1, None),
    "boundscheck": (True, False, None),  # each access is proved or checked
    "error_model": ("numpy",),
}
_WHY = {
    "target": "write a kernel and compile it for the device",
    "nopython": "a function is always compiled",
    "fastmath": "bits are the same everywhere",
    "identity": "it is 0, 1 or None",
    "error_model": "a division of floats by zero gives what NumPy gives",
}


class Signature(NamedTuple):
    """Types of the arguments, each with its dimensions, and of what is returned ("" for void)."""

    arguments: tuple[tuple[str, int], ...]
    result: str


class Layout(NamedTuple):
    """`(n),()->(n)`: the names of the dimensions of each array."""

    text: str
    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]

    @property
    def cores(self) -> tuple[tuple[str, ...], ...]:
        return (*self.inputs, *self.outputs)


def check(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _ACCEPTED:
            raise TypeError(f"`{name}=` is an argument of Numba's that hologram does not have")
        if value not in _ACCEPTED[name]:
            raise TypeError(f"`{name}={value!r}` is not possible: {_WHY.get(name, '')}")


def listed(signatures: Sequence[Any]) -> list[Any]:
    """Single signatures; a tuple of types is one of them, a tuple of others are several."""
    found: list[Any] = []
    for one in signatures:
        several = isinstance(one, list) or (isinstance(one, tuple) and not _is_types(one))
        found += one if several else [one]
    return found


def _is_types(written: tuple[Any, ...]) -> bool:
    """Whether they are objects of Numba's types, not signatures."""
    return bool(written) and not any(
        isinstance(one, (str, tuple, list)) or hasattr(one, "return_type") for one in written
    )


def parsed(written: Any, *, returns: bool) -> Signature:
    """`float32(float32, float32)`, `(float32, float32) -> float32` as Numba prints it, or Numba's
    own objects."""
    if isinstance(written, str):
        arguments, result = _of_text(written)
    elif isinstance(written, tuple):
        arguments, result = tuple(_of_object(one, written) for one in written), ""
    elif hasattr(written, "return_type"):
        arguments = tuple(_of_object(one, written) for one in written.args)
        void = str(written.return_type) in ("none", "void")
        result = "" if void else _of_object(written.return_type, written)[0]
    else:
        arguments, result = _of_text(str(written))
    if returns and not result:
        raise TypeError(f"{written!r} has no type for the result; write 'float64(float64)'")
    return Signature(arguments, result)


def _of_text(written: str) -> tuple[tuple[tuple[str, int], ...], str]:
    text = "".join(written.split())
    match = re.fullmatch(r"([a-z_0-9]*)\((.*)\)", text)
    arrow = re.fullmatch(r"\((.*?),?\)->([a-z_0-9]+)", text)
    if match is not None:
        result, inner = match.groups()
    elif arrow is not None:
        inner, result = arrow.groups()
    elif re.fullmatch(r"\w+(\[[:,]*\])?(,\w+(\[[:,]*\])?)+", text):
        inner, result = text, ""
    else:
        raise TypeError(f"{written!r} is not a signature; write 'float64(float64, float64)'")
    parts = re.findall(r"[^,\[]+(?:\[[^\]]*\])?", inner)
    void = result in ("", "void", "none")
    return tuple(_typed(part, written) for part in parts), "" if void else _typed(result, written)[
        0
    ]


def _of_object(kind: Any, written: Any) -> tuple[str, int]:
    if hasattr(kind, "ndim") and hasattr(kind, "dtype"):
        return _typed(str(kind.dtype), written)[0], kind.ndim
    return _typed(str(kind), written)


def _typed(text: str, written: Any) -> tuple[str, int]:
    name, _, dimensions = text.partition("[")
    if name not in TYPES:
        raise TypeError(f"{written!r}: {name!r} is not a type here; it is one of {_SHOWN}")
    return TYPES[name], dimensions.count(":")


def layout_of(written: str, *, given: bool = False) -> Layout:
    """With `given`, results may have sizes of their own: those of the arrays to write."""
    text = "".join(written.split())
    if not re.fullmatch(r"\([\w,]*\)(,\([\w,]*\))*->\([\w,]*\)(,\([\w,]*\))*", text):
        raise TypeError(f"{written!r} is not a layout; write '(n),()->(n)'")
    before, after = text.split("->")
    inputs, outputs = (
        tuple(_dimensions(inner) for inner in re.findall(r"\(([\w,]*)\)", part))
        for part in (before, after)
    )
    missing = [
        name
        for core in outputs
        for name in core
        if not name.isdecimal() and all(name not in one for one in inputs)
    ]
    if missing and not given:
        raise TypeError(f"the size of `{missing[0]}` does not follow from the inputs")
    return Layout(text, inputs, outputs)


def _dimensions(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)
