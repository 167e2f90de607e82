"""Triton's products: matmul in tiles of shared memory, attention in blocks, grouped products."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    exp,
    f32,
    get_block_id,
    get_local_id,
    i32,
    inf,
    shared,
)

F = np.float32
TILE = 32
WIDTH = 64


@hg.kernel
def matmul(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    c: DeviceArray[f32],
    m: i32,
    n: i32,
    k: i32,
    stride_a: i32,
    stride_b: i32,
    stride_c: i32,
):
    tile_a = shared(f32, (16, 16))
    tile_b = shared(f32, (16, 16))
    tx, ty = int(get_local_id(0)), int(get_local_id(1))
    row = int(get_block_id(1)) * 16 + ty
    col = int(get_block_id(0)) * 16 + tx
    acc = 0.0
    for kk in range(0, k, 16):
        tile_a[ty, tx] = a[row * stride_a + kk + tx] if row < m and kk + tx < k else 0.0
        tile_b[ty, tx] = b[(kk + ty) * stride_b + col] if kk + ty < k and col < n else 0.0
        barrier()
        for p in range(16):
            acc += tile_a[ty, p] * tile_b[p, tx]
        barrier()
    if row < m and col < n:
        c[row * stride_c + col] = acc


@njit
def matmul_twin(a, b, c, m, n, k, stride_a, stride_b, stride_c):
    for i in range(m):
        row = c[i * stride_c : i * stride_c + n]
        row[:] = F(0)
        for p in range(k):
            x = a[i * stride_a + p]
            other = b[p * stride_b : p * stride_b + n]
            for j in range(n):
                row[j] += x * other[j]


def check_matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c):
    want = a.reshape(m, stride_a)[:, :k] @ b.reshape(k, stride_b)[:, :n]
    np.testing.assert_allclose(c.reshape(m, stride_c)[:, :n], want, rtol=1e-4)


@hg.kernel(block=TILE)
def flash_attention(
    q: DeviceArray[f32, 2],
    k: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    out: DeviceArray[f32, 2],
    scale: f32,
):
    """A block of 32 queries walks over blocks of 32 keys; a lane has one query."""
    keys = shared(f32, (TILE, WIDTH))
    values = shared(f32, (TILE, WIDTH))
    scores = shared(f32, (TILE, TILE))
    acc = shared(f32, (TILE, WIDTH))
    lane = int(get_local_id())
    row = int(get_block_id()) * TILE + lane
    n = int(k.shape[0])
    queries = int(q.shape[0])
    top = -inf
    total = 0.0
    for first in range(0, n, TILE):
        for d in range(WIDTH):
            if first + lane < n:
                keys[lane, d] = k[first + lane, d]
                values[lane, d] = v[first + lane, d]
        barrier()
        size = min(TILE, n - first)
        if row < queries:
            new_top = top
            for j in range(size):
                s = 0.0
                for d in range(WIDTH):
                    s += q[row, d] * keys[j, d]
                s *= scale
                scores[lane, j] = s
                new_top = max(new_top, s)
            alpha = exp(top - new_top)
            total *= alpha
            for d in range(WIDTH):
                acc[lane, d] *= alpha
            for j in range(size):
                p = exp(scores[lane, j] - new_top)
                total += p
                for d in range(WIDTH):
                    acc[lane, d] += p * values[j, d]
            top = new_top
        barrier()
    if row < queries:
        for d in range(WIDTH):
            out[row, d] = acc[lane, d] / total


@njit
def flash_twin(q, k, v, out, scale):
    n, width = k.shape
    scores = np.empty(TILE, np.float32)
    acc = np.empty(width, np.float32)
    for row in range(q.shape[0]):
        top = F(-np.inf)
        total = F(0)
        acc[:] = F(0)
        for first in range(0, n, TILE):
            size = min(TILE, n - first)
            new_top = top
            for j in range(size):
                s = F(0)
                for d in range(width):
                    s += q[row, d] * k[first + j, d]
                s *= scale
                scores[j] = s
                new_top = max(new_top, s)
            alpha = math.exp(top - new_top)
            total *= alpha
            for d in range(width):
                acc[d] *= alpha
            for j in range(size):
                p = math.exp(scores[j] - new_top)
                total += p
                for d in range(width):
                    acc[d] += p * v[first + j, d]
            top = new_top
        for d in range(width):
            out[row, d] = acc[d] / total


def check_attention(q, k, v, out, scale):
    s = q.astype(np.float64) @ k.T.astype(np.float64) * scale
    e = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True) @ v, rtol=2e-4, atol=1e-5)


@hg.kernel(block=64)
def grouped_gemm(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    c: DeviceArray[f32],
    sizes: DeviceArray[i32],
    starts: DeviceArray[i32],
    group_count: i32,
):
    """A fixed number of programs takes the tiles of all groups in turn, 8 x 8 cells each.

    sizes has m, n, k of each group, starts where its a, b and c begin.
    """
    tile = int(get_block_id())
    programs = 64
    lane = int(get_local_id())
    last_end = 0
    for g in range(group_count):
        m = sizes[3 * g]
        n = sizes[3 * g + 1]
        kk = sizes[3 * g + 2]
        tiles_n = (n + 7) // 8
        tiles = ((m + 7) // 8) * tiles_n
        while tile >= last_end and tile < last_end + tiles:
            here = tile - last_end
            row = (here // tiles_n) * 8 + lane // 8
            col = (here % tiles_n) * 8 + lane % 8
            if row < m and col < n:
                acc = 0.0
                for p in range(kk):
                    acc += a[starts[3 * g] + row * kk + p] * b[starts[3 * g + 1] + p * n + col]
                c[starts[3 * g + 2] + row * n + col] = acc
            tile += programs
        last_end += tiles


@njit
def grouped_twin(a, b, c, sizes, starts, group_count):
    for g in range(group_count):
        m, n, k = sizes[3 * g], sizes[3 * g + 1], sizes[3 * g + 2]
        a0, b0, c0 = starts[3 * g], starts[3 * g + 1], starts[3 * g + 2]
        for i in range(m):
            row = c[c0 + i * n : c0 + (i + 1) * n]
            row[:] = F(0)
            for p in range(k):
                x = a[a0 + i * k + p]
                other = b[b0 + p * n : b0 + (p + 1) * n]
                for j in range(n):
                    row[j] += x * other[j]


def check_grouped(a, b, c, sizes, starts, group_count):
    for (m, n, k), (a0, b0, c0) in zip(sizes.reshape(-1, 3), starts.reshape(-1, 3), strict=True):
        want = a[a0 : a0 + m * k].reshape(m, k) @ b[b0 : b0 + k * n].reshape(k, n)
        np.testing.assert_allclose(c[c0 : c0 + m * n].reshape(m, n), want, rtol=1e-4)


def groups(rng, small):
    shapes = rng.integers(3, 20, (4, 3)) if small else rng.integers(40, 100, (8, 3))
    parts = np.stack(
        (shapes[:, 0] * shapes[:, 2], shapes[:, 1] * shapes[:, 2], shapes[:, 0] * shapes[:, 1]), 1
    )
    starts = np.cumsum(parts, 0) - parts
    a, b = (rng.random(parts[:, k].sum(), F) for k in range(2))
    sizes, starts = (x.astype(np.int32).ravel() for x in (shapes, starts))
    return a, b, np.zeros(parts[:, 2].sum(), F), sizes, starts, len(shapes)


def programs(rng, small=False):
    m, n, k = (19, 33, 21) if small else (250, 260, 270)
    data = (rng.random(m * k, F), rng.random(k * n, F), np.zeros(m * n, F), m, n, k, k, n, n)
    kernel = matmul[(blocks(n, 16), blocks(m, 16)), (16, 16)]
    yield "matmul", "Triton", kernel, matmul_twin, data, check_matmul

    n = 70 if small else 500
    q, k, v = rng.normal(size=(3, n, WIDTH)).astype(F)
    kernel = flash_attention[blocks(n, TILE), TILE]
    data = (q, k, v, np.zeros((n, WIDTH), F), F(0.125))
    yield "attention", "Triton", kernel, flash_twin, data, check_attention

    kernel = grouped_gemm[64, 64]
    yield "grouped_gemm", "Triton", kernel, grouped_twin, groups(rng, small), check_grouped
