"""Triangles and layers: Rodinia's gaussian and backprop, PolyBench's syrk, trmm and covariance."""

import math

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    exp,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
)

F = np.float32
HEIGHT = 16


@hg.kernel
def fan1(m: DeviceArray[f32], a: DeviceArray[f32], size: i32, t: i32):
    i = int(get_global_id())
    if i >= size - 1 - t:
        return
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t]


@hg.kernel
def fan2(m: DeviceArray[f32], a: DeviceArray[f32], b: DeviceArray[f32], size: i32, t: i32):
    x = int(get_global_id(0))
    y = int(get_global_id(1))
    if x >= size - 1 - t or y >= size - t:
        return
    a[size * (x + 1 + t) + y + t] -= m[size * (x + 1 + t) + t] * a[size * t + y + t]
    if y == 0:
        b[x + 1 + t] -= m[size * (x + 1 + t) + t] * b[t]


factors, rows_below = tried(fan1), tried(fan2)


def gaussian(source, right, m, a, b, size):
    a[:] = source
    b[:] = right
    for t in range(size - 1):
        factors[blocks(size, 256), 256](m, a, size, t)
        rows_below[(blocks(size, 16), blocks(size, 16)), (16, 16)](m, a, b, size, t)


@njit
def gaussian_twin(source, right, m, a, b, size):
    a[:] = source
    b[:] = right
    rows = a.reshape(size, size)
    for t in range(size - 1):
        for i in range(t + 1, size):
            m[size * i + t] = rows[i, t] / rows[t, t]
        for i in range(t + 1, size):
            factor = m[size * i + t]
            for y in range(t, size):
                rows[i, y] -= factor * rows[t, y]
            b[i] -= factor * b[t]


def check_gaussian(source, right, m, a, b, size):
    x = np.linalg.solve(np.triu(a.reshape(size, size)).astype(float), b)
    np.testing.assert_allclose(source.reshape(size, size) @ x, right, rtol=1e-3, atol=1e-3)


@hg.kernel
def layer_forward(
    inputs: DeviceArray[f32], weights: DeviceArray[f32], partial: DeviceArray[f32], hidden: i32
):
    """16 x 16 lanes: products of 16 inputs with 16 columns, summed by halving; biases in row 0."""
    node = shared(f32, HEIGHT)
    matrix = shared(f32, (HEIGHT, HEIGHT))
    by = int(get_block_id(1))
    tx = int(get_local_id(0))
    ty = int(get_local_id(1))
    index = (hidden + 1) * HEIGHT * by + (hidden + 1) * ty + tx + 1 + (hidden + 1)
    index_in = HEIGHT * by + ty + 1
    if tx == 0:
        node[ty] = inputs[index_in]
    barrier()
    matrix[ty, tx] = weights[index]
    barrier()
    matrix[ty, tx] = matrix[ty, tx] * node[ty]
    barrier()
    power = 2
    while power <= HEIGHT:
        if ty % power == 0:
            matrix[ty, tx] = matrix[ty, tx] + matrix[ty + power // 2, tx]
        barrier()
        power *= 2
    if ty == 0:
        partial[by * hidden + tx] = matrix[0, tx]


@hg.kernel
def squash(
    partial: DeviceArray[f32],
    weights: DeviceArray[f32],
    out: DeviceArray[f32],
    parts: i32,
    hidden: i32,
):
    j = int(get_global_id())
    if j < hidden:
        total = weights[j + 1]
        for k in range(parts):
            total += partial[k * hidden + j]
        out[j] = 1.0 / (1.0 + exp(-total))


layer = tried(layer_forward)


def backprop(inputs, weights, partial, out, hidden):
    parts = (len(inputs) - 1) // HEIGHT
    layer[(1, parts), (HEIGHT, HEIGHT)](inputs, weights, partial, hidden)
    squash[1, HEIGHT](partial, weights, out, parts, hidden)


@njit
def backprop_twin(inputs, weights, partial, out, hidden):
    for j in range(hidden):
        partial[j] = weights[j + 1]
    for k in range(1, len(inputs)):
        for j in range(hidden):
            partial[j] += inputs[k] * weights[k * (hidden + 1) + j + 1]
    for j in range(hidden):
        out[j] = F(1) / (F(1) + math.exp(-partial[j]))


def check_backprop(inputs, weights, partial, out, hidden):
    w = weights.reshape(-1, hidden + 1).astype(float)[: len(inputs), 1:]
    total = w[0] + inputs[1:].astype(float) @ w[1:]
    np.testing.assert_allclose(out, 1 / (1 + np.exp(-total)), rtol=1e-3, atol=1e-4)


@hg.kernel
def syrk_cells(
    n: i32,
    m: i32,
    alpha: f64,
    beta: f64,
    a: DeviceArray[f64, 2],
    start: DeviceArray[f64, 2],
    c: DeviceArray[f64, 2],
):
    """The lower triangle of beta C + alpha A A'."""
    j = int(get_global_id(0))
    i = int(get_global_id(1))
    if i < n and j <= i:
        c[i, j] = start[i, j] * beta
        for k in range(m):
            c[i, j] += alpha * a[i, k] * a[j, k]


@njit
def syrk_twin(n, m, alpha, beta, a, start, c):
    for i in range(n):
        for j in range(i + 1):
            c[i, j] = start[i, j] * beta
        for k in range(m):
            for j in range(i + 1):
                c[i, j] += alpha * a[i, k] * a[j, k]


def check_syrk(n, m, alpha, beta, a, start, c):
    np.testing.assert_allclose(c, np.tril(beta * start + alpha * a @ a.T), rtol=1e-9)


@hg.kernel
def trmm_cells(
    m: i32,
    n: i32,
    alpha: f64,
    a: DeviceArray[f64, 2],
    source: DeviceArray[f64, 2],
    b: DeviceArray[f64, 2],
):
    """alpha A' B with a unit triangle A."""
    j, i = int(get_global_id(0)), int(get_global_id(1))
    if i < m and j < n:
        total = source[i, j]
        for k in range(i + 1, m):
            total += a[k, i] * source[k, j]
        b[i, j] = alpha * total


@njit
def trmm_twin(m, n, alpha, a, source, b):
    for i in range(m):
        for j in range(n):
            b[i, j] = source[i, j]
        for k in range(i + 1, m):
            for j in range(n):
                b[i, j] += a[k, i] * source[k, j]
        for j in range(n):
            b[i, j] *= alpha


def check_trmm(m, n, alpha, a, source, b):
    want = alpha * (np.tril(a, -1) + np.eye(m)).T @ source
    np.testing.assert_allclose(b, want, rtol=1e-9)


@hg.kernel
def covariance_rows(
    m: i32, n: i32, data: DeviceArray[f64, 2], mean: DeviceArray[f64], cov: DeviceArray[f64, 2]
):
    """A lane per pair of columns, both triangles on their own."""
    j = int(get_global_id(0))
    i = int(get_global_id(1))
    if i >= m or j >= m:
        return
    total = f64(0.0)
    for k in range(n):
        total += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
    cov[i, j] = total / (f64(n) - 1.0)


@hg.kernel
def column_means(m: i32, n: i32, data: DeviceArray[f64, 2], mean: DeviceArray[f64]):
    j = int(get_global_id())
    if j < m:
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= f64(n)


def covariance(m, n, data, mean, cov):
    column_means[blocks(m, 64), 64](m, n, data, mean)
    covariance_rows[(blocks(m, 32), blocks(m, 8)), (32, 8)](m, n, data, mean, cov)


@njit
def covariance_twin(m, n, data, mean, cov):
    mean[:] = 0.0
    for i in range(n):
        for j in range(m):
            mean[j] += data[i, j]
    for j in range(m):
        mean[j] /= n
    cov[:] = 0.0
    for k in range(n):
        for i in range(m):
            d = data[k, i] - mean[i]
            for j in range(m):
                cov[i, j] += d * (data[k, j] - mean[j])
    for i in range(m):
        for j in range(m):
            cov[i, j] /= n - 1.0


def check_covariance(m, n, data, mean, cov):
    np.testing.assert_allclose(cov, np.cov(data, rowvar=False), rtol=1e-8, atol=1e-12)


def programs(rng, small=False):
    n = 20 if small else 200
    source = (rng.random((n, n)) + n * np.eye(n)).astype(F).ravel()
    data = (source, rng.random(n, F), np.zeros(n * n, F), np.zeros(n * n, F), np.zeros(n, F), n)
    program = Launches(gaussian, factors, rows_below)
    yield "gaussian", "Rodinia", program, gaussian_twin, data, check_gaussian

    n = 64 if small else 32768
    weights = (rng.random((n + 1 + HEIGHT) * (HEIGHT + 1), F) - F(0.5)) * F(0.05)
    data = (rng.random(n + 1, F), weights, np.zeros(n, F), np.zeros(HEIGHT, F), HEIGHT)
    program = Launches(backprop, layer, squash)
    yield "backprop", "Rodinia", program, backprop_twin, data, check_backprop

    n, m = (17, 13) if small else (180, 150)
    data = (n, m, 1.5, 1.2, rng.random((n, m)), rng.random((n, n)), np.zeros((n, n)))
    kernel = syrk_cells[(blocks(n, 32), blocks(n, 8)), (32, 8)]
    yield "syrk", "PolyBench", kernel, syrk_twin, data, check_syrk

    data = (n, m, 1.5, rng.random((n, n)), rng.random((n, m)), np.zeros((n, m)))
    kernel = trmm_cells[(blocks(m, 32), blocks(n, 8)), (32, 8)]
    yield "trmm", "PolyBench", kernel, trmm_twin, data, check_trmm

    data = (m, n, rng.random((n, m)), np.zeros(m), np.zeros((m, m)))
    program = Launches(covariance, column_means, covariance_rows)
    yield "covariance", "PolyBench", program, covariance_twin, data, check_covariance
