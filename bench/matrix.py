#!/usr/bin/env python3
"""Products of matrices of hologram.ops beside NumPy's (OpenBLAS), on one thread each.

usage: PYTHONPATH=build/release/python bench/matrix.py [--clock] [--seconds S] [TEXT]

A line for each size: GFLOP/s of both, and how many times as fast ours is. Rounds alternate; each
call counts with the least time of its rounds: processor time, so that other work on the machine
counts for less, or with --clock what passed. Every product is compared with NumPy's. OpenBLAS takes
the kernels of AVX-512 where the processor has it (OPENBLAS_CORETYPE says otherwise). TEXT: only the
lines that contain it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator


def has_avx512() -> bool:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return any(line.startswith("flags") and "avx512_bf16" in line for line in file)


if has_avx512():
    os.environ.setdefault("OPENBLAS_CORETYPE", "COOPERLAKE")
for variable in ("OPENBLAS_NUM_THREADS", "HOLOGRAM_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

import hologram as hg

SQUARE = (
    4,
    8,
    16,
    32,
    48,
    64,
    80,
    96,
    100,
    128,
    160,
    192,
    256,
    300,
    384,
    512,
    768,
    1000,
    1024,
    2048,
)
SKINNY = (1, 4, 8, 16, 32)

Line = tuple[str, float, Callable[[], object], Callable[[], object], np.ndarray, np.ndarray]


def matrix(rng: np.random.Generator, rows: int, columns: int, dtype: type) -> np.ndarray:
    return rng.random((rows, columns)).astype(dtype)


def product(name: str, a: np.ndarray, b: np.ndarray) -> Line:
    ours = np.empty((a.shape[0], b.shape[1]), a.dtype)
    theirs = np.empty_like(ours)
    work = 2.0 * a.shape[0] * a.shape[1] * b.shape[1]
    return (
        *(name, work, lambda: hg.ops.matmul(a, b, out=ours)),
        *(lambda: np.matmul(a, b, out=theirs), ours, theirs),
    )


def by_vector(name: str, a: np.ndarray, x: np.ndarray) -> Line:
    ours, theirs = np.empty(a.shape[0], a.dtype), np.empty(a.shape[0], a.dtype)
    return (
        *(name, 2.0 * a.size, lambda: hg.ops.matvec(a, x, out=ours)),
        *(lambda: np.dot(a, x, out=theirs), ours, theirs),
    )


def lines() -> Iterator[Line]:
    rng = np.random.default_rng(1)
    for n in SQUARE:
        yield product(f"f32 A B {n}", matrix(rng, n, n, np.float32), matrix(rng, n, n, np.float32))
    for n in (256, 1024):
        a, b = matrix(rng, n, n, np.float32), matrix(rng, n, n, np.float32)
        yield product(f"f32 A^T B {n}", a.T, b)
        yield product(f"f32 A B^T {n}", a, b.T)
    for n in (64, 256, 1024):
        yield product(f"f64 A B {n}", matrix(rng, n, n, np.float64), matrix(rng, n, n, np.float64))
    for m in SKINNY:
        a, b = matrix(rng, m, 4096, np.float32), matrix(rng, 4096, 4096, np.float32)
        yield product(f"f32 {m} x 4096 x 4096", a, b)
    for n in (64, 316, 512, 1024, 2048, 4096):
        a = matrix(rng, n, n, np.float32)
        x = rng.random(n).astype(np.float32)
        yield by_vector(f"f32 A x {n}", a, x)
        yield by_vector(f"f32 A^T x {n}", a.T, x)


def measure(
    calls: tuple[Callable[[], object], ...], now: Callable[[], float], seconds: float
) -> list[float]:
    """The least time of a call of each, in rounds that alternate."""
    best = [float("inf")] * len(calls)
    repeats = []
    for call in calls:
        start = now()
        call()
        repeats.append(max(1, int(2e-4 / max(now() - start, 1e-7))))
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < 3 or time.monotonic() < end:
        rounds += 1
        for k, (call, count) in enumerate(zip(calls, repeats, strict=True)):
            start = now()
            for _ in range(count):
                call()
            best[k] = min(best[k], (now() - start) / count)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", default="")
    parser.add_argument("--clock", action="store_true", help="time that passed")
    parser.add_argument("--seconds", type=float, default=0.6, help="for each line")
    arguments = parser.parse_args()
    now = time.perf_counter if arguments.clock else time.thread_time
    print(f"OpenBLAS core type: {os.environ.get('OPENBLAS_CORETYPE', 'its own choice')}")
    print(f"{'product':24s} {'ours':>8s} {'NumPy':>8s} {'x NumPy':>8s}   GFLOP/s")
    ratios = []
    for name, work, ours, theirs, result, expected in lines():
        if arguments.text not in name:
            continue
        ours()
        theirs()
        np.testing.assert_allclose(result, expected, rtol=2e-4, err_msg=name)
        mine, peer = measure((ours, theirs), now, arguments.seconds)
        ratios.append(peer / mine)
        print(f"{name:24s} {work / mine / 1e9:8.1f} {work / peer / 1e9:8.1f} {ratios[-1]:8.2f}")
    if ratios:
        print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
