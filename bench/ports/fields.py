"""Taichi's examples: advection, waves, pressure in two colours."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f32,
    f64,
    floor,
    get_global_id,
    i32,
    inline,
)

F = np.float32


@inline
def sample(q: DeviceArray[f32, 3], u: i32, v: i32, k: i32) -> f32:
    i = max(0, min(int(q.shape[0]) - 1, u))
    j = max(0, min(int(q.shape[1]) - 1, v))
    return q[i, j, k]


@inline
def bilerp(q: DeviceArray[f32, 3], px: f32, py: f32, k: i32) -> f32:
    s, t = px - 0.5, py - 0.5
    iu, iv = int(floor(s)), int(floor(t))
    fu, fv = s - f32(iu), t - f32(iv)
    a = sample(q, iu, iv, k)
    b = sample(q, iu + 1, iv, k)
    c = sample(q, iu, iv + 1, k)
    d = sample(q, iu + 1, iv + 1, k)
    low = a + fu * (b - a)
    high = c + fu * (d - c)
    return low + fv * (high - low)


@hg.kernel
def advect(vf: DeviceArray[f32, 3], qf: DeviceArray[f32, 3], new_qf: DeviceArray[f32, 3], dt: f32):
    """Back along the velocity by a step of Runge and Kutta of order two."""
    j, i = int(get_global_id(0)), int(get_global_id(1))
    if i >= int(qf.shape[0]) or j >= int(qf.shape[1]):
        return
    px, py = f32(i) + 0.5, f32(j) + 0.5
    mid_x = px - 0.5 * dt * vf[i, j, 0]
    mid_y = py - 0.5 * dt * vf[i, j, 1]
    vx = bilerp(vf, mid_x, mid_y, 0)
    vy = bilerp(vf, mid_x, mid_y, 1)
    px -= dt * vx
    py -= dt * vy
    for k in range(3):
        new_qf[i, j, k] = bilerp(qf, px, py, k)


@njit
def sample_twin(q, u, v, k):
    i = max(0, min(q.shape[0] - 1, u))
    j = max(0, min(q.shape[1] - 1, v))
    return q[i, j, k]


@njit
def bilerp_twin(q, px, py, k):
    s, t = px - F(0.5), py - F(0.5)
    iu, iv = int(np.floor(s)), int(np.floor(t))
    fu, fv = s - F(iu), t - F(iv)
    a = sample_twin(q, iu, iv, k)
    b = sample_twin(q, iu + 1, iv, k)
    c = sample_twin(q, iu, iv + 1, k)
    d = sample_twin(q, iu + 1, iv + 1, k)
    low = a + fu * (b - a)
    high = c + fu * (d - c)
    return low + fv * (high - low)


@njit
def advect_twin(vf, qf, new_qf, dt):
    for i in range(qf.shape[0]):
        for j in range(qf.shape[1]):
            px, py = F(i) + F(0.5), F(j) + F(0.5)
            mid_x = px - F(0.5) * dt * vf[i, j, 0]
            mid_y = py - F(0.5) * dt * vf[i, j, 1]
            vx = bilerp_twin(vf, mid_x, mid_y, 0)
            vy = bilerp_twin(vf, mid_x, mid_y, 1)
            px -= dt * vx
            py -= dt * vy
            for k in range(3):
                new_qf[i, j, k] = bilerp_twin(qf, px, py, k)


def check_advect(vf, qf, new_qf, dt):
    rows, columns = qf.shape[:2]

    def bilerp_all(q, p):
        low = np.floor(p - 0.5).astype(int)
        f = p - 0.5 - low

        def corner(di, dj):
            i = np.clip(low[..., 0] + di, 0, rows - 1)
            return q[i, np.clip(low[..., 1] + dj, 0, columns - 1)]

        fu, fv = f[..., :1], f[..., 1:]
        near = corner(0, 0) + fu * (corner(1, 0) - corner(0, 0))
        far = corner(0, 1) + fu * (corner(1, 1) - corner(0, 1))
        return near + fv * (far - near)

    p = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), -1) + 0.5
    want = bilerp_all(qf, p - dt * bilerp_all(vf, p - 0.5 * dt * vf))
    np.testing.assert_allclose(new_qf, want, atol=2e-3)


@hg.kernel
def wave_step(
    now: DeviceArray[f64, 2], before: DeviceArray[f64, 2], after: DeviceArray[f64, 2], c: f64
):
    """The wave equation with mirrors at the borders."""
    i, j = int(get_global_id(1)), int(get_global_id(0))
    n, m = int(now.shape[0]), int(now.shape[1])
    if i < n and j < m:
        up = now[i - 1, j] if i > 0 else now[i + 1, j]
        down = now[i + 1, j] if i < n - 1 else now[i - 1, j]
        left = now[i, j - 1] if j > 0 else now[i, j + 1]
        right = now[i, j + 1] if j < m - 1 else now[i, j - 1]
        laplacian = up + down + left + right - 4.0 * now[i, j]
        after[i, j] = (2.0 * now[i, j] - before[i, j] + c * c * laplacian) * 0.999


@njit
def wave_twin(now, before, after, c):
    n, m = now.shape
    for i in range(n):
        for j in range(m):
            up = now[i - 1, j] if i > 0 else now[i + 1, j]
            down = now[i + 1, j] if i < n - 1 else now[i - 1, j]
            left = now[i, j - 1] if j > 0 else now[i, j + 1]
            right = now[i, j + 1] if j < m - 1 else now[i, j - 1]
            laplacian = up + down + left + right - 4.0 * now[i, j]
            after[i, j] = (2.0 * now[i, j] - before[i, j] + c * c * laplacian) * 0.999


def check_wave(now, before, after, c):
    p = np.pad(now, 1, "reflect")
    laplacian = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * now
    np.testing.assert_allclose(after, (2 * now - before + c * c * laplacian) * 0.999, rtol=1e-10)


@hg.kernel
def relax_color(p: DeviceArray[f64, 2], div: DeviceArray[f64, 2], parity: i32):
    """Gauss and Seidel for the pressure, the cells of one colour of a chessboard."""
    i, j = int(get_global_id(1)), int(get_global_id(0))
    n, m = int(p.shape[0]), int(p.shape[1])
    if 0 < i < n - 1 and 0 < j < m - 1 and (i + j) % 2 == parity:
        p[i, j] = (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - div[i, j]) * 0.25


relax = tried(relax_color)


def pressure(start, p, div, rounds):
    p[:] = start
    n, m = p.shape
    kernel = relax[(blocks(m, 32), blocks(n, 8)), (32, 8)]
    for _ in range(rounds):
        kernel(p, div, 0)
        kernel(p, div, 1)


@njit
def pressure_twin(start, p, div, rounds):
    p[:] = start
    n, m = p.shape
    for _ in range(rounds):
        for parity in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + 1 + parity) % 2, m - 1, 2):
                    p[i, j] = (
                        p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - div[i, j]
                    ) * 0.25


def check_pressure(start, p, div, rounds):
    want = start.copy()
    i, j = np.indices(p.shape)
    inside = (i > 0) & (i < p.shape[0] - 1) & (j > 0) & (j < p.shape[1] - 1)
    for k in range(2 * rounds):
        near = sum(np.roll(want, s, a) for s in (1, -1) for a in (0, 1))
        want = np.where(inside & ((i + j) % 2 == k % 2), (near - div) * 0.25, want)
    np.testing.assert_allclose(p, want, rtol=1e-9, atol=1e-12)


def programs(rng, small=False):
    h, w = (20, 24) if small else (200, 256)
    data = (rng.normal(size=(h, w, 2)).astype(F), rng.random((h, w, 3), F))
    data += (np.zeros((h, w, 3), F), F(0.7))
    grid = (blocks(w, 32), blocks(h, 8)), (32, 8)
    yield "advection", "Taichi", advect[grid], advect_twin, data, check_advect

    h, w = (20, 24) if small else (400, 512)
    grid = (blocks(w, 32), blocks(h, 8)), (32, 8)
    data = (rng.random((h, w)), rng.random((h, w)), np.zeros((h, w)), 0.4)
    yield "wave", "Taichi", wave_step[grid], wave_twin, data, check_wave

    h, w = (18, 23) if small else (256, 256)
    data = (rng.random((h, w)), np.zeros((h, w)), rng.random((h, w)), 4)
    program = Launches(pressure, relax)
    yield "red_black", "Taichi", program, pressure_twin, data, check_pressure
