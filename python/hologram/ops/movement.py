"""Operations that move elements: bits, by the kernels of unsigned integers of their size."""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram._native import Kernel, launch_strided
from hologram.errors import ArgumentError
from hologram.ops import layout, library
from hologram.ops.arrays import (
    ALL_AND_BOOL,
    CODES,
    Array,
    bits_of,
    constant,
    dtype_of,
    is_scalar,
    kind_of,
    output,
    read,
    result,
)
from hologram.ops.table import documented

_INTS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def move(op: str, x: Array, out: Array) -> None:
    """Copies elements of one type and shape."""
    _launch(op, "op_copy", [bits_of(x), bits_of(out)], ())


def _launch(op: str, kernel: str, arrays: list[Array], values: tuple[Any, ...]) -> None:
    """Runs a kernel or its strided form; the type in its name is that of the last array."""
    shape = arrays[-1].shape
    if arrays[-1].size == 0:
        return
    kind = _INTS[arrays[-1].itemsize]
    flat = layout.flat(arrays, shape)
    if flat is not None:
        library.kernel(f"{kernel}_{kind}")(*flat, *values, arrays[-1].size)
        return
    codes = tuple(CODES[_INTS[array.itemsize]] for array in arrays)

    def find(form: str) -> Kernel:
        return library.kernel(f"{kernel}_{form}_{kind}")

    launch_strided(op, find, tuple(arrays), codes, values, False)


def convert(op: str, x: Array, out: Array) -> Array:
    """Casts `x` to the type of `out`, or copies it."""
    if x.dtype == out.dtype:
        move(op, x, out)
        return out
    flat = layout.flat([x, out], out.shape)
    if flat is None:
        raise ArgumentError(
            f"{op}: an array with gaps is not cast; hologram.ops.copy makes one without"
        )
    if out.size:
        names = [kind_of(op, "x", array) for array in (x, out)]
        library.kernel(f"op_cast_{names[0]}_{names[1]}")(*flat, out.size)
    return out


def _constant(op: str, name: str, number: Any, kind: str) -> Array:
    if kind == "bool":
        return np.asarray(bool(number))
    return constant(op, name, number, kind)


@documented
def copy(x: Any, out: Any = None) -> Array:
    array = read("copy", "x", x)
    kind_of("copy", "x", array, ALL_AND_BOOL)
    target = output("copy", out, array.shape, array.dtype)
    move("copy", array, target)
    return result(out, target)


@documented
def transpose(x: Any, axes: tuple[int, ...] | None = None, out: Any = None) -> Array:
    array = read("transpose", "x", x)
    kind_of("transpose", "x", array, ALL_AND_BOOL)
    order = tuple(reversed(range(array.ndim))) if axes is None else axes
    if not isinstance(order, tuple) or sorted(order) != list(range(array.ndim)):
        raise ArgumentError(
            f"transpose: 'axes' expects each of {array.ndim} axes once, found {axes!r}"
        )
    turned = array.transpose(order)
    target = output("transpose", out, turned.shape, array.dtype)
    move("transpose", turned, target)
    return result(out, target)


@documented
def fill(out: Any, value: float) -> Array:
    if isinstance(out, np.generic):
        raise ArgumentError("fill: 'out' expects an array, found a number")
    target = read("fill", "out", out)
    kind = kind_of("fill", "out", target, ALL_AND_BOOL)
    output("fill", target, target.shape, target.dtype)
    if not isinstance(value, (int, float, np.generic)):
        raise ArgumentError(f"fill: 'value' expects a number, found {value!r}")
    number = value.item() if isinstance(value, np.generic) else value
    one = _constant("fill", "value", number, kind)
    _launch("fill", "op_fill", [bits_of(target)], (int(bits_of(one)),))
    return result(out, target)


_BOTH = {"i8": "int8 or np.int64", "u8": "uint8 or np.uint64"}


@documented
def cast(x: Any, dtype: Any, out: Any = None) -> Array:
    array = read("cast", "x", x)
    kind_of("cast", "x", array)
    if isinstance(dtype, str) and dtype in ("i8", "u8"):
        raise ArgumentError(
            f"cast: 'dtype' {dtype!r} has 8 bits here and 8 bytes in NumPy; say np.{_BOTH[dtype]}"
        )
    wanted = dtype_of(dtype) if isinstance(dtype, str) and dtype in ALL_AND_BOOL else dtype
    try:
        wanted = np.dtype(wanted)
    except TypeError:
        raise ArgumentError(f"cast: 'dtype' expects a type, found {dtype!r}") from None
    target = output("cast", out, array.shape, wanted)
    kind_of("cast", "dtype", target)
    convert("cast", array, target)
    return result(out, target)


@documented
def where(condition: Any, a: Any, b: Any, out: Any = None) -> Array:
    chosen = read("where", "condition", condition)
    if kind_of("where", "condition", chosen, ALL_AND_BOOL) not in ("bool", "u8"):
        raise ArgumentError(f"where: 'condition' expects bool or u8, found {chosen.dtype}")
    arrays = {n: None if is_scalar(v) else read("where", n, v) for n, v in (("a", a), ("b", b))}
    known = next((array for array in arrays.values() if array is not None), None)
    if known is None:
        raise ArgumentError("where: 'a' expects an array, found a number")
    kind = kind_of("where", "a", known, ALL_AND_BOOL)
    values = []
    for name, number in (("a", a), ("b", b)):
        array = arrays[name]
        if array is None:
            array = _constant("where", name, number, kind)
        if array.dtype != known.dtype:
            raise ArgumentError(
                f"where: '{name}' has elements of {array.dtype}, expected {known.dtype}"
            )
        values.append(array)
    shape = layout.broadcast("where", ("condition", "a", "b"), [chosen, *values])
    target = output("where", out, shape, known.dtype)
    memory = [bits_of(array) for array in (chosen, *values, target)]
    _launch("where", "op_where", memory, ())
    return result(out, target)
