"""PolyBench in f64: products, shortest paths, correlation; a launch per loop nest."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import DeviceArray, f64, get_global_id, i32, local, sqrt


@hg.kernel
def gemm_cells(
    ni: i32,
    nj: i32,
    nk: i32,
    alpha: f64,
    beta: f64,
    a: DeviceArray[f64, 2],
    b: DeviceArray[f64, 2],
    start: DeviceArray[f64, 2],
    c: DeviceArray[f64, 2],
):
    j = int(get_global_id(0))
    i = int(get_global_id(1))
    if i < ni and j < nj:
        c[i, j] = start[i, j] * beta
        for k in range(nk):
            c[i, j] += alpha * a[i, k] * b[k, j]


@njit
def gemm_twin(ni, nj, nk, alpha, beta, a, b, start, c):
    for i in range(ni):
        for j in range(nj):
            c[i, j] = start[i, j] * beta
        for k in range(nk):
            for j in range(nj):
                c[i, j] += alpha * a[i, k] * b[k, j]


def check_gemm(ni, nj, nk, alpha, beta, a, b, start, c):
    np.testing.assert_allclose(c, alpha * a @ b + beta * start, rtol=1e-9)


@hg.kernel
def atax_rows(m: i32, n: i32, a: DeviceArray[f64, 2], x: DeviceArray[f64], tmp: DeviceArray[f64]):
    i = int(get_global_id())
    if i < m:
        tmp[i] = 0.0
        for j in range(n):
            tmp[i] = tmp[i] + a[i, j] * x[j]


@hg.kernel
def atax_columns(
    m: i32, n: i32, a: DeviceArray[f64, 2], tmp: DeviceArray[f64], y: DeviceArray[f64]
):
    j = int(get_global_id())
    if j < n:
        y[j] = 0.0
        for i in range(m):
            y[j] = y[j] + a[i, j] * tmp[i]


def atax(m, n, a, x, tmp, y):
    atax_rows[blocks(m, 256), 256](m, n, a, x, tmp)
    atax_columns[blocks(n, 256), 256](m, n, a, tmp, y)


@njit
def atax_twin(m, n, a, x, tmp, y):
    for j in range(n):
        y[j] = 0.0
    for i in range(m):
        tmp[i] = 0.0
        for j in range(n):
            tmp[i] = tmp[i] + a[i, j] * x[j]
        for j in range(n):
            y[j] = y[j] + a[i, j] * tmp[i]


def check_atax(m, n, a, x, tmp, y):
    np.testing.assert_allclose(y, a.T @ (a @ x), rtol=1e-9)


@hg.kernel
def floyd_step(k: i32, n: i32, path: DeviceArray[i32, 2]):
    j = int(get_global_id(0))
    i = int(get_global_id(1))
    if i < n and j < n:
        if path[i, k] + path[k, j] < path[i, j]:
            path[i, j] = path[i, k] + path[k, j]


shorter = tried(floyd_step)


def floyd(n, start, path):
    path[:] = start
    for k in range(n):
        shorter[(blocks(n, 32), blocks(n, 8)), (32, 8)](k, n, path)


@njit
def floyd_twin(n, start, path):
    path[:] = start
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]


def check_floyd(n, start, path):
    want = start.astype(int)
    for k in range(n):
        want = np.minimum(want, want[:, k, None] + want[None, k])
    np.testing.assert_array_equal(path, want)


@hg.kernel
def column_moments(
    m: i32, n: i32, data: DeviceArray[f64, 2], mean: DeviceArray[f64], stddev: DeviceArray[f64]
):
    j = int(get_global_id())
    if j >= m:
        return
    total = f64(0.0)
    for i in range(n):
        total += data[i, j]
    mean[j] = total / f64(n)
    total = 0.0
    for i in range(n):
        total += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
    sigma = sqrt(total / f64(n))
    stddev[j] = 1.0 if sigma <= 0.1 else sigma


@hg.kernel
def column_center(
    data: DeviceArray[f64, 2],
    mean: DeviceArray[f64],
    stddev: DeviceArray[f64],
    centered: DeviceArray[f64, 2],
):
    j, i = int(get_global_id(0)), int(get_global_id(1))
    n, m = int(data.shape[0]), int(data.shape[1])
    if i < n and j < m:
        centered[i, j] = (data[i, j] - mean[j]) / (sqrt(f64(n)) * stddev[j])


@hg.kernel
def correlate(m: i32, n: i32, centered: DeviceArray[f64, 2], corr: DeviceArray[f64, 2]):
    """A lane per column: the upper triangle and, with it, the lower one."""
    i = int(get_global_id())
    if i >= m:
        return
    corr[i, i] = 1.0
    for j in range(i + 1, m):
        corr[i, j] = 0.0
        for k in range(n):
            corr[i, j] += centered[k, i] * centered[k, j]
        corr[j, i] = corr[i, j]


pairs = tried(correlate)


def correlation(m, n, data, mean, stddev, centered, corr):
    column_moments[blocks(m, 64), 64](m, n, data, mean, stddev)
    column_center[(blocks(m, 32), blocks(n, 8)), (32, 8)](data, mean, stddev, centered)
    pairs[blocks(m, 64), 64](m, n, centered, corr)


@njit
def correlation_twin(m, n, data, mean, stddev, centered, corr):
    for j in range(m):
        mean[j] = 0.0
        stddev[j] = 0.0
    for i in range(n):
        for j in range(m):
            mean[j] += data[i, j]
    for j in range(m):
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
    for j in range(m):
        sigma = math.sqrt(stddev[j] / n)
        stddev[j] = 1.0 if sigma <= 0.1 else sigma
    for i in range(n):
        for j in range(m):
            centered[i, j] = (data[i, j] - mean[j]) / (math.sqrt(n) * stddev[j])
    for i in range(m):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            corr[i, j] = 0.0
    for k in range(n):
        for i in range(m):
            for j in range(i + 1, m):
                corr[i, j] += centered[k, i] * centered[k, j]
    for i in range(m):
        for j in range(i + 1, m):
            corr[j, i] = corr[i, j]


def check_correlation(m, n, data, mean, stddev, centered, corr):
    np.testing.assert_allclose(corr, np.corrcoef(data, rowvar=False), rtol=1e-8, atol=1e-10)


NP = 32


@hg.kernel
def doitgen_rows(
    nr: i32, nq: i32, a: DeviceArray[f64, 3], c4: DeviceArray[f64, 2], out: DeviceArray[f64, 3]
):
    total = local(f64, NP)
    q = int(get_global_id(0))
    r = int(get_global_id(1))
    if r < nr and q < nq:
        for p in range(NP):
            total[p] = 0.0
            for s in range(NP):
                total[p] += a[r, q, s] * c4[s, p]
        for p in range(NP):
            out[r, q, p] = total[p]


@njit
def doitgen_twin(nr, nq, a, c4, out):
    total = np.empty(NP)
    for r in range(nr):
        for q in range(nq):
            for p in range(NP):
                total[p] = 0.0
                for s in range(NP):
                    total[p] += a[r, q, s] * c4[s, p]
            for p in range(NP):
                out[r, q, p] = total[p]


def check_doitgen(nr, nq, a, c4, out):
    np.testing.assert_allclose(out, a @ c4, rtol=1e-9)


def programs(rng, small=False):
    ni, nj, nk = (14, 19, 11) if small else (180, 200, 220)
    a, b, c = rng.random((ni, nk)), rng.random((nk, nj)), rng.random((ni, nj))
    data = (ni, nj, nk, 1.5, 1.2, a, b, c, np.zeros((ni, nj)))
    kernel = gemm_cells[(blocks(nj, 32), blocks(ni, 8)), (32, 8)]
    yield "gemm", "PolyBench", kernel, gemm_twin, data, check_gemm

    m, n = (19, 23) if small else (390, 410)
    data = (m, n, rng.random((m, n)), rng.random(n), np.zeros(m), np.zeros(n))
    program = Launches(atax, atax_rows, atax_columns)
    yield "atax", "PolyBench", program, atax_twin, data, check_atax

    n = 21 if small else 180
    start = rng.integers(1, 1000, (n, n)).astype(np.int32)
    np.fill_diagonal(start, 0)
    data = (n, start, np.zeros_like(start))
    yield "floyd_warshall", "PolyBench", Launches(floyd, shorter), floyd_twin, data, check_floyd

    m, n = (13, 29) if small else (120, 130)
    data = (m, n, rng.random((n, m)), np.zeros(m), np.zeros(m), np.zeros((n, m)))
    data += (np.zeros((m, m)),)
    program = Launches(correlation, column_moments, column_center, pairs)
    yield "correlation", "PolyBench", program, correlation_twin, data, check_correlation

    nr, nq = (5, 6) if small else (50, 60)
    data = (nr, nq, rng.random((nr, nq, NP)), rng.random((NP, NP)), np.zeros((nr, nq, NP)))
    kernel = doitgen_rows[(blocks(nq, 16), blocks(nr, 4)), (16, 4)]
    yield "doitgen", "PolyBench", kernel, doitgen_twin, data, check_doitgen
