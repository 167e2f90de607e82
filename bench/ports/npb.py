"""NAS benchmarks: EP, conjugate gradients of CG, stages of FT."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    cos,
    f64,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    inline,
    log,
    sin,
    sqrt,
)

R23 = 0.5**23
T23 = 2.0**23
R46 = 0.5**46
T46 = 2.0**46
A = 1220703125.0


@inline
def randlc(x: f64, a: f64) -> f64:
    """The next number of x * a mod 2^46, in doubles as NPB has it."""
    a1 = f64(int(R23 * a))
    a2 = a - T23 * a1
    x1 = f64(int(R23 * x))
    x2 = x - T23 * x1
    t1 = a1 * x2 + a2 * x1
    z = t1 - T23 * f64(int(R23 * t1))
    t3 = T23 * z + a2 * x2
    return t3 - T46 * f64(int(R46 * t3))


@hg.kernel
def ep_batches(
    seeds: DeviceArray[f64],
    pairs: i32,
    sx: DeviceArray[f64],
    sy: DeviceArray[f64],
    q: DeviceArray[i32, 2],
):
    """Gaussian deviates by rejection: sums, and counts in ten square rings."""
    k = int(get_global_id())
    if k >= int(len(seeds)):
        return
    seed = seeds[k]
    sum_x = f64(0.0)
    sum_y = f64(0.0)
    for _ in range(pairs):
        seed = randlc(seed, f64(A))
        x1 = 2.0 * (R46 * seed) - 1.0
        seed = randlc(seed, f64(A))
        x2 = 2.0 * (R46 * seed) - 1.0
        t = x1 * x1 + x2 * x2
        if t <= 1.0:
            t2 = sqrt(-2.0 * log(t) / t)
            t3 = x1 * t2
            t4 = x2 * t2
            ring = int(max(abs(t3), abs(t4)))
            q[k, ring] += 1
            sum_x += t3
            sum_y += t4
    sx[k] = sum_x
    sy[k] = sum_y


batches = tried(ep_batches)


def ep(seeds, pairs, sx, sy, q):
    q[:] = 0
    batches[blocks(len(seeds), 64), 64](seeds, pairs, sx, sy, q)


@njit
def randlc_twin(x, a):
    a1 = float(int(R23 * a))
    a2 = a - T23 * a1
    x1 = float(int(R23 * x))
    x2 = x - T23 * x1
    t1 = a1 * x2 + a2 * x1
    z = t1 - T23 * float(int(R23 * t1))
    t3 = T23 * z + a2 * x2
    return t3 - T46 * float(int(R46 * t3))


@njit
def ep_twin(seeds, pairs, sx, sy, q):
    q[:] = 0
    for k in range(len(seeds)):
        seed = seeds[k]
        sum_x = 0.0
        sum_y = 0.0
        for _ in range(pairs):
            seed = randlc_twin(seed, A)
            x1 = 2.0 * (R46 * seed) - 1.0
            seed = randlc_twin(seed, A)
            x2 = 2.0 * (R46 * seed) - 1.0
            t = x1 * x1 + x2 * x2
            if t <= 1.0:
                t2 = math.sqrt(-2.0 * math.log(t) / t)
                t3 = x1 * t2
                t4 = x2 * t2
                q[k, int(max(abs(t3), abs(t4)))] += 1
                sum_x += t3
                sum_y += t4
        sx[k] = sum_x
        sy[k] = sum_y


def check_ep(seeds, pairs, sx, sy, q):
    """Whole numbers of 46 bits in place of doubles; all batches at once."""
    x = seeds.astype(np.uint64)
    mask, a = np.uint64(2**46 - 1), np.uint64(A)
    counts, sums = np.zeros(q.shape, int), np.zeros((2, len(x)))
    for _ in range(pairs):
        u = []
        for _ in range(2):
            x = (x * a) & mask
            u.append(2 * (R46 * x) - 1)
        t = u[0] ** 2 + u[1] ** 2
        inside = t <= 1
        factor = np.sqrt(-2 * np.log(np.where(inside, t, 0.5)) / np.where(inside, t, 1))
        pair = np.array(u) * np.where(inside, factor, 0)
        rings = abs(pair).max(0).astype(int)
        counts[np.flatnonzero(inside), rings[inside]] += 1
        sums += pair
    np.testing.assert_array_equal(q, counts)
    np.testing.assert_allclose((sx, sy), sums, rtol=1e-9, atol=1e-9)


@hg.kernel(block=32)
def cg_matvec(
    rowstr: DeviceArray[i32],
    colidx: DeviceArray[i32],
    a: DeviceArray[f64],
    p: DeviceArray[f64],
    q: DeviceArray[f64],
):
    """A block per row of the matrix: its lanes take the elements in turn."""
    row = int(get_block_id())
    lane = int(get_local_id())
    total = f64(0.0)
    for k in range(rowstr[row] + lane, rowstr[row + 1], 32):
        total += a[k] * p[colidx[k]]
    total = block_reduce_add(total)
    if lane == 0:
        q[row] = total


@hg.kernel(block=256)
def cg_dot(x: DeviceArray[f64], y: DeviceArray[f64], part: DeviceArray[f64], n: i32):
    total = f64(0.0)
    i = int(get_global_id())
    stride = int(get_grid_dim() * get_block_dim())
    while i < n:
        total += x[i] * y[i]
        i += stride
    total = block_reduce_add(total)
    if get_local_id() == 0:
        part[get_block_id()] = total


@hg.kernel
def cg_update(
    alpha: f64,
    p: DeviceArray[f64],
    q: DeviceArray[f64],
    z: DeviceArray[f64],
    r: DeviceArray[f64],
    n: i32,
):
    i = int(get_global_id())
    if i < n:
        z[i] = z[i] + alpha * p[i]
        r[i] = r[i] - alpha * q[i]


@hg.kernel
def cg_direction(beta: f64, r: DeviceArray[f64], p: DeviceArray[f64], n: i32):
    i = int(get_global_id())
    if i < n:
        p[i] = r[i] + beta * p[i]


def conjugate(rowstr, colidx, a, x, work, part, z, steps):
    r, p, q = work
    n = len(x)
    grid = blocks(n, 256), 256
    z[:] = 0
    r[:] = p[:] = x
    cg_dot[len(part), 256](r, r, part, n)
    rho = part.sum()
    for _ in range(steps):
        cg_matvec[n, 32](rowstr, colidx, a, p, q)
        cg_dot[len(part), 256](p, q, part, n)
        cg_update[grid](rho / part.sum(), p, q, z, r, n)
        cg_dot[len(part), 256](r, r, part, n)
        last, rho = rho, part.sum()
        cg_direction[grid](rho / last, r, p, n)


@njit
def conjugate_twin(rowstr, colidx, a, x, work, part, z, steps):
    r, p, q = work[0], work[1], work[2]
    n = len(x)
    rho = 0.0
    for i in range(n):
        z[i] = 0.0
        r[i] = p[i] = x[i]
        rho += x[i] * x[i]
    for _ in range(steps):
        for row in range(n):
            total = 0.0
            for k in range(rowstr[row], rowstr[row + 1]):
                total += a[k] * p[colidx[k]]
            q[row] = total
        d = 0.0
        for i in range(n):
            d += p[i] * q[i]
        alpha = rho / d
        last = rho
        rho = 0.0
        for i in range(n):
            z[i] = z[i] + alpha * p[i]
            r[i] = r[i] - alpha * q[i]
        for i in range(n):
            rho += r[i] * r[i]
        beta = rho / last
        for i in range(n):
            p[i] = r[i] + beta * p[i]


def check_conjugate(rowstr, colidx, a, x, work, part, z, steps):
    rows = np.repeat(np.arange(len(x)), np.diff(rowstr))
    got = np.bincount(rows, weights=a * z[colidx], minlength=len(x))
    np.testing.assert_allclose(got, x, rtol=1e-5, atol=1e-6)


@hg.kernel
def fft_stage(x: DeviceArray[f64, 2], y: DeviceArray[f64, 2], n: i32, half: i32):
    """Stockham: a lane per butterfly of a stage with groups of `half` butterflies."""
    t = int(get_global_id())
    if t >= n // 2:
        return
    k = t % half
    j = t // half
    angle = -3.141592653589793 * f64(k) / f64(half)
    wr = cos(angle)
    wi = sin(angle)
    ar = x[t, 0]
    ai = x[t, 1]
    br = x[t + n // 2, 0]
    bi = x[t + n // 2, 1]
    cr = br * wr - bi * wi
    ci = br * wi + bi * wr
    at = 2 * j * half + k
    y[at, 0] = ar + cr
    y[at, 1] = ai + ci
    y[at + half, 0] = ar - cr
    y[at + half, 1] = ai - ci


stage = tried(fft_stage)


def fft(x, work, out, n):
    source, targets = x, (work, out)
    half, k = 1, 0
    while half < n:
        target = targets[k % 2]
        stage[blocks(n // 2, 256), 256](source, target, n, half)
        source = target
        half *= 2
        k += 1


@njit
def fft_twin(x, work, out, n):
    source = x
    half, k = 1, 0
    while half < n:
        target = work if k % 2 == 0 else out
        for j in range(n // 2 // half):
            for i in range(half):
                t = j * half + i
                angle = -3.141592653589793 * i / half
                wr = math.cos(angle)
                wi = math.sin(angle)
                br, bi = source[t + n // 2, 0], source[t + n // 2, 1]
                cr = br * wr - bi * wi
                ci = br * wi + bi * wr
                at = 2 * j * half + i
                target[at, 0] = source[t, 0] + cr
                target[at, 1] = source[t, 1] + ci
                target[at + half, 0] = source[t, 0] - cr
                target[at + half, 1] = source[t, 1] - ci
        source = target
        half *= 2
        k += 1


def check_fft(x, work, out, n):
    want = np.fft.fft(x[:, 0] + 1j * x[:, 1])
    got = out[:, 0] + 1j * out[:, 1]
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-8 * abs(want).max())


def sparse(rng, n):
    """A random matrix with a heavy diagonal, symmetric, in CSR form."""
    i, j = rng.integers(0, n, (2, 8 * n))
    value = rng.random(8 * n)
    i, j, value = (
        np.concatenate((i, j, np.arange(n))),
        np.concatenate((j, i, np.arange(n))),
        (np.concatenate((value, value, np.full(n, 40.0)))),
    )
    order = np.argsort(i, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=n)))).astype(np.int32)
    return first, j[order].astype(np.int32), value[order]


def programs(rng, small=False):
    n, pairs = (70, 20) if small else (256, 200)
    seeds = (rng.integers(1, 2**44, n) * 2 + 1).astype(float)
    data = (seeds, pairs, np.zeros(n), np.zeros(n), np.zeros((n, 10), np.int32))
    yield "ep", "NPB", Launches(ep, batches), ep_twin, data, check_ep

    n = 200 if small else 4000
    first, column, value = sparse(rng, n)
    data = (first, column, value, rng.random(n), np.zeros((3, n)), np.zeros(8), np.zeros(n), 25)
    program = Launches(conjugate, cg_matvec, cg_dot, cg_update, cg_direction)
    yield "cg", "NPB", program, conjugate_twin, data, check_conjugate

    n = 256 if small else 4096
    data = (rng.random((n, 2)), np.zeros((n, 2)), np.zeros((n, 2)), n)
    yield "fft", "NPB", Launches(fft, stage), fft_twin, data, check_fft
