"""Loops whose rounds are data, elements that a lane keeps in a register over a loop, indices made
of lane numbers by `//` and `%`, histograms: native code of each level leaves what the interpreter
leaves, bit for bit, and has the same faults.

usage: loops_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

import sys

import numpy as np
from comparing import on_each_level, outcome

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    atomic_max,
    barrier,
    block_reduce_add,
    f32,
    f64,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    i64,
    shared,
    u8,
    u32,
    u64,
)


# ---- Loops by `while`
@hg.kernel
def strides(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    while i < n:
        y[i] = 2.0 * x[i]
        i += get_grid_dim() * get_block_dim()


@hg.kernel
def sums_of_strides(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    total = 0.0
    c = get_local_id()
    while c < n:
        total += x[c]
        c += get_block_dim()
    total = block_reduce_add(total)
    if get_local_id() == 0:
        y[get_block_id()] = total


# ---- Loops of data
@hg.kernel
def rows_f64(
    first: DeviceArray[i32],
    column: DeviceArray[i32],
    x: DeviceArray[f64],
    y: DeviceArray[f64],
    n: i32,
):
    row = int(get_global_id())
    if row < n:
        total = f64(0.0)
        for k in range(first[row], first[row + 1]):
            total += x[column[k]] * 1.5
        y[row] = total


@hg.kernel
def rows_2d(first: DeviceArray[u32], x: DeviceArray[f32], y: DeviceArray[f32, 2]):
    i = get_global_id(0)
    j = get_global_id(1)
    if j < y.shape[0] and i < y.shape[1]:
        total = f32(0.0)
        for k in range(first[i], first[i + 1]):
            total += x[k + j]
        y[j, i] = total


@hg.kernel
def divides(first: DeviceArray[u32], x: DeviceArray[i32], y: DeviceArray[i32], n: u32):
    row = get_global_id()
    if row < n:
        total: i32 = 0
        for k in range(first[row], first[row + 1]):
            total += 1000 // x[k]
        y[row] = total


@hg.kernel
def follow(parent: DeviceArray[u32], depth: DeviceArray[u32]):
    i = get_global_id()
    if i < len(depth):
        at = i
        steps: u32 = 0
        while parent[at] != at:
            at = parent[at]
            steps += 1
        depth[i] = steps


@hg.kernel
def longest(first: DeviceArray[u32], x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    row = get_global_id()
    if row < n:
        best = f32(-1.0)
        for k in range(first[row], first[row + 1]):
            best = max(best, x[k])
            if best > 0.99:
                break
        y[row] = best


# ---- Elements in registers
@hg.kernel
def walk(states: DeviceArray[u64, 2], out: DeviceArray[u64], steps: i32):
    i = get_global_id()
    if i < len(out):
        total: u64 = 0
        for _ in range(steps):
            a = states[i, 0]
            b = states[i, 1]
            total += a + b
            b ^= a
            states[i, 0] = ((a << 55) | (a >> 9)) ^ b ^ (b << 14)
            states[i, 1] = (b << 36) | (b >> 28)
        out[i] = total


@hg.kernel
def sums(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        for k in range(n):
            total[i] += x[k, i]


@hg.kernel
def sums_of_some(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        for k in range(n):
            if x[k, i] > 0.5:
                total[i] += x[k, i]


@hg.kernel
def guarded_inside(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32, m: u32):
    i = get_global_id()
    for k in range(n):
        if i < m:
            total[i] = total[i] * 0.5 + x[k, i]


@hg.kernel
def nested(x: DeviceArray[f32, 2], total: DeviceArray[f32], last: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        for round in range(3):
            for k in range(n):
                total[i] += x[k, i]
            last[i] += total[i]
            for k in range(n):
                total[i] *= 1.0 + x[k, i]


@hg.kernel
def before_and_behind(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        total[i] = 1.0
        for k in range(n):
            total[i] = total[i] * x[k, i]
            if total[i] < 0.1:
                total[i] = 2.0
        total[i] = total[i] + 1.0


@hg.kernel
def in_place(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    """x and y may be one array: then x[i] is not what it was after the first round."""
    i = get_global_id()
    if i < len(y):
        for _ in range(n):
            y[i] = y[i] + x[i]


@hg.kernel
def two_elements(x: DeviceArray[f32], n: u32, apart: u32):
    """Both may be one element."""
    i = get_global_id()
    if i < 1:
        for _ in range(n):
            x[i] = x[i] + 1.0
            x[i + apart] = x[i + apart] * 2.0


@hg.kernel
def faults_in_the_middle(d: DeviceArray[i32], total: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < len(total):
        for k in range(n):
            total[i] += 100 // d[k]


@hg.kernel
def nan_payloads(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(y):
        for _ in range(n):
            y[i] = y[i] - x[0] * y[i]


@hg.kernel
def bytes_of(x: DeviceArray[u8, 2], total: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < len(total):
        for k in range(n):
            total[i] = total[i] * 3 + x[k, i]


# ---- Indices that are runs in most vectors
@hg.kernel
def ring(x: DeviceArray[u8], y: DeviceArray[u8], width: u32, height: u32):
    t = get_global_id()
    if t < width * height:
        row = t // width * width
        y[t] = x[row + (t + 1) % width] + x[row + (t + width - 1) % width] * 3


@hg.kernel
def stage(x: DeviceArray[f32], w: DeviceArray[f32], y: DeviceArray[f32], s: i32, half: i32):
    t = int(get_global_id())
    if t < half:
        p = t // s
        q = t % s
        y[q + s * 2 * p] = x[t] + x[t + half]
        y[q + s * (2 * p + 1)] = (x[t] - x[t + half]) * w[p * s]


@hg.kernel
def tiles(x: DeviceArray[f64, 2], y: DeviceArray[f64, 2], width: i64):
    t = i64(get_global_id())
    row = t // width
    column = t % width
    if row < y.shape[0] and column < y.shape[1] and (row + column) % 5 != 3:
        total = f64(0.0)
        for k in range(y.shape[1]):
            total += x[row, k] * x[k % y.shape[0], column]
        y[row, column] = total


@hg.kernel
def from_the_end(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, w: u32):
    """Numbers wrap: 0 - 1 is the largest."""
    t = get_global_id()
    if t < n:
        y[t] = x[t % w - 1]


# ---- Histograms
@hg.kernel
def counts_of(keys: DeviceArray[u32], counts: DeviceArray[u32], shift: u32, n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(counts, (keys[i] >> shift) & 63, 1)


@hg.kernel(block=64)
def counts_of_blocks(keys: DeviceArray[u32], counts: DeviceArray[u32, 2], shift: u32, n: u32):
    table = shared(u32, 64)
    lane = get_local_id()
    block = get_block_id()
    table[lane] = 0
    barrier()
    for k in range(4):
        i = block * 256 + k * 64 + lane
        if i < n:
            atomic_add(table, (keys[i] >> shift) & 63, 1)
    barrier()
    counts[block, lane] = table[lane]


# Vectors of which all lanes, some or none run.
@hg.kernel
def parted(keys: DeviceArray[i32], counts: DeviceArray[i32], most: DeviceArray[i64], few: i32):
    i = get_global_id()
    if i < len(keys):
        k = keys[i] - few
        if k >= 0 and k < int(len(counts)):
            atomic_add(counts, k, k - 3)
            atomic_max(most, k, i64(k) * i64(i))


@hg.kernel(block=128)
def parted_blocks(keys: DeviceArray[i32], old: DeviceArray[i32, 2], sums: DeviceArray[f32]):
    table = shared(i32, 32)
    places = shared(f32, 32)
    lane = get_local_id()
    if lane < 32:
        table[lane] = int(lane)
        places[lane] = 0.0
    barrier()
    i = get_global_id()
    if i < len(keys) and keys[i] < 32:
        atomic_add(table, keys[i], int(lane))
        atomic_add(places, keys[i], f32(lane) * 0.1)
    barrier()
    if lane < 32:
        old[get_block_id(), lane] = table[lane]
        atomic_add(sums, lane, places[lane])


@hg.kernel(block=32)
def sums_in_order(  # vectors of one lane: updates wait for no log, and the launch sum wants blocks
    keys: DeviceArray[u32],
    w: DeviceArray[f32],
    spots: DeviceArray[f32],
    total: DeviceArray[f32],
    m: u32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        for k in range(keys[i]):
            atomic_add(spots, (keys[i] + k) % m, w[i])
        atomic_add(total, 0, w[i])


def check(kernel, *data, grid=None, **options) -> None:
    results = []
    for engine in ("interpreter", "cpu"):
        call = kernel.configure(backend=engine, **options)
        results.append(outcome(call if grid is None else call[grid], data))
    if results[0] != results[1]:
        words = [r for r in results if isinstance(r, str)]
        sys.exit(f"{kernel.__name__}: the engines differ {words}")


def rows_of(rng, n: int, mean: float, dtype) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(rng.poisson(mean, n)))).astype(dtype)


def check_rows(rng) -> None:
    for n, mean in ((1, 3), (15, 0.5), (1000, 20), (777, 1), (64, 200)):
        first = rows_of(rng, n, mean, np.int32)
        entries = int(first[-1])
        column = rng.integers(0, n, max(1, entries)).astype(np.int32)
        check(rows_f64, first, column, rng.random(n), np.zeros(n), n)
        values = rng.random(entries + 8).astype(np.float32)
        few = first.astype(np.uint32)
        check(longest, few, values, np.zeros(n, np.float32), n)
        grid = ((n + 31) // 32, 8), (32, 1)
        check(rows_2d, few, values, np.zeros((8, n), np.float32), grid=grid)
        divisors = rng.integers(-9, 9, max(1, entries)).astype(np.int32)
        check(divides, few, np.where(divisors == 0, 3, divisors), np.zeros(n, np.int32), n)
        check(divides, few, divisors, np.zeros(n, np.int32), n)
        if entries:
            outside = column.copy()
            outside[rng.integers(0, entries)] = n + 5
            check(rows_f64, first, outside, rng.random(n), np.zeros(n), n)
            check(rows_f64, first, column[: entries // 2], rng.random(n), np.zeros(n), n)
        parent = np.array([rng.integers(0, i + 1) for i in range(n)], np.uint32)
        check(follow, parent, np.zeros(n, np.uint32))


def check_cells(rng) -> None:
    for n, rounds in ((1, 3), (16, 0), (1000, 1), (777, 5), (130, 40)):
        x = rng.random((max(rounds, 1), n)).astype(np.float32)
        total = rng.random(n).astype(np.float32)
        states = rng.integers(1, 2**63, (n, 2)).astype(np.uint64)
        check(walk, states, np.zeros(n, np.uint64), rounds)
        check(walk, np.asfortranarray(states), np.zeros(n, np.uint64), rounds)
        for kernel in (sums, sums_of_some, before_and_behind):
            check(kernel, x, total, rounds)
        for m in (0, n // 2, n, n + 1):
            check(guarded_inside, x, total, rounds, m)
        check(nested, x * 0.01, total, total.copy(), rounds)
        check(in_place, total, total.copy(), rounds)
        same = [total.copy(), total.copy()]
        for engine, array in zip(("interpreter", "cpu"), same, strict=True):
            in_place.configure(backend=engine)(array, array, rounds)
        np.testing.assert_array_equal(*same)
        for apart in (0, 1, 2):
            check(two_elements, rng.random(4).astype(np.float32), rounds, apart)
        divisors = rng.integers(0, 3, max(rounds, 1)).astype(np.int32)
        check(faults_in_the_middle, divisors, np.zeros(n, np.int32), rounds)
        odd = np.array([0x7FC12345, 0xFFA00001, 0x3F800000], np.uint32).view(np.float32)
        check(nan_payloads, np.array([np.inf], np.float32), np.resize(odd, n), rounds)
        few = rng.integers(0, 256, (max(rounds, 1), n)).astype(np.uint8)
        check(bytes_of, few, np.zeros(n, np.uint8), rounds)


def check_runs(rng) -> None:
    for width, height in ((1, 1), (16, 4), (17, 31), (3, 100), (256, 3)):
        cells = rng.integers(0, 256, width * height).astype(np.uint8)
        check(ring, cells, np.zeros_like(cells), width, height)
        x = rng.random((height, width))
        for wide in (width, 16, 1):
            lanes = (max(width, 16) * height + 255) // 256
            check(tiles, x, np.zeros_like(x), wide, grid=(lanes + 1, 256))
    for half, s in ((8, 1), (64, 4), (1000, 8), (1024, 16), (1024, 64), (1000, 1000), (64, 0)):
        x, w = rng.random(2 * half).astype(np.float32), rng.random(half).astype(np.float32)
        check(stage, x, w, np.zeros_like(x), s, half, grid=((half + 255) // 256, 256))
        short = w[: half // 3]
        check(stage, x, short, np.zeros_like(x), s, half, grid=((half + 255) // 256, 256))
        check(from_the_end, x, np.zeros_like(x), half, 16)


def check_histograms(rng) -> None:
    for n in (1, 100, 1024, 5000):
        keys = rng.integers(0, 2**32, n, dtype=np.uint32)
        grid = (n + 255) // 256
        check(counts_of, keys, np.zeros(64, np.uint32), 3, n, grid=(grid, 256))
        check(counts_of, keys, np.zeros(63, np.uint32), 3, n, grid=(grid, 256))
        check(counts_of_blocks, keys, np.zeros((grid, 64), np.uint32), 27, n, grid=(grid, 64))
        for share in (31, 32, 33, 40, 1000):
            some = rng.integers(0, share, n).astype(np.int32)
            some[: n // 3] %= 32
            places = np.zeros(32, np.int32), np.full(32, -7, np.int64)
            check(parted, some, *places, 0, grid=(grid, 256))
            check(parted, some, *places, 5, grid=(grid, 256))
            rows = np.zeros(((n + 127) // 128, 32), np.int32)
            check(parted_blocks, some, rows, np.zeros(32, np.float32), grid=(len(rows), 128))
        w, one = rng.random(n).astype(np.float32), np.zeros(1, np.float32)
        for m in (64, 65, 0):
            spots = np.zeros(64, np.float32)
            check(sums_in_order, keys % 9, w, spots, one, m, n, grid=((n + 31) // 32, 32))


def check_while(rng) -> None:
    """`while i < n` goes round more often than the budget says, unless a condition fails."""
    x = rng.random(1000).astype(np.float32)
    for lanes in (1, 7, 32, 40, 1000):
        for n in (0, 1, 999, 1000):
            check(strides, x, np.zeros_like(x), n, grid=(1, lanes), budget=20)
            check(sums_of_strides, x, np.zeros(1, np.float32), n, grid=(1, lanes), budget=20)
        for short in (x[:500], x[:10], x[:0]):
            check(strides, short, np.zeros_like(x), 1000, grid=(1, lanes), budget=20)
            check(strides, short, np.zeros_like(x), 2**32 - 1, grid=(1, lanes), budget=20)
    y = np.zeros_like(x)
    strides.configure(budget=20)[1, 1](x, y, 1000)
    np.testing.assert_array_equal(y, 2 * x)
    try:
        strides.configure(budget=20)[1, 1](x[:500], y, 1000)
    except hg.errors.FaultError as error:
        assert "budget" in str(error), error
    else:
        sys.exit("a launch that no proof covers counts its rounds")


def main() -> None:
    rng = np.random.default_rng(1)
    check_while(rng)
    check_rows(rng)
    check_cells(rng)
    check_runs(rng)
    check_histograms(rng)


if __name__ == "__main__":
    on_each_level(main)
