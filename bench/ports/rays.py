"""Rays: ISPC's volume, Moeller and Trumbore's triangles, Taichi's distance fields."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    exp,
    f32,
    get_global_id,
    i32,
    inline,
    pow,
    sin,
    sqrt,
)

F = np.float32


@inline
def density_at(grid: DeviceArray[f32], n: i32, x: f32, y: f32, z: f32) -> f32:
    """Between eight cells of a grid over the unit cube."""
    px = min(max(x * f32(n) - 0.5, 0.0), f32(n - 1) - 0.001)
    py = min(max(y * f32(n) - 0.5, 0.0), f32(n - 1) - 0.001)
    pz = min(max(z * f32(n) - 0.5, 0.0), f32(n - 1) - 0.001)
    ix = int(px)
    iy = int(py)
    iz = int(pz)
    fx = px - f32(ix)
    fy = py - f32(iy)
    fz = pz - f32(iz)
    at = (iz * n + iy) * n + ix
    a = (1.0 - fx) * grid[at] + fx * grid[at + 1]
    b = (1.0 - fx) * grid[at + n] + fx * grid[at + n + 1]
    at = at + n * n
    c = (1.0 - fx) * grid[at] + fx * grid[at + 1]
    d = (1.0 - fx) * grid[at + n] + fx * grid[at + n + 1]
    return (1.0 - fz) * ((1.0 - fy) * a + fy * b) + fz * ((1.0 - fy) * c + fy * d)


@hg.kernel
def volume(
    grid: DeviceArray[f32],
    n: i32,
    width: i32,
    height: i32,
    sigma: f32,
    step: f32,
    image: DeviceArray[f32],
):
    i = int(get_global_id(0))
    j = int(get_global_id(1))
    if i >= width or j >= height:
        return
    dx = f32(i) / f32(width) - 0.5
    dy = f32(j) / f32(height) - 0.5
    t = 0.0
    left = 1.0
    light = 0.0
    while t < 2.0:
        x = 0.5 + dx * t
        y = 0.5 + dy * t
        z = t - 0.5
        if x >= 0.0 and x <= 1.0 and y >= 0.0 and y <= 1.0 and z >= 0.0 and z <= 1.0:
            density = density_at(grid, n, x, y, z)
            left *= exp(-sigma * density * step)
            if left < 0.05:
                break
            light += left * density * step
        t += step
    image[j * width + i] = light


@njit
def density_twin(grid, n, x, y, z):
    px = min(max(x * F(n) - F(0.5), F(0)), F(n - 1) - F(0.001))
    py = min(max(y * F(n) - F(0.5), F(0)), F(n - 1) - F(0.001))
    pz = min(max(z * F(n) - F(0.5), F(0)), F(n - 1) - F(0.001))
    ix = int(px)
    iy = int(py)
    iz = int(pz)
    fx = px - F(ix)
    fy = py - F(iy)
    fz = pz - F(iz)
    one = F(1)
    at = (iz * n + iy) * n + ix
    a = (one - fx) * grid[at] + fx * grid[at + 1]
    b = (one - fx) * grid[at + n] + fx * grid[at + n + 1]
    at = at + n * n
    c = (one - fx) * grid[at] + fx * grid[at + 1]
    d = (one - fx) * grid[at + n] + fx * grid[at + n + 1]
    return (one - fz) * ((one - fy) * a + fy * b) + fz * ((one - fy) * c + fy * d)


@njit
def volume_twin(grid, n, width, height, sigma, step, image):
    zero, one, half = F(0), F(1), F(0.5)
    for j in range(height):
        for i in range(width):
            dx = F(i) / F(width) - half
            dy = F(j) / F(height) - half
            t = zero
            left = one
            light = zero
            while t < F(2):
                x = half + dx * t
                y = half + dy * t
                z = t - half
                if x >= zero and x <= one and y >= zero and y <= one and z >= zero and z <= one:
                    density = density_twin(grid, n, x, y, z)
                    left *= math.exp(-sigma * density * step)
                    if left < F(0.05):
                        break
                    light += left * density * step
                t += step
            image[j * width + i] = light


def check_volume(grid, n, width, height, sigma, step, image):
    cells = grid.reshape(n, n, n).astype(np.float64)
    dx, dy = np.meshgrid(np.arange(width) / width - 0.5, np.arange(height) / height - 0.5)
    left, light, t = np.ones(dx.shape), np.zeros(dx.shape), F(0)
    alive = np.ones(dx.shape, bool)
    while t < 2:
        p = np.stack((np.full(dx.shape, t - 0.5), 0.5 + dy * t, 0.5 + dx * t))
        inside = alive & np.all((p >= 0) & (p <= 1), axis=0)
        q = np.clip(p * n - 0.5, 0, n - 1 - 0.001)
        cell = q.astype(int)
        f = q - cell
        value = 0.0
        for corner in np.ndindex(2, 2, 2):
            c = np.array(corner)[:, None, None]
            value = value + cells[tuple(cell + c)] * np.prod(np.where(c, f, 1 - f), axis=0)
        left = np.where(inside, left * np.exp(-sigma * value * step), left)
        alive &= left >= 0.05
        light += np.where(inside & alive, left * value * step, 0)
        t = F(t + step)
    near = np.isclose(image, light.ravel(), rtol=1e-2, atol=1e-2)
    assert near.mean() > 0.99  # a ray may end a step earlier in f32


@hg.kernel
def triangles(
    rays: DeviceArray[f32, 2],
    corners: DeviceArray[f32, 2],
    hit: DeviceArray[i32],
    distance: DeviceArray[f32],
):
    """Each ray against each triangle: ray (6 numbers), triangle (9 numbers)."""
    i = int(get_global_id())
    if i >= int(rays.shape[0]):
        return
    best = 1.0e30
    which = -1
    for k in range(corners.shape[0]):
        e1x = corners[k, 3] - corners[k, 0]
        e1y = corners[k, 4] - corners[k, 1]
        e1z = corners[k, 5] - corners[k, 2]
        e2x = corners[k, 6] - corners[k, 0]
        e2y = corners[k, 7] - corners[k, 1]
        e2z = corners[k, 8] - corners[k, 2]
        px = rays[i, 4] * e2z - rays[i, 5] * e2y
        py = rays[i, 5] * e2x - rays[i, 3] * e2z
        pz = rays[i, 3] * e2y - rays[i, 4] * e2x
        det = e1x * px + e1y * py + e1z * pz
        if abs(det) < 1.0e-7:
            continue
        inv = 1.0 / det
        sx = rays[i, 0] - corners[k, 0]
        sy = rays[i, 1] - corners[k, 1]
        sz = rays[i, 2] - corners[k, 2]
        u = (sx * px + sy * py + sz * pz) * inv
        if u < 0.0 or u > 1.0:
            continue
        qx = sy * e1z - sz * e1y
        qy = sz * e1x - sx * e1z
        qz = sx * e1y - sy * e1x
        v = (rays[i, 3] * qx + rays[i, 4] * qy + rays[i, 5] * qz) * inv
        if v < 0.0 or u + v > 1.0:
            continue
        t = (e2x * qx + e2y * qy + e2z * qz) * inv
        if t > 0.0 and t < best:
            best = t
            which = int(k)
    hit[i] = which
    distance[i] = best


@njit
def triangles_twin(rays, corners, hit, distance):
    for i in range(rays.shape[0]):
        best = F(1.0e30)
        which = -1
        for k in range(corners.shape[0]):
            e1x = corners[k, 3] - corners[k, 0]
            e1y = corners[k, 4] - corners[k, 1]
            e1z = corners[k, 5] - corners[k, 2]
            e2x = corners[k, 6] - corners[k, 0]
            e2y = corners[k, 7] - corners[k, 1]
            e2z = corners[k, 8] - corners[k, 2]
            px = rays[i, 4] * e2z - rays[i, 5] * e2y
            py = rays[i, 5] * e2x - rays[i, 3] * e2z
            pz = rays[i, 3] * e2y - rays[i, 4] * e2x
            det = e1x * px + e1y * py + e1z * pz
            if abs(det) < F(1.0e-7):
                continue
            inv = F(1) / det
            sx = rays[i, 0] - corners[k, 0]
            sy = rays[i, 1] - corners[k, 1]
            sz = rays[i, 2] - corners[k, 2]
            u = (sx * px + sy * py + sz * pz) * inv
            if u < F(0) or u > F(1):
                continue
            qx = sy * e1z - sz * e1y
            qy = sz * e1x - sx * e1z
            qz = sx * e1y - sy * e1x
            v = (rays[i, 3] * qx + rays[i, 4] * qy + rays[i, 5] * qz) * inv
            if v < F(0) or u + v > F(1):
                continue
            t = (e2x * qx + e2y * qy + e2z * qz) * inv
            if t > F(0) and t < best:
                best = t
                which = k
        hit[i] = which
        distance[i] = best


def check_triangles(rays, corners, hit, distance):
    o, d = rays[:, None, :3].astype(float), rays[:, None, 3:].astype(float)
    a, b, c = (corners[None, :, 3 * k : 3 * k + 3].astype(float) for k in range(3))
    p = np.cross(d, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        inv = 1 / np.sum((b - a) * p, -1)
        u = np.sum((o - a) * p, -1) * inv
        q = np.cross(o - a, b - a)
        v = np.sum(d * q, -1) * inv
        t = np.sum((c - a) * q, -1) * inv
        t[~((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0))] = 1e30
    want = t.argmin(1)
    want[t.min(1) == 1e30] = -1
    same = hit == want
    assert same.mean() > 0.99
    np.testing.assert_allclose(distance[same], t.min(1)[same], rtol=1e-3, atol=1e-4)


@inline
def scene(x: f32, y: f32, z: f32, time: f32) -> f32:
    """A sphere and a torus over the ground, melted together."""
    ball = sqrt(x * x + (y - 0.2) * (y - 0.2) + z * z) - 0.5
    ring = sqrt(x * x + z * z) - 0.9 - 0.1 * sin(time)
    torus = sqrt(ring * ring + y * y) - 0.2
    h = max(0.3 - abs(ball - torus), 0.0) / 0.3
    both = min(ball, torus) - h * h * 0.075
    return min(both, y + 0.6)


@hg.kernel
def march(width: i32, height: i32, time: f32, image: DeviceArray[f32, 2]):
    i, j = int(get_global_id(0)), int(get_global_id(1))
    if i < width and j < height:
        dx = (2.0 * f32(i) - f32(width)) / f32(height)
        dy = (f32(height) - 2.0 * f32(j)) / f32(height)
        size = sqrt(dx * dx + dy * dy + 2.25)
        dx /= size
        dy /= size
        dz = 1.5 / size
        t = 0.0
        steps = 0
        d = 1.0
        while t < 10.0 and steps < 80 and d > 0.001:
            d = scene(dx * t, 0.3 + dy * t, dz * t - 3.0, time)
            t += d
            steps += 1
        shade = 0.0
        if d <= 0.001:
            e = 0.002
            x, y, z = dx * t, 0.3 + dy * t, dz * t - 3.0
            nx = scene(x + e, y, z, time) - scene(x - e, y, z, time)
            ny = scene(x, y + e, z, time) - scene(x, y - e, z, time)
            nz = scene(x, y, z + e, time) - scene(x, y, z - e, time)
            inv = 1.0 / sqrt(nx * nx + ny * ny + nz * nz)
            light = max((0.6 * nx + 0.7 * ny - 0.4 * nz) * inv, 0.0)
            shade = 0.1 + 0.9 * pow(light, 1.5)
        image[j, i] = shade


@njit
def scene_twin(x, y, z, time):
    up = y - F(0.2)
    ball = math.sqrt(x * x + up * up + z * z) - F(0.5)
    ring = math.sqrt(x * x + z * z) - F(0.9) - F(0.1) * math.sin(time)
    torus = math.sqrt(ring * ring + y * y) - F(0.2)
    h = max(F(0.3) - abs(ball - torus), F(0)) / F(0.3)
    both = min(ball, torus) - h * h * F(0.075)
    return min(both, y + F(0.6))


@njit
def march_twin(width, height, time, image):
    for j in range(height):
        for i in range(width):
            dx = (F(2) * F(i) - F(width)) / F(height)
            dy = (F(height) - F(2) * F(j)) / F(height)
            size = math.sqrt(dx * dx + dy * dy + F(2.25))
            dx /= size
            dy /= size
            dz = F(1.5) / size
            t = F(0)
            steps = 0
            d = F(1)
            while t < F(10) and steps < 80 and d > F(0.001):
                d = scene_twin(dx * t, F(0.3) + dy * t, dz * t - F(3), time)
                t += d
                steps += 1
            shade = F(0)
            if d <= F(0.001):
                e = F(0.002)
                x, y, z = dx * t, F(0.3) + dy * t, dz * t - F(3)
                nx = scene_twin(x + e, y, z, time) - scene_twin(x - e, y, z, time)
                ny = scene_twin(x, y + e, z, time) - scene_twin(x, y - e, z, time)
                nz = scene_twin(x, y, z + e, time) - scene_twin(x, y, z - e, time)
                inv = F(1) / math.sqrt(nx * nx + ny * ny + nz * nz)
                light = max((F(0.6) * nx + F(0.7) * ny - F(0.4) * nz) * inv, F(0))
                shade = F(0.1) + F(0.9) * math.pow(light, F(1.5))
            image[j, i] = shade


def check_march(width, height, time, image):
    def distance(p):
        x, y, z = p
        ball = np.sqrt(x * x + (y - 0.2) ** 2 + z * z) - 0.5
        ring = np.sqrt(x * x + z * z) - 0.9 - 0.1 * math.sin(time)
        torus = np.sqrt(ring**2 + y * y) - 0.2
        h = np.maximum(0.3 - abs(ball - torus), 0) / 0.3
        return np.minimum(np.minimum(ball, torus) - h * h * 0.075, y + 0.6)

    x, y = np.meshgrid(2 * np.arange(width) - width, height - 2 * np.arange(height))
    ray = np.stack((x / height, y / height, np.full(x.shape, 1.5)))
    ray /= np.sqrt((ray**2).sum(0))
    start = np.array([0, 0.3, -3.0])[:, None, None]
    t, d = np.zeros(x.shape), np.ones(x.shape)
    for _ in range(80):
        go = (t < 10) & (d > 0.001)
        d = np.where(go, distance(start + ray * t), d)
        t += np.where(go, d, 0)
    p = start + ray * t
    normal = np.stack(
        [distance(p + e) - distance(p - e) for e in 0.002 * np.eye(3)[:, :, None, None]]
    )
    normal /= np.sqrt((normal**2).sum(0))
    light = np.maximum(0.6 * normal[0] + 0.7 * normal[1] - 0.4 * normal[2], 0)
    want = np.where(d <= 0.001, 0.1 + 0.9 * light**1.5, 0)
    assert np.mean(abs(image - want) < 0.02) > 0.97


def programs(rng, small=False):
    n, w, h = (16, 24, 16) if small else (64, 160, 120)
    data = (rng.random(n**3, F), n, w, h, F(10), F(0.02), np.zeros(w * h, F))
    grid = (blocks(w, 16), blocks(h, 4)), (16, 4)
    yield "volume", "ISPC", volume[grid], volume_twin, data, check_volume

    n, k = (50, 20) if small else (4000, 200)
    rays = np.concatenate((rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3))), 1).astype(F)
    corners = rng.uniform(-1, 1, (k, 9)).astype(F)
    data = (rays, corners, np.zeros(n, np.int32), np.zeros(n, F))
    yield "ray_triangle", "ISPC", triangles, triangles_twin, data, check_triangles

    w, h = (32, 24) if small else (256, 192)
    data = (w, h, F(0.7), np.zeros((h, w), F))
    grid = (blocks(w, 16), blocks(h, 8)), (16, 8)
    yield "sdf_march", "Taichi", march[grid], march_twin, data, check_march
