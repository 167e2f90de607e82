"""Reductions over all elements or along axes: the way of calls that hologram.Op does not take.

Axes that lie one behind the other are one; several that do not are reduced one after another. Each
launch makes of n elements one for each chunk of them, until there is one chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram import _elementwise as elementwise
from hologram import library
from hologram._native import OP_KINDS, DeviceArray, new_op_of_kind
from hologram.errors import ArgumentError
from hologram.ops.arrays import (
    BOOL,
    CODES,
    bits_of,
    dtype_of,
    kind_of,
    new_array,
    output,
    read,
    result,
    shown,
)
from hologram.ops.elementwise_calls import OPERATIONS, divide
from hologram.ops.foreign import is_dask
from hologram.ops.movement import convert
from hologram.ops.table import TABLE, Spec, docstring

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from hologram._native import Kernel, Op
    from hologram.ops.arrays import Array

    Function = TypeVar("Function", bound=Callable[..., Any])

_KINDS = tuple(CODES)  # by their numbers
# Kernels that accumulate in another type are named by the kind of the type.
ACCUMULATE = {
    **dict.fromkeys(("f32", "f16", "bf16"), ("", "f32")),
    "f64": ("_double", "f64"),
    **dict.fromkeys(("i8", "i16", "i32", "i64"), ("_signed", "i64")),
    **dict.fromkeys(("u8", "u16", "u32", "u64"), ("_unsigned", "u64")),
}
# A mean of integers is a sum in f64, which does not wrap.
MEAN = {**ACCUMULATE, **{kind: ("_wide", "f64") for kind in ACCUMULATE if kind[0] in "iu"}}
# Kernels whose results are of the type of the elements; rows of integers have simpler ones.
_PLAIN = dict.fromkeys(CODES, ("", ""))
_ROWS_OF_INTEGERS = "_whole"

REDUCTIONS: dict[str, Op] = {}
FINDERS: dict[str, Callable[[str, int], Kernel]] = {}  # find(step, type number) of each
# The kernels of the elements, those of what they are reduced to, and what they are named by.
_KERNELS = {
    "sum": ("sum_rows", "sum", ACCUMULATE),
    "prod": ("prod_rows", "prod", ACCUMULATE),
    "mean": ("sum_rows", "sum", MEAN),
    "norm": ("sum_squares_rows", "sum", ACCUMULATE),
    **{name: (f"{name}_rows", name, _PLAIN) for name in ("min", "max", "any", "all")},
    **{f"arg{name}": (f"{name}_rows", f"arg{name}", _PLAIN) for name in ("min", "max")},
    **{name: (name, "sum", ACCUMULATE) for name in ("dot", "mse")},
    **{name: (name, "sum", ACCUMULATE) for name in ("cross_entropy", "binary_cross_entropy")},
}
# What is done with what the kernels give, as in OP_KINDS, and the operation for it.
_FINISH = {
    **dict.fromkeys(
        ("mean", "mse", "cross_entropy", "binary_cross_entropy"), ("mean", elementwise.div)
    ),
    "norm": ("root", elementwise.sqrt),
    **dict.fromkeys(("any", "all"), ("truth", None)),
    **dict.fromkeys(("argmin", "argmax"), ("index", None)),
}
# What logarithms of the losses are taken of at least, for f64 and for the other types.
SMALLEST = (1e-12, 1e-7)
LOSSES = ("cross_entropy", "binary_cross_entropy")


def on_device() -> Any:
    """The operations on arrays of a device, loaded when one is given."""
    from hologram.ops import resident_ops

    return resident_ops


def reduction(function: Function) -> Function:
    """Makes a function the reduction of its name in the table: calls with NumPy arrays go straight
    to the kernels, the function gets the others."""
    spec = TABLE[function.__name__]
    made = _new(spec, function)
    return cast("Function", made)


def product(kind_of_op: str) -> Callable[[Function], Function]:
    """Makes a function the product of its name in the table, of a kind of OP_KINDS."""

    def make(function: Function) -> Function:
        spec = TABLE[function.__name__]

        def find(step: str, code: int) -> Kernel:
            kind = _KINDS[code]
            # Running sums have kernels for what they accumulate in.
            form = f"_rows{ACCUMULATE[kind][0]}" if spec.name == "cumsum" else ""
            return library.kernel(f"op_{step or spec.name}{form}_{kind}")

        # Sums of other types have another one.
        direct = ("f32", "f64", "f16") if spec.name == "cumsum" else spec.types
        types = sum(1 << CODES[kind] for kind in direct)
        made = new_op_of_kind(
            *(spec.name, len(spec.arrays), OP_KINDS[kind_of_op], types, find, np.empty, function),
            *(docstring(spec), None),
        )
        return cast("Function", made)

    return make


def _new(spec: Spec, function: Callable[..., Any]) -> Op:
    first, rest, names = _KERNELS[spec.name]

    def find(step: str, code: int) -> Kernel:
        kind = _KINDS[code]
        suffix = names[kind][0]
        by_rows = step.endswith("rows")
        if by_rows and first in ("min_rows", "max_rows") and kind[0] in "iu":
            suffix = _ROWS_OF_INTEGERS
        if step == "rows":
            return library.kernel(f"op_{first}{suffix}_{kind}")
        kernel = rest
        if step == "columns" and not spec.name.startswith("arg"):
            kernel = first.removesuffix("_rows")
        return library.kernel(f"op_{kernel}_{step.removeprefix('rest_')}{suffix}_{kind}")

    finish, after = _FINISH.get(spec.name, ("none", None))
    types = sum(1 << (CODES[kind] if kind != "bool" else len(CODES)) for kind in spec.types)
    made = new_op_of_kind(
        *(spec.name, len(spec.arrays), OP_KINDS[finish], types, find, np.empty, function),
        *(docstring(spec), cast("Op", after) if after else None),
    )
    made._link(None, None, SMALLEST if spec.name in LOSSES else None)
    REDUCTIONS[spec.name] = made
    FINDERS[spec.name] = find
    return made


def fold(  # noqa: PLR0913
    op: str,
    kind: str,
    x: Array,
    y: Array | None,
    axes: tuple[int, ...],
    scalars: tuple[float, ...],
) -> Array:
    """What the kernels of a reduction give, in the type that they accumulate in; axes stay as 1.
    REQUIRES: elements; no stride is negative; of indices and of two arrays, axes that are one."""
    first, second = (None if a is None else bits_of(a) if kind == "bf16" else a for a in (x, y))
    made = cast("Array", REDUCTIONS[op]._fold(CODES[kind], first, second, axes, scalars))
    return made.view(x.dtype) if kind == "bf16" and made.dtype == np.uint16 else made


def axes_of(op: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, in order; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = set()
    for one in given:
        if not isinstance(one, (int, np.integer)) or isinstance(one, bool):
            raise ArgumentError(
                f"{op}: 'axis' expects None, a number or a tuple, found {shown(axis)}"
            )
        if not -ndim <= one < ndim:
            raise ArgumentError(f"{op}: 'axis' is {shown(one)} for an array of {ndim} dimensions")
        if int(one) % ndim in found:
            raise ArgumentError(f"{op}: 'axis' names {one} twice")
        found.add(int(one) % ndim)
    return tuple(sorted(found))


def reduce(
    op: str, x: object, axis: Any = None, out: object = None, keepdims: bool = False
) -> Array:
    """Computes a reduction of the table."""
    spec = TABLE[op]
    if isinstance(x, DeviceArray):
        return cast("Array", on_device().reduce(op, x, axis, out, keepdims))
    if is_dask(x) and out is None:
        from hologram.ops.on_dask import reduce as reduce_dask

        return cast("Array", reduce_dask(op, x, axis=axis, keepdims=keepdims))
    array = read(op, "x", x)
    kind = kind_of(op, "x", array, ("bool",))
    if kind not in spec.types:
        raise ArgumentError(
            f"{op}: 'x' is {kind}, which has no such operation; expected {', '.join(spec.types)}"
        )
    single = op in ("argmin", "argmax")
    if single and isinstance(axis, tuple):
        raise ArgumentError(f"{op}: 'axis' expects None or a number, found {shown(axis)}")
    axes = axes_of(op, axis, array.ndim)
    kept = tuple(1 if d in axes else extent for d, extent in enumerate(array.shape))
    shape = kept if keepdims else tuple(e for d, e in enumerate(array.shape) if d not in axes)
    count = 1
    for d in axes:
        count *= array.shape[d]
    if count == 0 and spec.name in ("min", "max", "argmin", "argmax") and 0 not in shape:
        raise ArgumentError(f"{op}: 'x' has no elements along the axis; of none there is no {op}")
    dtype = result_dtype(spec, kind, array.dtype)
    target = None if out is None else output(op, out, shape, dtype)
    backwards = tuple(s < 0 and e > 1 for s, e in zip(array.strides, array.shape, strict=True))
    if single and any(backwards):
        raise ArgumentError(
            f"{op}: 'x' runs backwards, so that indices need a copy of it; "
            "hologram.ops.copy makes one"
        )
    turned = tuple(slice(None, None, -1 if back else 1) for back in backwards)
    forward = array[turned] if any(backwards) else array
    value = _compute(spec, forward, kind, axes)
    value = value.view(BOOL) if dtype == BOOL else value
    value = _finish(spec, value, dtype, count)
    turn = tuple(
        slice(None, None, -1 if b and e > 1 else 1) for b, e in zip(backwards, kept, strict=True)
    )
    value = value[(*turn, ...)].reshape(shape)  # an array, also without dimensions
    if target is None:
        return result(None, value)
    if target.size:
        convert(op, value, target)
    return result(out, target)


def result_dtype(spec: Spec, kind: str, dtype: Any) -> Any:
    """The type of the result: that of the elements, but i64 and u64 for sums of integers, f64 for
    means of them, bool for conditions and i64 for indices."""
    if spec.name in ("any", "all"):
        return BOOL
    if spec.name in ("argmin", "argmax"):
        return np.dtype(np.int64)
    if spec.name == "mean" and kind[0] in "iu":
        return np.dtype(np.float64)
    if spec.name in ("sum", "prod") and kind[0] in "iu":
        return dtype_of(ACCUMULATE[kind][1])
    return dtype


def _compute(spec: Spec, array: Array, kind: str, axes: tuple[int, ...]) -> Array:
    """The reduction without what is done with its result: mean is still a sum, norm a sum of
    squares. In the type that is accumulated."""
    if kind == "bool":
        array, kind = array.view(np.uint8), "u8"
    if array.size == 0:
        left = tuple(1 if d in axes else extent for d, extent in enumerate(array.shape))
        start = {"prod": 1, "all": 1}.get(spec.name, 0)
        return np.full(left, start, dtype_of(accumulator_kind(spec.name, kind)))
    if len(axes) > 1 and spec.name.startswith("arg") and not array.flags.c_contiguous:
        raise ArgumentError(
            f"{spec.name}: 'x' has gaps, so that indices need a copy of it; "
            "hologram.ops.copy makes one"
        )
    return fold(spec.name, kind, array, None, axes, ())


def accumulator_kind(name: str, kind: str) -> str:
    """The type that a reduction of elements of a type accumulates in."""
    if name in ("any", "all"):
        return "u8"
    if name == "mean":
        return MEAN[kind][1]
    return kind if _KERNELS[name][2] is _PLAIN else ACCUMULATE[kind][1]


def _finish(spec: Spec, value: Array, dtype: Any, count: int) -> Array:
    if spec.name == "mean":
        value = divide(value, count)
    if spec.name == "norm":
        value = cast("Array", OPERATIONS["sqrt"](value, value))
    if value.dtype == dtype:
        return value
    return convert(spec.name, value, new_array(value.shape, dtype))
