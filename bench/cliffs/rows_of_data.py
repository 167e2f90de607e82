"""Loops whose rounds are data: rows of a sparse matrix."""

import numba
import numpy as np
from pairs import Pair, main

import hologram as hg
from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    u32,
)


@hg.kernel
def lane_a_row_f64(  # noqa: PLR0913
    first: DeviceArray[i32],
    column: DeviceArray[i32],
    value: DeviceArray[f64],
    x: DeviceArray[f64],
    y: DeviceArray[f64],
    n: i32,
):
    row = int(get_global_id())
    if row < n:
        total = f64(0.0)
        for k in range(first[row], first[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


@hg.kernel
def lane_a_row_f32(  # noqa: PLR0913
    first: DeviceArray[u32],
    column: DeviceArray[u32],
    value: DeviceArray[f32],
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    n: u32,
):
    row = get_global_id()
    if row < n:
        total = 0.0
        for k in range(first[row], first[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


@hg.kernel(block=32)
def block_a_row_f32(
    first: DeviceArray[u32],
    column: DeviceArray[u32],
    value: DeviceArray[f32],
    x: DeviceArray[f32],
    y: DeviceArray[f32],
):
    row = get_block_id()
    lane = get_local_id()
    total = 0.0
    for k in range(first[row] + lane, first[row + 1], 32):
        total += value[k] * x[column[k]]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@numba.njit
def row_twin(first, column, value, x, y, n):  # noqa: PLR0913
    for row in range(n):
        total = y.dtype.type(0.0)
        for k in range(first[row], first[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


def matrix(dtype, index, rows: int = 20_000, mean: int = 20):
    rng = np.random.default_rng(1)
    lengths = rng.poisson(mean, rows)
    first = np.concatenate(([0], np.cumsum(lengths))).astype(index)
    entries = int(first[-1])
    column = rng.integers(0, rows, entries).astype(index)
    return first, column, rng.random(entries).astype(dtype), rng.random(rows).astype(dtype)


def lane_a_row(kernel, dtype, index) -> Pair:
    data = matrix(dtype, index)
    n = len(data[0]) - 1
    ours, theirs = np.zeros(n, dtype), np.zeros(n, dtype)
    return Pair(
        bar=1.0,
        kernel=lambda: kernel(*data, ours, n),
        twin=lambda: row_twin(*data, theirs, n),
        results=[(ours, theirs)],
        launched=kernel,
    )


def csr_lane_a_row_f64_i32() -> Pair:
    return lane_a_row(lane_a_row_f64, np.float64, np.int32)


def csr_lane_a_row_f32_u32() -> Pair:
    return lane_a_row(lane_a_row_f32, np.float32, np.uint32)


def csr_block_a_row_f32_u32() -> Pair:
    data = matrix(np.float32, np.uint32)
    n = len(data[0]) - 1
    ours, theirs = np.zeros(n, np.float32), np.zeros(n, np.float32)
    call = block_a_row_f32[n, 32]
    return Pair(
        bar=1.0,
        kernel=lambda: call(*data, ours),
        twin=lambda: row_twin(*data, theirs, n),
        results=[(ours, theirs)],
        launched=block_a_row_f32,
        tolerance=1e-4,
    )


ROWS = [csr_lane_a_row_f64_i32, csr_lane_a_row_f32_u32, csr_block_a_row_f32_u32]

if __name__ == "__main__":
    main(ROWS)
