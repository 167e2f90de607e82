"""Indices that are not u32: the programs of C, CUDA, ISPC and Numba count in int."""

import numpy as np
from rows import Pair, Table, once

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    i64,
    max,
    min,
    shared,
    u32,
    u64,
)

TABLE = Table("indices")
N = 100_000
LINE = ((N + 255) // 256, 256)
LIMIT = 1.05


@hg.kernel
def copy_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_global_id())
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_i64(x: DeviceArray[f32], y: DeviceArray[f32], n: i64):
    i = i64(get_global_id())
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_u64(x: DeviceArray[f32], y: DeviceArray[f32], n: u64):
    i = u64(get_global_id())
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_cuda(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_block_id()) * int(get_block_dim()) + int(get_local_id())
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_early(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = i32(u64(get_global_id()))
    if i >= n:
        return
    y[i] = x[i]


@hg.kernel
def copy_late(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        k = i32(i)
        y[k] = x[i64(k)]


def _line(rng, kernel, peer, *scalars):
    x = rng.random(N, np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    return Pair(
        once(kernel, *LINE, x, a, N, *scalars), once(peer, *LINE, x, b, N, *scalars), (a, b)
    )


@TABLE.row("copy, i = int(id), n: i32", LIMIT)
def _(rng):
    return _line(rng, copy_int, copy_u32)


@TABLE.row("copy, i = i64(id), n: i64", LIMIT)
def _(rng):
    return _line(rng, copy_i64, copy_u32)


@TABLE.row("copy, i = u64(id), n: u64", LIMIT)
def _(rng):
    return _line(rng, copy_u64, copy_u32)


@TABLE.row("copy, int block * int size + int lane", LIMIT)
def _(rng):
    return _line(rng, copy_cuda, copy_u32)


@TABLE.row("copy, i32(u64(id)), return", LIMIT)
def _(rng):
    return _line(rng, copy_early, copy_u32)


@TABLE.row("copy, the index converted behind the guard", LIMIT)
def _(rng):
    return _line(rng, copy_late, copy_u32)


@hg.kernel
def stencil_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= 1 and i + 1 < n:
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


@hg.kernel
def stencil_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_global_id())
    if i > 0 and i < n - 1:
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


@TABLE.row("stencil, x[i - 1] with i = int(id)", LIMIT)
def _(rng):
    return _line(rng, stencil_int, stencil_u32)


@hg.kernel
def shift_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, k: u32):
    i = get_global_id()
    if i < n and i + k < n:
        y[i] = x[i + k]


@hg.kernel
def shift_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32, k: i32):
    i = int(get_global_id())
    if i < n and i + k < n and i + k >= 0:
        y[i] = x[i + k]


@TABLE.row("x[i + k], k: i32", LIMIT)
def _(rng):
    return _line(rng, shift_int, shift_u32, 3)


@hg.kernel
def clamp_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        left = i - min(i, 1)
        right = min(i + 1, n - 1)
        y[i] = x[left] + x[right]


@hg.kernel
def clamp_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_global_id())
    if i < n:
        left = max(i - 1, 0)
        right = min(i + 1, n - 1)
        y[i] = x[left] + x[right]


@TABLE.row("clamped neighbours, int", LIMIT)
def _(rng):
    return _line(rng, clamp_int, clamp_u32)


@hg.kernel(block=64)
def turned_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    tile = shared(f32, 64)
    i, lane = get_global_id(), get_local_id()
    tile[lane] = 0.0
    if i < n:
        tile[lane] = x[i]
    barrier()
    if i < n:
        y[i] = tile[63 - lane]


@hg.kernel(block=64)
def turned_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    tile = shared(f32, 64)
    i, lane = int(get_global_id()), int(get_local_id())
    tile[lane] = 0.0
    if i < n:
        tile[lane] = x[i]
    barrier()
    if i < n:
        y[i] = tile[63 - lane]


@TABLE.row("shared memory, tile[63 - lane] with int", LIMIT)
def _(rng):
    x = rng.random(N, np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    line = ((N + 63) // 64, 64)
    return Pair(once(turned_int, *line, x, a, N), once(turned_u32, *line, x, b, N), (a, b))


@hg.kernel
def laplace_u32(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], h: u32, w: u32):
    j, i = get_global_id(0), get_global_id(1)
    if i >= 1 and i + 1 < h and j >= 1 and j + 1 < w:
        y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j]


@hg.kernel
def laplace_int(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], h: i32, w: i32):
    j, i = int(get_global_id(0)), int(get_global_id(1))
    if i > 0 and i < h - 1 and j > 0 and j < w - 1:
        y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j]


@TABLE.row("2-D stencil, int", LIMIT)
def _(rng):
    x = rng.random((500, 400), np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    plane = ((7, 500), (64, 1))
    return Pair(
        once(laplace_int, *plane, x, a, *x.shape), once(laplace_u32, *plane, x, b, *x.shape), (a, b)
    )


@hg.kernel
def rows_u32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, w: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for k in range(w):
            total += x[k * n + i]
        y[i] = total


@hg.kernel
def rows_int(x: DeviceArray[f32], y: DeviceArray[f32], n: i32, w: i32):
    i = int(get_global_id())
    if i < n:
        total = 0.0
        for k in range(w):
            total += x[k * n + i]
        y[i] = total


@TABLE.row("x[k * n + i] in a loop, int", LIMIT)
def _(rng):
    x = rng.random(2000 * 50, np.float32)
    a, b = np.zeros(2000, np.float32), np.zeros(2000, np.float32)
    line = (8, 256)
    return Pair(
        once(rows_int, *line, x, a, 2000, 50), once(rows_u32, *line, x, b, 2000, 50), (a, b)
    )
