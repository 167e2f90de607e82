"""Fused functions along rows: arrays that all rows share, columns, and sums, means, smallest and
largest elements at the end.

Their circuits are `over n by 64`, one block of 64 lanes for each row: the order of the reductions
of hologram.ops, so that the bits are the same. Rows of more than 4,096 elements are cut there
(`cut 4096`), as hologram.ops cuts them, and what their parts give is reduced by hologram.ops.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hologram._native import ROW_CHUNK, launch
from hologram.errors import ArgumentError
from hologram.ops import reduction_operations
from hologram.ops.arrays import dtype_of, new_array, output
from hologram.ops.elementwise_calls import divide
from hologram.ops.movement import convert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hologram._native import Kernel
    from hologram.ops.arrays import Array

LANES = 64
# Headers: whole rows with shared arrays, and one row, cut, of which no array is shared.
WHOLE, PARTS = f"n by {LANES}", f"n by {LANES} cut {ROW_CHUNK}"
_MOST = 2**31 - 1  # elements of an array, and rows


class End(NamedTuple):
    """A result that is a reduction."""

    op: str
    kind: str
    keepdims: bool


class Direct(NamedTuple):
    """The kernel of whole rows, what it is over (1: rows, 2: the last axis, 3: all elements), what
    reductions keep; of all elements, that are more than one row, the kernel of parts and what
    joins them."""

    kernel: Kernel
    over: int = 0
    keepdims: tuple[bool, ...] = ()
    cut: Kernel | None = None
    joins: tuple[Any, ...] = ()


class Rows:
    """What a function is along rows. `ends` are empty where results have the shape of the arrays;
    `last`: reductions are of the last axis, else of all elements."""

    def __init__(
        self,
        name: str,
        find: Callable[[bool], tuple[str, Kernel]],
        forms: Sequence[str],
        ends: Sequence[End],
        last: bool,
    ) -> None:
        self._name = name
        self._find = find
        self._found: dict[bool, tuple[str, Kernel]] = {}
        self.forms = tuple(forms)
        self.ends = tuple(ends)
        self.last = last
        if ends and not last and any(forms):
            what = "an array that rows share" if "shared" in forms else "a column"
            raise ArgumentError(
                f"{name}: reduces all elements and has {what}; reduce the last axis, and then what "
                "that gives"
            )

    def direct(self, shape: tuple[int, ...]) -> Direct | None:
        """What the binding needs for calls with such arrays. None where that is not all."""
        cut = self._is_cut(shape)
        if (cut and self.last) or any(end.op == "mean" for end in self.ends):
            return None
        over = 1 if not self.ends else 2 if self.last else 3
        return Direct(
            self.form(False)[1],
            over,
            tuple(end.keepdims for end in self.ends),
            self.form(True)[1] if cut else None,
            tuple(getattr(reduction_operations, end.op) for end in self.ends) if cut else (),
        )

    def of(self, shape: tuple[int, ...]) -> tuple[str, Kernel]:
        """The circuit for arrays of this shape, and its kernel."""
        return self.form(self._is_cut(shape))

    def form(self, cut: bool) -> tuple[str, Kernel]:
        """The circuit of whole rows, or of rows that are cut, and its kernel."""
        if cut not in self._found:
            self._found[cut] = self._find(cut)
        return self._found[cut]

    def shape(self, shape: tuple[int, ...], end: End) -> tuple[int, ...]:
        """Of a result."""
        reduced = len(shape) - 1 if self.last else 0
        kept = (1,) * (len(shape) - reduced) if end.keepdims else ()
        return shape[:reduced] + kept

    def run(
        self, inputs: Sequence[Array], scalars: Sequence[Any], outs: Sequence[Array], shape: Any
    ) -> None:
        """Computes into `outs`: all arrays lie without gaps, those without a form have this shape,
        and the results theirs. REQUIRES: elements."""
        columns = shape[-1] if self.last or not self.ends else math.prod(shape)
        rows = math.prod(shape) // columns
        if columns > _MOST or rows > _MOST:
            raise ArgumentError(f"{self._name}: rows, or elements of one, are more than 2^31 - 1")
        kernel = self.of(shape)[1]
        lines = [array.reshape(-1) for array in inputs]
        if not self._is_cut(shape):
            launch(kernel, rows, 1, 1, LANES, *lines, *scalars, *map(_line, outs), columns)
            self._finish(outs, outs, columns)
            return
        parts = -(-columns // ROW_CHUNK)
        found = [new_array((rows, parts), dtype_of(end.kind)) for end in self.ends]
        for row in range(rows):
            own = [
                self._of_row(line, form, row, columns, parts)
                for line, form in zip(lines, self.forms, strict=True)
            ]
            launch(kernel, parts, 1, 1, LANES, *own, *scalars, *(f[row] for f in found), columns)
        totals: list[Array] = []
        for end, partial in zip(self.ends, found, strict=True):
            reduce = getattr(reduction_operations, "sum" if end.op == "mean" else end.op)
            totals.append(reduce(partial, -1))
        self._finish(totals, outs, columns)

    @staticmethod
    def _of_row(line: Array, form: str, row: int, columns: int, parts: int) -> Array:
        if form == "shared":
            return line
        if form == "column":
            return np.repeat(line[row : row + 1], parts)
        return line[row * columns : (row + 1) * columns]

    def _is_cut(self, shape: tuple[int, ...]) -> bool:
        if not self.ends:
            return False
        return (shape[-1] if self.last else math.prod(shape)) > ROW_CHUNK

    def _finish(self, totals: Sequence[Array], outs: Sequence[Array], count: int) -> None:
        """The division of means, in place, and the way to `outs`."""
        for k, end in enumerate(self.ends):
            if end.op == "mean":
                divide(totals[k].reshape(-1), count)
            if totals[k] is not outs[k]:
                convert(self._name, totals[k].reshape(outs[k].shape), outs[k])

    def empty(self, outs: Sequence[Array], shape: tuple[int, ...]) -> None:
        """What reductions of nothing give, or refuse."""
        if not self.ends:
            return
        for end, out in zip(self.ends, outs, strict=True):
            nothing = np.empty(shape, dtype_of(end.kind))
            axis = -1 if self.last else None
            found = getattr(reduction_operations, end.op)(nothing, axis, keepdims=end.keepdims)
            convert(self._name, found, out)

    def outputs(self, shape: tuple[int, ...], given: Sequence[Any]) -> list[Array]:
        """Those that are given, or new ones, for the reductions."""
        outs = []
        for end, out in zip(self.ends, given, strict=True):
            outs.append(output(self._name, out, self.shape(shape, end), dtype_of(end.kind)))
            if not outs[-1].flags.c_contiguous:
                raise ArgumentError(f"{self._name}: 'out' has gaps or another order")
        return outs


def _line(array: Array) -> Array:
    return array.reshape(-1)
