"""Losses, products of vectors and matrices."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from hologram import library
from hologram._native import DeviceArray, launch, multiply
from hologram.errors import ArgumentError
from hologram.ops import layout
from hologram.ops.arrays import Array, constant, dtype_of, kind_of, output, read, result, shown
from hologram.ops.elementwise_calls import divide
from hologram.ops.movement import convert, fill
from hologram.ops.reduction_calls import (
    ACCUMULATE,
    SMALLEST,
    axes_of,
    fold,
    on_device,
    product,
    reduction,
)
from hologram.ops.table import TABLE

_BLOCK = 64
_ROWS = 8  # of a block of op_matvec_rows


def _two(op: str, names: tuple[str, str], values: tuple[Any, Any]) -> tuple[list[Array], str]:
    """Two arrays of one type that the operation has."""
    arrays = [read(op, name, value) for name, value in zip(names, values, strict=True)]
    kinds = [kind_of(op, name, array) for name, array in zip(names, arrays, strict=True)]
    types = TABLE[op].types
    if kinds[0] not in types:
        raise ArgumentError(
            f"{op}: '{names[0]}' is {kinds[0]}, which has no such operation; "
            f"expected {', '.join(types)}"
        )
    if kinds[1] != kinds[0]:
        raise ArgumentError(f"{op}: '{names[1]}' is {kinds[1]} and '{names[0]}' is {kinds[0]}")
    return arrays, kinds[0]


def _folded(
    op: str, names: tuple[str, str], arrays: list[Array], kind: str, scalars: tuple[float, ...]
) -> Array:
    """The sum over all pairs, in the type that is accumulated, without dimensions."""
    if arrays[0].shape != arrays[1].shape:
        raise ArgumentError(
            f"{op}: '{names[1]}' has the shape {arrays[1].shape}, expected {arrays[0].shape}"
        )
    flat = layout.flat(arrays, arrays[0].shape)
    if flat is None:
        raise ArgumentError(
            f"{op}: '{names[0]}' or '{names[1]}' has gaps; hologram.ops.copy makes one without"
        )
    if arrays[0].size == 0:
        return np.zeros((), dtype_of(ACCUMULATE[kind][1]))
    x, y = (array.reshape(-1) for array in flat)
    return fold(op, kind, x, y, (0,), scalars).reshape(())


def _scalar_result(op: str, value: Array, dtype: Any, out: Any) -> Array:
    if out is None and value.dtype == dtype:
        return result(None, value)
    target = output(op, out, (), dtype)
    return result(out, convert(op, value, target))


def _loss(  # noqa: PLR0913
    op: str, prediction: Any, target: Any, scalars: tuple[float, ...], axis: Any, out: Any
) -> Array:
    names = ("prediction", "target")
    if isinstance(prediction, DeviceArray) or isinstance(target, DeviceArray):
        smallest = scalars[0] if scalars else None
        given = (prediction, target)
        return cast("Array", on_device().pairs(op, names, given, smallest, axis, out))
    arrays, kind = _two(op, names, (prediction, target))
    if scalars:
        eps = constant(op, "eps", scalars[0], "f64" if kind == "f64" else "f32").item()
        if not eps >= 0:
            raise ArgumentError(f"{op}: 'eps' expects a number from 0 on, found {shown(eps)}")
        scalars = (eps,)
    total = _folded(op, names, arrays, kind, scalars)
    count = arrays[0].size
    for d in () if axis is None else axes_of(op, axis, arrays[0].ndim):
        count //= max(1, arrays[0].shape[d])
    mean = divide(total, count)
    return _scalar_result(op, mean, arrays[0].dtype, out)


def _eps(op: str, eps: float | None, prediction: Any) -> float:
    if eps is not None:
        return eps
    if isinstance(prediction, DeviceArray):
        return SMALLEST[0 if prediction.element_type == "f64" else 1]
    kind = kind_of(op, "prediction", read(op, "prediction", prediction))
    return SMALLEST[0 if kind == "f64" else 1]


@reduction
def mse(prediction: Any, target: Any, out: Any = None) -> Array:
    return _loss("mse", prediction, target, (), None, out)


@reduction
def cross_entropy(
    prediction: Any,
    target: Any,
    out: Any = None,
    *,
    eps: float | None = None,
    axis: int | None = None,
) -> Array:
    smallest = _eps("cross_entropy", eps, prediction)
    return _loss("cross_entropy", prediction, target, (smallest,), axis, out)


@reduction
def binary_cross_entropy(
    prediction: Any, target: Any, out: Any = None, *, eps: float | None = None
) -> Array:
    smallest = _eps("binary_cross_entropy", eps, prediction)
    return _loss("binary_cross_entropy", prediction, target, (smallest,), None, out)


@reduction
def dot(x: Any, y: Any, out: Any = None) -> Array:
    if isinstance(x, DeviceArray) or isinstance(y, DeviceArray):
        return cast("Array", on_device().pairs("dot", ("x", "y"), (x, y), None, None, out))
    arrays, kind = _two("dot", ("x", "y"), (x, y))
    if arrays[0].ndim != 1:
        raise ArgumentError(f"dot: 'x' has {arrays[0].ndim} dimensions, expected 1")
    total = _folded("dot", ("x", "y"), arrays, kind, ())
    return _scalar_result("dot", total, arrays[0].dtype, out)


def _strides(op: str, name: str, array: Array) -> tuple[int, int]:
    """The distances of rows and of columns of a matrix, in elements."""
    if array.ndim != 2:
        raise ArgumentError(f"{op}: '{name}' has {array.ndim} dimensions, expected 2")
    strides = [
        0 if e == 1 else s // array.itemsize
        for e, s in zip(array.shape, array.strides, strict=True)
    ]
    if min(strides) < 0:
        raise ArgumentError(f"{op}: '{name}' runs backwards; hologram.ops.copy turns it")
    return strides[0], strides[1]


@product("matvec")
def matvec(a: Any, x: Any, out: Any = None) -> Array:
    op = "matvec"
    if isinstance(a, DeviceArray) or isinstance(x, DeviceArray):
        return cast("Array", on_device().matvec((a, x), out))
    (matrix, vector), kind = _two(op, ("a", "x"), (a, x))
    if matrix.ndim != 2:
        raise ArgumentError(f"{op}: 'a' has {matrix.ndim} dimensions, expected 2")
    rows, columns = matrix.shape
    if vector.shape != (columns,):
        raise ArgumentError(f"{op}: 'x' has the shape {vector.shape}, expected ({columns},)")
    target = output(op, out, (rows,), matrix.dtype)
    if not vector.flags.c_contiguous or not target.flags.c_contiguous:
        raise ArgumentError(f"{op}: 'x' or 'out' has gaps; hologram.ops.copy makes one without")
    if matrix.size == 0:
        if rows:
            fill(target, 0)
        return result(out, target)
    row, column = _strides(op, "a", matrix)
    if column == 1 or columns == 1:
        launch(
            *(library.kernel(f"op_matvec_rows_{kind}"), -(-rows // _ROWS), 1, 1, _BLOCK),
            *(layout.memory(matrix), vector, target, rows, columns, row),
        )
    elif row == 1 or rows == 1:
        # x A, one row of a product.
        multiply(
            *(gemm, vector, layout.memory(matrix), target, 1, rows, columns),
            *(columns, 1, column, 1, rows),
        )
    else:
        raise ArgumentError(f"{op}: 'a' has gaps in both axes; hologram.ops.copy makes one without")
    return result(out, target)


@product("gemm")
def gemm(a: Any, b: Any, out: Any = None) -> Array:
    op = "gemm"
    if isinstance(a, DeviceArray) or isinstance(b, DeviceArray):
        return cast("Array", on_device().gemm((a, b), out))
    (left, right), kind = _two(op, ("a", "b"), (a, b))
    for name, array in (("a", left), ("b", right)):
        if array.ndim != 2:
            raise ArgumentError(f"{op}: '{name}' has {array.ndim} dimensions, expected 2")
    (m, k), n = left.shape, right.shape[1]
    if right.shape[0] != k:
        raise ArgumentError(f"{op}: 'b' has {right.shape[0]} rows, 'a' has {k} columns")
    target = output(op, out, (m, n), left.dtype)
    if target.size == 0 or k == 0:
        if target.size:
            fill(target, 0)
        return result(out, target)
    if n > 1 and target.strides[1] != target.itemsize:
        raise ArgumentError(f"{op}: 'out' has gaps or turns in its last axis")
    row, _ = _strides(op, "out", target)
    multiply(
        *(gemm, *(layout.memory(array) for array in (left, right, target)), m, n, k),
        *(*_strides(op, "a", left), *_strides(op, "b", right), row or n),
    )
    return result(out, target)


matmul = gemm
