"""Rates that have a bar, each against its peer in alternating pairs of one process: medians. Fails only
far beyond the bar, as machines are shared.

usage: rates_test.py
"""

from __future__ import annotations

import statistics
import sys
import timeit
from functools import partial
from typing import Any

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

ROUNDS = 9
FAR = 3  # beyond the bar


@hg.kernel
def plus(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] + y[i]


def at(count: int, distance: int) -> Any:
    """f32 that begin `distance` bytes behind an address of 64."""
    memory = np.zeros(4 * count + 128, np.uint8)
    first = -memory.ctypes.data % 64 + distance
    made = memory[first : first + 4 * count].view("f4")
    made[:] = np.random.default_rng(1).random(count)
    return made


def ratio(run: Any, peer: Any, number: int) -> float:
    """The time of `run` in times of `peer`."""
    pairs = []
    for _ in range(ROUNDS):
        pair = [min(timeit.repeat(one, number=number, repeat=2)) for one in (run, peer)]
        pairs.append(pair[0] / pair[1])
    return statistics.median(pairs)


def main() -> int:
    rows = []
    add = hg.ufunc(plus)
    for count in (1, 1000, 1_000_000):
        x, y, out = (np.ones(count, "f4") for _ in range(3))
        number = max(20, min(20_000, 2_000_000 // count))
        found = ratio(partial(add, x, y, out), partial(np.add, x, y, out), number)
        rows.append((f"ufunc of a kernel, n = {count:,}, np.add", found, 1.0))
    for name in ("exp", "sum"):
        for count in (2048, 65_536):
            odd, even, out = at(count, 2), at(count, 4), np.empty(count, "f4")
            op = getattr(hg.ops, name)
            options = {"out": out} if name == "exp" else {}
            number = 4_000_000 // count
            found = ratio(partial(op, odd, **options), partial(op, even, **options), number)
            rows.append((f"{name} of {count:,} at 2 modulo 64, at 4", found, 1 / 0.95))
    for what, found, bar in rows:
        print(f"{what}: {found:.2f}, bar {bar:.2f}{'' if found <= bar else ', MISSED'}")
    return 1 if any(found > bar * FAR for _, found, bar in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
