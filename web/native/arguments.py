"""Arguments of launches as the module takes them: numbers as the words of their bits, arrays as
where they are. What is refused, and the words for it, are as in the binding."""

from __future__ import annotations

import ctypes
from typing import Any

from hologram._native.bridge import BUFFER, CODES, LETTERS, SIZES, WRITABLE

_KINDS = {letter: name for name, letter in LETTERS.items()} | {"l": "i32", "L": "u32", "?": "u8"}
_FLOATS = ("f16", "bf16", "f32", "f64")


def sizes_of(what: str, value: Any) -> list[int]:
    sizes = list(value) if isinstance(value, tuple) else [value]
    if not 1 <= len(sizes) <= 3:
        raise TypeError(f"{what}: expected one to three sizes, found {len(sizes)}")
    if 0 in sizes:
        raise ValueError(f"{what}: a size is 0")
    return [int(size) for size in sizes] + [1] * (3 - len(sizes))


def number(row: dict[str, Any], value: Any) -> tuple[list[Any], None, None]:
    return [CODES[row["type"]], str(bits_of(row["type"], value)), 0, 0, False], None, None


def bits_of(kind: str, value: Any) -> int:
    """A number in a type, as the word of its bits."""
    import struct

    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        value = int(value)
    if kind in _FLOATS:
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):  # a text, too
            raise TypeError(f"expects {kind}, found {value!r}")
        number = float(value)
        if kind == "bf16":
            return _bf16(number)
        try:
            made = struct.pack("<" + LETTERS[kind], number)
        except OverflowError:
            raise OverflowError(f"expects {kind}, found {value!r}, which does not fit") from None
        return int.from_bytes(made, "little")
    import operator

    if isinstance(value, float):
        if value != value // 1:
            raise TypeError(f"expects {kind}, found {value!r}")
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"expects {kind}, found {value!r}") from None
    try:
        return int.from_bytes(
            number.to_bytes(SIZES[kind], "little", signed=kind[0] == "i"), "little"
        )
    except OverflowError:
        raise OverflowError(f"expects {kind}, found {value!r}, which does not fit") from None


def _bf16(number: float) -> int:
    import struct

    if number != number:
        return 0x7FC0  # rounding may carry the bits of a NaN into the sign
    bits = int.from_bytes(struct.pack("<f", number), "little")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) & 0xFFFF


def element_type(array: Any) -> str | None:
    """Of an array; None: it is no array."""
    if getattr(getattr(array, "dtype", None), "name", "") == "bfloat16":
        return "bf16"
    try:
        view = memoryview(array)
    except TypeError:
        return None
    if view.format not in _KINDS:
        raise TypeError(f"has elements of {getattr(array, 'dtype', view.format)}")
    return _KINDS[view.format]


def place_of(array: Any) -> list[int]:
    """Address and bytes of memory, from the first element to the last."""
    if hasattr(array, "ctypes"):
        last = sum((e - 1) * s for e, s in zip(array.shape, array.strides, strict=True))
        return [array.ctypes.data, 0 if array.size == 0 else last + array.itemsize]
    view = memoryview(array)
    address = ctypes.addressof(ctypes.c_char.from_buffer(view)) if not view.readonly else 0
    return [address, view.nbytes]


def array(row: dict[str, Any], value: Any) -> tuple[list[Any], list[int] | None, Any]:
    kind = element_type(value)
    if kind is None:
        hint = "; write np.array(..., np.float32)" if isinstance(value, list) else ""
        raise TypeError(
            f"expects an array (NumPy, buffer protocol or DLPack), found {value!r}{hint}"
        )
    view = memoryview(value) if kind != "bf16" else memoryview(value.view("u2"))
    if not view.c_contiguous:
        raise BufferError("is not C-contiguous; numpy.ascontiguousarray makes a copy that is")
    written = row["direction"] != "in"
    if kind != row["type"]:
        raise TypeError(_other_type(row, kind, written))
    held = value
    if not hasattr(value, "ctypes") and view.readonly:
        held = bytearray(view)  # of which the address is known
    code = CODES[kind] | BUFFER | (0 if view.readonly else WRITABLE)
    shape = list(view.shape) if row["rank"] > 1 else None
    return [code, "0", *place_of(held), written], shape, held


def _other_type(row: dict[str, Any], found: str, written: bool) -> str:
    kind = row["type"]
    text = f"expects an array of {kind}, found an array of {found}"
    if kind == "bf16":
        return text
    numpy = {"f": "float", "u": "uint", "i": "int"}[kind[0]] + kind[1:]
    if written:
        return f"{text}; make it with dtype=np.{numpy}"
    return f"{text}; write {row['name']}.astype(np.{numpy})"
