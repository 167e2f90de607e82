"""NPB's MG: the residual and the smoother on a grid of three dimensions."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f64,
    get_global_id,
    i32,
)


@hg.kernel
def mg_residual(
    u: DeviceArray[f64, 3],
    v: DeviceArray[f64, 3],
    r: DeviceArray[f64, 3],
    a0: f64,
    a2: f64,
    a3: f64,
    n: i32,
):
    i1, i2, i3 = int(get_global_id(0)), int(get_global_id(1)), int(get_global_id(2))
    if i1 > 0 and i1 < n - 1 and i2 > 0 and i2 < n - 1 and i3 > 0 and i3 < n - 1:
        edges = f64(0.0)
        corners = f64(0.0)
        for d3 in range(-1, 2):
            for d2 in range(-1, 2):
                for d1 in range(-1, 2):
                    away = abs(d3) + abs(d2) + abs(d1)
                    if away == 2:
                        edges += u[i3 + d3, i2 + d2, i1 + d1]
                    elif away == 3:
                        corners += u[i3 + d3, i2 + d2, i1 + d1]
        r[i3, i2, i1] = v[i3, i2, i1] - a0 * u[i3, i2, i1] - a2 * edges - a3 * corners


@hg.kernel
def mg_smooth(
    r: DeviceArray[f64, 3],
    u: DeviceArray[f64, 3],
    c0: f64,
    c1: f64,
    c2: f64,
    n: i32,
    out: DeviceArray[f64, 3],
):
    i1 = int(get_global_id(0))
    i2 = int(get_global_id(1))
    i3 = int(get_global_id(2))
    if i1 < 1 or i2 < 1 or i3 < 1 or i1 > n - 2 or i2 > n - 2 or i3 > n - 2:
        return
    r1 = r[i3, i2 - 1, i1] + r[i3, i2 + 1, i1] + r[i3 - 1, i2, i1] + r[i3 + 1, i2, i1]
    r2 = (
        r[i3 - 1, i2 - 1, i1]
        + r[i3 - 1, i2 + 1, i1]
        + r[i3 + 1, i2 - 1, i1]
        + r[i3 + 1, i2 + 1, i1]
    )
    west = r[i3, i2 - 1, i1 - 1] + r[i3, i2 + 1, i1 - 1]
    west += r[i3 - 1, i2, i1 - 1] + r[i3 + 1, i2, i1 - 1]
    east = r[i3, i2 - 1, i1 + 1] + r[i3, i2 + 1, i1 + 1]
    east += r[i3 - 1, i2, i1 + 1] + r[i3 + 1, i2, i1 + 1]
    out[i3, i2, i1] = (
        u[i3, i2, i1]
        + c0 * r[i3, i2, i1]
        + c1 * (r[i3, i2, i1 - 1] + r[i3, i2, i1 + 1] + r1)
        + c2 * (r2 + west + east)
    )


residual_step = tried(mg_residual)


def multigrid(u, v, a, c, n, r, out):
    grid = (blocks(n, 32), blocks(n, 4), n), (32, 4, 1)
    residual_step[grid](u, v, r, *a, n)
    mg_smooth[grid](r, u, *c, n, out)


@njit
def multigrid_twin(u, v, a, c, n, r, out):
    a0, a2, a3 = a
    c0, c1, c2 = c
    for i3 in range(1, n - 1):
        for i2 in range(1, n - 1):
            for i1 in range(1, n - 1):
                edges = 0.0
                corners = 0.0
                for d3 in range(-1, 2):
                    for d2 in range(-1, 2):
                        for d1 in range(-1, 2):
                            away = abs(d3) + abs(d2) + abs(d1)
                            if away == 2:
                                edges += u[i3 + d3, i2 + d2, i1 + d1]
                            elif away == 3:
                                corners += u[i3 + d3, i2 + d2, i1 + d1]
                r[i3, i2, i1] = v[i3, i2, i1] - a0 * u[i3, i2, i1] - a2 * edges - a3 * corners
    r1 = np.zeros(n)
    r2 = np.zeros(n)
    for i3 in range(1, n - 1):
        for i2 in range(1, n - 1):
            for i1 in range(n):
                r1[i1] = r[i3, i2 - 1, i1] + r[i3, i2 + 1, i1]
                r1[i1] += r[i3 - 1, i2, i1] + r[i3 + 1, i2, i1]
                r2[i1] = r[i3 - 1, i2 - 1, i1] + r[i3 - 1, i2 + 1, i1]
                r2[i1] += r[i3 + 1, i2 - 1, i1] + r[i3 + 1, i2 + 1, i1]
            for i1 in range(1, n - 1):
                out[i3, i2, i1] = (
                    u[i3, i2, i1]
                    + c0 * r[i3, i2, i1]
                    + c1 * (r[i3, i2, i1 - 1] + r[i3, i2, i1 + 1] + r1[i1])
                    + c2 * (r2[i1] + r1[i1 - 1] + r1[i1 + 1])
                )


def check_multigrid(u, v, a, c, n, r, out):
    inside = (slice(1, -1),) * 3

    def sums(x):
        total = {k: np.zeros(x.shape) for k in range(4)}
        for d in np.ndindex(3, 3, 3):
            shift = [1 - k for k in d]
            total[sum(map(abs, shift))] += np.roll(x, shift, (0, 1, 2))
        return total

    near = sums(u)
    rest = np.zeros(u.shape)
    rest[inside] = (v - a[0] * u - a[1] * near[2] - a[2] * near[3])[inside]
    near = sums(rest)
    want = u + c[0] * rest + c[1] * near[1] + c[2] * near[2]
    np.testing.assert_allclose(r, rest, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(out[inside], want[inside], rtol=1e-9, atol=1e-12)


def programs(rng, small=False):
    n = 12 if small else 66
    data = (rng.random((n, n, n)), rng.random((n, n, n)), (-8 / 3, 1 / 6, 1 / 12))
    data += ((-3 / 8, 1 / 32, -1 / 64), n, np.zeros((n, n, n)), np.zeros((n, n, n)))
    program = Launches(multigrid, residual_step, mg_smooth)
    yield "mg", "NPB", program, multigrid_twin, data, check_multigrid
