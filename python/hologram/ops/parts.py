"""Reductions in parts: `op.parts`, `op.finish` and hologram.Accumulator.

    partial = [hg.ops.sum.parts(chunk) for chunk in chunks]         by any worker, in any order
    hg.ops.sum.finish(np.concatenate(partial), count)               the bits of hg.ops.sum(whole)

A reduction makes one of each 4,096 elements (of 512 along an axis that is not the last), of these
the same again, and so on. Chunks of whole parts give the bits of the whole array on any worker; the
sizes belong to the definition of the operations (docs/ops.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hologram._native import COLUMN_CHUNK, ROW_CHUNK, launch
from hologram.errors import ArgumentError
from hologram.ops.arrays import (
    BOOL,
    CODES,
    constant,
    dtype_of,
    kind_of,
    new_array,
    read,
)
from hologram.ops.elementwise_calls import OPERATIONS, divide
from hologram.ops.movement import convert
from hologram.ops.reduction_calls import (
    FINDERS,
    LOSSES,
    SMALLEST,
    accumulator_kind,
    axes_of,
    fold,
    result_dtype,
)
from hologram.ops.table import TABLE

import hologram.ops.linalg  # isort: skip
import hologram.ops.reduction_operations  # isort: skip # noqa: F401 - both fill FINDERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.ops.arrays import Array

PART = ROW_CHUNK
COLUMN_PART = COLUMN_CHUNK
_LANES = 64
_MOST = 2**31 - 1
NAMES = ("parts", "finish", "part", "column_part")  # of the attributes
_PAIRS = ("dot", "mse", "cross_entropy", "binary_cross_entropy")
_INDICES = ("argmin", "argmax")
_MEANS = ("mean", "mse", "cross_entropy", "binary_cross_entropy")


class Operation(NamedTuple):
    """A reduction as steps: its parts, what joins them, what ends it."""

    name: str

    @property
    def joins(self) -> str:
        """The reduction that makes one of several parts."""
        if self.name in (*_PAIRS, "mean", "norm"):
            return "sum"
        return self.name

    @property
    def arrays(self) -> tuple[str, ...]:
        return TABLE[self.name].arrays

    def kind(self, kind: str) -> str:
        """The type of parts of elements of a type; of indices that of the values."""
        if self.name in _INDICES:
            return kind
        return accumulator_kind(self.name, "u8" if kind == "bool" else kind)

    def dtype(self, kind: str) -> Any:
        value = dtype_of(self.kind(kind))
        return np.dtype([("value", value), ("index", "i8")]) if self.name in _INDICES else value

    # ---- Parts

    def parts(self, *values: Any, axis: Any = None, eps: float | None = None) -> Array:
        """One partial result for each 4,096 elements of a chunk, in C order; with `axis` for each
        512 along it, and for each 4,096 along the last one. Their type is the one that the
        operation accumulates in. Raises ArgumentError."""
        arrays, kind = self._read(values)
        x = arrays[0]
        numbers: tuple[Any, ...] = ()
        if self.name in LOSSES:
            smallest = SMALLEST[0 if kind == "f64" else 1] if eps is None else eps
            accumulated = "f64" if kind == "f64" else "f32"
            numbers = (constant(self.name, "eps", smallest, accumulated).item(),)
        elif eps is not None:
            raise ArgumentError(f"{self.name}.parts: 'eps' is of losses")
        if axis is None:
            lines = [array.reshape(1, -1) for array in arrays]
            return self._of_rows(lines, kind, numbers).reshape(-1)
        (along,) = axes_of(self.name, axis, x.ndim)
        if len(arrays) == 2 or self.name in _INDICES:
            raise ArgumentError(f"{self.name}.parts: 'axis' is not of this operation")
        n = x.shape[along]
        outer, columns = x.shape[:along], x.shape[along + 1 :]
        if x.size == 0:
            raise ArgumentError(f"{self.name}.parts: 'x' has no elements")
        if int(np.prod(columns)) == 1:
            made = self._of_rows([x.reshape(-1, n)], kind, numbers)
        else:
            width = int(np.prod(columns))
            made = self._of_columns(x.reshape(-1, n, width), kind)
        return made.reshape(*outer, -1, *columns)

    def _read(self, values: tuple[Any, ...]) -> tuple[list[Array], str]:
        op = f"{self.name}.parts"
        if len(values) != len(self.arrays):
            raise ArgumentError(f"{op}: expected {len(self.arrays)} arrays, found {len(values)}")
        arrays = [read(op, name, one) for name, one in zip(self.arrays, values, strict=True)]
        kind = kind_of(op, self.arrays[0], arrays[0], ("bool",))
        if kind not in TABLE[self.name].types:
            raise ArgumentError(
                f"{op}: '{self.arrays[0]}' is {kind}, which has no such operation; "
                f"expected {', '.join(TABLE[self.name].types)}"
            )
        for name, array in zip(self.arrays, arrays, strict=True):
            if array.dtype != arrays[0].dtype or array.shape != arrays[0].shape:
                raise ArgumentError(
                    f"{op}: '{name}' is {array.dtype} {array.shape}, expected "
                    f"{arrays[0].dtype} {arrays[0].shape}"
                )
            if not array.flags.c_contiguous:
                raise ArgumentError(
                    f"{op}: '{name}' has gaps or another order; hologram.ops.copy makes one without"
                )
        if kind == "bool":
            return [array.view(np.uint8) for array in arrays], "u8"
        return arrays, kind

    def _of_rows(self, lines: list[Array], kind: str, numbers: tuple[Any, ...]) -> Array:
        """Parts of the rows of matrices."""
        rows, n = lines[0].shape
        count = -(-n // PART)
        if self.name in _INDICES:
            return self._of_indices(lines[0].reshape(-1), kind, count)
        made = new_array((rows, count), dtype_of(self.kind(kind)))
        if made.size == 0:
            return made
        kernel = FINDERS[self.name]("rows", CODES[kind])
        flat = [line.reshape(-1) for line in lines]
        out = made.reshape(-1)
        if n > _MOST or rows > _MOST:
            raise ArgumentError(f"{self.name}.parts: a row has more than 2^31 - 1 elements")
        if len(lines) == 2:
            launch(kernel, count, 1, 1, _LANES, *flat, out, *numbers, n, min(PART, n))
        else:
            launch(kernel, count, rows, 1, _LANES, *flat, out, n, n, min(PART, n))
        return made

    def _of_columns(self, matrices: Array, kind: str) -> Array:
        outer, n, columns = matrices.shape
        whole = n // COLUMN_PART * COLUMN_PART
        made = []
        if whole:
            body = matrices[:, :whole].reshape(outer, -1, COLUMN_PART, columns)
            made.append(fold(self.name, kind, body, None, (2,), ()).reshape(outer, -1, columns))
        if whole != n:
            made.append(fold(self.name, kind, matrices[:, whole:], None, (1,), ()))
        return made[0] if len(made) == 1 else np.concatenate(made, axis=1)

    def _of_indices(self, line: Array, kind: str, count: int) -> Array:
        made = np.empty((1, count), self.dtype(kind))
        if count:
            made["value"] = Operation(self.name[3:]).parts(line)
        whole = line.size // PART * PART
        if whole:
            body = line[:whole].reshape(-1, PART)
            made["index"][0, : whole // PART] = fold(self.name, kind, body, None, (1,), ())[:, 0]
        if whole != line.size:
            made["index"][0, -1] = fold(self.name, kind, line[whole:], None, (0,), ())[0]
        return made

    # ---- Joining

    def join(self, parts: Array, axis: int, span: int = PART) -> Array:
        """Of an array of parts in C order, one for each place of the other axes: the axis stays
        as 1. `span`: the elements that each part of indices is of."""
        if self.name in _INDICES:
            values = np.ascontiguousarray(parts["value"])
            best = int(fold(self.name, _kind(values), values, None, (0,), ())[0])
            made = parts[best : best + 1].copy()
            made["index"] += best * span
            return made
        return fold(self.joins, _kind(parts), parts, None, (axis,), ())

    def finish(self, parts: Any, count: int, dtype: Any = None, *, axis: Any = None) -> Any:
        """The bits of the operation on all the elements, from the parts of consecutive chunks, one
        behind the other; `count` is how many elements each result is made of, `dtype` their type,
        where that is not the one of the parts (f16, bf16). Raises ArgumentError for another number
        of parts than `count` elements have: all chunks but the last are multiples of a part."""
        op = f"{self.name}.finish"
        given = np.ascontiguousarray(parts)
        (along,) = (0,) if axis is None else axes_of(op, axis, given.ndim)
        if axis is None and given.ndim != 1:
            raise ArgumentError(f"{op}: 'parts' has {given.ndim} dimensions, expected 1")
        by_rows = axis is None or int(np.prod(given.shape[along + 1 :])) == 1
        part = PART if by_rows else COLUMN_PART
        expected = -(-int(count) // part)
        if given.shape[along] != expected:
            raise ArgumentError(
                f"{op}: {count} elements have {expected} parts, found {given.shape[along]}; every "
                f"chunk but the last must be a multiple of {part}"
            )
        if count == 0:
            return self._of_nothing(given, dtype)
        value = given if expected == 1 else self.join(given, along)
        shape = () if axis is None else (*value.shape[:along], *value.shape[along + 1 :])
        return self.ended(value.reshape(shape), count, dtype)

    def ended(self, value: Array, count: int, dtype: Any) -> Any:
        """What is done with the one part that is left."""
        if self.name in _INDICES:
            made: Any = value["index"]
            return made[()]
        kind = _kind(value)
        target = result_dtype(TABLE[self.name], kind, value.dtype) if dtype is None else dtype
        target = np.dtype(dtype_of(target) if target in CODES else target)
        if self.name in ("any", "all"):
            target = BOOL
        elif self.name in ("sum", "prod", "mean") and target.kind in "iu":
            target = value.dtype
        if self.name in _MEANS:
            value = divide(np.array(value, order="C"), count)
        elif self.name == "norm":
            value = OPERATIONS["sqrt"](value, np.empty_like(value))
        if self.name in ("any", "all"):
            value = value.view(BOOL)
        elif value.dtype != target:
            value = convert(self.name, value, new_array(value.shape, target))
        return value[()] if value.ndim == 0 else value

    def _of_nothing(self, parts: Array, dtype: Any) -> Any:
        if self.name in ("min", "max", *_INDICES):
            raise ArgumentError(f"{self.name}.finish: of no elements there is no {self.name}")
        first = np.full(1, 1 if self.name in ("prod", "all") else 0, parts.dtype)
        return self.ended(first.reshape(()), 0, dtype)


def _kind(array: Array) -> str:
    return kind_of("finish", "parts", array)


def attribute(op: str, name: str) -> Any:
    """`hologram.ops.sum.parts`, `hologram.ops.exp.ufunc` and so on. Raises AttributeError for
    operations that have none."""
    if name == "ufunc":
        from hologram.ops.foreign import ufunc_of

        return ufunc_of(op)
    if op not in FINDERS:
        raise AttributeError(f"'hologram.ops.{op}' has no '{name}': only reductions have it")
    made: dict[str, Callable[[Operation], Any]] = {
        "parts": lambda one: one.parts,
        "finish": lambda one: one.finish,
        "part": lambda _: PART,
        "column_part": lambda _: COLUMN_PART,
    }
    return made[name](Operation(op))


__all__ = ["COLUMN_PART", "NAMES", "PART", "Operation", "attribute"]
