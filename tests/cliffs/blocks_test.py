"""Blocks of few lanes, which are run as one chunk, from a fault on in regions; shared arrays along
diagonals and with rows of any length; limits of lanes that are quotients; the least and the largest
float of lanes that run one after another: native code of each level leaves what the interpreter
leaves, bit for bit, and has the same faults.

usage: blocks_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

import warnings

import numpy as np
from comparing import agree, on_each_level

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    barrier,
    block_reduce_add,
    block_reduce_max,
    block_scan_add,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u32,
)

BLOCK = 16

# Some launches have fewer lanes than the conditions of a kernel admit.
warnings.filterwarnings("ignore", category=hg.GridWarning)


# ---- Blocks
@hg.kernel(block=32)
def rows_by_blocks(
    first: DeviceArray[i32],
    column: DeviceArray[i32],
    value: DeviceArray[f64],
    x: DeviceArray[f64],
    y: DeviceArray[f64],
):
    row = int(get_block_id())
    lane = int(get_local_id())
    total = f64(0.0)
    for k in range(first[row] + lane, first[row + 1], 32):
        total += value[k] * x[column[k]]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def passes(x: DeviceArray[f32], index: DeviceArray[u32], y: DeviceArray[f32], rounds: u32):
    """Lanes look at each other in every round; which element, data say."""
    kept = shared(f32, 64)
    lane = get_local_id()
    at = get_block_id() * 64 + lane
    kept[lane] = x[at]
    barrier()
    for _ in range(rounds):
        near = kept[index[at]] * 0.5 + kept[(lane + 1) % 64]
        top = block_reduce_max(near)
        barrier()
        kept[lane] = near / top
        barrier()
    y[at] = kept[lane]


@hg.kernel(block=16)
def stored_before(x: DeviceArray[f32], index: DeviceArray[u32], y: DeviceArray[f32]):
    """What is stored before the fault may be stored again; what is added to it may not."""
    lane = get_local_id()
    at = get_global_id()
    y[at] = x[lane]
    barrier()
    y[at] = y[at] + x[index[at]]
    barrier()
    y[at] = y[at] * x[index[at] // 2]


@hg.kernel(block=16)
def some_lanes(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    """Those behind the end are at none of the barriers."""
    kept = shared(f32, 16)
    lane = get_local_id()
    at = get_global_id()
    if lane >= n:
        return
    kept[lane] = x[at]
    barrier()
    y[at] = kept[n - 1 - lane]


@hg.kernel(block=256)
def sums_behind_scans(x: DeviceArray[u32], y: DeviceArray[u32], total: DeviceArray[f32]):
    """More lanes at once than a mask for the sums of a launch has bits."""
    at = get_global_id()
    below = block_scan_add(x[at])
    y[at] = below
    atomic_add(total, 0, f32(below) * 0.25)


# ---- Shared arrays
@hg.kernel(block=BLOCK)
def alignment(reference: DeviceArray[i32], items: DeviceArray[i32], cols: i32, penalty: i32):
    """A tile of a table in which each element waits for its neighbours, along its diagonals."""
    temp = shared(i32, (BLOCK + 1, BLOCK + 1))
    ref = shared(i32, (BLOCK, BLOCK))
    tx = int(get_local_id())
    base = BLOCK * int(get_block_id())
    for ty in range(BLOCK):
        ref[ty, tx] = reference[base + cols * (ty + 1) + tx + 1]
    temp[tx + 1, 0] = items[base + cols * (tx + 1)]
    temp[0, tx + 1] = items[base + tx + 1]
    if tx == 0:
        temp[0, 0] = items[base]
    barrier()
    for m in range(BLOCK):
        if tx <= m:
            x = tx + 1
            y = m - tx + 1
            gap = max(temp[y, x - 1], temp[y - 1, x]) - penalty
            temp[y, x] = max(temp[y - 1, x - 1] + ref[y - 1, x - 1], gap)
        barrier()
    for m in range(BLOCK - 2, -1, -1):
        if tx <= m:
            x = tx + BLOCK - m
            y = BLOCK - tx
            gap = max(temp[y, x - 1], temp[y - 1, x]) - penalty
            temp[y, x] = max(temp[y - 1, x - 1] + ref[y - 1, x - 1], gap)
        barrier()
    for ty in range(BLOCK):
        items[base + cols * (ty + 1) + tx + 1] = temp[ty + 1, tx + 1]


@hg.kernel(block=64)
def rows_of_nine(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], first: u32, wide: u32):
    """Each lane has a row of 9, of which others read an element, and data choose one."""
    kept = shared(f32, (64, 9))
    lane = get_local_id()
    row = get_global_id()
    if lane >= first and row < x.shape[0]:
        for d in range(9):
            kept[lane, d] = x[row, d]
        for d in range(1, 9):
            kept[lane, d] = kept[lane, d] + kept[lane, d - 1]
    barrier()
    if row < x.shape[0]:
        for d in range(9):
            y[row, d] = kept[63 - lane, d] + kept[first, 8] + kept[lane * lane % 64, wide % 9]


# ---- Limits
@hg.kernel
def thirds(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_global_id())
    if i < int(len(x)) // 3 and i < n // -7 + 40:
        y[i] = x[3 * i] + x[3 * i + 2]


# ---- Lanes that run one after another
@hg.kernel
def clamped(
    first: DeviceArray[u32],
    x: DeviceArray[f32],
    low: DeviceArray[f32],
    high: DeviceArray[f32],
    y: DeviceArray[f32],
):
    i = get_global_id()
    if i < len(y):
        top = low[i]
        bottom = high[i]
        for k in range(first[i], first[i + 1]):
            top = max(top, min(x[k], high[i]))
            bottom = min(max(low[i], x[k]), bottom)
        y[i] = top - bottom


def check(kernel, *data, grid, faults=None) -> None:
    agree(kernel, data, grid, faults)


def check_blocks(rng) -> None:
    for n, mean in ((1, 3), (15, 0.5), (100, 20), (64, 70)):
        first = np.concatenate(([0], np.cumsum(rng.poisson(mean, n)))).astype(np.int32)
        entries = max(1, int(first[-1]))
        column = rng.integers(0, n, entries).astype(np.int32)
        value, x, y = rng.normal(size=entries), rng.normal(size=n), np.zeros(n)
        for lanes in (32, 16, 64, 33):
            check(rows_by_blocks, first, column, value, x, y, grid=(n, lanes))
        outside = column.copy()
        outside[rng.integers(0, entries)] = n + 5
        faults = int(first[-1]) > 0
        check(rows_by_blocks, first, outside, value, x, y, grid=(n, 32), faults=faults)
    index = rng.integers(0, 64, 640).astype(np.uint32)
    x = rng.random(640).astype(np.float32) + np.float32(0.5)
    for rounds in (0, 1, 7):
        check(passes, x, index, np.zeros_like(x), rounds, grid=(10, 64), faults=False)
        for at in (0, 63, 300, 639):
            outside = index.copy()
            outside[at] = 64 + at
            faults = rounds > 0
            check(passes, x, outside, np.zeros_like(x), rounds, grid=(10, 64), faults=faults)
    for at in (None, 5, 17, 639):
        outside = index.copy()
        if at is not None:
            outside[at] = 700
        faults = at is not None
        check(stored_before, x, outside, np.zeros_like(x), grid=(40, 16), faults=faults)
    for n in (1, 9, 16, 20):
        check(some_lanes, x, np.zeros_like(x), min(n, 16), grid=(40, 16))
    counts = rng.integers(0, 9, 1024).astype(np.uint32)
    for lanes in (256, 64, 33):
        total = np.float32([0.1])
        check(
            sums_behind_scans, counts, np.zeros_like(counts), total, grid=(4, lanes), faults=False
        )


def check_shared(rng) -> None:
    cols = 4 * BLOCK + 1
    reference = rng.integers(-9, 9, cols * cols).astype(np.int32)
    items = rng.integers(-99, 99, cols * cols).astype(np.int32)
    for penalty in (0, 3, 1 << 30):
        check(alignment, reference, items, cols, penalty, grid=(4, BLOCK), faults=False)
    check(alignment, reference, items, cols, 3, grid=(4, 7))
    for count, first in ((64, 0), (100, 3), (130, 20), (64, 63), (7, 2)):
        x = rng.random((count, 9)).astype(np.float32)
        grid = (-(-count // 64), 64)
        check(rows_of_nine, x, np.zeros_like(x), first, first + 5, grid=grid, faults=False)
    turned = "contiguous vectors, as rows and columns are exchanged"
    for kernel in (alignment, rows_of_nine):
        assert turned in kernel.explain(), kernel.explain()


def check_limits(rng) -> None:
    for count in (0, 1, 2, 3, 48, 50, 200):
        x = rng.random(count).astype(np.float32)
        for n in (0, 6, 7, -8, 300):
            y = np.zeros(70, np.float32)
            check(thirds, x, y, n, grid=(5, 16), faults=False)
    assert thirds.explain().count("ends the loop over lanes") == 2, thirds.explain()


def check_extremes(rng) -> None:
    bits = np.array([0x7FC12345, 0xFFA00001, 0x7F800001, 0x80000000, 0, 0x7F800000, 0xFF800000])
    odd = np.concatenate((bits.astype(np.uint32).view(np.float32), np.float32([1, -1, 1, 0.5])))
    for n in (1, 20, 300):
        first = np.concatenate(([0], np.cumsum(rng.poisson(5, n)))).astype(np.uint32)
        x = rng.choice(odd, int(first[-1]) + 1)
        low, high = rng.choice(odd, n), rng.choice(odd, n)
        y = np.zeros(n, np.float32)
        check(clamped, first, x, low, high, y, grid=(-(-n // 32), 32), faults=False)
    assert "one lane after another" in clamped.explain(), clamped.explain()


def main() -> None:
    rng = np.random.default_rng(3)
    check_blocks(rng)
    check_shared(rng)
    check_limits(rng)
    check_extremes(rng)


if __name__ == "__main__":
    on_each_level(main)
