#!/usr/bin/env python3
"""What a launch costs that the proofs of its kernel do not cover, against one that they do.

usage: PYTHONPATH=python bench/checked.py [--rounds 15]

Twelve kernels of different kinds. Each is launched twice on arrays of one size: as the proofs want
it, and with a grid or a scalar that goes further than the arrays, where a condition on data keeps
each lane inside. The first is native code without checks, the second native code of the checked
form, which the first launches make. Both do the same work, on one thread. Printed is the time of
the second over that of the first, the best of the rounds of each; it should be at most 2.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    barrier,
    exp,
    f32,
    f64,
    get_global_id,
    get_local_id,
    shared,
    u32,
)

LIMIT = 2.0
N = 100_000
FAR = 1 << 20  # past the end of every array


@hg.kernel
def copy(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        y[i] = x[i]


@hg.kernel
def saxpy(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32, a: f32):
    i = get_global_id()
    if i < n and i < e[0]:
        y[i] = a * x[i] + y[i]


@hg.kernel
def stencil(x: DeviceArray[f64], y: DeviceArray[f64], e: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i >= 1 and i + 1 < n and i + 1 < e[0]:
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


@hg.kernel
def waves(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        y[i] = exp(x[i]) / (1.0 + exp(-x[i]))


@hg.kernel
def pairs(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        y[i] = x[2 * i] + x[2 * i + 1]


@hg.kernel
def gather(
    x: DeviceArray[f32], at: DeviceArray[u32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32
):
    i = get_global_id()
    if i < n and i < e[0]:
        y[i] = x[at[i]]


@hg.kernel
def row_sums(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32, w: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        total = 0.0
        for k in range(w):
            total += x[i * w + k]
        y[i] = total


@hg.kernel
def column_sums(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32, w: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        total = 0.0
        for k in range(w):
            total += x[k * e[0] + i]
        y[i] = total


@hg.kernel
def histogram(x: DeviceArray[u32], y: DeviceArray[u32], e: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < e[0]:
        atomic_add(y, x[i] % 256, 1)


@hg.kernel(block=64)
def turned(x: DeviceArray[f32], y: DeviceArray[f32], e: DeviceArray[u32], n: u32):
    tile = shared(f32, 64)
    i, lane = get_global_id(), get_local_id()
    tile[lane] = 0.0
    if i < n and i < e[0]:
        tile[lane] = x[i]
    barrier()
    if i < n and i < e[0]:
        y[i] = tile[63 - lane]


@hg.kernel
def product(
    a: DeviceArray[f32, 2],
    b: DeviceArray[f32, 2],
    c: DeviceArray[f32, 2],
    e: DeviceArray[u32],
    n: u32,
):
    column, row = get_global_id(0), get_global_id(1)
    if row < n and column < c.shape[1] and row < e[0]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@hg.kernel
def plane(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], e: DeviceArray[u32], n: u32):
    column, row = get_global_id(0), get_global_id(1)
    if row < n and column < x.shape[1] and row < e[0]:
        y[row, column] = x[row, column] * 3.0 + 1.0


def cases() -> list[tuple[Any, list[Any], int, list[Any], tuple[Any, Any]]]:
    """Kernel, arrays, how many elements or rows there are, scalars behind n, grid and block."""
    rng = np.random.default_rng(1)

    def reals(*shape: int) -> Any:
        return rng.random(shape, np.float32)

    def whole(high: int, size: int) -> Any:
        return rng.integers(0, high, size).astype(np.uint32)

    line = ((N + 256 + 255) // 256, 256)
    rows, wide = 2000, 100
    few = ((rows + 511) // 256, 256)
    side = 128
    return [
        (copy, [reals(N), reals(N)], N, [], line),
        (saxpy, [reals(N), reals(N)], N, [0.5], line),
        (stencil, [rng.random(N), rng.random(N)], N, [], line),
        (waves, [reals(N), reals(N)], N, [], line),
        (pairs, [reals(2 * N), reals(N)], N, [], line),
        (gather, [reals(N), whole(N, N), reals(N)], N, [], line),
        (row_sums, [reals(rows * wide), reals(rows)], rows, [wide], few),
        (column_sums, [reals(rows * wide), reals(rows)], rows, [wide], few),
        (histogram, [whole(1 << 30, N), whole(1, 256)], N, [], line),
        (turned, [reals(N), reals(N)], N, [], ((N + 127) // 64, 64)),
        (
            product,
            [reals(side, side), reals(side, side), reals(side, side)],
            side,
            [],
            ((2, side + 1), (64, 1)),
        ),
        (plane, [reals(512, 512), reals(512, 512)], 512, [], ((8, 513), (64, 1))),
    ]


def best(call: Any, rounds: int) -> float:
    """Seconds of one call."""
    call()
    repeats = 1
    while True:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        if time.perf_counter() - start > 2e-3:
            break
        repeats *= 2
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        times.append((time.perf_counter() - start) / repeats)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    worst = 0.0
    print(f"{'kernel':12} {'proved':>10} {'checked':>10} {'ratio':>6}")
    for kernel, arrays, size, scalars, (grid, block) in cases():
        end = np.array([size, 0], np.uint32)
        launch = kernel.configure(grid=grid, block=block, threads=1, backend="cpu")

        def run(n: int, launch: Any = launch, arguments: Any = (arrays, end, scalars)) -> None:
            arrays, end, scalars = arguments
            launch(*arrays, end, n, *scalars)

        def engine(n: int, launch: Any = launch, run: Any = run) -> tuple[str, bool]:
            run(n)
            return launch.last_launch.engine, launch.last_launch.checked

        for n, is_checked in ((size, False), (FAR, True)):
            if engine(n) != ("cpu", is_checked):
                raise SystemExit(f"checked: {kernel.name}: {launch.last_launch} for {n}")
        proved, checked = (best(lambda n=n, run=run: run(n), rounds) for n in (size, FAR))
        worst = max(worst, checked / proved)
        print(
            f"{kernel.name:12} {proved * 1e6:8.1f}us {checked * 1e6:8.1f}us"
            f" {checked / proved:6.2f}",
            flush=True,
        )
    print(f"worst {worst:.2f}, should be at most {LIMIT}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
