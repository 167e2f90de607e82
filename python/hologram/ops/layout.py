"""Broadcasting and strides: several arrays as loops of three dimensions over their memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hologram.ops.arrays import Array

_FURTHEST = 2**31 - 1  # kernels take strides as i32


@dataclass
class Operand:
    """The part of an array that one launch sees: its memory from the lowest element on, the first
    element in it, and the distances of neighbours in (planes, rows, columns), in elements."""

    memory: Array
    start: int
    strides: tuple[int, int, int]

    @property
    def forward(self) -> bool:
        """No stride is negative."""
        return self.start == 0


def broadcast(op: str, names: Sequence[str], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The shape that all arrays are stretched to, by NumPy's rules."""
    try:
        return cast("tuple[int, ...]", np.broadcast_shapes(*(array.shape for array in arrays)))
    except ValueError:
        shapes = ", ".join(f"'{n}' {a.shape}" for n, a in zip(names, arrays, strict=True))
        raise ArgumentError(f"{op}: these shapes do not go together: {shapes}") from None


def flat(arrays: Sequence[Array], shape: tuple[int, ...]) -> list[Array] | None:
    """The arrays in the order of their memory, if that is the same for all and has no gaps."""
    if any(array.shape != shape for array in arrays):
        return None
    if all(array.flags.c_contiguous for array in arrays):
        return list(arrays)
    if all(array.flags.f_contiguous for array in arrays):
        return [array.T for array in arrays]
    return None


def _dimensions(
    op: str, arrays: Sequence[Array], shape: tuple[int, ...]
) -> tuple[list[int], list[list[int]], list[int]]:
    """(extents, strides of each dimension, first elements), of as few dimensions as it takes, in
    the order of the memory of the last array, the output."""
    rows = []
    starts = [0] * len(arrays)
    size = [array.itemsize for array in arrays]
    pads = [len(shape) - array.ndim for array in arrays]
    for d, extent in enumerate(shape):
        if extent == 1:
            continue
        strides = []
        for k, array in enumerate(arrays):
            own = d - pads[k]
            step = array.strides[own] if own >= 0 and array.shape[own] != 1 else 0
            if step % size[k]:
                raise ArgumentError(f"{op}: an array has strides that are no whole elements")
            strides.append(step // size[k])
        if strides[-1] == 0:
            raise ArgumentError(f"{op}: 'out' holds one element in several places")
        if strides[-1] < 0:  # walk it the other way
            for k, stride in enumerate(strides):
                starts[k] += (extent - 1) * stride
            strides = [-stride for stride in strides]
        rows.append((extent, strides))
    rows.sort(key=lambda row: -row[1][-1])
    merged: list[tuple[int, list[int]]] = []
    for extent, strides in rows:
        if merged and all(
            outer == inner * extent for outer, inner in zip(merged[-1][1], strides, strict=True)
        ):
            merged[-1] = (merged[-1][0] * extent, strides)
        else:
            merged.append((extent, strides))
    while len(merged) < 3:
        # That no two lanes write one element is proved by strides that grow.
        reach = merged[0][0] * merged[0][1][-1] if merged else 1
        merged.insert(0, (1, [0] * (len(arrays) - 1) + [reach]))
    return [extent for extent, _ in merged], [strides for _, strides in merged], starts


def whole(array: Array) -> tuple[Array, int]:
    """All of its memory from the lowest element on, and the place of its first element there."""
    ends = [
        (extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)
    ]
    low = sum(min(0, end) for end in ends) // array.itemsize
    count = sum(abs(end) for end in ends) // array.itemsize + 1
    lowest = array[tuple(slice(None, None, -1 if end < 0 else 1) for end in ends)]
    return as_strided(lowest, (count,), (array.itemsize,)), -low


def _operand(
    op: str, memory: Array, first: int, extents: tuple[int, ...], strides: list[int]
) -> Operand:
    ends = [(extent - 1) * stride for extent, stride in zip(extents, strides, strict=True)]
    low = sum(min(0, end) for end in ends)
    high = sum(max(0, end) for end in ends)
    if high - low > _FURTHEST:
        raise ArgumentError(f"{op}: an array with gaps reaches over more than 2^31 elements")
    part = memory[first + low : first + high + 1]
    return Operand(part, -low, (strides[0], strides[1], strides[2]))


def loops(
    op: str, arrays: Sequence[Array], shape: tuple[int, ...]
) -> Iterator[tuple[tuple[int, int, int], list[Operand]]]:
    """(extents, operands) of each launch that it takes to visit all elements: one for up to three
    dimensions that cannot be merged. The output is the last array. REQUIRES: no extent is 0."""
    extents, strides, starts = _dimensions(op, arrays, shape)
    outer = len(extents) - 3
    inner = (extents[outer], extents[outer + 1], extents[outer + 2])
    memories = [whole(array) for array in arrays]
    for place in product(*(range(extent) for extent in extents[:outer])):
        operands = []
        for k, (memory, first) in enumerate(memories):
            start = first + starts[k] + sum(i * strides[d][k] for d, i in enumerate(place))
            steps = [row[k] for row in strides[outer:]]
            operands.append(_operand(op, memory, start, inner, steps))
        yield inner, operands


def grid(extents: tuple[int, int, int]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """(grid, block) with a lane for each (column, row, plane)."""
    planes, rows, columns = extents
    width = 256
    while width >= 2 * columns and width > 16:
        width //= 2
    return ((columns + width - 1) // width, rows, planes), (width, 1, 1)
