"""Sums of floats into many places, as particle codes have them: in the order of lanes."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, floor, get_global_id, i32, u32


@hg.kernel
def weights(bins: DeviceArray[u32], w: DeviceArray[f32], h: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(h, bins[i], w[i])


@njit
def weights_twin(bins, w, h, n):
    for i in range(n):
        h[bins[i]] += w[i]


@hg.kernel
def splat_4(
    px: DeviceArray[f32],
    py: DeviceArray[f32],
    mass: DeviceArray[f32],
    grid: DeviceArray[f32, 2],
    n: u32,
):
    i = get_global_id()
    if i < n:
        x = floor(px[i])
        y = floor(py[i])
        fx = px[i] - x
        fy = py[i] - y
        gx = i32(x)
        gy = i32(y)
        m = mass[i]
        atomic_add(grid, (gy, gx), m * (1.0 - fx) * (1.0 - fy))
        atomic_add(grid, (gy, gx + 1), m * fx * (1.0 - fy))
        atomic_add(grid, (gy + 1, gx), m * (1.0 - fx) * fy)
        atomic_add(grid, (gy + 1, gx + 1), m * fx * fy)


@njit
def splat_4_twin(px, py, mass, grid, n):
    one = np.float32(1.0)
    for i in range(n):
        x = np.floor(px[i])
        y = np.floor(py[i])
        fx = px[i] - x
        fy = py[i] - y
        gx = np.int32(x)
        gy = np.int32(y)
        m = mass[i]
        grid[gy, gx] += m * (one - fx) * (one - fy)
        grid[gy, gx + 1] += m * fx * (one - fy)
        grid[gy + 1, gx] += m * (one - fx) * fy
        grid[gy + 1, gx + 1] += m * fx * fy


@hg.kernel
def splat_9(
    px: DeviceArray[f32],
    py: DeviceArray[f32],
    mass: DeviceArray[f32],
    grid: DeviceArray[f32, 2],
    n: u32,
):
    i = get_global_id()
    if i < n:
        bx = i32(floor(px[i] - 0.5))
        by = i32(floor(py[i] - 0.5))
        m = mass[i]
        for a in range(3):
            for b in range(3):
                dx = abs(px[i] - f32(bx + b))
                dy = abs(py[i] - f32(by + a))
                wx = 0.75 - dx * dx if dx < 0.5 else 0.5 * (1.5 - dx) * (1.5 - dx)
                wy = 0.75 - dy * dy if dy < 0.5 else 0.5 * (1.5 - dy) * (1.5 - dy)
                atomic_add(grid, (by + a, bx + b), m * wx * wy)


@njit
def splat_9_twin(px, py, mass, grid, n):
    half, three, most = np.float32(0.5), np.float32(0.75), np.float32(1.5)
    for i in range(n):
        bx = np.int32(np.floor(px[i] - half))
        by = np.int32(np.floor(py[i] - half))
        m = mass[i]
        for a in range(3):
            for b in range(3):
                dx = abs(px[i] - np.float32(bx + b))
                dy = abs(py[i] - np.float32(by + a))
                wx = three - dx * dx if dx < half else half * (most - dx) * (most - dx)
                wy = three - dy * dy if dy < half else half * (most - dy) * (most - dy)
                grid[by + a, bx + b] += m * wx * wy


@hg.kernel
def density(
    px: DeviceArray[f32],
    py: DeviceArray[f32],
    first: DeviceArray[u32],
    near: DeviceArray[u32],
    rho: DeviceArray[f32],
    h: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        x = px[i]
        y = py[i]
        for k in range(first[i], first[i + 1]):
            j = near[k]
            dx = x - px[j]
            dy = y - py[j]
            q = h * h - dx * dx - dy * dy
            if q > 0.0:
                w = q * q * q
                atomic_add(rho, i, w)
                atomic_add(rho, j, w)


@njit
def density_twin(px, py, first, near, rho, h, n):
    for i in range(n):
        x = px[i]
        y = py[i]
        for k in range(first[i], first[i + 1]):
            j = near[k]
            dx = x - px[j]
            dy = y - py[j]
            q = h * h - dx * dx - dy * dy
            if q > np.float32(0.0):
                w = q * q * q
                rho[i] += w
                rho[j] += w


@hg.kernel
def transposed(
    first: DeviceArray[u32],
    column: DeviceArray[u32],
    value: DeviceArray[f32],
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    n: u32,
):
    i = get_global_id()
    if i < n:
        for k in range(first[i], first[i + 1]):
            atomic_add(y, column[k], value[k] * x[i])


@njit
def transposed_twin(first, column, value, x, y, n):
    for i in range(n):
        for k in range(first[i], first[i + 1]):
            y[column[k]] += value[k] * x[i]


def check_weights(bins, w, h, n):
    want = np.zeros_like(h)
    np.add.at(want, bins, w)  # one after the other, so bit for bit
    np.testing.assert_array_equal(h, want)


def check_splat(px, py, mass, grid, n):
    """Weights of one particle add up to 1, and their centre is the particle."""
    total = mass.sum(dtype=np.float64)
    rows, columns = np.indices(grid.shape)
    np.testing.assert_allclose(grid.sum(dtype=np.float64), total, rtol=1e-4)
    for place, axis in ((px, columns), (py, rows)):
        want = (place * mass).sum(dtype=np.float64)
        np.testing.assert_allclose((grid * axis).sum(dtype=np.float64), want, rtol=1e-4)


def check_density(px, py, first, near, rho, h, n):
    i = np.repeat(np.arange(n), np.diff(first))
    q = h * h - (px[i] - px[near]) ** 2 - (py[i] - py[near]) ** 2
    w = np.where(q > 0, q, 0).astype(np.float64) ** 3
    want = np.zeros(n)
    np.add.at(want, i, w)
    np.add.at(want, near, w)
    np.testing.assert_allclose(rho, want, rtol=1e-4, atol=1e-12)


def check_transposed(first, column, value, x, y, n):
    want = np.zeros(n)
    row = np.repeat(np.arange(n), np.diff(first))
    np.add.at(want, column[: first[-1]], value[: first[-1]].astype(np.float64) * x[row])
    np.testing.assert_allclose(y, want, rtol=1e-4)


def neighbours(x, y, h):
    """For each particle those behind it in the list that are nearer than h."""
    first, near = [0], []
    for i in range(len(x)):
        close = (x[i + 1 :] - x[i]) ** 2 + (y[i + 1 :] - y[i]) ** 2 < h * h
        near.append(np.flatnonzero(close) + i + 1)
        first.append(first[-1] + len(near[-1]))
    return np.array(first, np.uint32), np.concatenate(near).astype(np.uint32)


def programs(rng, small=False):
    n, few = (1000, 200) if small else (100_000, 4000)
    bins = rng.integers(0, 1000, n).astype(np.uint32)
    w = rng.random(n, np.float32)
    px, py = (rng.random(n, np.float32) * 250 + 2 for _ in "xy")
    grid = np.zeros((256, 256), np.float32)
    qx, qy = (rng.random(few, np.float32) for _ in "xy")
    first, near = neighbours(qx, qy, 0.05)
    rows = np.arange(0, 20 * (few + 1), 20).astype(np.uint32)
    columns = rng.integers(0, few, 20 * few).astype(np.uint32)
    values = rng.random(20 * few, np.float32)

    def launched(kernel, lanes):
        kernel = tried(kernel)
        return Launches(lambda *data: kernel[blocks(lanes, 256), 256](*data), kernel)

    data = (bins, w, np.zeros(1000, np.float32), n)
    yield "weights", "NumPy", launched(weights, n), weights_twin, data, check_weights
    data = (px, py, w, grid, n)
    yield "splat_4", "Taichi", launched(splat_4, n), splat_4_twin, data, check_splat
    yield "splat_9", "Taichi", launched(splat_9, n), splat_9_twin, data, check_splat
    data = (qx, qy, first, near, np.zeros(few, np.float32), np.float32(0.05), few)
    yield "density", "Warp", launched(density, few), density_twin, data, check_density
    data = (rows, columns, values, qx, np.zeros(few, np.float32), few)
    yield "transposed", "Numba", launched(transposed, few), transposed_twin, data, check_transposed
