"""ISPC's Perlin noise in octaves: a table of permutations in memory, helpers in helpers."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f32,
    floor,
    get_global_id,
    i32,
    inline,
)

F = np.float32


@inline
def fade(t: f32) -> f32:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@inline
def mix(t: f32, a: f32, b: f32) -> f32:
    return (1.0 - t) * a + t * b


@inline
def grad(table: DeviceArray[i32], x: i32, y: i32, z: i32, dx: f32, dy: f32, dz: f32) -> f32:
    h = table[table[table[x] + y] + z] & 15
    u = dx if h < 8 or h == 12 or h == 13 else dy
    v = dy if h < 4 or h == 12 or h == 13 else dz
    return (-u if h & 1 != 0 else u) + (-v if h & 2 != 0 else v)


@inline
def perlin(table: DeviceArray[i32], x: f32, y: f32, z: f32) -> f32:
    ix = int(floor(x))
    iy = int(floor(y))
    iz = int(floor(z))
    dx = x - f32(ix)
    dy = y - f32(iy)
    dz = z - f32(iz)
    ix = ix & 255
    iy = iy & 255
    iz = iz & 255
    w000 = grad(table, ix, iy, iz, dx, dy, dz)
    w100 = grad(table, ix + 1, iy, iz, dx - 1.0, dy, dz)
    w010 = grad(table, ix, iy + 1, iz, dx, dy - 1.0, dz)
    w110 = grad(table, ix + 1, iy + 1, iz, dx - 1.0, dy - 1.0, dz)
    w001 = grad(table, ix, iy, iz + 1, dx, dy, dz - 1.0)
    w101 = grad(table, ix + 1, iy, iz + 1, dx - 1.0, dy, dz - 1.0)
    w011 = grad(table, ix, iy + 1, iz + 1, dx, dy - 1.0, dz - 1.0)
    w111 = grad(table, ix + 1, iy + 1, iz + 1, dx - 1.0, dy - 1.0, dz - 1.0)
    wx = fade(dx)
    wy = fade(dy)
    wz = fade(dz)
    y0 = mix(wy, mix(wx, w000, w100), mix(wx, w010, w110))
    y1 = mix(wy, mix(wx, w001, w101), mix(wx, w011, w111))
    return mix(wz, y0, y1)


@hg.kernel
def noise(
    table: DeviceArray[i32],
    x0: f32,
    y0: f32,
    step: f32,
    width: i32,
    height: i32,
    octaves: i32,
    out: DeviceArray[f32],
):
    i = int(get_global_id(0))
    j = int(get_global_id(1))
    if i < width and j < height:
        x = x0 + f32(i) * step
        y = y0 + f32(j) * step
        omega = 0.6
        total = 0.0
        scale = 1.0
        weight = 1.0
        for _ in range(octaves):
            total += weight * abs(perlin(table, scale * x, scale * y, scale * 0.6))
            scale *= 1.99
            weight *= omega
        out[j * width + i] = total * 0.5


@njit
def fade_twin(t):
    return t * t * t * (t * (t * F(6) - F(15)) + F(10))


@njit
def mix_twin(t, a, b):
    return (F(1) - t) * a + t * b


@njit
def grad_twin(table, x, y, z, dx, dy, dz):
    h = table[table[table[x] + y] + z] & 15
    u = dx if h < 8 or h == 12 or h == 13 else dy
    v = dy if h < 4 or h == 12 or h == 13 else dz
    return (-u if h & 1 != 0 else u) + (-v if h & 2 != 0 else v)


@njit
def perlin_twin(table, x, y, z):
    ix = int(math.floor(x))
    iy = int(math.floor(y))
    iz = int(math.floor(z))
    dx = x - F(ix)
    dy = y - F(iy)
    dz = z - F(iz)
    ix = ix & 255
    iy = iy & 255
    iz = iz & 255
    one = F(1)
    w000 = grad_twin(table, ix, iy, iz, dx, dy, dz)
    w100 = grad_twin(table, ix + 1, iy, iz, dx - one, dy, dz)
    w010 = grad_twin(table, ix, iy + 1, iz, dx, dy - one, dz)
    w110 = grad_twin(table, ix + 1, iy + 1, iz, dx - one, dy - one, dz)
    w001 = grad_twin(table, ix, iy, iz + 1, dx, dy, dz - one)
    w101 = grad_twin(table, ix + 1, iy, iz + 1, dx - one, dy, dz - one)
    w011 = grad_twin(table, ix, iy + 1, iz + 1, dx, dy - one, dz - one)
    w111 = grad_twin(table, ix + 1, iy + 1, iz + 1, dx - one, dy - one, dz - one)
    wx = fade_twin(dx)
    wy = fade_twin(dy)
    wz = fade_twin(dz)
    y0 = mix_twin(wy, mix_twin(wx, w000, w100), mix_twin(wx, w010, w110))
    y1 = mix_twin(wy, mix_twin(wx, w001, w101), mix_twin(wx, w011, w111))
    return mix_twin(wz, y0, y1)


@njit
def noise_twin(table, x0, y0, step, width, height, octaves, out):
    for j in range(height):
        for i in range(width):
            x = F(x0 + F(i) * step)
            y = F(y0 + F(j) * step)
            total = F(0)
            scale = F(1)
            weight = F(1)
            for _ in range(octaves):
                total += weight * abs(perlin_twin(table, scale * x, scale * y, scale * F(0.6)))
                scale *= F(1.99)
                weight *= F(0.6)
            out[j * width + i] = total * F(0.5)


def check_noise(table, x0, y0, step, width, height, octaves, out):
    """The same formula over whole arrays, in f64: off by little, where a cell is not mistaken."""
    x, y = np.meshgrid(x0 + np.arange(width) * step, y0 + np.arange(height) * step)
    total, scale, weight = np.zeros(x.shape), 1.0, 1.0
    for _ in range(octaves):
        p = np.stack((scale * x, scale * y, np.full(x.shape, scale * 0.6)))
        cell = np.floor(p).astype(int)
        d, cell = p - cell, cell & 255
        w = d**3 * (d * (d * 6 - 15) + 10)
        noise_here = 0.0
        for corner in np.ndindex(2, 2, 2):
            c = np.array(corner)[:, None, None]
            h = table[table[table[cell[0] + c[0]] + cell[1] + c[1]] + cell[2] + c[2]] & 15
            e = d - c
            u = np.where((h < 8) | (h == 12) | (h == 13), e[0], e[1])
            v = np.where((h < 4) | (h == 12) | (h == 13), e[1], e[2])
            value = np.where(h & 1, -u, u) + np.where(h & 2, -v, v)
            noise_here = noise_here + value * np.prod(np.where(c, w, 1 - w), axis=0)
        total += weight * abs(noise_here)
        scale *= 1.99
        weight *= 0.6
    np.testing.assert_allclose(out, total.ravel() * 0.5, atol=2e-4)


def programs(rng, small=False):
    table = np.tile(rng.permutation(256), 3)[:520].astype(np.int32)
    w, h = (24, 16) if small else (256, 128)
    data = (table, F(-10), F(-10), F(20.0 / w), w, h, 8, np.zeros(w * h, np.float32))
    kernel = noise[(blocks(w, 16), blocks(h, 4)), (16, 4)]
    yield "noise", "ISPC", kernel, noise_twin, data, check_noise
