"""ISPC's examples: a lane per element, f32, ints as in C, early exits."""

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
    local,
    log,
    pow,
    sqrt,
)

F = np.float32
STEPS = 64


@inline
def mandel(c_re: f32, c_im: f32, count: i32) -> i32:
    z_re = c_re
    z_im = c_im
    for i in range(count):
        if z_re * z_re + z_im * z_im > 4.0:
            return i
        new_re = z_re * z_re - z_im * z_im
        new_im = 2.0 * z_re * z_im
        z_re = c_re + new_re
        z_im = c_im + new_im
    return count


@hg.kernel
def mandelbrot(
    x0: f32, y0: f32, dx: f32, dy: f32, width: i32, height: i32, limit: i32, out: DeviceArray[i32]
):
    i = int(get_global_id(0))
    j = int(get_global_id(1))
    if i < width and j < height:
        out[j * width + i] = mandel(x0 + f32(i) * dx, y0 + f32(j) * dy, limit)


@njit
def mandel_twin(c_re, c_im, count):
    z_re = c_re
    z_im = c_im
    for i in range(count):
        if z_re * z_re + z_im * z_im > F(4):
            return i
        new_re = z_re * z_re - z_im * z_im
        new_im = F(2) * z_re * z_im
        z_re = c_re + new_re
        z_im = c_im + new_im
    return count


@njit
def mandelbrot_twin(x0, y0, dx, dy, width, height, limit, out):
    for j in range(height):
        for i in range(width):
            out[j * width + i] = mandel_twin(F(x0 + F(i) * dx), F(y0 + F(j) * dy), limit)


def check_mandelbrot(x0, y0, dx, dy, width, height, limit, out):
    c = (x0 + np.arange(width) * dx) + 1j * (y0 + np.arange(height) * dy)[:, None]
    z, want = c.copy(), np.full(c.shape, limit)
    alive = np.ones(c.shape, bool)
    for k in range(limit):
        gone = alive & (abs(z) ** 2 > 4.0)
        want[gone] = k
        alive &= ~gone
        z[alive] = z[alive] ** 2 + c[alive]
    assert np.mean(want.ravel() == out) > 0.98  # f32 differs on the border


@inline
def cnd(x: f32) -> f32:
    size = abs(x)
    k = 1.0 / (1.0 + 0.2316419 * size)
    k2 = k * k
    k3 = k2 * k
    k4 = k2 * k2
    k5 = k3 * k2
    w = 0.31938153 * k - 0.356563782 * k2 + 1.781477937 * k3 - 1.821255978 * k4 + 1.330274429 * k5
    w *= 0.39894228040 * exp(-size * size * 0.5)
    if x > 0.0:
        w = 1.0 - w
    return w


@hg.kernel
def black_scholes(
    stock: DeviceArray[f32],
    strike: DeviceArray[f32],
    years: DeviceArray[f32],
    rate: DeviceArray[f32],
    volatility: DeviceArray[f32],
    result: DeviceArray[f32],
    count: i32,
):
    i = int(get_global_id())
    if i < count:
        s = stock[i]
        x = strike[i]
        t = years[i]
        r = rate[i]
        v = volatility[i]
        d1 = (log(s / x) + (r + v * v * 0.5) * t) / (v * sqrt(t))
        d2 = d1 - v * sqrt(t)
        result[i] = s * cnd(d1) - x * exp(-r * t) * cnd(d2)


@njit
def cnd_twin(x):
    size = abs(x)
    k = F(1) / (F(1) + F(0.2316419) * size)
    k2 = k * k
    k3 = k2 * k
    k4 = k2 * k2
    k5 = k3 * k2
    w = F(0.31938153) * k - F(0.356563782) * k2 + F(1.781477937) * k3
    w = w - F(1.821255978) * k4 + F(1.330274429) * k5
    w *= F(0.39894228040) * math.exp(-size * size * F(0.5))
    if x > F(0):
        w = F(1) - w
    return w


@njit
def black_scholes_twin(stock, strike, years, rate, volatility, result, count):
    for i in range(count):
        s = stock[i]
        x = strike[i]
        t = years[i]
        r = rate[i]
        v = volatility[i]
        d1 = (math.log(s / x) + (r + v * v * F(0.5)) * t) / (v * math.sqrt(t))
        d2 = d1 - v * math.sqrt(t)
        result[i] = s * cnd_twin(d1) - x * math.exp(-r * t) * cnd_twin(d2)


def check_black_scholes(stock, strike, years, rate, volatility, result, count):
    s, x, t, r, v = (a.astype(np.float64) for a in (stock, strike, years, rate, volatility))
    d1 = (np.log(s / x) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    erf = np.vectorize(math.erf)
    want = s * (1 + erf(d1 / 2**0.5)) / 2 - x * np.exp(-r * t) * (1 + erf(d2 / 2**0.5)) / 2
    np.testing.assert_allclose(result, want, atol=2e-3)


@hg.kernel
def binomial_put(
    stock: DeviceArray[f32],
    strike: DeviceArray[f32],
    years: DeviceArray[f32],
    rate: DeviceArray[f32],
    volatility: DeviceArray[f32],
    result: DeviceArray[f32],
    count: i32,
):
    value = local(f32, STEPS)
    i = int(get_global_id())
    if i >= count:
        return
    s = stock[i]
    x = strike[i]
    dt = years[i] / STEPS
    u = exp(volatility[i] * sqrt(dt))
    d = 1.0 / u
    disc = exp(rate[i] * dt)
    pu = (disc - d) / (u - d)
    for j in range(STEPS):
        upow = pow(u, f32(2 * j - STEPS))
        value[j] = max(0.0, x - s * upow)
    for j in range(STEPS - 1, -1, -1):
        for k in range(j):
            value[k] = ((1.0 - pu) * value[k] + pu * value[k + 1]) / disc
    result[i] = value[0]


@njit
def binomial_put_twin(stock, strike, years, rate, volatility, result, count):
    value = np.empty(STEPS, np.float32)
    for i in range(count):
        s = stock[i]
        x = strike[i]
        dt = years[i] / F(STEPS)
        u = math.exp(volatility[i] * math.sqrt(dt))
        d = F(1) / u
        disc = math.exp(rate[i] * dt)
        pu = (disc - d) / (u - d)
        for j in range(STEPS):
            upow = math.pow(u, F(2 * j - STEPS))
            value[j] = max(F(0), x - s * upow)
        for j in range(STEPS - 1, -1, -1):
            for k in range(j):
                value[k] = ((F(1) - pu) * value[k] + pu * value[k + 1]) / disc
        result[i] = value[0]


def check_binomial(stock, strike, years, rate, volatility, result, count):
    s, x, t, r, v = (a.astype(np.float64) for a in (stock, strike, years, rate, volatility))
    dt = t / STEPS
    u = np.exp(v * np.sqrt(dt))
    disc = np.exp(r * dt)
    pu = (disc - 1 / u) / (u - 1 / u)
    value = np.maximum(0, x - s * u ** (2.0 * np.arange(STEPS)[:, None] - STEPS))
    for j in range(STEPS - 1, -1, -1):
        value[:j] = ((1 - pu) * value[:j] + pu * value[1 : j + 1]) / disc
    np.testing.assert_allclose(result, value[0], rtol=1e-3, atol=2e-3)


@hg.kernel
def stencil_step(
    nx: i32,
    ny: i32,
    nz: i32,
    coef: DeviceArray[f32],
    vsq: DeviceArray[f32],
    a_in: DeviceArray[f32],
    a_out: DeviceArray[f32],
):
    x = int(get_global_id(0))
    y = int(get_global_id(1))
    z = int(get_global_id(2))
    if x < 4 or x >= nx - 4 or y < 4 or y >= ny - 4 or z < 4 or z >= nz - 4:
        return
    nxy = nx * ny
    at = z * nxy + y * nx + x
    total = coef[0] * a_in[at]
    for k in range(1, 4):
        total += coef[k] * (
            a_in[at + k]
            + a_in[at - k]
            + a_in[at + k * nx]
            + a_in[at - k * nx]
            + a_in[at + k * nxy]
            + a_in[at - k * nxy]
        )
    a_out[at] = 2.0 * a_in[at] - a_out[at] + vsq[at] * total


@njit
def stencil_twin(nx, ny, nz, coef, vsq, a_in, a_out):
    a, out = a_in.reshape(nz, ny, nx), a_out.reshape(nz, ny, nx)
    speed = vsq.reshape(nz, ny, nx)
    for z in range(4, nz - 4):
        for y in range(4, ny - 4):
            for x in range(4, nx - 4):
                total = coef[0] * a[z, y, x]
                for k in range(1, 4):
                    total += coef[k] * (
                        a[z, y, x + k]
                        + a[z, y, x - k]
                        + a[z, y + k, x]
                        + a[z, y - k, x]
                        + a[z + k, y, x]
                        + a[z - k, y, x]
                    )
                out[z, y, x] = F(2) * a[z, y, x] - out[z, y, x] + speed[z, y, x] * total


def check_stencil(nx, ny, nz, coef, vsq, a_in, a_out):
    a = a_in.reshape(nz, ny, nx).astype(np.float64)
    total = coef[0] * a
    for k in range(1, 4):
        for axis in range(3):
            total += coef[k] * (np.roll(a, k, axis) + np.roll(a, -k, axis))
    want = 2 * a + vsq.reshape(a.shape) * total
    inside = (slice(4, -4),) * 3
    np.testing.assert_allclose(a_out.reshape(a.shape)[inside], want[inside], rtol=1e-4, atol=1e-4)


def uniform(rng, low, high, n):
    return rng.uniform(low, high, n).astype(np.float32)


def programs(rng, small=False):
    w, h = (32, 24) if small else (320, 240)
    step = F(3.0 / w), F(2.0 / h)
    data = (F(-2), F(-1), *step, w, h, 30 if small else 256, np.zeros(w * h, np.int32))
    kernel = mandelbrot[(blocks(w, 16), blocks(h, 4)), (16, 4)]
    yield "mandelbrot", "ISPC", kernel, mandelbrot_twin, data, check_mandelbrot

    for name, kernel, twin, check, full in (
        ("black_scholes", black_scholes, black_scholes_twin, check_black_scholes, 100_000),
        ("binomial", binomial_put, binomial_put_twin, check_binomial, 1000),
    ):
        n = 100 if small else full
        market = (
            uniform(rng, 80, 120, n),
            uniform(rng, 80, 120, n),
            uniform(rng, 0.5, 2, n),
            uniform(rng, 0.01, 0.05, n),
            uniform(rng, 0.2, 0.5, n),
        )
        yield name, "ISPC", kernel, twin, (*market, np.zeros(n, np.float32), n), check

    nx, ny, nz = (20, 18, 16) if small else (128, 64, 64)
    n = nx * ny * nz
    coef = np.array([0.5, -0.25, 0.125, -0.0625], np.float32)
    data = (nx, ny, nz, coef, uniform(rng, 0, 1, n), uniform(rng, 0, 1, n), np.zeros(n, F))
    kernel = stencil_step[(blocks(nx, 32), blocks(ny, 4), nz), (32, 4, 1)]
    yield "stencil_3d", "ISPC", kernel, stencil_twin, data, check_stencil
