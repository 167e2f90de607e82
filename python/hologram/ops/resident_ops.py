"""Operations of hologram.ops on arrays of a device that are not element by element: reductions,
rows, running sums and products. The kernels, and so the bits, are those of the host.

Arrays are C-contiguous there, so a reduction is one of a matrix [outer, n, columns]. Results are on
the same device; conditions (`any`, `all`) are u8, as there are no arrays of bool.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram import library
from hologram._native import COLUMN_CHUNK, ROW_CHUNK, launch
from hologram.errors import ArgumentError
from hologram.ops import layout
from hologram.ops.arrays import CODES, constant, dtype_of
from hologram.ops.reduction_calls import (
    ACCUMULATE,
    FINDERS,
    accumulator_kind,
    axes_of,
)
from hologram.ops.resident import ResidentArray, device_empty, elementwise, to_device
from hologram.ops.table import TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

_LANES = 64
_CHUNK = 256  # of a running sum, as in kernels/ops/cumsum.py
_INDICES = ("argmin", "argmax")
_MOST = 2**31 - 1


def resident(op: str, name: str, value: object, like: ResidentArray | None = None) -> ResidentArray:
    """An argument, which is on a device, of the type of another one."""
    if not isinstance(value, ResidentArray):
        where = f"on {like.device}" if like is not None else "on a device"
        raise ArgumentError(f"{op}: '{name}' expects an array {where}")
    kind = value.element_type
    if kind not in TABLE[op].types:
        expected = ", ".join(TABLE[op].types)
        raise ArgumentError(
            f"{op}: '{name}' is {kind}, which has no such operation; expected {expected}"
        )
    if like is not None and kind != like.element_type:
        raise ArgumentError(f"{op}: '{name}' is {kind}, and others {like.element_type}")
    return value


class _Target:
    """Where the result of an operation goes: `out`, or an array that is made."""

    def __init__(
        self, op: str, shape: Sequence[int], kind: str, like: ResidentArray, out: object
    ) -> None:
        self.kind = kind
        self.shape = tuple(shape)
        self.like = like
        if out is not None:
            if not isinstance(out, ResidentArray):
                raise ArgumentError(f"{op}: 'out' expects an array on {like.device}")
            if out.element_type != kind or out.shape != self.shape:
                raise ArgumentError(
                    f"{op}: 'out' expects {self.shape} elements of {kind}, found {out.shape} of "
                    f"{out.element_type}"
                )
        self.out = out

    def take(self) -> ResidentArray:
        """The array, with anything in it."""
        if self.out is not None:
            return self.out
        return device_empty(self.shape, dtype_of(self.kind), self.like.device)


def _check(op: str, *numbers: int) -> None:
    if max(numbers) > _MOST:
        raise ArgumentError(f"{op}: an array has more than 2^31 - 1 elements along an axis")


def _of_none(op: str, values: Sequence[Any], out: object, **options: Any) -> ResidentArray:
    """The result where there are no elements, which takes no launch."""
    from hologram import ops

    like = cast("ResidentArray", values[0])
    on_host = [np.empty(value.shape, value.dtype) for value in values]
    made = np.asarray(getattr(ops, op)(*on_host, **options))
    if out is None:
        return to_device(made, like.device)
    kind = "u8" if made.dtype == bool else to_device(made, like.device).element_type
    target = _Target(op, made.shape, kind, like, out).take()
    target.copy_from(made.view(target.dtype))
    return target


# ---- Reductions


def _fold(
    op: str, x: ResidentArray, matrix: tuple[int, int, int], rest: bool, last: ResidentArray | None
) -> ResidentArray:
    """One element for each row or column of [outer, n, columns], into `last` if it is given."""
    outer, n, columns = matrix
    kind = x.element_type
    while True:
        by_rows = columns == 1
        chunks = -(-n // (ROW_CHUNK if by_rows else COLUMN_CHUNK))
        step = ("rest_" if rest else "") + ("rows" if by_rows else "columns")
        kernel = FINDERS[op](step, CODES[kind])
        kind = kind if rest else accumulator_kind(op, kind)
        size = outer * chunks * columns
        if chunks == 1 and last is not None:
            made = last
        else:
            made = device_empty(size, dtype_of(kind), x.device)
        if by_rows:
            launch(kernel, chunks, outer, 1, _LANES, x, made, n, n, min(ROW_CHUNK, n))
        else:
            width, lanes = layout.width(columns)
            numbers = (n, outer, columns, n * columns, columns, COLUMN_CHUNK)
            launch(kernel, width, outer, chunks, lanes, x, made, *numbers)
        if chunks == 1:
            return made
        x, n, rest = made, chunks, True


def _find(op: str, x: ResidentArray, matrix: tuple[int, int, int], out: ResidentArray) -> None:
    """The indices of the smallest or largest elements."""
    outer, n, columns = matrix
    code = CODES[x.element_type]
    if columns != 1:
        width, lanes = layout.width(columns)
        kernel = FINDERS[op]("columns", code)
        numbers = (n, outer, columns, n * columns, columns)
        launch(kernel, width, outer, 1, lanes, x, out, *numbers)
        return
    chunks, chunk = -(-n // ROW_CHUNK), min(ROW_CHUNK, n)
    values = device_empty(outer * chunks, x.dtype, x.device)
    best = FINDERS[op]("rows", code)
    launch(best, chunks, outer, 1, _LANES, x, values, n, n, chunk)
    pick = FINDERS[op]("pick", code)
    launch(pick, outer, 1, 1, _LANES, x, values, out, n, n, chunk, chunks)


def _groups(axes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Neighbouring axes, first and last; the last ones first."""
    groups: list[tuple[int, int]] = []
    for axis in reversed(axes):
        if groups and groups[-1][0] == axis + 1:
            groups[-1] = (axis, groups[-1][1])
        else:
            groups.append((axis, axis))
    return groups


def _result_kind(op: str, kind: str) -> str:
    if op in ("any", "all"):
        return "u8"
    if op in _INDICES:
        return "i64"
    if op in ("sum", "prod", "mean") and kind[0] in "iu":
        return accumulator_kind(op, kind)
    return kind


def reduce(op: str, given: Any, axis: Any, out: object, keepdims: bool) -> ResidentArray:
    """A reduction of the table, along any axes."""
    x = resident(op, "x", given)
    if op in _INDICES and isinstance(axis, tuple):
        raise ArgumentError(f"{op}: 'axis' expects None or a number, found {axis!r}")
    axes = axes_of(op, axis, x.ndim)
    if x.size == 0:
        return _of_none(op, [x], out, axis=axis, keepdims=keepdims)
    _check(op, x.size)
    kept = [1 if d in axes else extent for d, extent in enumerate(x.shape)]
    shape = kept if keepdims else [e for d, e in enumerate(x.shape) if d not in axes]
    kind = _result_kind(op, x.element_type)
    target = _Target(op, shape, kind, x, out)
    groups = _groups(axes) or [(x.ndim, x.ndim)]
    extents = [*x.shape, 1]
    value = x
    for k, (first, last) in enumerate(groups):
        matrix = (
            math.prod(extents[:first]),
            math.prod(extents[first : last + 1]),
            math.prod(extents[last + 1 :]),
        )
        extents[first : last + 1] = [1] * (last + 1 - first)
        if op in _INDICES:
            made = target.take()
            _find(op, x, matrix, made)
            return made
        plain = k == len(groups) - 1 and op not in ("mean", "norm")
        plain = plain and accumulator_kind(op, x.element_type) == kind
        value = _fold(op, value, matrix, k != 0, target.take() if plain else None)
    return _finish(op, value, target, x.size // math.prod(kept))


def _finish(op: str, value: ResidentArray, target: _Target, count: int) -> ResidentArray:
    """What comes behind the kernels, in the type that they accumulate in; then the type of the
    result."""
    if value is target.out or (value.shape == target.shape and value.element_type == target.kind):
        plain = value
    else:
        plain = value.reshape(target.shape)
    steps = op in ("mean", "norm", "mse", "cross_entropy", "binary_cross_entropy")
    casts = value.element_type != target.kind
    if steps:
        into = None if casts else target.take()
        if op == "norm":
            plain = elementwise(TABLE["sqrt"], (plain,), (), into, False)
        else:
            plain = elementwise(TABLE["div"], (plain, count), (), into, False)
    if not casts:
        return plain
    made = target.take()
    kernel = library.kernel(f"op_cast_{value.element_type}_{target.kind}")
    kernel(plain, made, made.size)
    return made


def pairs(  # noqa: PLR0913
    op: str, names: tuple[str, str], given: tuple[Any, Any], eps: float | None, axis: Any, out: Any
) -> ResidentArray:
    """A reduction of two arrays of one shape over all elements: a product of vectors, a loss."""
    first = next(value for value in given if isinstance(value, ResidentArray))
    x, y = (resident(op, *pair, first) for pair in zip(names, given, strict=True))
    if x.shape != y.shape:
        raise ArgumentError(f"{op}: '{names[1]}' has the shape {y.shape}, expected {x.shape}")
    if op == "dot" and x.ndim != 1:
        raise ArgumentError(f"dot: 'x' has {x.ndim} dimensions, expected 1")
    numbers: tuple[Any, ...] = ()
    kind = x.element_type
    if op in ("cross_entropy", "binary_cross_entropy"):
        numbers = (constant(op, "eps", eps, "f64" if kind == "f64" else "f32").item(),)
        if not numbers[0] >= 0:
            raise ArgumentError(f"{op}: 'eps' expects a number from 0 on, found {eps!r}")
    count = x.size
    for d in () if axis is None else axes_of(op, axis, x.ndim):
        count //= max(1, x.shape[d])
    if x.size == 0:
        options = {} if axis is None else {"axis": axis}
        return _of_none(op, [x, y], out, **options)
    _check(op, x.size)
    target = _Target(op, (), kind, x, out)
    n, chunks = x.size, -(-x.size // ROW_CHUNK)
    accumulated = accumulator_kind(op, kind)
    direct = chunks == 1 and op == "dot" and accumulated == kind
    made = target.take() if direct else device_empty(chunks, dtype_of(accumulated), x.device)
    kernel = FINDERS[op]("rows", CODES[kind])
    launch(kernel, chunks, 1, 1, _LANES, x, y, made, *numbers, n, min(ROW_CHUNK, n))
    if chunks != 1:
        plain = op == "dot" and accumulated == kind
        made = _fold(op, made, (1, chunks, 1), True, target.take() if plain else None)
    return _finish(op, made, target, count)


# ---- Rows


def along_rows(
    op: str, given: Any, weights: dict[str, Any], scalars: tuple[float, ...], out: object
) -> ResidentArray:
    """softmax and the norms, of each row."""
    x = resident(op, "x", given)
    kind = x.element_type
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ArgumentError(f"{op}: 'x' has no elements along its last axis")
    columns = x.shape[-1]
    vectors = []
    for name, value in weights.items():
        if value is None:
            whole = np.full(columns, 0 if name == "beta" else 1, dtype_of(kind))
            vectors.append(to_device(whole, x.device))
            continue
        vector = resident(op, name, value, x)
        if vector.shape != (columns,):
            raise ArgumentError(
                f"{op}: '{name}' has the shape {vector.shape}, expected ({columns},)"
            )
        vectors.append(vector)
    numbers = [constant(op, "epsilon", value, "f32").item() for value in scalars]
    target = _Target(op, x.shape, kind, x, out).take()
    if x.size:
        _check(op, x.size)
        kernel = library.kernel(f"op_{op}_{kind}")
        rows = x.size // columns
        strides = (columns, columns, columns)
        launch(kernel, rows, 1, 1, _LANES, x, *vectors, target, *numbers, *strides)
    return target


def running_sums(given: Any, axis: Any, out: object) -> ResidentArray:
    """cumsum."""
    op = "cumsum"
    x = resident(op, "x", given)
    kind = x.element_type
    flat = x.reshape(-1) if axis is None else x
    if isinstance(axis, tuple):
        raise ArgumentError(f"{op}: 'axis' expects None or a number, found {axis!r}")
    (along,) = axes_of(op, 0 if axis is None else axis, flat.ndim)
    suffix, accumulator = ACCUMULATE[kind]
    made = kind if kind[0] in "fb" else accumulator
    target = _Target(op, flat.shape, made, x, out).take()
    if flat.size == 0:
        return target
    _check(op, flat.size)
    n = flat.shape[along]
    columns = math.prod(flat.shape[along + 1 :])
    outer = flat.size // (n * columns)
    if columns == 1 and kind == "f32" and n > _CHUNK and x.device.startswith("cuda"):
        _sums_of_chunks(flat, target, outer, n)
    elif columns == 1:
        kernel = library.kernel(f"op_cumsum_rows{suffix}_{kind}")
        launch(kernel, outer, 1, 1, 256, flat, target, n, n)
    else:
        width, lanes = layout.width(columns)
        kernel = library.kernel(f"op_cumsum_columns{suffix}_{kind}")
        strides = (n, outer, columns, n * columns, columns)
        launch(kernel, width, outer, 1, lanes, flat, target, *strides)
    return target


def _sums_of_chunks(x: ResidentArray, target: ResidentArray, rows: int, n: int) -> None:
    """Running sums along rows: the chunks of a row side by side."""
    chunks = -(-n // _CHUNK)
    sums = device_empty(rows * chunks, x.dtype, x.device)
    part, starts, whole = (
        library.kernel(f"op_cumsum_device_{name}") for name in ("sums", "starts", "chunks")
    )
    launch(part, chunks, rows, 1, _CHUNK, x, sums, n)
    launch(starts, rows, 1, 1, _CHUNK, sums, chunks)
    launch(whole, chunks, rows, 1, _CHUNK, x, sums, target, n)


# ---- Products

_BLOCK = (64, 128)  # columns and rows of a block of op_gemm_device, which is for f32
_TILE = {"f64": (32, 6)}  # columns and rows of a block of op_gemm_tile; of the other types 64, 6


def gemm(given: tuple[Any, Any], out: object) -> ResidentArray:
    """A B; each element is the sum of its terms in order, whatever kernel computes it."""
    op = "gemm"
    first = next(value for value in given if isinstance(value, ResidentArray))
    a, b = (resident(op, name, value, first) for name, value in zip("ab", given, strict=True))
    for name, array in (("a", a), ("b", b)):
        if array.ndim != 2:
            raise ArgumentError(f"{op}: '{name}' has {array.ndim} dimensions, expected 2")
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k:
        raise ArgumentError(f"{op}: 'b' has {b.shape[0]} rows, 'a' has {k} columns")
    kind = a.element_type
    target = _Target(op, (m, n), kind, a, out).take()
    if target.size == 0:
        return target
    if k == 0:
        target.copy_from(np.zeros(target.shape, target.dtype))
        return target
    _check(op, a.size, b.size, target.size)
    columns, rows = _TILE.get(kind, (64, 6))
    # A processor as a device is better off with its own tiles (4.4 times, Intel's OpenCL).
    if kind == "f32" and min(m, n) > rows and a.device.startswith("cuda"):
        blocks = library.kernel("op_gemm_device")[
            (-(-n // _BLOCK[0]), -(-m // _BLOCK[1])), (16, 16)
        ]
        blocks(a, b, target)
    elif kind in ("f32", "f64") and n % columns == 0 and m >= rows:
        kernel = library.kernel(f"op_gemm_tile_{kind}")
        numbers = (m, n, k, k, 1, columns, n, n)
        launch(kernel, 1, -(-m // rows), n // columns, columns, a, b, target, *numbers)
    else:
        _gemm_of_rows(kind, a, b, target)
    return target


def _gemm_of_rows(kind: str, a: ResidentArray, b: ResidentArray, target: ResidentArray) -> None:
    (m, k), n = a.shape, b.shape[1]
    width, lanes = layout.width(n)
    kernel = library.kernel(f"op_gemm_{kind}")
    launch(kernel, width, -(-m // 4), 1, lanes, a, b, target, m, n, k, k, 1, n, n)


def matvec(given: tuple[Any, Any], out: object) -> ResidentArray:
    """A x."""
    op = "matvec"
    first = next(value for value in given if isinstance(value, ResidentArray))
    a, x = (resident(op, name, value, first) for name, value in zip("ax", given, strict=True))
    if a.ndim != 2:
        raise ArgumentError(f"{op}: 'a' has {a.ndim} dimensions, expected 2")
    rows, columns = a.shape
    if x.shape != (columns,):
        raise ArgumentError(f"{op}: 'x' has the shape {x.shape}, expected ({columns},)")
    target = _Target(op, (rows,), a.element_type, a, out).take()
    if rows == 0:
        return target
    if columns == 0:
        target.copy_from(np.zeros(rows, target.dtype))
        return target
    _check(op, a.size)
    kernel = library.kernel(f"op_matvec_rows_{a.element_type}")
    launch(kernel, -(-rows // 8), 1, 1, _LANES, a, x, target, rows, columns, columns)
    return target


__all__ = ["along_rows", "gemm", "matvec", "pairs", "reduce", "running_sums"]
