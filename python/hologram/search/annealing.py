"""Simulated annealing with an energy of the caller's, which is compiled into the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hologram.compiling import kernel
from hologram.errors import ArgumentError
from hologram.lang import (
    DeviceArray,
    exp,
    f64,
    get_global_id,
    inline,
    local,
    philox,
    u32,
)

_UNIT = 2.0**-32
_MOST_DIMENSIONS = 4096
_kernels: dict[tuple[object, int], Any] = {}


class Minimum(NamedTuple):
    """x: the best point of all chains; energy: of that point; history: the least energy known after
    each of `marks` parts of the run, the first entry being that of the start. It never rises."""

    x: Any
    energy: float
    history: Any


def minimize_energy(
    energy: Callable[..., Any],
    start: Any,
    *,
    data: Any = (),
    temperature: float = 1.0,
    width: float = 1.0,
    steps: int = 10_000,
    chains: int = 32,
    marks: int = 10,
    seed: int = 0,
) -> Minimum:
    """A low value of `energy`, found by simulated annealing.

    `energy(x)` or `energy(x, data)` is a function of the kernel language under `@inline`, which is
    compiled: x is an array of f64, the len(x) coordinates, data the array of f64 that is passed
    here. It gives an f64.

    Each chain starts at `start` and makes `marks` times `steps // marks` steps on a lane of its
    own. A step moves one coordinate by up to `width`, which shrinks with the temperature as it
    falls in a straight line to 0. It is kept if the energy falls, or else with the probability
    e^(-rise / temperature). A move to NaN is never kept. The cost is chains * steps evaluations of
    the energy, shared by all cores. That the result is the least value of all is not promised; it
    is never above that of the start, and one seed gives the same bits on every machine. Raises
    ArgumentError, and CompileError for the energy.
    """
    point = np.ascontiguousarray(start, np.float64)
    if point.ndim != 1 or not 1 <= len(point) <= _MOST_DIMENSIONS or not np.isfinite(point).all():
        raise ArgumentError(f"start: expected 1 to {_MOST_DIMENSIONS} finite numbers")
    for name, count in (("chains", chains), ("marks", marks), ("steps", steps)):
        if not 1 <= count < 2**31:
            raise ArgumentError(f"{name}: expected 1 or more, found {count}")
    for name, number in (("temperature", temperature), ("width", width)):
        if not (number > 0 and math.isfinite(number)):
            raise ArgumentError(f"{name}: expected a finite number above 0, found {number}")
    given = np.ascontiguousarray(data, np.float64)
    if not given.size:
        given = np.zeros(1)
    best = np.empty((chains, len(point)))
    history = np.empty((chains, marks + 1))
    run = _kernel_of(energy, len(point))
    each = max(steps // marks, 1)
    scalars = (temperature, width, each, marks, seed & 0xFFFFFFFF, chains)
    block = min(chains, 4)
    shape = {"grid": -(-chains // block), "block": block, "budget": 2**62}
    run.configure(**shape)(point, given, best.ravel(), history.ravel(), *scalars)
    least = history[:, -1]
    if np.isnan(least).any():
        raise ArgumentError("energy: it is NaN at the start")
    chain = int(np.argmin(least))
    return Minimum(best[chain], float(least[chain]), history.min(axis=0))


def _kernel_of(energy: Any, dimensions: int) -> Any:
    """The kernel, compiled once for a function and a number of coordinates."""
    helper = getattr(energy, "_atlas_helper", None)
    if helper is None:
        raise ArgumentError("energy: expected a function under @hologram.lang.inline")
    key = (energy, dimensions)
    found = _kernels.get(key)
    if found is None:
        takes_data = helper.__code__.co_argcount == 2
        found = _kernels.setdefault(key, _make(energy, dimensions, takes_data))
    return found


def _make(energy: Any, dimensions: int, takes_data: bool) -> Any:
    if takes_data:
        level_of = energy
    else:

        @inline
        def level_of(x, data):  # type: ignore[no-untyped-def]
            return energy(x)

    @kernel
    def anneal_chains(
        start: DeviceArray[f64],
        data: DeviceArray[f64],
        best: DeviceArray[f64],
        history: DeviceArray[f64],
        hot: f64,
        width: f64,
        steps: u32,
        marks: u32,
        seed: u32,
        chains: u32,
    ) -> None:
        x = local(f64, dimensions)
        chain = get_global_id()
        if chain < chains:
            for k in range(dimensions):
                x[k] = start[k]
                best[chain * dimensions + k] = start[k]
            level: f64 = level_of(x, data)
            least: f64 = level
            history[chain * (marks + 1)] = least
            total = f64(steps) * f64(marks)
            for mark in range(marks):
                for s in range(steps):
                    now = mark * steps + s
                    a, b, c, _d = philox(seed, now, chain)
                    share = 1.0 - f64(now) / total
                    moved = a % dimensions
                    old = x[moved]
                    x[moved] = old + width * share * (f64(b) * _UNIT * 2.0 - 1.0)
                    other: f64 = level_of(x, data)
                    rise = other - level
                    if rise <= 0.0 or f64(c) * _UNIT < exp(-rise / (hot * share)):
                        level = other
                        if level < least:
                            least = level
                            for j in range(dimensions):
                                best[chain * dimensions + j] = x[j]
                    else:
                        x[moved] = old
                history[chain * (marks + 1) + mark + 1] = least

    return anneal_chains
