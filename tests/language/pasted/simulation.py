"""Stencils, particles, integration, prices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "heat equation in two dimensions",
    lambda: [doubles(9, 8), zeros(9, 8, dtype=np.float64), 0.1],
    lambda u, v, r: (
        w := v.copy(),
        w.__setitem__(
            (slice(1, -1), slice(1, -1)),
            u[1:-1, 1:-1]
            + r * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]),
        ),
    )[0],
    """
@kernel
def step(u: DeviceArray[f64, 2], u_new: DeviceArray[f64, 2], r: f64):
    i = get_global_id(1)
    j = get_global_id(0)
    if i > 0 and i < u.shape[0] - 1 and j > 0 and j < u.shape[1] - 1:
        u_new[i, j] = u[i, j] + r * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
""",
)


def life(a: Any, b: Any) -> Any:
    n = sum(np.roll(np.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
    return ((n == 3) | ((n == 2) & (a == 1))).astype(a.dtype)


program(
    "game of life on a torus",
    lambda: [integers(12, 10, high=2, dtype=np.uint8), zeros(12, 10, dtype=np.uint8)],
    life,
    """
@kernel
def life(cells: DeviceArray[u8, 2], out: DeviceArray[u8, 2]):
    x, y = get_global_id(0), get_global_id(1)
    h, w = cells.shape
    if x < w and y < h:
        neighbours = 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dx == 0 and dy == 0:
                    continue
                neighbours += cells[(y + dy + h) % h, (x + dx + w) % w]
        alive = cells[y, x]
        out[y, x] = 1 if neighbours == 3 or (alive and neighbours == 2) else 0
""",
)


def nbody(p: Any, v: Any, m: Any, dt: float) -> Any:
    f = np.float32
    d = p[None, :, :] - p[:, None, :]
    r2 = (d * d).sum(2) + f(0.01)
    inv = 1 / np.sqrt(r2) ** 3
    a = (d * (m[None, :] * inv)[..., None]).sum(1)
    return v + a * f(dt)


program(
    "N bodies with float3",
    lambda: [floats(20, 3), zeros(20, 3), floats(20, low=0.5, seed=3), 0.01],
    lambda p, v, m, dt: (nbody(p, v, m, dt), m),
    """
float3 = vec3
SOFTENING = 0.01


@inline
def body_body_interaction(bi: float3, bj: float3, mj: f32, ai: float3) -> float3:
    r = bj - bi
    dist_sqr = dot(r, r) + SOFTENING
    inv_dist = rsqrt(dist_sqr)
    inv_dist3 = inv_dist * inv_dist * inv_dist
    return ai + r * (mj * inv_dist3)


@kernel
def bodies(pos: DeviceArray[float3], vel: DeviceArray[float3], mass: DeviceArray[f32], dt: f32):
    i = get_global_id()
    if i < len(pos):
        acc = float3(0.0, 0.0, 0.0)
        me = pos[i]
        for j in range(len(pos)):
            acc = body_body_interaction(me, pos[j], mass[j], acc)
        vel[i] += acc * dt
""",
    near=1e-4,
)

program(
    "Lorenz by Runge and Kutta, a tuple in and out",
    lambda: [doubles(10, 3), 0.01, 5],
    lambda s, dt, n: lorenz(s, dt, n),
    """
@inline
def lorenz(x, y, z, sigma=10.0, rho=28.0, beta=8.0 / 3.0):
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


@kernel
def integrate(state: DeviceArray[f64, 2], dt: f64, steps: i32):
    i = get_global_id()
    if i >= state.shape[0]:
        return
    x, y, z = state[i, 0], state[i, 1], state[i, 2]
    for _ in range(steps):
        k1x, k1y, k1z = lorenz(x, y, z)
        k2x, k2y, k2z = lorenz(x + 0.5 * dt * k1x, y + 0.5 * dt * k1y, z + 0.5 * dt * k1z)
        k3x, k3y, k3z = lorenz(x + 0.5 * dt * k2x, y + 0.5 * dt * k2y, z + 0.5 * dt * k2z)
        k4x, k4y, k4z = lorenz(x + dt * k3x, y + dt * k3y, z + dt * k3z)
        x += dt / 6 * (k1x + 2 * k2x + 2 * k3x + k4x)
        y += dt / 6 * (k1y + 2 * k2y + 2 * k3y + k4y)
        z += dt / 6 * (k1z + 2 * k2z + 2 * k3z + k4z)
    state[i, 0], state[i, 1], state[i, 2] = x, y, z
""",
)


def lorenz(s: Any, dt: float, n: int) -> Any:
    def f(x: Any, y: Any, z: Any) -> Any:
        return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z

    x, y, z = s[:, 0].copy(), s[:, 1].copy(), s[:, 2].copy()
    for _ in range(n):
        a = f(x, y, z)
        b = f(*(v + 0.5 * dt * k for v, k in zip((x, y, z), a, strict=True)))
        c = f(*(v + 0.5 * dt * k for v, k in zip((x, y, z), b, strict=True)))
        d = f(*(v + dt * k for v, k in zip((x, y, z), c, strict=True)))
        x, y, z = (
            v + dt / 6 * (a[q] + 2 * b[q] + 2 * c[q] + d[q]) for q, v in enumerate((x, y, z))
        )
    return np.stack([x, y, z], 1)


def price(s: Any, k: Any, t: Any, c: Any, p: Any) -> Any:
    d1 = (np.log(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * np.sqrt(t))
    d2 = d1 - 0.3 * np.sqrt(t)
    n = np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))
    call = s * n(d1) - k * np.exp(-0.02 * t) * n(d2)
    return call, call - s + k * np.exp(-0.02 * t)


program(
    "Black and Scholes in f64 with the polynomial of Numba's example",
    lambda: [
        doubles(25, low=5, high=30),
        doubles(25, low=1, high=100, seed=2),
        doubles(25, low=0.25, high=10, seed=3),
        zeros(25, dtype=np.float64),
        zeros(25, dtype=np.float64),
    ],
    price,
    """
A1 = 0.31938153
A2 = -0.356563782
A3 = 1.781477937
A4 = -1.821255978
A5 = 1.330274429
RSQRT2PI = 0.39894228040143267793994605993438
R = 0.02
V = 0.3


@inline
def cnd(d):
    K = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    ret_val = RSQRT2PI * math.exp(-0.5 * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))))
    if d > 0:
        ret_val = 1.0 - ret_val
    return ret_val


@kernel
def black_scholes(S: DeviceArray[f64], X: DeviceArray[f64], T: DeviceArray[f64], call: DeviceArray[f64], put: DeviceArray[f64]):
    i = get_global_id()
    if i >= S.shape[0]:
        return
    sqrtT = math.sqrt(T[i])
    d1 = (math.log(S[i] / X[i]) + (R + 0.5 * V * V) * T[i]) / (V * sqrtT)
    d2 = d1 - V * sqrtT
    cndd1 = cnd(d1)
    cndd2 = cnd(d2)
    expRT = math.exp((-1. * R) * T[i])
    call[i] = S[i] * cndd1 - X[i] * expRT * cndd2
    put[i] = X[i] * expRT * (1.0 - cndd2) - S[i] * (1.0 - cndd1)
""",
    near=1e-4,
)

program(
    "Newton's method with a tolerance and a break",
    lambda: [doubles(30, low=0.5, high=100), zeros(30, dtype=np.float64)],
    lambda x, y: np.cbrt(x),
    """
@kernel
def cube_root(x: DeviceArray[f64], y: DeviceArray[f64]):
    i = get_global_id()
    if i < len(x):
        a = x[i]
        guess = a / 3 if a > 1 else a
        for it in range(100):
            new = (2 * guess + a / (guess * guess)) / 3
            if abs(new - guess) < 1e-12 * abs(new):
                guess = new
                break
            guess = new
        y[i] = guess
""",
    near=1e-13,
)

program(
    "Simpson's rule with a function as argument",
    lambda: [doubles(12, low=0.5, high=3), zeros(12, dtype=np.float64)],
    lambda b, o: 1 - np.cos(b) + b**3 / 3,
    """
@inline
def f(x):
    return math.sin(x) + x**2


@inline
def simpson(g, a, b, n: i32):
    h = (b - a) / n
    total = g(a) + g(b)
    for k in range(1, n):
        total += g(a + k * h) * (4 if k % 2 else 2)
    return total * h / 3


@kernel
def integrals(b: DeviceArray[f64], out: DeviceArray[f64]):
    i = get_global_id()
    if i < len(b):
        out[i] = simpson(f, 0.0, b[i], 200)
""",
    near=1e-8,
)

program(
    "deposit of particles with atomics on a grid",
    lambda: [floats(60, 2, low=0, high=7.99), zeros(8, 8)],
    lambda p, g: (np.add.at(g, (p[:, 1].astype(int), p[:, 0].astype(int)), np.float32(1)), g)[1],
    """
@kernel
def deposit(p: DeviceArray[vec2], grid: DeviceArray[f32, 2]):
    i = get_global_id()
    if i < len(p):
        cell = ivec2(p[i])
        if 0 <= cell.x < 8 and 0 <= cell.y < 8:
            atomic_add(grid, (cell.y, cell.x), 1.0)
""",
    without_ptx=True,
)
