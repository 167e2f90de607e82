"""Matrix-vector products: a lane per row, in PolyBench's and in CSR form."""

import numpy as np
from common import njit

import hologram as hg
from hologram.lang import DeviceArray, f64, get_global_id, i32


@hg.kernel
def mvt(a: DeviceArray[f64], x: DeviceArray[f64], y: DeviceArray[f64], n: i32):
    i = int(get_global_id())
    if i < n:
        total = f64(0.0)
        for j in range(n):
            total += a[i * n + j] * x[j]
        y[i] = total


@njit
def mvt_twin(a, x, y, n):
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += a[i * n + j] * x[j]
        y[i] = total


@hg.kernel
def spmv(
    first: DeviceArray[i32],
    column: DeviceArray[i32],
    value: DeviceArray[f64],
    x: DeviceArray[f64],
    y: DeviceArray[f64],
    n: i32,
):
    row = int(get_global_id())
    if row < n:
        total = f64(0.0)
        for k in range(first[row], first[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


@njit
def spmv_twin(first, column, value, x, y, n):
    for row in range(n):
        total = 0.0
        for k in range(first[row], first[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


def check_mvt(a, x, y, n):
    np.testing.assert_allclose(y, a.reshape(n, n) @ x, rtol=1e-10)


def check_spmv(first, column, value, x, y, n):
    rows = np.repeat(np.arange(n), np.diff(first))
    want = np.bincount(rows, weights=value * x[column], minlength=n)
    np.testing.assert_allclose(y, want, rtol=1e-10)


def programs(rng, small=False):
    n, rows = (27, 300) if small else (400, 20_000)
    yield (
        "mvt",
        "PolyBench",
        mvt,
        mvt_twin,
        (rng.random(n * n), rng.random(n), np.zeros(n), n),
        check_mvt,
    )
    first = np.concatenate(([0], np.cumsum(rng.integers(0, 20, rows)))).astype(np.int32)
    column = rng.integers(0, rows, first[-1]).astype(np.int32)
    data = (first, column, rng.random(first[-1]), rng.random(rows), np.zeros(rows), rows)
    yield "spmv_csr", "NPB", spmv, spmv_twin, data, check_spmv
