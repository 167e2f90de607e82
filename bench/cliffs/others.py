"""Histograms of digits, FFT stages, stencils, k-means, moving means and grouped products."""

import numba
import numpy as np
from pairs import Pair, main

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    barrier,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u32,
)


@hg.kernel(block=256)
def digits_of_blocks(keys: DeviceArray[u32], counts: DeviceArray[u32, 2], shift: u32, n: u32):
    table = shared(u32, 256)
    lane = get_local_id()
    block = get_block_id()
    table[lane] = 0
    barrier()
    for k in range(16):
        i = block * 4096 + k * 256 + lane
        if i < n:
            atomic_add(table, (keys[i] >> shift) & 255, 1)
    barrier()
    counts[block, lane] = table[lane]


@numba.njit
def digits_of_blocks_twin(keys, counts, shift, n):
    counts[:] = 0
    for i in range(n):
        counts[i // 4096, (keys[i] >> shift) & np.uint32(255)] += np.uint32(1)


@hg.kernel
def digits(keys: DeviceArray[u32], counts: DeviceArray[u32], shift: u32, n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(counts, (keys[i] >> shift) & 255, 1)


@numba.njit
def digits_twin(keys, counts, shift, n):
    for i in range(n):
        counts[(keys[i] >> shift) & np.uint32(255)] += np.uint32(1)


@hg.kernel
def fft_stage(  # noqa: PLR0913
    xr: DeviceArray[f32],
    xi: DeviceArray[f32],
    yr: DeviceArray[f32],
    yi: DeviceArray[f32],
    wr: DeviceArray[f32],
    wi: DeviceArray[f32],
    s: u32,
    half: u32,
):
    t = get_global_id()
    if t < half:
        p = t // s
        q = t % s
        ar = xr[t]
        ai = xi[t]
        br = xr[t + half]
        bi = xi[t + half]
        c = wr[p * s]
        d = wi[p * s]
        er = ar - br
        ei = ai - bi
        low = q + s * 2 * p
        yr[low] = ar + br
        yi[low] = ai + bi
        yr[low + s] = er * c - ei * d
        yi[low + s] = er * d + ei * c


@numba.njit
def fft_stage_twin(xr, xi, yr, yi, wr, wi, s, half):  # noqa: PLR0913
    for p in range(half // s):
        c = wr[p * s]
        d = wi[p * s]
        for q in range(s):
            t = p * s + q
            er = xr[t] - xr[t + half]
            ei = xi[t] - xi[t + half]
            low = q + s * 2 * p
            yr[low] = xr[t] + xr[t + half]
            yi[low] = xi[t] + xi[t + half]
            yr[low + s] = er * c - ei * d
            yi[low + s] = er * d + ei * c


@hg.kernel
def heat(a: DeviceArray[f64, 2], b: DeviceArray[f64, 2], k: f64):
    x = get_global_id(0)
    y = get_global_id(1)
    if x >= 1 and y >= 1 and x < a.shape[1] - 1 and y < a.shape[0] - 1:
        sides = a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
        b[y, x] = a[y, x] + k * (sides - 4.0 * a[y, x])


@numba.njit
def heat_twin(a, b, k):
    for y in range(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            sides = a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
            b[y, x] = a[y, x] + k * (sides - 4.0 * a[y, x])


@hg.kernel
def wave(now: DeviceArray[f32, 2], before: DeviceArray[f32, 2], after: DeviceArray[f32, 2], c: f32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x >= 1 and y >= 1 and x < now.shape[1] - 1 and y < now.shape[0] - 1:
        sides = now[y - 1, x] + now[y + 1, x] + now[y, x - 1] + now[y, x + 1]
        after[y, x] = 2.0 * now[y, x] - before[y, x] + c * (sides - 4.0 * now[y, x])


@numba.njit
def wave_twin(now, before, after, c):
    two, four = np.float32(2.0), np.float32(4.0)
    for y in range(1, now.shape[0] - 1):
        for x in range(1, now.shape[1] - 1):
            sides = now[y - 1, x] + now[y + 1, x] + now[y, x - 1] + now[y, x + 1]
            after[y, x] = two * now[y, x] - before[y, x] + c * (sides - four * now[y, x])


@hg.kernel
def nearest(
    points: DeviceArray[f32, 2], centres: DeviceArray[f32, 2], which: DeviceArray[u32], n: u32
):
    i = get_global_id()
    if i < n:
        best = f32(1e30)
        index: u32 = 0
        for c in range(centres.shape[0]):
            distance = f32(0.0)
            for d in range(centres.shape[1]):
                step = points[i, d] - centres[c, d]
                distance += step * step
            if distance < best:
                best = distance
                index = u32(c)
        which[i] = index


@numba.njit
def nearest_twin(points, centres, which, n):
    for i in range(n):
        best = np.float32(1e30)
        index = np.uint32(0)
        for c in range(centres.shape[0]):
            distance = np.float32(0.0)
            for d in range(centres.shape[1]):
                step = points[i, d] - centres[c, d]
                distance += step * step
            if distance < best:
                best = distance
                index = np.uint32(c)
        which[i] = index


@hg.kernel
def moving_mean(x: DeviceArray[f32], y: DeviceArray[f32], width: i32):
    i = int(get_global_id())
    if i < len(y):
        total = f32(0.0)
        for k in range(width):
            total += x[i + k]
        y[i] = total / f32(width)


@numba.njit
def moving_mean_twin(x, y, width):
    for i in range(len(y)):
        total = np.float32(0.0)
        for k in range(width):
            total += x[i + k]
        y[i] = total / np.float32(width)


@hg.kernel(block=256)
def grouped_product(  # noqa: PLR0913
    a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2], m: i32, n: i32, k: i32
):
    block = int(get_block_id())
    lane = int(get_local_id())
    across = (n + 15) // 16
    down = (m + 15) // 16
    in_group = 8 * across
    first = block // in_group * 8
    rows = min(down - first, 8)
    row = (first + block % in_group % rows) * 16 + lane // 16
    column = block % in_group // rows * 16 + lane % 16
    if row < m and column < n:
        total = f32(0.0)
        for j in range(k):
            total += a[row, j] * b[j, column]
        c[row, column] = total


@numba.njit
def grouped_product_twin(a, b, c, m, n, k):  # noqa: PLR0913
    for row in range(m):
        for column in range(n):
            total = np.float32(0.0)
            for j in range(k):
                total += a[row, j] * b[j, column]
            c[row, column] = total


def histogram_of_digits_in_blocks() -> Pair:
    n = 1 << 18
    keys = np.random.default_rng(1).integers(0, 2**32, n, dtype=np.uint32)
    ours, theirs = (np.zeros((n // 4096, 256), np.uint32) for _ in "ab")
    call = digits_of_blocks[n // 4096, 256]
    return Pair(
        bar=1.0,
        kernel=lambda: call(keys, ours, 8, n),
        twin=lambda: digits_of_blocks_twin(keys, theirs, np.uint32(8), n),
        results=[(ours, theirs)],
        launched=digits_of_blocks,
    )


def histogram_of_digits() -> Pair:
    n = 1 << 18
    keys = np.random.default_rng(1).integers(0, 2**32, n, dtype=np.uint32)
    ours, theirs = (np.zeros(256, np.uint32) for _ in "ab")
    return Pair(
        bar=1.0,
        kernel=lambda: digits[n // 256, 256](keys, ours, 8, n),
        twin=lambda: digits_twin(keys, theirs, np.uint32(8), n),
        results=[(ours, theirs)],
        launched=digits,
    )


def fft_stages_of_2048_lanes() -> Pair:
    half, stages = 2048, 12
    rng = np.random.default_rng(1)
    start = [rng.random(2 * half, np.float32) for _ in "ri"]
    angle = -np.pi * np.arange(half) / half
    wr, wi = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)

    def run(stage, x, y):
        for k in range(stages):
            stage(*x, *y, wr, wi, 1 << k, half)
            x, y = y, x

    def fill(stage):
        x, y = [a.copy() for a in start], [np.zeros_like(a) for a in start]
        return (lambda: run(stage, x, y)), x

    kernel, ours = fill(fft_stage[half // 256, 256])
    twin, theirs = fill(fft_stage_twin)
    return Pair(
        bar=1.0,
        kernel=kernel,
        twin=twin,
        results=list(zip(ours, theirs, strict=True)),
        launched=fft_stage,
        tolerance=1e-3,
    )


def square(dtype, side: int) -> np.ndarray:
    return np.random.default_rng(1).random((side, side)).astype(dtype)


def heat_f64() -> Pair:
    side = 512
    a = square(np.float64, side)
    ours, theirs = np.zeros_like(a), np.zeros_like(a)
    call = heat[(side // 64, side), (64, 1)]
    return Pair(
        bar=1.0,
        kernel=lambda: call(a, ours, 0.1),
        twin=lambda: heat_twin(a, theirs, 0.1),
        results=[(ours, theirs)],
        launched=heat,
    )


def heat_f64_in_squares() -> Pair:
    side = 512
    a = square(np.float64, side)
    ours, theirs = np.zeros_like(a), np.zeros_like(a)
    call = heat[(side // 16, side // 16), (16, 16)]
    return Pair(
        bar=1.0,
        kernel=lambda: call(a, ours, 0.1),
        twin=lambda: heat_twin(a, theirs, 0.1),
        results=[(ours, theirs)],
        launched=heat,
    )


def wave_equation() -> Pair:
    side = 512
    now, before = square(np.float32, side), square(np.float32, side) * np.float32(0.5)
    ours, theirs = np.zeros_like(now), np.zeros_like(now)
    call = wave[(side // 16, side // 16), (16, 16)]
    return Pair(
        bar=1.0,
        kernel=lambda: call(now, before, ours, 0.1),
        twin=lambda: wave_twin(now, before, theirs, np.float32(0.1)),
        results=[(ours, theirs)],
        launched=wave,
    )


def k_means_assignment() -> Pair:
    n, dimensions, count = 20_000, 4, 16
    rng = np.random.default_rng(1)
    points = rng.random((n, dimensions), np.float32)
    centres = rng.random((count, dimensions), np.float32)
    ours, theirs = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    return Pair(
        bar=1.0,
        kernel=lambda: nearest(points, centres, ours, n),
        twin=lambda: nearest_twin(points, centres, theirs, n),
        results=[(ours, theirs)],
        launched=nearest,
    )


def mean_of_windows() -> Pair:
    n, width = 100_000, 16
    x = np.random.default_rng(1).random(n + width, np.float32)
    ours, theirs = np.zeros(n, np.float32), np.zeros(n, np.float32)
    return Pair(
        bar=1.0,
        kernel=lambda: moving_mean(x, ours, width),
        twin=lambda: moving_mean_twin(x, theirs, width),
        results=[(ours, theirs)],
        launched=moving_mean,
    )


def product_in_groups() -> Pair:
    side = 192
    rng = np.random.default_rng(1)
    a, b = (rng.random((side, side), np.float32) for _ in "ab")
    ours, theirs = np.zeros_like(a), np.zeros_like(a)
    call = grouped_product[(side // 16) ** 2, 256].configure(deterministic=False)
    return Pair(
        bar=1.0,
        kernel=lambda: call(a, b, ours, side, side, side),
        twin=lambda: grouped_product_twin(a, b, theirs, side, side, side),
        results=[(ours, theirs)],
        launched=grouped_product,
    )


ROWS = [
    histogram_of_digits_in_blocks,
    histogram_of_digits,
    fft_stages_of_2048_lanes,
    heat_f64,
    heat_f64_in_squares,
    wave_equation,
    k_means_assignment,
    mean_of_windows,
    product_in_groups,
]

if __name__ == "__main__":
    main(ROWS)
