"""Triton's tutorials with a block per row: sums, softmax, norms, dropout, losses."""

import math

import numpy as np
from common import njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    block_reduce_max,
    exp,
    f32,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    inf,
    log,
    random_uniform,
    shared,
    sqrt,
    u32,
)

F = np.float32
BLOCK = 128


@hg.kernel
def vector_add(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: i32):
    pid = int(get_block_id())
    offset = pid * int(get_block_dim()) + int(get_local_id())
    if offset < n:
        out[offset] = x[offset] + y[offset]


@njit
def vector_add_twin(x, y, out, n):
    for i in range(n):
        out[i] = x[i] + y[i]


def check_add(x, y, out, n):
    np.testing.assert_array_equal(out, x + y)


@hg.kernel(block=BLOCK)
def softmax(
    out: DeviceArray[f32],
    x: DeviceArray[f32],
    in_stride: i32,
    out_stride: i32,
    columns: i32,
):
    shared_row = shared(f32, 1024)
    row = int(get_block_id())
    lane = int(get_local_id())
    top = -inf
    for j in range(lane, columns, BLOCK):
        shared_row[j] = x[row * in_stride + j]
        top = max(top, shared_row[j])
    top = block_reduce_max(top)
    total = 0.0
    for j in range(lane, columns, BLOCK):
        shared_row[j] = exp(shared_row[j] - top)
        total += shared_row[j]
    total = block_reduce_add(total)
    for j in range(lane, columns, BLOCK):
        out[row * out_stride + j] = shared_row[j] / total


@njit
def softmax_twin(out, x, in_stride, out_stride, columns):
    for row in range(len(x) // in_stride):
        source = x[row * in_stride : row * in_stride + columns]
        target = out[row * out_stride : row * out_stride + columns]
        top = F(-np.inf)
        for j in range(columns):
            top = max(top, source[j])
        total = F(0)
        for j in range(columns):
            target[j] = math.exp(source[j] - top)
            total += target[j]
        for j in range(columns):
            target[j] /= total


def check_softmax(out, x, in_stride, out_stride, columns):
    rows = x.reshape(-1, in_stride)[:, :columns].astype(np.float64)
    e = np.exp(rows - rows.max(1, keepdims=True))
    want = e / e.sum(1, keepdims=True)
    np.testing.assert_allclose(out.reshape(-1, out_stride)[:, :columns], want, rtol=1e-5)


@hg.kernel(block=BLOCK)
def layer_norm(
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    w: DeviceArray[f32],
    b: DeviceArray[f32],
    mean_out: DeviceArray[f32],
    rstd_out: DeviceArray[f32],
    stride: i32,
    n: i32,
    eps: f32,
):
    row = int(get_block_id())
    lane = int(get_local_id())
    part = 0.0
    for off in range(0, n, BLOCK):
        col = off + lane
        a = x[row * stride + col] if col < n else 0.0
        part += a
    mean = block_reduce_add(part) / f32(n)
    part = 0.0
    for off in range(0, n, BLOCK):
        col = off + lane
        d = x[row * stride + col] - mean if col < n else 0.0
        part += d * d
    var = block_reduce_add(part) / f32(n)
    rstd = 1.0 / sqrt(var + eps)
    if lane == 0:
        mean_out[row] = mean
        rstd_out[row] = rstd
    for off in range(0, n, BLOCK):
        col = off + lane
        if col < n:
            x_hat = (x[row * stride + col] - mean) * rstd
            y[row * stride + col] = x_hat * w[col] + b[col]


@njit
def layer_norm_twin(x, y, w, b, mean_out, rstd_out, stride, n, eps):
    for row in range(len(mean_out)):
        source = x[row * stride : row * stride + n]
        target = y[row * stride : row * stride + n]
        total = F(0)
        for j in range(n):
            total += source[j]
        mean = total / F(n)
        total = F(0)
        for j in range(n):
            d = source[j] - mean
            total += d * d
        rstd = F(1) / math.sqrt(total / F(n) + eps)
        mean_out[row] = mean
        rstd_out[row] = rstd
        for j in range(n):
            target[j] = (source[j] - mean) * rstd * w[j] + b[j]


def check_layer_norm(x, y, w, b, mean_out, rstd_out, stride, n, eps):
    rows = x.reshape(-1, stride)[:, :n].astype(np.float64)
    mean, var = rows.mean(1, keepdims=True), rows.var(1, keepdims=True)
    want = (rows - mean) / np.sqrt(var + eps) * w + b
    np.testing.assert_allclose(y.reshape(-1, stride)[:, :n], want, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(mean_out, mean[:, 0], rtol=1e-3, atol=1e-5)


@hg.kernel
def seeded_dropout(x: DeviceArray[f32], out: DeviceArray[f32], n: i32, p: f32, seed: u32):
    offset = int(get_global_id())
    if offset < n:
        keep = random_uniform(seed, u32(offset), 0) > p
        out[offset] = x[offset] / (1.0 - p) if keep else 0.0


@njit
def philox_twin(seed, counter):
    k0, k1 = np.uint32(seed), np.uint32(0)
    c0, c1, c2, c3 = np.uint32(counter), np.uint32(0), np.uint32(0), np.uint32(0)
    for _ in range(10):
        p0 = np.uint64(c0) * np.uint64(0xD2511F53)
        p1 = np.uint64(c2) * np.uint64(0xCD9E8D57)
        high0, high1 = np.uint32(p0 >> np.uint64(32)), np.uint32(p1 >> np.uint64(32))
        c0, c2 = np.uint32(high1 ^ c1 ^ k0), np.uint32(high0 ^ c3 ^ k1)
        c1, c3 = np.uint32(p1), np.uint32(p0)
        k0 = np.uint32(k0 + np.uint32(0x9E3779B9))
        k1 = np.uint32(k1 + np.uint32(0xBB67AE85))
    return c0, c1, c2, c3


@njit
def dropout_twin(x, out, n, p, seed):
    scale = F(1) - p
    for first in range(0, n, 4):
        words = philox_twin(seed, first // 4)
        for k in range(min(4, n - first)):
            u = F(words[k] >> np.uint32(8)) * F(2.0**-24)
            out[first + k] = x[first + k] / scale if u > p else F(0)


def check_dropout(x, out, n, p, seed):
    kept = out != 0
    np.testing.assert_allclose(out[kept], x[kept] / (1 - p), rtol=1e-6)
    assert abs(kept.mean() - (1 - p)) < 4 * math.sqrt(p * (1 - p) / n)


@hg.kernel(block=BLOCK)
def cross_entropy(
    logits: DeviceArray[f32, 2],
    labels: DeviceArray[i32],
    loss: DeviceArray[f32],
    lse: DeviceArray[f32],
    ignore: i32,
):
    """Loss of a row by one pass over it, with a running maximum."""
    row = int(get_block_id())
    lane = int(get_local_id())
    columns = int(logits.shape[1])
    label = labels[row]
    top = -inf
    total = 0.0
    for j in range(lane, columns, BLOCK):
        x = logits[row, j]
        new_top = max(top, x)
        total = total * exp(top - new_top) + exp(x - new_top)
        top = new_top
    row_top = block_reduce_max(top)
    row_total = block_reduce_add(total * exp(top - row_top))
    if lane == 0:
        lse[row] = row_top + log(row_total)
        if label == ignore:
            loss[row] = 0.0
        else:
            loss[row] = row_top + log(row_total) - logits[row, label]


@njit
def cross_entropy_twin(logits, labels, loss, lse, ignore):
    for row in range(logits.shape[0]):
        top = F(-np.inf)
        total = F(0)
        for j in range(logits.shape[1]):
            x = logits[row, j]
            new_top = max(top, x)
            total = total * math.exp(top - new_top) + math.exp(x - new_top)
            top = new_top
        lse[row] = top + math.log(total)
        if labels[row] == ignore:
            loss[row] = F(0)
        else:
            loss[row] = lse[row] - logits[row, labels[row]]


def check_cross_entropy(logits, labels, loss, lse, ignore):
    x = logits.astype(np.float64)
    want = np.log(np.exp(x).sum(1))
    np.testing.assert_allclose(lse, want, rtol=1e-5)
    of_label = x[np.arange(len(x)), np.maximum(labels, 0)]
    np.testing.assert_allclose(
        loss, np.where(labels == ignore, 0, want - of_label), rtol=1e-4, atol=1e-5
    )


def programs(rng, small=False):
    n = 1000 if small else 1_000_003
    data = (rng.random(n, F), rng.random(n, F), np.zeros(n, F), n)
    yield "vector_add", "Triton", vector_add, vector_add_twin, data, check_add

    rows, columns = (5, 131) if small else (512, 781)
    data = (np.zeros(rows * 800, F), rng.normal(size=rows * 1000).astype(F), 1000, 800, columns)
    yield "softmax", "Triton", softmax[rows, BLOCK], softmax_twin, data, check_softmax

    data = (rng.normal(size=rows * 1000).astype(F), np.zeros(rows * 1000, F))
    data += (rng.random(columns, F), rng.random(columns, F), np.zeros(rows, F), np.zeros(rows, F))
    data += (1000, columns, F(1e-5))
    yield "layer_norm", "Triton", layer_norm[rows, BLOCK], layer_norm_twin, data, check_layer_norm

    n = 1000 if small else 200_001
    data = (rng.random(n, F) + F(1), np.zeros(n, F), n, F(0.3), 123)
    yield "dropout", "Triton", seeded_dropout, dropout_twin, data, check_dropout

    rows, columns = (7, 200) if small else (256, 2000)
    labels = rng.integers(0, columns, rows).astype(np.int32)
    labels[::5] = -1
    data = (rng.normal(size=(rows, columns)).astype(F), labels, *np.zeros((2, rows), F), -1)
    kernel = cross_entropy[rows, BLOCK]
    yield "cross_entropy", "Triton", kernel, cross_entropy_twin, data, check_cross_entropy
