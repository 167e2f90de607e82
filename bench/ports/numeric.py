"""Small programs of many kinds: systems, orbits, divergent integers, spins, fluids on a lattice."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    exp,
    f32,
    f64,
    get_global_id,
    i8,
    i32,
    i64,
    inline,
    local,
    u8,
    u32,
)

F = np.float32


@hg.kernel
def thomas(
    a: DeviceArray[f64, 2],
    b: DeviceArray[f64, 2],
    c: DeviceArray[f64, 2],
    d: DeviceArray[f64, 2],
    work: DeviceArray[f64, 2],
    x: DeviceArray[f64, 2],
):
    """Tridiagonal systems, one for each column of the arrays; a lane per system."""
    s = int(get_global_id())
    n, systems = int(x.shape[0]), int(x.shape[1])
    if s >= systems:
        return
    work[0, s] = c[0, s] / b[0, s]
    x[0, s] = d[0, s] / b[0, s]
    for i in range(1, n):
        m = 1.0 / (b[i, s] - a[i, s] * work[i - 1, s])
        work[i, s] = c[i, s] * m
        x[i, s] = (d[i, s] - a[i, s] * x[i - 1, s]) * m
    for i in range(n - 2, -1, -1):
        x[i, s] -= work[i, s] * x[i + 1, s]


@njit
def thomas_twin(a, b, c, d, work, x):
    n, systems = x.shape
    for s in range(systems):
        work[0, s] = c[0, s] / b[0, s]
        x[0, s] = d[0, s] / b[0, s]
    for i in range(1, n):
        for s in range(systems):
            m = 1.0 / (b[i, s] - a[i, s] * work[i - 1, s])
            work[i, s] = c[i, s] * m
            x[i, s] = (d[i, s] - a[i, s] * x[i - 1, s]) * m
    for i in range(n - 2, -1, -1):
        for s in range(systems):
            x[i, s] -= work[i, s] * x[i + 1, s]


def check_thomas(a, b, c, d, work, x):
    got = b * x
    got[1:] += a[1:] * x[:-1]
    got[:-1] += c[:-1] * x[1:]
    np.testing.assert_allclose(got, d, rtol=1e-9, atol=1e-9)


@inline
def lorenz(x: f64, y: f64, z: f64, rho: f64) -> tuple[f64, f64, f64]:
    return 10.0 * (y - x), x * (rho - z) - y, x * y - z * 8.0 / 3.0


@hg.kernel
def orbits(rho: DeviceArray[f64], steps: i32, dt: f64, out: DeviceArray[f64, 2]):
    """Runge and Kutta of order four, for each parameter."""
    k = int(get_global_id())
    if k >= int(len(rho)):
        return
    x, y, z = f64(1.0), f64(1.0), f64(1.0)
    r = rho[k]
    half = 0.5 * dt
    for _ in range(steps):
        ax, ay, az = lorenz(x, y, z, r)
        bx, by, bz = lorenz(x + half * ax, y + half * ay, z + half * az, r)
        cx, cy, cz = lorenz(x + half * bx, y + half * by, z + half * bz, r)
        dx, dy, dz = lorenz(x + dt * cx, y + dt * cy, z + dt * cz, r)
        x += dt / 6.0 * (ax + 2.0 * bx + 2.0 * cx + dx)
        y += dt / 6.0 * (ay + 2.0 * by + 2.0 * cy + dy)
        z += dt / 6.0 * (az + 2.0 * bz + 2.0 * cz + dz)
    out[k, 0] = x
    out[k, 1] = y
    out[k, 2] = z


@njit
def lorenz_twin(x, y, z, rho):
    return 10.0 * (y - x), x * (rho - z) - y, x * y - z * 8.0 / 3.0


@njit
def orbits_twin(rho, steps, dt, out):
    half = 0.5 * dt
    for k in range(len(rho)):
        x, y, z = 1.0, 1.0, 1.0
        r = rho[k]
        for _ in range(steps):
            ax, ay, az = lorenz_twin(x, y, z, r)
            bx, by, bz = lorenz_twin(x + half * ax, y + half * ay, z + half * az, r)
            cx, cy, cz = lorenz_twin(x + half * bx, y + half * by, z + half * bz, r)
            dx, dy, dz = lorenz_twin(x + dt * cx, y + dt * cy, z + dt * cz, r)
            x += dt / 6.0 * (ax + 2.0 * bx + 2.0 * cx + dx)
            y += dt / 6.0 * (ay + 2.0 * by + 2.0 * cy + dy)
            z += dt / 6.0 * (az + 2.0 * bz + 2.0 * cz + dz)
        out[k] = x, y, z


def check_orbits(rho, steps, dt, out):
    def slope(p):
        x, y, z = p
        return np.stack((10 * (y - x), x * (rho - z) - y, x * y - z * 8 / 3))

    p = np.ones((3, len(rho)))
    for _ in range(steps):
        a = slope(p)
        b = slope(p + 0.5 * dt * a)
        c = slope(p + 0.5 * dt * b)
        p = p + dt / 6 * (a + 2 * b + 2 * c + slope(p + dt * c))
    np.testing.assert_allclose(out, p.T, rtol=1e-6, atol=1e-6)


@hg.kernel
def collatz(first: i64, steps: DeviceArray[i32]):
    i = int(get_global_id())
    if i < int(len(steps)):
        n = first + i
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


@njit
def collatz_twin(first, steps):
    for i in range(len(steps)):
        n = first + i
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


def check_collatz(first, steps):
    n, want = first + np.arange(len(steps)), np.zeros(len(steps), int)
    while np.any(n != 1):
        want += n != 1
        n = np.where(n == 1, 1, np.where(n % 2, 3 * n + 1, n // 2))
    np.testing.assert_array_equal(steps, want)


@hg.kernel
def primes(prime: DeviceArray[u8], n: i32):
    """By trial division, with an early exit."""
    k = int(get_global_id())
    if k >= n:
        return
    if k < 2:
        prime[k] = 0
        return
    d = 2
    found = True
    while d * d <= k:
        if k % d == 0:
            found = False
            break
        d += 1
    prime[k] = 1 if found else 0


@njit
def primes_twin(prime, n):
    for k in range(n):
        if k < 2:
            prime[k] = 0
            continue
        d = 2
        found = True
        while d * d <= k:
            if k % d == 0:
                found = False
                break
            d += 1
        prime[k] = 1 if found else 0


def check_primes(prime, n):
    want = np.ones(n, bool)
    want[:2] = False
    for k in range(2, int(n**0.5) + 1):
        want[k * k :: k] = False
    np.testing.assert_array_equal(prime, want)


@hg.kernel
def ising(spins: DeviceArray[i8, 2], color: i32, beta: f32, seed: u32):
    """Metropolis on one colour of a torus; a hash of cell and seed is the random number."""
    j, i = int(get_global_id(0)), int(get_global_id(1))
    n, m = int(spins.shape[0]), int(spins.shape[1])
    if i >= n or j >= m or (i + j) % 2 != color:
        return
    up = spins[(i - 1 + n) % n, j]
    down = spins[(i + 1) % n, j]
    left = spins[i, (j - 1 + m) % m]
    right = spins[i, (j + 1) % m]
    energy = 2 * i32(spins[i, j]) * (i32(up) + i32(down) + i32(left) + i32(right))
    h = u32(i * m + j) ^ (seed * 2654435769)
    h = (h ^ (h >> 16)) * 2246822507
    h = (h ^ (h >> 13)) * 3266489909
    h = h ^ (h >> 16)
    if energy <= 0 or f32(h >> 8) / 16777216.0 < exp(-beta * f32(energy)):
        spins[i, j] = -spins[i, j]


flip = tried(ising)


def sweep(start, spins, beta, rounds):
    spins[:] = start
    n, m = spins.shape
    grid = (blocks(m, 32), blocks(n, 8)), (32, 8)
    for k in range(rounds):
        flip[grid](spins, 0, beta, 2 * k)
        flip[grid](spins, 1, beta, 2 * k + 1)


@njit
def hash_twin(cell, seed):
    h = np.uint32(np.uint32(cell) ^ np.uint32(np.uint32(seed) * np.uint32(2654435769)))
    h = np.uint32(np.uint32(h ^ (h >> np.uint32(16))) * np.uint32(2246822507))
    h = np.uint32(np.uint32(h ^ (h >> np.uint32(13))) * np.uint32(3266489909))
    return np.uint32(h ^ (h >> np.uint32(16)))


@njit
def sweep_twin(start, spins, beta, rounds):
    spins[:] = start
    n, m = spins.shape
    for k in range(2 * rounds):
        for i in range(n):
            for j in range((i + k) % 2, m, 2):
                near = spins[(i - 1 + n) % n, j] + spins[(i + 1) % n, j]
                near += spins[i, (j - 1 + m) % m] + spins[i, (j + 1) % m]
                energy = 2 * spins[i, j] * near
                u = F(hash_twin(i * m + j, k) >> np.uint32(8)) / F(16777216)
                if energy <= 0 or u < math.exp(-beta * F(energy)):
                    spins[i, j] = -spins[i, j]


def check_sweep(start, spins, beta, rounds):
    want = start.astype(int)
    cell = np.arange(want.size, dtype=np.uint32).reshape(want.shape)
    i, j = np.indices(want.shape)
    for k in range(2 * rounds):
        energy = 2 * want * sum(np.roll(want, s, a) for s in (1, -1) for a in (0, 1))
        h = cell ^ np.uint32(k * 2654435769 % 2**32)
        h = (h ^ (h >> np.uint32(16))) * np.uint32(2246822507)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(3266489909)
        u = ((h ^ (h >> np.uint32(16))) >> np.uint32(8)) / 16777216
        accept = (energy <= 0) | (u < np.exp(-beta * energy))
        want = np.where(accept & ((i + j) % 2 == k % 2), -want, want)
    assert np.mean(spins == want) > 0.99  # an exp may round the other way


@hg.kernel
def lattice(
    source: DeviceArray[f32, 3],
    cx: DeviceArray[i32],
    cy: DeviceArray[i32],
    weight: DeviceArray[f32],
    omega: f32,
    out: DeviceArray[f32, 3],
):
    """Lattice Boltzmann in nine directions on a torus: stream in, collide."""
    f = local(f32, 9)
    x, y = int(get_global_id(0)), int(get_global_id(1))
    h, w = int(source.shape[1]), int(source.shape[2])
    if x >= w or y >= h:
        return
    rho, ux, uy = 0.0, 0.0, 0.0
    for k in range(9):
        f[k] = source[k, (y - cy[k] + h) % h, (x - cx[k] + w) % w]
        rho += f[k]
        ux += f[k] * f32(cx[k])
        uy += f[k] * f32(cy[k])
    ux /= rho
    uy /= rho
    square = 1.5 * (ux * ux + uy * uy)
    for k in range(9):
        cu = 3.0 * (f32(cx[k]) * ux + f32(cy[k]) * uy)
        rest = rho * weight[k] * (1.0 + cu + 0.5 * cu * cu - square)
        out[k, y, x] = f[k] + omega * (rest - f[k])


@njit
def lattice_twin(source, cx, cy, weight, omega, out):
    f = np.empty(9, np.float32)
    _, h, w = source.shape
    for y in range(h):
        for x in range(w):
            rho, ux, uy = F(0), F(0), F(0)
            for k in range(9):
                f[k] = source[k, (y - cy[k] + h) % h, (x - cx[k] + w) % w]
                rho += f[k]
                ux += f[k] * F(cx[k])
                uy += f[k] * F(cy[k])
            ux /= rho
            uy /= rho
            square = F(1.5) * (ux * ux + uy * uy)
            for k in range(9):
                cu = F(3) * (F(cx[k]) * ux + F(cy[k]) * uy)
                rest = rho * weight[k] * (F(1) + cu + F(0.5) * cu * cu - square)
                out[k, y, x] = f[k] + omega * (rest - f[k])


def check_lattice(source, cx, cy, weight, omega, out):
    f = np.stack([np.roll(source[k].astype(float), (cy[k], cx[k]), (0, 1)) for k in range(9)])
    rho = f.sum(0)
    ux, uy = np.tensordot(cx, f, 1) / rho, np.tensordot(cy, f, 1) / rho
    for k in range(9):
        cu = 3 * (cx[k] * ux + cy[k] * uy)
        rest = rho * weight[k] * (1 + cu + cu * cu / 2 - 1.5 * (ux * ux + uy * uy))
        np.testing.assert_allclose(out[k], f[k] + omega * (rest - f[k]), rtol=1e-3, atol=1e-5)


@hg.kernel
def kmeans_update(
    points: DeviceArray[f32, 2],
    member: DeviceArray[i32],
    sums: DeviceArray[f32, 2],
    counts: DeviceArray[i32],
):
    """Each point adds to the sum of its cluster."""
    i = int(get_global_id())
    if i < int(points.shape[0]):
        k = member[i]
        atomic_add(counts, k, 1)
        for c in range(int(points.shape[1])):
            atomic_add(sums, (k, c), points[i, c])


add_points = tried(kmeans_update)


def centers(points, member, sums, counts):
    sums[:] = 0
    counts[:] = 0
    add_points[blocks(len(points), 256), 256](points, member, sums, counts)


@njit
def centers_twin(points, member, sums, counts):
    sums[:] = F(0)
    counts[:] = 0
    for i in range(points.shape[0]):
        k = member[i]
        counts[k] += 1
        for c in range(points.shape[1]):
            sums[k, c] += points[i, c]


def check_centers(points, member, sums, counts):
    np.testing.assert_array_equal(counts, np.bincount(member, minlength=len(counts)))
    want = np.zeros(sums.shape)
    np.add.at(want, member, points)
    np.testing.assert_allclose(sums, want, rtol=1e-3)


def programs(rng, small=False):
    n, systems = (12, 37) if small else (64, 1000)
    shape = (n, systems)
    data = (rng.random(shape), 3 + rng.random(shape), rng.random(shape), rng.random(shape))
    data += (np.zeros(shape), np.zeros(shape))
    yield "tridiagonal", "Numba", thomas[blocks(systems, 128), 128], thomas_twin, data, check_thomas

    n, steps = (30, 20) if small else (512, 200)
    data = (rng.uniform(1, 20, n), steps, 0.01, np.zeros((n, 3)))
    yield "lorenz_rk4", "Taichi", orbits[blocks(n, 64), 64], orbits_twin, data, check_orbits

    n = 300 if small else 20_000
    yield "collatz", "Numba", collatz, collatz_twin, (1, np.zeros(n, np.int32)), check_collatz

    n = 500 if small else 50_000
    yield "primes", "Taichi", primes, primes_twin, (np.zeros(n, np.uint8), n), check_primes

    h, w = (16, 22) if small else (256, 256)
    start = rng.choice([-1, 1], (h, w)).astype(np.int8)
    data = (start, np.zeros_like(start), F(0.4), 3)
    yield "ising", "Numba", Launches(sweep, flip), sweep_twin, data, check_sweep

    h, w = (13, 18) if small else (128, 160)
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1], np.int32)
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1], np.int32)
    weight = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, F)
    source = rng.uniform(0.9, 1.1, (9, h, w)).astype(F) * weight[:, None, None]
    data = (source, cx, cy, weight, F(1.2), np.zeros_like(source))
    kernel = lattice[(blocks(w, 32), blocks(h, 4)), (32, 4)]
    yield "lattice", "Taichi", kernel, lattice_twin, data, check_lattice

    n, k = (500, 4) if small else (50_000, 32)
    data = (rng.random((n, 8), F), rng.integers(0, k, n).astype(np.int32))
    data += (np.zeros((k, 8), F), np.zeros(k, np.int32))
    yield "kmeans_update", "Numba", Launches(centers, add_points), centers_twin, data, check_centers
