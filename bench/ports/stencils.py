"""Stencils of PolyBench and Rodinia: one lane per cell, indices as in C."""

import numba
import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f64, get_global_id, i32


@hg.kernel
def jacobi_1d(a: DeviceArray[f64], b: DeviceArray[f64], n: i32):
    i = int(get_global_id())
    if i >= 1 and i < n - 1:
        b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])


@numba.njit
def jacobi_1d_twin(a, b, n):
    for i in range(1, n - 1):
        b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])


@hg.kernel
def jacobi_2d(a: DeviceArray[f64], b: DeviceArray[f64], n: i32):
    t = int(get_global_id())
    i = t // n
    j = t % n
    if i >= 1 and i < n - 1 and j >= 1 and j < n - 1:
        b[t] = 0.2 * (a[t] + a[t - 1] + a[t + 1] + a[t + n] + a[t - n])


@numba.njit
def jacobi_2d_twin(a, b, n):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            t = i * n + j
            b[t] = 0.2 * (a[t] + a[t - 1] + a[t + 1] + a[t + n] + a[t - n])


def check_1d(a, b, n):
    want = np.zeros_like(a)
    want[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
    np.testing.assert_allclose(b, want, rtol=1e-12)


def check_2d(a, b, n):
    g = a.reshape(n, n)
    want = np.zeros_like(g)
    want[1:-1, 1:-1] = 0.2 * (
        g[1:-1, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] + g[2:, 1:-1] + g[:-2, 1:-1]
    )
    np.testing.assert_allclose(b, want.ravel(), rtol=1e-12)


def programs(rng):
    n, side = 100_000, 400
    a, g = rng.random(n), rng.random(side * side)
    yield "jacobi_1d", "PolyBench", jacobi_1d, jacobi_1d_twin, (a, np.zeros(n), n), check_1d
    yield (
        "jacobi_2d",
        "PolyBench",
        jacobi_2d,
        jacobi_2d_twin,
        (g, np.zeros(side * side), side),
        check_2d,
    )
