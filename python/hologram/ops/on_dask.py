"""hologram.ops on Dask arrays, as hologram.dask; nothing else of hologram needs Dask.

    hd.sum(x), hd.mean(x, axis=0), hd.dot(x, y)     lazy, with the bits of hologram.ops on the whole
    hd.softmax(x)                                   along the last axis
    hd.stencil(step, x, depth=1)                    step(block) sees `depth` neighbours

The bits depend neither on the chunks nor on the scheduler (docs/ops.md, "Parts"). Arrays whose
chunks do not end at multiples of a part are given others first. `hologram.ops.exp(x)` and the other
operations on elements take Dask arrays themselves, and come here.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from hologram import ops
from hologram.errors import ArgumentError
from hologram.ops.arrays import dtype_of, kind_of
from hologram.ops.elementwise_calls import elements
from hologram.ops.parts import COLUMN_PART, PART, Operation
from hologram.ops.reduction_calls import result_dtype
from hologram.ops.table import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "all",
    "along_rows",
    "any",
    "argmax",
    "argmin",
    "dot",
    "elementwise",
    "log_softmax",
    "max",
    "mean",
    "min",
    "mse",
    "norm",
    "prod",
    "reduce",
    "softmax",
    "stencil",
    "sum",
]

_MOST_PARTS = PART * 256  # that one worker joins


def sum(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("sum", x, axis=axis, keepdims=keepdims)


def mean(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("mean", x, axis=axis, keepdims=keepdims)


def prod(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("prod", x, axis=axis, keepdims=keepdims)


def min(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("min", x, axis=axis, keepdims=keepdims)


def max(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("max", x, axis=axis, keepdims=keepdims)


def norm(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("norm", x, axis=axis, keepdims=keepdims)


def any(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("any", x, axis=axis, keepdims=keepdims)


def all(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return reduce("all", x, axis=axis, keepdims=keepdims)


def argmin(x: Any) -> Any:
    return reduce("argmin", x)


def argmax(x: Any) -> Any:
    return reduce("argmax", x)


def dot(x: Any, y: Any) -> Any:
    if x.ndim != 1:
        raise ArgumentError(f"dot: 'x' has {x.ndim} dimensions, expected 1")
    return reduce("dot", x, y)


def mse(prediction: Any, target: Any) -> Any:
    return reduce("mse", prediction, target)


def softmax(x: Any) -> Any:
    return along_rows(ops.softmax, x)


def log_softmax(x: Any) -> Any:
    return along_rows(ops.log_softmax, x)


def along_rows(function: Callable[..., Any], x: Any, *arguments: Any, **options: Any) -> Any:
    """function(block, *arguments, **options) for blocks of whole rows, the last axis."""
    whole = x.rechunk({x.ndim - 1: -1})
    return whole.map_blocks(function, *arguments, dtype=x.dtype, meta=_meta(x), **options)


def stencil(function: Callable[..., Any], x: Any, depth: Any = 1, **options: Any) -> Any:
    """What function(block) gives for each block with `depth` neighbours around it, without them:
    da.map_overlap. At the ends of the array there are none (`boundary="none"`, or another of
    Dask's), so that the function sees the ends that it would see of the whole array."""
    options = {"boundary": "none", "dtype": x.dtype, "meta": _meta(x), **options}
    return da.map_overlap(function, x, depth=depth, **options)


def elementwise(
    name: str, values: Sequence[Any], scalars: Sequence[Any] = (), *, fast: bool = False
) -> Any:
    """An operation of hologram.ops on elements, of arrays of which some are Dask's."""
    arrays = [value for value in values if isinstance(value, da.Array)]
    function = functools.partial(_elements, name, tuple(scalars), fast)
    # It gives the others, also those of NumPy, the same chunks.
    return da.core.elemwise(function, *values, dtype=arrays[0].dtype)


def reduce(name: str, *arrays: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A reduction of hologram.ops, of all elements or along one axis."""
    op = Operation(name)
    x = arrays[0]
    kind = kind_of(name, "x", np.empty(0, x.dtype), ("bool",))
    if kind not in TABLE[name].types:
        raise ArgumentError(f"{name}: 'x' is {kind}, which has no such operation")
    if axis is None or x.ndim == 1:
        made = _of_all(op, [array.reshape(-1) for array in arrays], kind)
        return made.reshape((1,) * x.ndim) if keepdims else made
    if not isinstance(axis, int):
        raise ArgumentError(f"{name}: 'axis' expects None or a number, found {axis!r}")
    made = _along(op, x, axis % x.ndim, kind)
    return da.expand_dims(made, axis) if keepdims else made


# ---- Parts


def _of_all(op: Operation, lines: list[Any], kind: str) -> Any:
    count = int(lines[0].shape[0])
    lines = [_in_parts(line, 0, PART) for line in lines]
    lines = [lines[0], *(line.rechunk(lines[0].chunks) for line in lines[1:])]
    parts = _mapped(op.parts, lines, op.dtype(kind))
    joined = Operation(op.joins)
    indices = op.dtype(kind).fields is not None
    while parts.shape[0] > _MOST_PARTS and not indices:
        parts = _mapped(joined.parts, [parts.rechunk(_MOST_PARTS)], op.dtype(kind))
    finish = functools.partial(_finished, op, count, kind)
    dtype = _result(op, kind)
    return parts.rechunk(-1).map_blocks(finish, drop_axis=0, dtype=dtype, meta=np.empty((), dtype))


def _mapped(function: Callable[..., Any], lines: list[Any], dtype: Any) -> Any:
    sizes = tuple(-(-size // PART) for size in lines[0].chunks[0])
    block = functools.partial(_contiguous, function)
    return da.map_blocks(block, *lines, chunks=(sizes,), dtype=dtype, meta=np.empty(0, dtype))


def _along(op: Operation, x: Any, axis: int, kind: str) -> Any:
    last = int(np.prod(x.shape[axis + 1 :])) == 1
    size = PART if last else COLUMN_PART
    # The order of sums depends on how many columns there are.
    whole = _in_parts(x.rechunk(dict.fromkeys(range(axis + 1, x.ndim), -1)), axis, size)
    chunks = list(whole.chunks)
    chunks[axis] = tuple(-(-extent // size) for extent in chunks[axis])
    dtype = op.dtype(kind)
    block = functools.partial(_contiguous, op.parts, axis=axis)
    empty = np.empty((0,) * x.ndim, dtype)
    parts = whole.map_blocks(block, chunks=tuple(chunks), dtype=dtype, meta=empty)
    made = _result(op, kind)
    finish = functools.partial(_finished, op, int(x.shape[axis]), kind, axis=axis)
    return parts.rechunk({axis: -1}).map_blocks(
        finish, drop_axis=axis, dtype=made, meta=np.empty((0,) * (x.ndim - 1), made)
    )


def _in_parts(x: Any, axis: int, part: int) -> Any:
    """With chunks along the axis that are multiples of a part, but the last one."""
    sizes = x.chunks[axis]
    if not np.any(np.array(sizes[:-1], np.int64) % part):
        return x
    return x.rechunk({axis: int(np.max(sizes)) // part * part or part})


def _contiguous(function: Callable[..., Any], *blocks: Any, **options: Any) -> Any:
    return function(*(np.ascontiguousarray(block) for block in blocks), **options)


def _finished(op: Operation, count: int, kind: str, parts: Any, *, axis: Any = None) -> Any:
    given = np.ascontiguousarray(parts)
    if axis is not None:
        return op.finish(given, count, kind, axis=axis)
    if count == 0:
        return np.asarray(op.finish(given, 0, kind))
    value = given if given.shape[0] == 1 else op.join(given, 0)
    return np.asarray(op.ended(value.reshape(()), count, kind))


def _result(op: Operation, kind: str) -> Any:
    dtype = np.dtype(bool) if kind == "bool" else dtype_of(kind)
    return np.dtype(result_dtype(TABLE[op.name], kind, dtype))


def _elements(name: str, scalars: tuple[Any, ...], fast: bool, *blocks: Any) -> Any:
    return elements(TABLE[name], blocks, scalars, fast=fast)


def _meta(x: Any) -> Any:
    return np.empty((0,) * x.ndim, x.dtype)
