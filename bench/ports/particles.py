"""Particles: density and forces in cells as in Warp, material points to a grid as in Taichi."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    f32,
    get_global_id,
    i32,
    local,
    sqrt,
)

F = np.float32


@hg.kernel
def sph_density(
    x: DeviceArray[f32, 2],
    first: DeviceArray[i32],
    cells: i32,
    smoothing: f32,
    mass: f32,
    rho: DeviceArray[f32],
):
    """Particles are sorted by cell; a particle looks into the 27 cells around its own."""
    i = int(get_global_id())
    if i < int(len(rho)):
        xi, yi, zi = x[i, 0], x[i, 1], x[i, 2]
        cx, cy, cz = int(xi / smoothing), int(yi / smoothing), int(zi / smoothing)
        h2 = smoothing * smoothing
        total = 0.0
        for z in range(max(cz - 1, 0), min(cz + 2, cells)):
            for y in range(max(cy - 1, 0), min(cy + 2, cells)):
                for xx in range(max(cx - 1, 0), min(cx + 2, cells)):
                    cell = (z * cells + y) * cells + xx
                    for j in range(first[cell], first[cell + 1]):
                        dx = xi - x[j, 0]
                        dy = yi - x[j, 1]
                        dz = zi - x[j, 2]
                        r2 = dx * dx + dy * dy + dz * dz
                        if r2 < h2:
                            w = h2 - r2
                            total += w * w * w
        rho[i] = mass * total


@hg.kernel
def sph_forces(
    x: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    rho: DeviceArray[f32],
    first: DeviceArray[i32],
    cells: i32,
    smoothing: f32,
    rest: f32,
    viscosity: f32,
    force: DeviceArray[f32, 2],
):
    i = int(get_global_id())
    if i >= int(len(rho)):
        return
    cx = int(x[i, 0] / smoothing)
    cy = int(x[i, 1] / smoothing)
    cz = int(x[i, 2] / smoothing)
    pressure = rho[i] - rest
    fx, fy, fz = 0.0, 0.0, 0.0
    for cell in range(27):
        ox = cx + cell % 3 - 1
        oy = cy + cell // 3 % 3 - 1
        oz = cz + cell // 9 - 1
        if ox < 0 or oy < 0 or oz < 0 or ox >= cells or oy >= cells or oz >= cells:
            continue
        at = (oz * cells + oy) * cells + ox
        for j in range(first[at], first[at + 1]):
            if i == j:
                continue
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            r = sqrt(dx * dx + dy * dy + dz * dz)
            if r < smoothing and r > 0.0001:
                p = (pressure + rho[j] - rest) / (2.0 * rho[j])
                g = p * (smoothing - r) * (smoothing - r) / r
                m = viscosity * (smoothing - r) / rho[j]
                fx += g * dx + m * (v[j, 0] - v[i, 0])
                fy += g * dy + m * (v[j, 1] - v[i, 1])
                fz += g * dz + m * (v[j, 2] - v[i, 2])
    force[i, 0] = fx
    force[i, 1] = fy
    force[i, 2] = fz


@njit
def sph_density_twin(x, first, cells, smoothing, mass, rho):
    h2 = smoothing * smoothing
    for i in range(len(rho)):
        xi, yi, zi = x[i, 0], x[i, 1], x[i, 2]
        cx, cy, cz = int(xi / smoothing), int(yi / smoothing), int(zi / smoothing)
        total = F(0)
        for z in range(max(cz - 1, 0), min(cz + 2, cells)):
            for y in range(max(cy - 1, 0), min(cy + 2, cells)):
                for xx in range(max(cx - 1, 0), min(cx + 2, cells)):
                    cell = (z * cells + y) * cells + xx
                    for j in range(first[cell], first[cell + 1]):
                        dx = xi - x[j, 0]
                        dy = yi - x[j, 1]
                        dz = zi - x[j, 2]
                        r2 = dx * dx + dy * dy + dz * dz
                        if r2 < h2:
                            w = h2 - r2
                            total += w * w * w
        rho[i] = mass * total


@njit
def sph_forces_twin(x, v, rho, first, cells, smoothing, rest, viscosity, force):
    for i in range(len(rho)):
        cx = int(x[i, 0] / smoothing)
        cy = int(x[i, 1] / smoothing)
        cz = int(x[i, 2] / smoothing)
        pressure = rho[i] - rest
        fx, fy, fz = F(0), F(0), F(0)
        for cell in range(27):
            ox = cx + cell % 3 - 1
            oy = cy + cell // 3 % 3 - 1
            oz = cz + cell // 9 - 1
            if ox < 0 or oy < 0 or oz < 0 or ox >= cells or oy >= cells or oz >= cells:
                continue
            at = (oz * cells + oy) * cells + ox
            for j in range(first[at], first[at + 1]):
                if i == j:
                    continue
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                r = math.sqrt(dx * dx + dy * dy + dz * dz)
                if r < smoothing and r > F(0.0001):
                    p = (pressure + rho[j] - rest) / (F(2) * rho[j])
                    g = p * (smoothing - r) * (smoothing - r) / r
                    m = viscosity * (smoothing - r) / rho[j]
                    fx += g * dx + m * (v[j, 0] - v[i, 0])
                    fy += g * dy + m * (v[j, 1] - v[i, 1])
                    fz += g * dz + m * (v[j, 2] - v[i, 2])
        force[i, 0] = fx
        force[i, 1] = fy
        force[i, 2] = fz


def check_density(x, first, cells, smoothing, mass, rho):
    few = slice(0, 200)
    r2 = ((x[few, None].astype(float) - x[None]) ** 2).sum(-1)
    want = mass * (np.maximum(smoothing**2 - r2, 0) ** 3).sum(1)
    np.testing.assert_allclose(rho[few], want, rtol=1e-3)


def check_forces(x, v, rho, first, cells, smoothing, rest, viscosity, force):
    few = slice(0, 200)
    d = x[few, None].astype(float) - x[None]
    r = np.sqrt((d**2).sum(-1))
    near = (r < smoothing) & (r > 1e-4)
    r = np.where(near, r, 1)
    p = (rho[few, None] - rest + rho[None] - rest) / (2 * rho[None])
    g = np.where(near, p * (smoothing - r) ** 2 / r, 0)
    m = np.where(near, viscosity * (smoothing - r) / rho[None], 0)
    want = (g[..., None] * d + m[..., None] * (v[None] - v[few, None])).sum(1)
    np.testing.assert_allclose(force[few], want, rtol=1e-2, atol=1e-3 * abs(want).max())


def fluid(rng, n, cells):
    x = rng.random((n, 3), F) * F(0.999)
    cell = (x * cells).astype(int) @ np.array([1, cells, cells * cells])
    order = np.argsort(cell, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(cell, minlength=cells**3))))
    return x[order], first.astype(np.int32)


@hg.kernel
def mpm_p2g(
    x: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    c: DeviceArray[f32, 3],
    jac: DeviceArray[f32],
    n_grid: i32,
    dt: f32,
    p_mass: f32,
    p_vol: f32,
    stiff: f32,
    grid_v: DeviceArray[f32, 3],
    grid_m: DeviceArray[f32, 2],
):
    w = local(f32, (3, 2))
    p = int(get_global_id())
    if p >= int(len(jac)):
        return
    dx = 1.0 / f32(n_grid)
    xp, yp = x[p, 0] / dx, x[p, 1] / dx
    bx, by = int(xp - 0.5), int(yp - 0.5)
    fx, fy = xp - f32(bx), yp - f32(by)
    w[0, 0], w[0, 1] = 0.5 * (1.5 - fx) ** 2, 0.5 * (1.5 - fy) ** 2
    w[1, 0], w[1, 1] = 0.75 - (fx - 1.0) ** 2, 0.75 - (fy - 1.0) ** 2
    w[2, 0], w[2, 1] = 0.5 * (fx - 0.5) ** 2, 0.5 * (fy - 0.5) ** 2
    stress = -dt * 4.0 * stiff * p_vol * (jac[p] - 1.0) / dx**2
    a00 = stress + p_mass * c[p, 0, 0]
    a01 = p_mass * c[p, 0, 1]
    a10 = p_mass * c[p, 1, 0]
    a11 = stress + p_mass * c[p, 1, 1]
    for i in range(3):
        for j in range(3):
            dpx = (f32(i) - fx) * dx
            dpy = (f32(j) - fy) * dx
            weight = w[i, 0] * w[j, 1]
            mx = weight * (p_mass * v[p, 0] + a00 * dpx + a01 * dpy)
            my = weight * (p_mass * v[p, 1] + a10 * dpx + a11 * dpy)
            atomic_add(grid_v, (bx + i, by + j, 0), mx)
            atomic_add(grid_v, (bx + i, by + j, 1), my)
            atomic_add(grid_m, (bx + i, by + j), weight * p_mass)


scatter = tried(mpm_p2g)


def mpm(x, v, c, jac, n_grid, dt, p_mass, p_vol, stiff, grid_v, grid_m):
    grid_v[:] = 0
    grid_m[:] = 0
    kernel = scatter[blocks(len(jac), 128), 128]
    kernel(x, v, c, jac, n_grid, dt, p_mass, p_vol, stiff, grid_v, grid_m)


@njit
def mpm_twin(x, v, c, jac, n_grid, dt, p_mass, p_vol, stiff, grid_v, grid_m):
    grid_v[:] = F(0)
    grid_m[:] = F(0)
    w = np.empty((3, 2), np.float32)
    dx = F(1) / F(n_grid)
    for p in range(len(jac)):
        xp, yp = x[p, 0] / dx, x[p, 1] / dx
        bx, by = int(xp - F(0.5)), int(yp - F(0.5))
        fx, fy = xp - F(bx), yp - F(by)
        w[0, 0], w[0, 1] = F(0.5) * (F(1.5) - fx) ** 2, F(0.5) * (F(1.5) - fy) ** 2
        w[1, 0], w[1, 1] = F(0.75) - (fx - F(1)) ** 2, F(0.75) - (fy - F(1)) ** 2
        w[2, 0], w[2, 1] = F(0.5) * (fx - F(0.5)) ** 2, F(0.5) * (fy - F(0.5)) ** 2
        stress = -dt * F(4) * stiff * p_vol * (jac[p] - F(1)) / (dx * dx)
        a00 = stress + p_mass * c[p, 0, 0]
        a01 = p_mass * c[p, 0, 1]
        a10 = p_mass * c[p, 1, 0]
        a11 = stress + p_mass * c[p, 1, 1]
        for i in range(3):
            for j in range(3):
                dpx = (F(i) - fx) * dx
                dpy = (F(j) - fy) * dx
                weight = w[i, 0] * w[j, 1]
                grid_v[bx + i, by + j, 0] += weight * (p_mass * v[p, 0] + a00 * dpx + a01 * dpy)
                grid_v[bx + i, by + j, 1] += weight * (p_mass * v[p, 1] + a10 * dpx + a11 * dpy)
                grid_m[bx + i, by + j] += weight * p_mass


def check_mpm(x, v, c, jac, n_grid, dt, p_mass, p_vol, stiff, grid_v, grid_m):
    assert abs(grid_m.sum(dtype=float) / (p_mass * len(jac)) - 1) < 1e-4
    xp = x.astype(float) * n_grid
    base = (xp - 0.5).astype(int)
    f = xp - base
    w = np.stack((0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2))
    stress = -dt * 4.0 * stiff * p_vol * (jac - 1.0) * n_grid**2
    affine = stress[:, None, None] * np.eye(2) + p_mass * c
    mass, momentum = np.zeros(grid_m.shape), np.zeros(grid_v.shape)
    for i, j in np.ndindex(3, 3):
        weight = w[i, :, 0] * w[j, :, 1]
        cell = (base[:, 0] + i, base[:, 1] + j)
        away = (np.array([i, j]) - f) / n_grid
        np.add.at(mass, cell, weight * p_mass)
        inside = p_mass * v + np.einsum("pij,pj->pi", affine, away)
        np.add.at(momentum, cell, weight[:, None] * inside)
    np.testing.assert_allclose(grid_m, mass, rtol=1e-3, atol=1e-4 * mass.max())
    np.testing.assert_allclose(grid_v, momentum, rtol=1e-3, atol=1e-3 * abs(momentum).max())


def programs(rng, small=False):
    n, cells = (300, 4) if small else (8000, 12)
    x, first = fluid(rng, n, cells)
    data = (x, first, cells, F(1.0 / cells), F(1e4), np.zeros(n, F))
    yield "sph_density", "Warp", sph_density, sph_density_twin, data, check_density

    data = (x, rng.normal(size=(n, 3)).astype(F), rng.uniform(0.5, 1.5, n).astype(F), first)
    data += (cells, F(1.0 / cells), F(1), F(0.1), np.zeros((n, 3), F))
    kernel = sph_forces[blocks(n, 128), 128]
    yield "sph_forces", "Warp", kernel, sph_forces_twin, data, check_forces

    n, n_grid = (200, 16) if small else (8192, 128)
    x = rng.uniform(0.2, 0.6, (n, 2)).astype(F)
    v, c = rng.normal(size=(n, 2)).astype(F), rng.normal(size=(n, 2, 2)).astype(F)
    jac = rng.uniform(0.9, 1.1, n).astype(F)
    vol = (0.5 / n_grid) ** 2
    data = (x, v, c, jac, n_grid, F(2e-4), F(vol), F(vol), F(400))
    data += (np.zeros((n_grid, n_grid, 2), F), np.zeros((n_grid, n_grid), F))
    yield "mpm88_p2g", "Taichi", Launches(mpm, scatter), mpm_twin, data, check_mpm
