"""Operations that move elements: bits, by the kernels of unsigned integers of their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from typing import cast as cast_to

import numpy as np

from hologram import library
from hologram._native import OP_KINDS, DeviceArray, Kernel, Op, new_op, new_op_of_kind
from hologram.errors import ArgumentError
from hologram.ops import layout
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
    shown,
)
from hologram.ops.table import TABLE, docstring
from hologram.ops.traced import FORMS, Traced

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

_KINDS = tuple(CODES)  # by their numbers
_INTS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def _operation(
    name: str, num_arrays: int, num_scalars: int = 0, kernels: str = ""
) -> Callable[[Function], Function]:
    """Makes a function an operation on bits, whose kernels are those of unsigned integers: calls
    with NumPy arrays go straight to them, the function gets the others. `kernels`, if they are
    those of another one: then the dimensions of the input are taken the other way round."""

    def find(form: str, code: int) -> Kernel:
        middle = f"_{form}" if form else ""
        return library.kernel(f"op_{kernels or name}{middle}_{_KINDS[code]}")

    def make(function: Function) -> Function:
        types = sum(1 << CODES[kind] for kind in _INTS.values())
        moves = 2 if kernels else 1
        has_rows = (kernels or name) == "copy"
        made = new_op(
            *(name, num_arrays, num_scalars, types, has_rows, moves, -1),
            *(find, np.empty, function, docstring(TABLE[name])),
        )
        return cast_to("Function", made)

    return make


def _run(op: Any, arrays: tuple[Array, ...], values: tuple[Any, ...]) -> None:
    cast_to("Op", op)._run(CODES[_INTS[arrays[-1].itemsize]], arrays, values)


def convert(op: str, x: Array, out: Array) -> Array:
    """Casts `x` to the type of `out`, or copies it."""
    if x.dtype == out.dtype:
        _run(copy, (bits_of(x), bits_of(out)), ())
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


def _there() -> Any:
    """The same for arrays of a device."""
    from hologram.ops import resident_moves

    return resident_moves


def _constant(op: str, name: str, number: Any, kind: str) -> Array:
    if kind == "bool":
        return np.asarray(bool(number))
    return constant(op, name, number, kind)


def _copied(op: str, array: Array, out: Any) -> Array:
    kind_of(op, "x", array, ALL_AND_BOOL)
    target = output(op, out, array.shape, array.dtype)
    _run(copy, (bits_of(array), bits_of(target)), ())
    return result(out, target)


@_operation("copy", 1)
def copy(x: Any, out: Any = None) -> Array:
    if isinstance(x, DeviceArray):
        return _there().copy(x, out)
    return _copied("copy", read("copy", "x", x), out)


# What transpose() does with an array that was turned here.
@_operation("copy", 1)
def _turned(x: Any, out: Any = None) -> Array:
    return _copied("transpose", read("transpose", "x", x), out)


@_operation("transpose", 1, kernels="copy")
def transpose(x: Any, axes: tuple[int, ...] | None = None, out: Any = None) -> Array:
    if isinstance(x, DeviceArray):
        return _there().transpose(x, axes, out)
    array = read("transpose", "x", x)
    order: Any = tuple(reversed(range(array.ndim))) if axes is None else axes
    if isinstance(order, tuple) and all(type(axis) is int for axis in order):
        order = tuple(axis + array.ndim if -array.ndim <= axis < 0 else axis for axis in order)
    if not isinstance(order, tuple) or sorted(order) != list(range(array.ndim)):
        raise ArgumentError(
            f"transpose: 'axes' expects each of {array.ndim} axes once, found {shown(axes)}"
        )
    return _turned(array.transpose(order), out)


@_operation("fill", 0, 1)
def fill(out: Any, value: float) -> Array:
    if isinstance(out, DeviceArray):
        return _there().fill(out, value)
    if isinstance(out, np.generic):
        raise ArgumentError("fill: 'out' expects an array, found a number")
    target = read("fill", "out", out)
    kind = kind_of("fill", "out", target, ALL_AND_BOOL)
    output("fill", target, target.shape, target.dtype)
    if not isinstance(value, (int, float, np.generic)):
        raise ArgumentError(f"fill: 'value' expects a number, found {shown(value)}")
    number = value.item() if isinstance(value, np.generic) else value
    one = _constant("fill", "value", number, kind)
    _run(fill, (bits_of(target),), (int(bits_of(one)),))
    return result(out, target)


_CASTS: dict[Any, Op] = {}  # by the type as it was said


def _cast_to(dtype: Any, to: str) -> Op:
    """The cast to one type, of arrays without gaps; other calls are made without it."""

    def slow(x: Any, out: Any = None) -> Array:
        _CASTS.pop(dtype, None)
        return cast(x, dtype, out)

    def find(_: str, code: int) -> Kernel:
        return library.kernel(f"op_cast_{_KINDS[code]}_{to}")

    types = (1 << len(CODES)) - 1
    return new_op("cast", 1, 0, types, False, False, CODES[to], find, np.empty, slow, "")


_BOTH = {"i8": "int8 or np.int64", "u8": "uint8 or np.uint64"}


def _chosen(function: Function) -> Function:
    """Makes cast() call the operations in _CASTS; the function gets the other calls."""
    spec = TABLE["cast"]
    made = new_op_of_kind(
        *("cast", 1, OP_KINDS["cast"], 0, function, np.empty, function, docstring(spec), _CASTS),
    )
    return cast_to("Function", made)


@_chosen
def cast(x: Any, dtype: Any, out: Any = None) -> Array:
    if isinstance(dtype, str) and dtype in ("i8", "u8"):
        raise ArgumentError(
            f"cast: 'dtype' {dtype!r} has 8 bits here and 8 bytes in NumPy; say np.{_BOTH[dtype]}"
        )
    if type(x) is Traced:
        return FORMS["cast"](x, dtype, out)
    if isinstance(x, DeviceArray):
        return _there().cast(x, dtype, out)
    array = read("cast", "x", x)
    kind_of("cast", "x", array)
    wanted = dtype_of(dtype) if isinstance(dtype, str) and dtype in CODES else dtype
    try:
        wanted = np.dtype(wanted)
    except TypeError:
        raise ArgumentError(f"cast: 'dtype' expects a type, found {shown(dtype)}") from None
    target = output("cast", out, array.shape, wanted)
    kind = kind_of("cast", "dtype", target)
    if type(dtype) in (type, str) and kind != "bf16":
        _CASTS[dtype] = _cast_to(dtype, kind)
    convert("cast", array, target)
    return result(out, target)


@_operation("where", 3)
def where(condition: Any, a: Any, b: Any, out: Any = None) -> Array:
    if any(isinstance(value, DeviceArray) for value in (condition, a, b)):
        return _there().where(condition, a, b, out)
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
    memory = tuple(bits_of(array) for array in (chosen, *values, target))
    _run(where, memory, ())
    return result(out, target)
