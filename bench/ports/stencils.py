"""PolyBench's stencils: indices as in C, one or two dimensions, a wavefront."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import DeviceArray, f64, get_global_id, i32


@hg.kernel
def jacobi_1d(a: DeviceArray[f64], b: DeviceArray[f64], n: i32):
    i = int(get_global_id())
    if i >= 1 and i < n - 1:
        b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])


@njit
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


@njit
def jacobi_2d_twin(a, b, n):
    g, out = a.reshape(n, n), b.reshape(n, n)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            out[i, j] = 0.2 * (g[i, j] + g[i, j - 1] + g[i, j + 1] + g[i + 1, j] + g[i - 1, j])


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


@hg.kernel
def fdtd_e(
    t: i32,
    fict: DeviceArray[f64],
    ex: DeviceArray[f64, 2],
    ey: DeviceArray[f64, 2],
    hz: DeviceArray[f64, 2],
):
    i = int(get_global_id(1))
    j = int(get_global_id(0))
    nx = int(hz.shape[0])
    ny = int(hz.shape[1])
    if i < nx and j < ny:
        if i == 0:
            ey[0, j] = fict[t]
        else:
            ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        if j > 0:
            ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])


@hg.kernel
def fdtd_h(ex: DeviceArray[f64, 2], ey: DeviceArray[f64, 2], hz: DeviceArray[f64, 2]):
    i = int(get_global_id(1))
    j = int(get_global_id(0))
    if i < int(hz.shape[0]) - 1 and j < int(hz.shape[1]) - 1:
        hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


electric = tried(fdtd_e)


def fdtd(steps, fict, start, ex, ey, hz):
    ex[:], ey[:], hz[:] = start
    grid = (blocks(hz.shape[1], 32), blocks(hz.shape[0], 8)), (32, 8)
    for t in range(steps):
        electric[grid](t, fict, ex, ey, hz)
        fdtd_h[grid](ex, ey, hz)


@njit
def fdtd_twin(steps, fict, start, ex, ey, hz):
    nx, ny = hz.shape
    ex[:] = start[0]
    ey[:] = start[1]
    hz[:] = start[2]
    for t in range(steps):
        for j in range(ny):
            ey[0, j] = fict[t]
        for i in range(1, nx):
            for j in range(ny):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(nx):
            for j in range(1, ny):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def check_fdtd(steps, fict, start, ex, ey, hz):
    x, y, h = (a.copy() for a in start)
    for t in range(steps):
        y[0] = fict[t]
        y[1:] -= 0.5 * (h[1:] - h[:-1])
        x[:, 1:] -= 0.5 * (h[:, 1:] - h[:, :-1])
        h[:-1, :-1] -= 0.7 * (x[:-1, 1:] - x[:-1, :-1] + y[1:, :-1] - y[:-1, :-1])
    np.testing.assert_allclose(hz, h, rtol=1e-9, atol=1e-12)


@hg.kernel
def seidel_front(n: i32, d: i32, a: DeviceArray[f64, 2]):
    """Cells with 2 i + j = d: all they need of this sweep is there."""
    i = int(get_global_id()) + 1
    j = d - 2 * i
    if i < n - 1 and j >= 1 and j < n - 1:
        a[i, j] = (
            a[i - 1, j - 1]
            + a[i - 1, j]
            + a[i - 1, j + 1]
            + a[i, j - 1]
            + a[i, j]
            + a[i, j + 1]
            + a[i + 1, j - 1]
            + a[i + 1, j]
            + a[i + 1, j + 1]
        ) / 9.0


front = tried(seidel_front)


def seidel(n, start, a):
    a[:] = start
    for d in range(3, 3 * (n - 2) + 1):
        front[blocks(n, 128), 128](n, d, a)


@njit
def seidel_twin(n, start, a):
    a[:] = start
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] = (
                a[i - 1, j - 1]
                + a[i - 1, j]
                + a[i - 1, j + 1]
                + a[i, j - 1]
                + a[i, j]
                + a[i, j + 1]
                + a[i + 1, j - 1]
                + a[i + 1, j]
                + a[i + 1, j + 1]
            ) / 9.0


def check_seidel(n, start, a):
    """Each cell is the mean of new values above and left, old ones right and below."""
    new, old = a, start
    total = new[:-2, :-2] + new[:-2, 1:-1] + new[:-2, 2:] + new[1:-1, :-2]
    total = total + old[1:-1, 1:-1] + old[1:-1, 2:]
    total = total + old[2:, :-2] + old[2:, 1:-1] + old[2:, 2:]
    np.testing.assert_allclose(a[1:-1, 1:-1], total / 9, rtol=1e-9)


@hg.kernel
def heat_step(n: i32, a: DeviceArray[f64, 3], b: DeviceArray[f64, 3]):
    k, j, i = int(get_global_id(0)), int(get_global_id(1)), int(get_global_id(2))
    if i < 1 or j < 1 or k < 1 or i >= n - 1 or j >= n - 1 or k >= n - 1:
        return
    b[i, j, k] = (
        0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
        + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
        + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1])
        + a[i, j, k]
    )


@njit
def heat_twin(n, a, b):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                b[i, j, k] = (
                    0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
                    + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
                    + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1])
                    + a[i, j, k]
                )


def check_heat(n, a, b):
    want, inside = a.copy(), (slice(1, -1),) * 3
    for axis in range(3):
        want += 0.125 * (np.roll(a, 1, axis) - 2 * a + np.roll(a, -1, axis))
    np.testing.assert_allclose(b[inside], want[inside], rtol=1e-9)


def programs(rng, small=False):
    n, side = (1000, 23) if small else (100_000, 400)
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

    shape, steps = ((20, 26), 3) if small else ((200, 240), 20)
    data = (steps, np.arange(steps, dtype=float), rng.random((3, *shape)))
    data += tuple(np.zeros((3, *shape)))
    program = Launches(fdtd, electric, fdtd_h)
    yield "fdtd_2d", "PolyBench", program, fdtd_twin, data, check_fdtd

    n = 20 if small else 400
    data = (n, rng.random((n, n)), np.zeros((n, n)))
    yield "seidel_2d", "PolyBench", Launches(seidel, front), seidel_twin, data, check_seidel

    n = 12 if small else 80
    data = (n, rng.random((n, n, n)), np.zeros((n, n, n)))
    kernel = heat_step[(blocks(n, 32), blocks(n, 4), n), (32, 4, 1)]
    yield "heat_3d", "PolyBench", kernel, heat_twin, data, check_heat
