"""CUDA's samples as Numba's users write them: shared memory, barriers, halving loops."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    shared,
    sqrt,
)

F = np.float32
LANES = 256
TILE = 32
RADIUS = 4


@hg.kernel(block=LANES)
def reduce_blocks(data: DeviceArray[f32], out: DeviceArray[f32], n: i32):
    sdata = shared(f32, LANES)
    tid = int(get_local_id())
    i = int(get_block_id()) * LANES + tid
    grid_size = LANES * int(get_grid_dim())
    total = 0.0
    while i < n:
        total += data[i]
        i += grid_size
    sdata[tid] = total
    barrier()
    s = LANES // 2
    while s > 0:
        if tid < s:
            sdata[tid] += sdata[tid + s]
        barrier()
        s >>= 1
    if tid == 0:
        out[int(get_block_id())] = sdata[0]


reduce_step = tried(reduce_blocks)


def reduction(data, part, out, n):
    reduce_step[len(part), LANES](data, part, n)
    reduce_step[1, LANES](part, out, len(part))


@njit
def reduction_twin(data, part, out, n):
    total = F(0)
    for i in range(n):
        total += data[i]
    out[0] = total


def check_reduction(data, part, out, n):
    np.testing.assert_allclose(out[0], data.sum(dtype=float), rtol=1e-4)


@hg.kernel(block=LANES)
def scan_blocks(data: DeviceArray[i32], out: DeviceArray[i32], sums: DeviceArray[i32], n: i32):
    """Hillis and Steele, with two buffers that change places."""
    temp = shared(i32, (2, LANES))
    tid = int(get_local_id())
    at = int(get_block_id()) * LANES + tid
    temp[0, tid] = data[at] if at < n else 0
    barrier()
    now = 0
    offset = 1
    while offset < LANES:
        if tid >= offset:
            temp[1 - now, tid] = temp[now, tid] + temp[now, tid - offset]
        else:
            temp[1 - now, tid] = temp[now, tid]
        now = 1 - now
        barrier()
        offset *= 2
    if at < n:
        out[at] = temp[now, tid]
    if tid == LANES - 1:
        sums[int(get_block_id())] = temp[now, tid]


@hg.kernel
def add_sums(out: DeviceArray[i32], sums: DeviceArray[i32], n: i32):
    i = int(get_global_id())
    block = i // LANES
    if i < n and block > 0:
        out[i] += sums[block - 1]


scan_step = tried(scan_blocks)


def scan(data, out, sums, n):
    scan_step[len(sums), LANES](data, out, sums, n)
    np.cumsum(sums, out=sums)
    add_sums[len(sums), LANES](out, sums, n)


@njit
def scan_twin(data, out, sums, n):
    temp = np.zeros((2, LANES), np.int32)
    before = 0
    for block in range(len(sums)):
        first = block * LANES
        count = min(LANES, n - first)
        for tid in range(count):
            temp[0, tid] = data[first + tid]
        now = 0
        offset = 1
        while offset < LANES:
            for tid in range(count):
                if tid >= offset:
                    temp[1 - now, tid] = temp[now, tid] + temp[now, tid - offset]
                else:
                    temp[1 - now, tid] = temp[now, tid]
            now = 1 - now
            offset *= 2
        for tid in range(count):
            out[first + tid] = before + temp[now, tid]
        before = out[first + count - 1]


def check_scan(data, out, sums, n):
    np.testing.assert_array_equal(out, np.cumsum(data))


@hg.kernel
def transpose_tiles(source: DeviceArray[f32], out: DeviceArray[f32], width: i32, height: i32):
    """32 x 32 cells by 32 x 8 lanes; a padded tile."""
    tile = shared(f32, (TILE, TILE + 1))
    tx, ty = int(get_local_id(0)), int(get_local_id(1))
    x = int(get_block_id(0)) * TILE + tx
    y = int(get_block_id(1)) * TILE + ty
    for j in range(0, TILE, 8):
        if x < width and y + j < height:
            tile[ty + j, tx] = source[(y + j) * width + x]
    barrier()
    x = int(get_block_id(1)) * TILE + tx
    y = int(get_block_id(0)) * TILE + ty
    for j in range(0, TILE, 8):
        if x < height and y + j < width:
            out[(y + j) * height + x] = tile[tx, ty + j]


@njit
def transpose_twin(source, out, width, height):
    a, b = source.reshape(height, width), out.reshape(width, height)
    for bj in range(0, height, TILE):
        for bi in range(0, width, TILE):
            for i in range(bi, min(bi + TILE, width)):
                for j in range(bj, min(bj + TILE, height)):
                    b[i, j] = a[j, i]


def check_transpose(source, out, width, height):
    np.testing.assert_array_equal(out.reshape(width, height), source.reshape(height, width).T)


@hg.kernel(block=128)
def convolve_row(
    source: DeviceArray[f32],
    weights: DeviceArray[f32],
    out: DeviceArray[f32],
    width: i32,
    height: i32,
):
    """A tile of a row with a halo at each side; zeros beyond the image."""
    data = shared(f32, 128 + 2 * RADIUS)
    tx = int(get_local_id(0))
    x = int(get_block_id(0)) * 128 + tx
    y = int(get_block_id(1))
    data[tx + RADIUS] = source[y * width + x] if x < width else 0.0
    if tx < RADIUS:
        data[tx] = source[y * width + x - RADIUS] if x >= RADIUS else 0.0
        right = x + 128
        data[tx + 128 + RADIUS] = source[y * width + right] if right < width else 0.0
    barrier()
    if x < width:
        total = 0.0
        for k in range(-RADIUS, RADIUS + 1):
            total += data[tx + RADIUS + k] * weights[RADIUS - k]
        out[y * width + x] = total


@njit
def convolve_twin(source, weights, out, width, height):
    a, b = source.reshape(height, width), out.reshape(height, width)
    for y in range(height):
        for x in range(width):
            total = F(0)
            for k in range(-RADIUS, RADIUS + 1):
                if x + k >= 0 and x + k < width:
                    total += a[y, x + k] * weights[RADIUS - k]
            b[y, x] = total


def check_convolve(source, weights, out, width, height):
    p = np.pad(source.reshape(height, width), ((0, 0), (RADIUS, RADIUS))).astype(float)
    want = sum(weights[2 * RADIUS - k] * p[:, k : k + width] for k in range(2 * RADIUS + 1))
    np.testing.assert_allclose(out.reshape(height, width), want, rtol=1e-4, atol=1e-5)


@hg.kernel(block=LANES)
def nbody_forces(
    position: DeviceArray[f32, 2], acceleration: DeviceArray[f32, 2], n: i32, softening: f32
):
    """Bodies x, y, z, mass; a block loads a tile of bodies, all its lanes go through it."""
    tile = shared(f32, (LANES, 4))
    tid = int(get_local_id())
    i = int(get_block_id()) * int(get_block_dim()) + tid
    x, y, z = 0.0, 0.0, 0.0
    if i < n:
        x = position[i, 0]
        y = position[i, 1]
        z = position[i, 2]
    ax, ay, az = 0.0, 0.0, 0.0
    for first in range(0, n, LANES):
        if first + tid < n:
            for k in range(4):
                tile[tid, k] = position[first + tid, k]
        else:
            tile[tid, 3] = 0.0
        barrier()
        for j in range(LANES):
            dx = tile[j, 0] - x
            dy = tile[j, 1] - y
            dz = tile[j, 2] - z
            d2 = dx * dx + dy * dy + dz * dz + softening
            inv = 1.0 / sqrt(d2)
            s = tile[j, 3] * inv * inv * inv
            ax += dx * s
            ay += dy * s
            az += dz * s
        barrier()
    if i < n:
        acceleration[i, 0] = ax
        acceleration[i, 1] = ay
        acceleration[i, 2] = az


@njit
def nbody_twin(position, acceleration, n, softening):
    for i in range(n):
        ax, ay, az = F(0), F(0), F(0)
        for j in range(n):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            d2 = dx * dx + dy * dy + dz * dz + softening
            inv = F(1) / math.sqrt(d2)
            s = position[j, 3] * inv * inv * inv
            ax += dx * s
            ay += dy * s
            az += dz * s
        acceleration[i, 0] = ax
        acceleration[i, 1] = ay
        acceleration[i, 2] = az


def check_nbody(position, acceleration, n, softening):
    p = position.astype(float)
    d = p[None, :, :3] - p[:, None, :3]
    s = p[None, :, 3] * ((d**2).sum(-1) + softening) ** -1.5
    want = (d * s[..., None]).sum(1)
    np.testing.assert_allclose(acceleration, want, rtol=1e-3, atol=1e-4 * abs(want).max())


def programs(rng, small=False):
    n = 3000 if small else 1_000_000
    data = (rng.random(n, F), np.zeros(64, F), np.zeros(1, F), n)
    yield (
        "reduction",
        "Numba",
        Launches(reduction, reduce_step),
        reduction_twin,
        data,
        check_reduction,
    )

    n = 1000 if small else 500_000
    data = (rng.integers(0, 10, n).astype(np.int32), np.zeros(n, np.int32))
    data += (np.zeros(blocks(n, LANES), np.int32), n)
    yield "scan", "Numba", Launches(scan, scan_step, add_sums), scan_twin, data, check_scan

    w, h = (45, 70) if small else (1000, 600)
    data = (rng.random(w * h, F), np.zeros(w * h, F), w, h)
    kernel = transpose_tiles[(blocks(w, TILE), blocks(h, TILE)), (TILE, 8)]
    yield "transpose", "Numba", kernel, transpose_twin, data, check_transpose

    w, h = (200, 7) if small else (1500, 300)
    data = (rng.random(w * h, F), rng.random(2 * RADIUS + 1, F), np.zeros(w * h, F), w, h)
    kernel = convolve_row[(blocks(w, 128), h), 128]
    yield "convolve_row", "Numba", kernel, convolve_twin, data, check_convolve

    n = 300 if small else 2000
    data = (rng.random((n, 4), F), np.zeros((n, 3), F), n, F(0.01))
    kernel = nbody_forces[blocks(n, LANES), LANES]
    yield "nbody", "Numba", kernel, nbody_twin, data, check_nbody
