"""Linear constraints on intervals: what they leave of a box, or which of them cannot hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hologram import library
from hologram.errors import ArgumentError

# Of the loops of one launch.
BUDGET = 2**62


class Rows(NamedTuple):
    """Constraints as the kernel takes them."""

    starts: Any
    columns: Any
    values: Any
    low: Any
    high: Any
    integral: Any


class Infeasible(NamedTuple):
    """No point of the box satisfies the constraint of this number. `bounds` are those of the
    variables when it was found: least and largest are what they let the constraint's sum be, low
    and high what it may be."""

    constraint: int
    least: float
    largest: float
    low: float
    high: float


class Narrowed(NamedTuple):
    """low, high: bounds of the variables, which hold for every solution. infeasible: None, or a
    constraint that no point within the bounds satisfies, so that there is no solution. settled:
    whether another round would change nothing, to 1e-9 of each bound."""

    low: Any
    high: Any
    infeasible: Infeasible | None
    settled: bool


def constraint_solve(
    rows: Any,
    row_low: Any,
    row_high: Any,
    low: Any = None,
    high: Any = None,
    *,
    integral: Any = False,
    rounds: int = 100,
) -> Narrowed:
    """Narrows bounds low <= x <= high to what row_low <= rows @ x <= row_high leaves of them.

    Interval propagation: O(entries of rows) a round, rounds until nothing moves, at most `rounds`.
    Each constraint is looked at by itself, so what is left holds all solutions but may hold none: a
    system is shown to be infeasible only if single constraints show it within the bounds.
    `parallel_solve` decides, for integers. Rounding loses no solution, bounds are moved outwards by
    it. `rows` is a matrix of floats, or an object with indptr, indices and data as csr_array of
    SciPy; the other arguments are arrays or numbers, `integral` says which variables are integers.
    Raises ArgumentError.
    """
    known, (low, high) = prepare(rows, row_low, row_high, low, high, integral)
    failed, done = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    kernel = library.kernel("propagate_intervals").configure(grid=1, block=1, budget=BUDGET)
    kernel(*known, low, high, failed, done, rounds)
    infeasible = None
    if failed[0]:
        infeasible = _report(known, int(failed[0]) - 1, low, high)
    return Narrowed(low, high, infeasible, bool(done[0] < rounds or failed[0]))


def prepare(
    rows: Any, row_low: Any, row_high: Any, low: Any, high: Any, integral: Any
) -> tuple[Rows, tuple[Any, Any]]:
    """Checks the arguments of constraint_solve and parallel_solve."""
    if hasattr(rows, "indptr"):
        starts, columns, values = rows.indptr, rows.indices, np.asarray(rows.data, np.float64)
        count, variables = rows.shape
        lines = np.repeat(np.arange(count), np.diff(starts))
    else:
        dense = np.atleast_2d(np.asarray(rows, np.float64))
        count, variables = dense.shape
        lines, columns = np.nonzero(dense)
        values = dense[lines, columns]
    if not np.isfinite(values).all():
        raise ArgumentError("constraints: coefficients must be finite")
    # An entry is there once, and is not 0.
    keys, inverse = np.unique(
        np.asarray(lines, np.int64) * variables + columns, return_inverse=True
    )
    sums = np.bincount(inverse, values, len(keys)) if len(keys) else np.zeros(0)
    keys, sums = keys[sums != 0], sums[sums != 0]
    per_row = np.bincount(keys // max(variables, 1), minlength=count)
    starts = np.concatenate([[0], np.cumsum(per_row)]).astype(np.uint32)
    known = Rows(
        starts,
        (keys % max(variables, 1)).astype(np.uint32),
        sums,
        _numbers(row_low, count, "row_low"),
        _numbers(row_high, count, "row_high"),
        np.ascontiguousarray(np.broadcast_to(np.asarray(integral, np.uint8), variables)),
    )
    bottom = _numbers(-np.inf if low is None else low, variables, "low").copy()
    top = _numbers(np.inf if high is None else high, variables, "high").copy()
    if np.any(bottom > top):
        worst = int(np.argmax(bottom > top))
        raise ArgumentError(f"variable {worst}: low {bottom[worst]} is above high {top[worst]}")
    whole = known.integral != 0
    bottom[whole], top[whole] = np.ceil(bottom[whole]), np.floor(top[whole])
    return known, (bottom, top)


def _report(known: Rows, row: int, low: Any, high: Any) -> Infeasible:
    part = slice(int(known.starts[row]), int(known.starts[row + 1]))
    values, columns = known.values[part], known.columns[part]
    ends = values * low[columns], values * high[columns]
    least, largest = float(np.minimum(*ends).sum()), float(np.maximum(*ends).sum())
    return Infeasible(row, least, largest, float(known.low[row]), float(known.high[row]))


def _numbers(values: Any, count: int, name: str) -> Any:
    array = np.asarray(values, np.float64)
    if array.shape not in ((), (count,)):
        raise ArgumentError(
            f"{name}: expected a number or {count} of them, found shape {array.shape}"
        )
    if np.isnan(array).any():
        raise ArgumentError(f"{name}: NaN as a bound")
    return np.ascontiguousarray(np.broadcast_to(array, count))
