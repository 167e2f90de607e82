"""Operations on the rows of an array, its last axis, and running sums."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, cast

import numpy as np

from hologram import library
from hologram._native import DeviceArray, launch
from hologram.errors import ArgumentError
from hologram.ops import layout
from hologram.ops.arrays import Array, constant, dtype_of, kind_of, output, read, result, shown
from hologram.ops.reduction_calls import ACCUMULATE, axes_of, on_device, product
from hologram.ops.table import TABLE

_BLOCK = 64


def _row_stride(op: str, name: str, array: Array) -> int:
    """The distance of the rows of an array, in elements."""
    if array.flags.c_contiguous:
        return int(array.shape[-1])
    columns = array.shape[-1]
    if columns > 1 and array.strides[-1] != array.itemsize:
        raise ArgumentError(
            f"{op}: '{name}' has gaps or turns in its last axis; hologram.ops.copy "
            "makes an array without"
        )
    rest = [(extent, array.strides[d]) for d, extent in enumerate(array.shape[:-1]) if extent != 1]
    for (_, outer), (extent, inner) in pairwise(rest):
        if outer != inner * extent:
            raise ArgumentError(
                f"{op}: '{name}' has rows at uneven distances; hologram.ops.copy "
                "makes an array without gaps"
            )
    stride = rest[-1][1] // array.itemsize if rest else columns
    if stride < 0:
        raise ArgumentError(
            f"{op}: '{name}' has rows that run backwards; hologram.ops.copy turns " "them"
        )
    return int(stride)


def _by_rows(
    op: str, x: Any, weights: dict[str, Any], scalars: tuple[float, ...], out: Any
) -> Array:
    if isinstance(x, DeviceArray):
        return cast("Array", on_device().along_rows(op, x, weights, scalars, out))
    array = read(op, "x", x)
    kind = kind_of(op, "x", array)
    spec = TABLE[op]
    if kind not in spec.types:
        raise ArgumentError(
            f"{op}: 'x' is {kind}, which has no such operation; expected {', '.join(spec.types)}"
        )
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ArgumentError(f"{op}: 'x' has no elements along its last axis")
    columns = array.shape[-1]
    vectors = []
    for name, value in weights.items():
        if value is None:
            vectors.append(np.full(columns, 0 if name == "beta" else 1, array.dtype))
            continue
        vector = read(op, name, value)
        if vector.dtype != array.dtype or vector.shape != (columns,):
            raise ArgumentError(
                f"{op}: '{name}' is {vector.dtype} {vector.shape}, "
                f"expected {array.dtype} ({columns},)"
            )
        if not vector.flags.c_contiguous:
            raise ArgumentError(f"{op}: '{name}' has gaps; hologram.ops.copy makes one without")
        vectors.append(vector)
    numbers = [constant(op, "epsilon", value, "f32").item() for value in scalars]
    target = output(op, out, array.shape, array.dtype)
    if target.size:
        stride = _row_stride(op, "x", array)
        out_stride = _row_stride(op, "out", target)
        rows = array.size // columns
        launch(
            *(library.kernel(f"op_{op}_{kind}"), rows, 1, 1, _BLOCK),
            *(layout.memory(array), *vectors, layout.memory(target)),
            *(*numbers, columns, stride, out_stride),
        )
    return result(out, target)


def _last(op: str, axis: int, x: Any) -> None:
    dims = len(x.shape) if isinstance(x, DeviceArray) else read(op, "x", x).ndim
    if axes_of(op, axis, dims) != (dims - 1,):
        raise ArgumentError(
            f"{op}: 'axis' is {shown(axis)}; only the last is possible, hologram.ops.transpose "
            "moves it"
        )


@product("along_rows")
def softmax(x: Any, axis: int = -1, out: Any = None) -> Array:
    _last("softmax", axis, x)
    return _by_rows("softmax", x, {}, (), out)


@product("along_rows")
def log_softmax(x: Any, axis: int = -1, out: Any = None) -> Array:
    _last("log_softmax", axis, x)
    return _by_rows("log_softmax", x, {}, (), out)


@product("along_rows")
def layer_norm(
    x: Any, gamma: Any = None, beta: Any = None, epsilon: float = 1e-5, out: Any = None
) -> Array:
    return _by_rows("layer_norm", x, {"gamma": gamma, "beta": beta}, (epsilon,), out)


@product("along_rows")
def rms_norm(x: Any, gamma: Any = None, epsilon: float = 1e-5, out: Any = None) -> Array:
    return _by_rows("rms_norm", x, {"gamma": gamma}, (epsilon,), out)


@product("sums")
def cumsum(x: Any, axis: int | None = None, out: Any = None) -> Array:
    op = "cumsum"
    if isinstance(x, DeviceArray):
        return cast("Array", on_device().running_sums(x, axis, out))
    array = read(op, "x", x)
    kind = kind_of(op, "x", array)
    if not array.flags.c_contiguous:
        raise ArgumentError(f"{op}: 'x' has gaps; hologram.ops.copy makes an array without")
    if axis is None:
        array, axis = array.reshape(-1), 0
    if isinstance(axis, tuple):
        raise ArgumentError(f"{op}: 'axis' expects None or a number, found {shown(axis)}")
    (along,) = axes_of(op, axis, array.ndim)
    suffix, accumulator = ACCUMULATE[kind]
    dtype = array.dtype if kind[0] in "fb" else dtype_of(accumulator)
    target = output(op, out, array.shape, dtype)
    if not target.flags.c_contiguous:
        raise ArgumentError(f"{op}: 'out' has gaps")
    if target.size == 0:
        return result(out, target)
    n = array.shape[along]
    columns = math.prod(array.shape[along + 1 :])
    outer = array.size // (n * columns)
    if columns == 1:
        kernel = library.kernel(f"op_cumsum_rows{suffix}_{kind}")
        launch(kernel, outer, 1, 1, 256, array, target, n, n)
    else:
        width, lanes = layout.width(columns)
        kernel = library.kernel(f"op_cumsum_columns{suffix}_{kind}")
        launch(
            *(kernel, width, outer, 1, lanes, array, target),
            *(n, outer, columns, n * columns, columns),
        )
    return result(out, target)
