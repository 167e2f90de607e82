"""Rows of the table of cliffs: a program beside the same in a form that is known to be fast."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Call = Callable[[], object]


@dataclass(frozen=True)
class Pair:
    """Two programs that do the same, each with its outputs, whose bits are compared."""

    ours: Call
    peer: Call
    outputs: tuple[Any, Any] | None = None
    # How far results may be apart; 0: not at all.
    tolerance: float = 0.0


@dataclass(frozen=True)
class Row:
    name: str
    at_most: float  # the time of `ours` over that of `peer`
    make: Callable[[np.random.Generator], Pair]


@dataclass
class Table:
    topic: str
    rows: list[Row] = field(default_factory=list)

    def row(self, name: str, at_most: float) -> Callable[[Any], Any]:
        def add(make: Callable[[np.random.Generator], Pair]) -> Any:
            self.rows.append(Row(name, at_most, make))
            return make

        return add


def once(kernel: Any, grid: Any, block: Any, *arguments: Any) -> Call:
    """A launch on one thread by native code, or nothing."""
    launch = kernel.configure(grid=grid, block=block, threads=1, backend="cpu")

    def call() -> None:
        launch(*arguments)

    call()
    if launch.last_launch.engine != "cpu" or launch.last_launch.checked:
        raise SystemExit(f"cliffs: {kernel.name}: {launch.last_launch}")
    return call


def _repeats(call: Call) -> int:
    repeats = 1
    while True:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        if time.perf_counter() - start > 1e-3:
            return repeats
        repeats *= 2


def _seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def compare(pair: Pair, rounds: int) -> tuple[float, float, float]:
    """Seconds of each, the best of rounds in turns, and their ratio."""
    counts = [_repeats(pair.ours), _repeats(pair.peer)]
    times = [
        (_seconds(pair.ours, counts[0]), _seconds(pair.peer, counts[1])) for _ in range(rounds)
    ]
    ours, peer = (min(side) for side in zip(*times, strict=True))
    return ours, peer, ours / peer


def check(row: Row, pair: Pair) -> None:
    if pair.outputs is None:
        return
    pair.ours()
    pair.peer()
    mine, other = (np.asarray(x) for x in pair.outputs)
    if pair.tolerance:
        np.testing.assert_allclose(mine, other, rtol=pair.tolerance, err_msg=row.name)
    elif mine.tobytes() != other.tobytes():
        raise SystemExit(f"cliffs: {row.name}: the two programs give different bits")


def run(tables: Iterable[Table], rounds: int) -> int:
    """Prints the rows; how many miss."""
    misses = 0
    for table in tables:
        for row in table.rows:
            pair = row.make(np.random.default_rng(1))
            check(row, pair)
            ours, peer, ratio = compare(pair, rounds)
            miss = ratio > row.at_most
            misses += miss
            print(
                f"{table.topic:8} {row.name:44} {ours * 1e6:9.1f} us {peer * 1e6:9.1f} us"
                f" {ratio:6.2f}, at most {row.at_most:.2f}{'  MISS' if miss else ''}",
                flush=True,
            )
    return misses
