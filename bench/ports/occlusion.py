"""ISPC's aobench: light that reaches three spheres and a plane, by random rays."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    cos,
    f32,
    get_global_id,
    i32,
    inline,
    sin,
    sqrt,
    u32,
)

F = np.float32


@inline
def sphere_hit(ox: f32, oy: f32, oz: f32, dx: f32, dy: f32, dz: f32, k: i32) -> f32:
    """The distance to one of three spheres, 1e17 without a hit."""
    cx = -2.0 if k == 0 else (-0.5 if k == 1 else 1.0)
    cz = -3.5 if k == 0 else (-3.0 if k == 1 else -2.2)
    rx = ox - cx
    ry = oy
    rz = oz - cz
    b = rx * dx + ry * dy + rz * dz
    c = rx * rx + ry * ry + rz * rz - 0.25
    d = b * b - c
    if d > 0.0:
        t = -b - sqrt(d)
        if t > 0.0:
            return t
    return 1.0e17


@inline
def next_random(state: u32) -> u32:
    state = state ^ (state << 13)
    state = state ^ (state >> 17)
    return state ^ (state << 5)


@hg.kernel
def ambient(width: i32, height: i32, samples: i32, image: DeviceArray[f32]):
    x = int(get_global_id(0))
    y = int(get_global_id(1))
    if x >= width or y >= height:
        return
    px = 2.0 * f32(x) / f32(width) - 1.0
    py = 1.0 - 2.0 * f32(y) / f32(height)
    length = sqrt(px * px + py * py + 1.0)
    dx = px / length
    dy = py / length
    dz = -1.0 / length
    best = 1.0e17
    nx = 0.0
    ny = 0.0
    nz = 0.0
    for k in range(3):
        t = sphere_hit(0.0, 0.0, 0.0, dx, dy, dz, k)
        if t < best:
            best = t
            cx = -2.0 if k == 0 else (-0.5 if k == 1 else 1.0)
            cz = -3.5 if k == 0 else (-3.0 if k == 1 else -2.2)
            nx = (dx * t - cx) * 2.0
            ny = dy * t * 2.0
            nz = (dz * t - cz) * 2.0
    if dy < 0.0:
        t = -0.5 / dy
        if t < best:
            best = t
            nx = 0.0
            ny = 1.0
            nz = 0.0
    if best > 1.0e16:
        image[y * width + x] = 0.0
        return
    ox = dx * best + nx * 0.0001
    oy = dy * best + ny * 0.0001
    oz = dz * best + nz * 0.0001
    seed = u32(y * width + x) * 747796405 + 2891336453
    free = 0
    for _ in range(samples):
        seed = next_random(seed)
        r = f32(seed >> 8) / 16777216.0
        seed = next_random(seed)
        phi = 6.2831853 * (f32(seed >> 8) / 16777216.0)
        height_here = 1.0 - 2.0 * r
        ring = sqrt(max(0.0, 1.0 - height_here * height_here))
        vx = nx + 0.999 * ring * cos(phi)
        vy = ny + 0.999 * ring * sin(phi)
        vz = nz + 0.999 * height_here
        size = sqrt(vx * vx + vy * vy + vz * vz)
        vx /= size
        vy /= size
        vz /= size
        hit = False
        for k in range(3):
            if sphere_hit(ox, oy, oz, vx, vy, vz, k) < 1.0e16:
                hit = True
                break
        if not hit and vy < 0.0 and oy > -0.49:
            hit = True
        if not hit:
            free += 1
    image[y * width + x] = f32(free) / f32(samples)


@njit
def sphere_twin(ox, oy, oz, dx, dy, dz, k):
    cx = F(-2) if k == 0 else (F(-0.5) if k == 1 else F(1))
    cz = F(-3.5) if k == 0 else (F(-3) if k == 1 else F(-2.2))
    rx = ox - cx
    ry = oy
    rz = oz - cz
    b = rx * dx + ry * dy + rz * dz
    c = rx * rx + ry * ry + rz * rz - F(0.25)
    d = b * b - c
    if d > F(0):
        t = -b - math.sqrt(d)
        if t > F(0):
            return t
    return F(1.0e17)


@njit
def random_twin(state):
    state = np.uint32(state ^ np.uint32(state << np.uint32(13)))
    state = np.uint32(state ^ np.uint32(state >> np.uint32(17)))
    return np.uint32(state ^ np.uint32(state << np.uint32(5)))


@njit
def ambient_twin(width, height, samples, image):
    zero, one, two = F(0), F(1), F(2)
    for y in range(height):
        for x in range(width):
            px = two * F(x) / F(width) - one
            py = one - two * F(y) / F(height)
            length = math.sqrt(px * px + py * py + one)
            dx = px / length
            dy = py / length
            dz = -one / length
            best = F(1.0e17)
            nx = zero
            ny = zero
            nz = zero
            for k in range(3):
                t = sphere_twin(zero, zero, zero, dx, dy, dz, k)
                if t < best:
                    best = t
                    cx = F(-2) if k == 0 else (F(-0.5) if k == 1 else F(1))
                    cz = F(-3.5) if k == 0 else (F(-3) if k == 1 else F(-2.2))
                    nx = (dx * t - cx) * two
                    ny = dy * t * two
                    nz = (dz * t - cz) * two
            if dy < zero:
                t = F(-0.5) / dy
                if t < best:
                    best = t
                    nx = zero
                    ny = one
                    nz = zero
            if best > F(1.0e16):
                image[y * width + x] = zero
                continue
            ox = dx * best + nx * F(0.0001)
            oy = dy * best + ny * F(0.0001)
            oz = dz * best + nz * F(0.0001)
            seed = np.uint32(np.uint32(y * width + x) * np.uint32(747796405))
            seed = np.uint32(seed + np.uint32(2891336453))
            free = 0
            for _ in range(samples):
                seed = random_twin(seed)
                r = F(seed >> np.uint32(8)) / F(16777216)
                seed = random_twin(seed)
                phi = F(6.2831853) * (F(seed >> np.uint32(8)) / F(16777216))
                height_here = one - two * r
                ring = math.sqrt(max(zero, one - height_here * height_here))
                vx = nx + F(0.999) * ring * math.cos(phi)
                vy = ny + F(0.999) * ring * math.sin(phi)
                vz = nz + F(0.999) * height_here
                size = math.sqrt(vx * vx + vy * vy + vz * vz)
                vx /= size
                vy /= size
                vz /= size
                hit = False
                for k in range(3):
                    if sphere_twin(ox, oy, oz, vx, vy, vz, k) < F(1.0e16):
                        hit = True
                        break
                if not hit and vy < zero and oy > F(-0.49):
                    hit = True
                if not hit:
                    free += 1
            image[y * width + x] = F(free) / F(samples)


def check_ambient(width, height, samples, image):
    """The sky is black, the plane bright, and no more light comes than there is."""
    shown = image.reshape(height, width)
    assert shown.min() == 0.0 and shown.max() <= 1.0
    assert np.all(shown[0] == 0.0)
    assert shown[-1].mean() > 0.7
    corner = shown[-max(2, height // 16) :, -max(2, width // 16) :]
    assert corner.std() < 0.15


def programs(rng, small=False):
    w, h = (48, 32) if small else (128, 96)
    grid = (blocks(w, 16), blocks(h, 4)), (16, 4)
    data = (w, h, 16, np.zeros(w * h, F))
    yield "aobench", "ISPC", ambient[grid], ambient_twin, data, check_ambient
