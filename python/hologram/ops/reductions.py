"""Reductions over all elements or along axes: which kernels are launched on which views.

An array is taken as [outer, n, columns], n along what is reduced. Axes that lie one behind the
other are one; several that do not are reduced one after another. Each launch makes of n elements
one for each chunk of them, until there is one chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram.errors import ArgumentError
from hologram.ops import layout, library
from hologram.ops.arrays import BOOL, dtype_of, kind_of, output, read, result
from hologram.ops.elementwise import OPERATIONS, divide
from hologram.ops.movement import convert
from hologram.ops.table import TABLE, Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.ops.arrays import Array

    # Reduces [outer, n, columns] with these strides, of this memory, to [outer, columns].
    Fold = Callable[["Matrix"], Array]

_ROW_CHUNK = 4096
_COLUMN_CHUNK = 512
_BLOCK = 64
# Kernels that accumulate in another type are named by the kind of the type.
ACCUMULATE = {
    **dict.fromkeys(("f32", "f16", "bf16"), ("", "f32")),
    "f64": ("_double", "f64"),
    **dict.fromkeys(("i8", "i16", "i32", "i64"), ("_signed", "i64")),
    **dict.fromkeys(("u8", "u16", "u32", "u64"), ("_unsigned", "u64")),
}
# A mean of integers is a sum in f64, which does not wrap.
MEAN = {**ACCUMULATE, **{kind: ("_wide", "f64") for kind in ACCUMULATE if kind[0] in "iu"}}


class Matrix:
    """Elements [outer, n, columns] in `memory`, neighbours plane, stride and 1 apart.
    Without columns (1) n may have any stride."""

    def __init__(  # noqa: PLR0913
        self, memory: Array, kind: str, outer: int, n: int, columns: int, plane: int, stride: int
    ) -> None:
        self.memory = memory
        self.kind = kind
        self.outer = outer
        self.n = n
        self.columns = columns
        self.plane = plane
        self.stride = stride

    @property
    def by_rows(self) -> bool:
        """What is reduced lies together."""
        return self.columns == 1 and (self.stride == 1 or self.n == 1)


def _chunks(n: int, most: int) -> int:
    return max(1, -(-n // most))


def fold(first: str, rest: str, accumulator: Callable[[str], tuple[str, str]]) -> Fold:
    """The reduction of kernels op_NAME_rows and _columns, of `first` for the elements and of `rest`
    for what they were reduced to; `accumulator` tells what is between `rows` and the type in the
    name of a kernel, and the type of what it gives."""

    def run(matrix: Matrix) -> Array:
        kernel = first
        while True:
            suffix, to = accumulator(matrix.kind)
            most = _ROW_CHUNK if matrix.by_rows else _COLUMN_CHUNK
            chunks = _chunks(matrix.n, most)
            size = matrix.outer * chunks * matrix.columns
            partial = np.empty(size, np.uint8 if to == "u8" else dtype_of(to))
            if matrix.by_rows:
                found = library.kernel(f"op_{kernel}_rows{suffix}_{matrix.kind}")
                found[(chunks, matrix.outer), (_BLOCK, 1)](
                    *(matrix.memory, partial, matrix.n, matrix.plane, min(most, matrix.n))
                )
            else:
                found = library.kernel(f"op_{kernel}_columns{suffix}_{matrix.kind}")
                width, lanes = layout.width(matrix.columns)
                found[(width, matrix.outer, chunks), (lanes, 1, 1)](
                    *(matrix.memory, partial, matrix.n, matrix.outer, matrix.columns),
                    *(matrix.plane, matrix.stride, most),
                )
            if chunks == 1:
                return partial
            kernel = rest
            columns = matrix.columns
            matrix = Matrix(partial, to, matrix.outer, chunks, columns, chunks * columns, columns)

    return run


def _argument(kernel: str) -> Fold:
    def run(matrix: Matrix) -> Array:
        kind = matrix.kind
        out = np.empty(matrix.outer * matrix.columns, np.int64)
        if not matrix.by_rows:
            width, lanes = layout.width(matrix.columns)
            library.kernel(f"op_{kernel}_columns_{kind}")[(width, matrix.outer), (lanes, 1)](
                *(matrix.memory, out, matrix.n, matrix.outer, matrix.columns),
                *(matrix.plane, matrix.stride),
            )
            return out
        chunks = _chunks(matrix.n, _ROW_CHUNK)
        values = np.empty(matrix.outer * chunks, matrix.memory.dtype)
        indices = out if chunks == 1 else np.empty(matrix.outer * chunks, np.int64)
        library.kernel(f"op_{kernel}_rows_{kind}")[(chunks, matrix.outer), (_BLOCK, 1)](
            *(matrix.memory, values, indices, matrix.n, matrix.plane, min(_ROW_CHUNK, matrix.n))
        )
        if chunks > 1:
            merge = library.kernel(f"op_{kernel}_merge_{kind}")
            merge(values, indices, out, matrix.outer, chunks)
        return out

    return run


FOLDS: dict[str, Fold] = {
    **{name: fold(name, name, ACCUMULATE.__getitem__) for name in ("sum", "prod")},
    "mean": fold("sum", "sum", lambda kind: MEAN[kind]),
    "sum_squares": fold("sum_squares", "sum", ACCUMULATE.__getitem__),
    **{name: fold(name, name, lambda kind: ("", kind)) for name in ("min", "max")},
    **{name: fold(name, name, lambda kind: ("", "u8")) for name in ("any", "all")},
    **{name: _argument(name) for name in ("argmin", "argmax")},
}


def axes_of(op: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, in order; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = set()
    for one in given:
        if not isinstance(one, (int, np.integer)) or isinstance(one, bool):
            raise ArgumentError(f"{op}: 'axis' expects None, a number or a tuple, found {axis!r}")
        if not -ndim <= one < ndim:
            raise ArgumentError(f"{op}: 'axis' is {one} for an array of {ndim} dimensions")
        if int(one) % ndim in found:
            raise ArgumentError(f"{op}: 'axis' names {one} twice")
        found.add(int(one) % ndim)
    return tuple(sorted(found))


def _merged(array: Array, dims: list[int]) -> tuple[int, int] | None:
    """(extent, stride in elements) of neighbouring dimensions as one; None if they are not one."""
    extent, stride = 1, 0
    for d in dims:
        if array.shape[d] == 1:
            continue
        step = array.strides[d] // array.itemsize
        if extent != 1 and stride != step * array.shape[d]:
            return None
        extent, stride = extent * array.shape[d], step
    return extent, stride


def _line(run: Fold, array: Array, kind: str, first: int, last: int) -> Array:
    """Reduces dimensions first to last (not included) of an array without negative strides, which
    are one. A flat result, in the order of what is left."""
    reduced = _merged(array, list(range(first, last)))
    outer = _merged(array, list(range(first)))
    inner = _merged(array, list(range(last, array.ndim)))
    assert reduced is not None
    n, stride = reduced
    if outer is not None and inner is not None:
        if inner[0] == 1 and outer[0] != 1 and outer[1] == 1 and stride != 1:
            outer, inner = (1, 0), outer  # rows that lie side by side are columns
        if inner[0] != 1 and inner[1] != 1 and outer[0] == 1:
            outer, inner = inner, (1, 1)
        if inner[0] == 1 or inner[1] == 1:
            memory = layout.whole(array)
            return run(Matrix(memory, kind, outer[0], n, inner[0], outer[1], stride))
    # Neither: one after another along the first dimension that is left.
    along = next(d for d in range(array.ndim) if not first <= d < last and array.shape[d] != 1)
    parts = []
    for k in range(array.shape[along]):
        part = array[(slice(None),) * along + (slice(k, k + 1),)]
        parts.append(_line(run, part, kind, first, last))
    return cast("Array", np.concatenate(parts))


def reduce(
    op: str, x: object, axis: Any = None, out: object = None, keepdims: bool = False
) -> Array:
    """Computes a reduction of the table."""
    spec = TABLE[op]
    if axis is None and out is None and not keepdims:
        value = _all_elements(spec, x)
        if value is not None:
            return value
    array = read(op, "x", x)
    kind = kind_of(op, "x", array, ("bool",))
    if kind not in spec.types:
        raise ArgumentError(
            f"{op}: 'x' is {kind}, which has no such operation; expected {', '.join(spec.types)}"
        )
    single = op in ("argmin", "argmax")
    if single and isinstance(axis, tuple):
        raise ArgumentError(f"{op}: 'axis' expects None or a number, found {axis!r}")
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
    forward = array[tuple(slice(None, None, -1 if back else 1) for back in backwards)]
    value = _compute(spec, forward, kind, axes, count)
    value = value.view(BOOL) if dtype == BOOL else value
    value = _finish(spec, value, dtype, count)
    turn = tuple(
        slice(None, None, -1 if b and e > 1 else 1) for b, e in zip(backwards, kept, strict=True)
    )
    value = value[turn].reshape(shape)
    if target is None:
        return value
    if target.size:
        convert(op, value, target)
    return result(out, target)


def _all_elements(spec: Spec, x: object) -> Array | None:
    """The short way for all elements of an array without gaps; None for others."""
    if type(x) is not np.ndarray or not x.flags.c_contiguous or x.size == 0:
        return None
    kind = kind_of(spec.name, "x", x, ("bool",))
    if kind not in spec.types or kind == "bool":
        return None
    n = x.size
    value = FOLDS["sum_squares" if spec.name == "norm" else spec.name](
        Matrix(x, kind, 1, n, 1, n, 1)
    ).reshape(())
    dtype = result_dtype(spec, kind, x.dtype)
    return _finish(spec, value.view(BOOL) if dtype == BOOL else value, dtype, n)


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


def _compute(spec: Spec, array: Array, kind: str, axes: tuple[int, ...], count: int) -> Array:
    """The reduction without what is done with its result: mean is still a sum, norm a sum of
    squares. In the type that is accumulated."""
    name = {"norm": "sum_squares"}.get(spec.name, spec.name)
    if kind == "bool":
        array, kind = array.view(np.uint8), "u8"
    if array.size == 0 or not axes:
        left = tuple(1 if d in axes else extent for d, extent in enumerate(array.shape))
        if array.size == 0:
            start = {"prod": 1, "all": 1}.get(name, 0)
            return np.full(left, start, dtype_of(_kind_after(name, kind)))
        axes, array = (array.ndim,), array[..., None]
    run = FOLDS[name]
    if len(axes) > 1 and name.startswith("arg") and not array.flags.c_contiguous:
        raise ArgumentError(
            f"{spec.name}: 'x' has gaps, so that indices need a copy of it; "
            "hologram.ops.copy makes one"
        )
    rest = list(axes)
    while rest:
        last = rest[-1]
        first = last
        while (
            rest
            and rest[-1] == first
            and (first == last or _merged(array, list(range(first, last + 1))) is not None)
        ):
            rest.pop()
            first -= 1
        first += 1
        value = _line(run, array, kind, first, last + 1)
        left = array.shape[:first] + (1,) * (last + 1 - first) + array.shape[last + 1 :]
        array = value.reshape(left)
        kind = _kind_after(name, kind)
        run = FOLDS["sum"] if name == "sum_squares" else run
    return array


def _kind_after(name: str, kind: str) -> str:
    if name in ("any", "all"):
        return "u8"
    if name == "mean":
        return MEAN[kind][1]
    return ACCUMULATE[kind][1] if name in ("sum", "prod", "sum_squares") else kind


def _finish(spec: Spec, value: Array, dtype: Any, count: int) -> Array:
    if spec.name == "mean":
        value = divide(value, count)
    if spec.name == "norm":
        value = cast("Array", OPERATIONS["sqrt"](value, value))
    if value.dtype == dtype:
        return value
    return convert(spec.name, value, np.empty(value.shape, dtype))
