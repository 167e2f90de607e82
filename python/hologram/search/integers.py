"""Integer solutions of linear constraints: boxes are narrowed side by side, and halved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hologram import library
from hologram.errors import ArgumentError
from hologram.search.constraints import BUDGET, Rows, prepare

_TOGETHER = 256
_ROUNDS = 20
_VARIABLES = 512  # of kernels/search/propagate_intervals.py
# Integers whose sums of products are exact.
_EXACT = 2.0**53


class Solution(NamedTuple):
    """x: a point that satisfies all constraints, or None. proved: whether None means that there is
    none; False where `most` boxes were not enough. boxes: how many were looked at."""

    x: Any
    proved: bool
    boxes: int


def parallel_solve(
    rows: Any,
    row_low: Any,
    row_high: Any,
    low: Any,
    high: Any,
    *,
    most: int = 1_000_000,
) -> Solution:
    """An integer point with low <= x <= high and row_low <= rows @ x <= row_high, or a proof of
    none.

    Boxes are narrowed as constraint_solve does, up to 256 of them side by side on all cores, and
    cut in half along their widest variable until one is a point. The cost is O(entries of rows) for
    a box and a round; the number of boxes can be exponential in the variables, as the problem is
    NP-hard, so `most` limits it. Bounds must be finite, coefficients integers, and no sum may reach
    2^53, so that points are checked exactly; there are at most 512 variables. Which solution is
    found does not depend on the cores. Raises ArgumentError.
    """
    known, (bottom, top) = prepare(rows, row_low, row_high, low, high, True)
    _check(known, bottom, top)
    waiting = [(bottom, top)]
    if np.any(bottom > top):
        return Solution(None, True, 0)
    seen = 0
    while waiting:
        batch = waiting[-_TOGETHER:]
        del waiting[-_TOGETHER:]
        lows = np.array([box[0] for box in batch])
        highs = np.array([box[1] for box in batch])
        failed = _propagate(known, lows, highs)
        seen += len(batch)
        for k in range(len(batch) - 1, -1, -1):
            if failed[k]:
                continue
            width = highs[k] - lows[k]
            widest = int(np.argmax(width))
            if width[widest] == 0:
                if _holds(known, lows[k]):
                    return Solution(lows[k].astype(np.int64), True, seen)
                continue
            middle = np.floor((lows[k, widest] + highs[k, widest]) / 2)
            left, right = highs[k].copy(), lows[k].copy()
            left[widest], right[widest] = middle, middle + 1
            waiting.append((right, highs[k].copy()))
            waiting.append((lows[k].copy(), left))
        if seen >= most and waiting:
            return Solution(None, False, seen)
    return Solution(None, True, seen)


def _propagate(known: Rows, low: Any, high: Any) -> Any:
    """Narrows boxes, which are rows of low and high, in place: which constraint failed, plus 1."""
    boxes, variables = low.shape
    failed, done = np.zeros(boxes, np.uint32), np.zeros(boxes, np.uint32)
    block = min(boxes, 16)
    kernel = library.kernel("propagate_boxes")
    kernel.configure(grid=-(-boxes // block), block=block, budget=BUDGET)(
        *known, low.ravel(), high.ravel(), failed, done, variables, boxes, _ROUNDS
    )
    return failed


def _check(known: Rows, bottom: Any, top: Any) -> None:
    if not 1 <= len(bottom) <= _VARIABLES:
        raise ArgumentError(
            f"parallel_solve: expected 1 to {_VARIABLES} variables, found {len(bottom)}"
        )
    if not (np.isfinite(bottom).all() and np.isfinite(top).all()):
        raise ArgumentError("parallel_solve: the bounds of all variables must be finite")
    if np.any(known.values != np.rint(known.values)):
        raise ArgumentError("parallel_solve: coefficients must be integers")
    size = np.maximum(np.abs(bottom), np.abs(top))
    terms = np.abs(known.values) * size[known.columns]
    if max(terms.sum(), size.max(initial=0)) >= _EXACT:
        raise ArgumentError("parallel_solve: sums of products reach 2^53, where they are not exact")


def _holds(known: Rows, x: Any) -> bool:
    products = known.values * x[known.columns]
    lines = np.repeat(np.arange(len(known.low)), np.diff(known.starts).astype(np.intp))
    sums = np.bincount(lines, products, len(known.low))
    return bool(np.all((known.low <= sums) & (sums <= known.high)))
