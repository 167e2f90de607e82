"""Reductions over a stream, with the bits of the reduction of the whole array.

hologram.ops makes one of each 4,096 elements (PART), and of these the same again (docs/ops.md). So
windows of a multiple of it give the partial results of the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram import ops
from hologram.errors import ArgumentError
from hologram.ops.parts import PART


def reduces(function: Any) -> bool:
    """Whether Parts knows it."""
    return any(function is one for one in (ops.sum, ops.prod, ops.min, ops.max, ops.mean))


class Parts:
    """The partial results of a reduction; memory for PART of them on each level."""

    def __init__(self, operation: Any) -> None:
        self._mean = operation is ops.mean
        self._operation = ops.sum if self._mean else operation
        # Arrays of partial results, shorter than PART together.
        self._levels: list[list[Any]] = [[]]
        self._count = 0
        self._ended = False
        self._type: Any = np.float32

    def add(self, window: Any) -> None:
        """All windows but the last have a multiple of PART elements."""
        if window.dtype == np.float16:
            raise ArgumentError("f16: the partial sums of a stream would be rounded to it")
        if self._ended:
            raise ArgumentError("a window after one without a multiple of 4,096 elements")
        self._count += window.size
        whole = window.size // PART * PART
        flat = window.reshape(-1)
        parts = []
        if whole:
            parts.append(self._operation(flat[:whole].reshape(-1, PART), axis=-1))
        if whole != window.size:
            parts.append(np.atleast_1d(self._operation(flat[whole:])))
            self._ended = True
        for part in parts:
            self._type = part.dtype
            self._push(0, part)

    def _push(self, level: int, part: Any) -> None:
        if level == len(self._levels):
            self._levels.append([])
        held = self._levels[level]
        held.append(part)
        if sum(one.size for one in held) <= PART:
            return
        # More than PART: the first ones are one result of the next level.
        joined = np.concatenate(held)
        whole = (joined.size - 1) // PART * PART
        rest = joined[whole:]
        self._levels[level] = [rest]
        self._push(level + 1, self._operation(joined[:whole].reshape(-1, PART), axis=-1))

    def result(self) -> Any:
        if self._count == 0:
            raise ArgumentError("a stream without elements has no such result")
        carried: Any = np.empty(0, self._type)
        for held in self._levels[:-1]:
            # At most PART held, and one or two from below.
            joined = np.concatenate([*held, carried])
            carried = np.concatenate(
                [np.atleast_1d(self._operation(joined[at : at + PART]))
                 for at in range(0, joined.size, PART)]
            )  # fmt: skip
        carried = self._operation(np.concatenate([*self._levels[-1], carried]))
        total = np.atleast_1d(carried)[0]
        return total / total.dtype.type(self._count) if self._mean else total
