"""A row of a table: a kernel beside its twin, both on one thread, in alternating rounds."""

import os

os.environ["HOLOGRAM_NUM_THREADS"] = "1"
os.environ["NUMBA_NUM_THREADS"] = "1"

import dataclasses
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass
class Pair:
    """`kernel` and `twin` are calls without arguments; each fills its own `results`."""

    bar: float  # the least speed relative to the twin
    kernel: Callable[[], object]
    twin: Callable[[], object]
    results: list[tuple[np.ndarray, np.ndarray]]  # ours, the twin's
    launched: object  # the kernel, for last_launch
    tolerance: float = 0.0


def seconds(call: Callable[[], object], count: int) -> float:
    """Of this thread's processor time: other work on the machine counts for less."""
    start = time.thread_time()
    for _ in range(count):
        call()
    return (time.thread_time() - start) / count


def measure(pair: Pair, rounds: int = 3) -> tuple[float, float]:
    """Seconds a call, the medians of `rounds` rounds of about 0.1 s each."""
    calls = (pair.kernel, pair.twin)
    counts = []
    for call in calls:
        once = seconds(call, 1)
        counts.append(max(1, int(0.1 / max(once, 1e-7))))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, count, taken in zip(calls, counts, times, strict=True):
            taken.append(seconds(call, count))
    return statistics.median(times[0]), statistics.median(times[1])


def check(name: str, pair: Pair) -> None:
    pair.kernel()
    pair.twin()
    for ours, theirs in pair.results:
        if pair.tolerance == 0.0:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=pair.tolerance, err_msg=name)


def main(rows: list[Callable[[], Pair]]) -> None:
    """Prints a line for each row whose name has one of the words of the command line."""
    show(rows, sys.argv[1:])


def show(rows: list[Callable[[], Pair]], words: list[str]) -> int:
    """Prints the rows whose name has one of the words, all if there are none; the misses."""
    misses = 0
    for row in rows:
        name = row.__name__
        if words and not any(word in name for word in words):
            continue
        pair = row()
        check(name, pair)
        ours, theirs = measure(pair)
        ratio = theirs / ours
        misses += ratio < pair.bar
        last = pair.launched.last_launch
        print(
            f"{name:28} {ours * 1e6:9.1f} us {theirs * 1e6:9.1f} us {ratio:6.2f}"
            f"  bar {pair.bar}  {'holds' if ratio >= pair.bar else 'MISSED'}"
            f"  {last.engine}{' ' + last.reason if last.reason else ''}",
            flush=True,
        )
    return misses
