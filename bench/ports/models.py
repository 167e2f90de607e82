"""Layers of models: rotary positions, RMS norm, convolution, pooling, lookups, 8-bit weights."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    exp,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    i8,
    i32,
    rsqrt,
)

F = np.float32
BLOCK = 128
KERNEL = 3


@hg.kernel
def rotary(
    q: DeviceArray[f32, 3],
    cosines: DeviceArray[f32, 2],
    sines: DeviceArray[f32, 2],
    out: DeviceArray[f32, 3],
):
    """Positions x heads x width: pairs (d, d + width / 2) are turned."""
    position = int(get_block_id(1))
    head = int(get_block_id(0))
    half = int(q.shape[2]) // 2
    for d in range(int(get_local_id()), half, 32):
        c = cosines[position, d]
        s = sines[position, d]
        x = q[position, head, d]
        y = q[position, head, d + half]
        out[position, head, d] = x * c - y * s
        out[position, head, d + half] = y * c + x * s


@njit
def rotary_twin(q, cosines, sines, out):
    half = q.shape[2] // 2
    for position in range(q.shape[0]):
        for head in range(q.shape[1]):
            for d in range(half):
                c = cosines[position, d]
                s = sines[position, d]
                x = q[position, head, d]
                y = q[position, head, d + half]
                out[position, head, d] = x * c - y * s
                out[position, head, d + half] = y * c + x * s


def check_rotary(q, cosines, sines, out):
    half = q.shape[2] // 2
    c, s = cosines[:, None].astype(float), sines[:, None].astype(float)
    x, y = q[..., :half], q[..., half:]
    want = np.concatenate((x * c - y * s, y * c + x * s), -1)
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


@hg.kernel(block=BLOCK)
def rms_norm(x: DeviceArray[f32, 2], w: DeviceArray[f32], out: DeviceArray[f32, 2], eps: f32):
    row = int(get_block_id())
    tid = int(get_local_id())
    n = int(x.shape[1])
    total = 0.0
    i = tid
    while i < n:
        total += x[row, i] * x[row, i]
        i += BLOCK
    scale = rsqrt(block_reduce_add(total) / f32(n) + eps)
    i = tid
    while i < n:
        out[row, i] = x[row, i] * scale * w[i]
        i += BLOCK


@njit
def rms_norm_twin(x, w, out, eps):
    rows, n = x.shape
    for row in range(rows):
        total = F(0)
        for i in range(n):
            total += x[row, i] * x[row, i]
        scale = F(1) / math.sqrt(total / F(n) + eps)
        for i in range(n):
            out[row, i] = x[row, i] * scale * w[i]


def check_rms_norm(x, w, out, eps):
    x = x.astype(float)
    want = x / np.sqrt((x * x).mean(1, keepdims=True) + eps) * w
    np.testing.assert_allclose(out, want, rtol=1e-4)


@hg.kernel
def conv2d(
    x: DeviceArray[f32, 3],
    weights: DeviceArray[f32, 4],
    bias: DeviceArray[f32],
    y: DeviceArray[f32, 3],
):
    """Channels x height x width, 3 x 3, zeros around the image."""
    j = int(get_global_id(0))
    i = int(get_global_id(1))
    o = int(get_global_id(2))
    channels, height, width = int(x.shape[0]), int(x.shape[1]), int(x.shape[2])
    if i >= height or j >= width or o >= int(y.shape[0]):
        return
    acc = bias[o]
    for c in range(channels):
        for ki in range(KERNEL):
            for kj in range(KERNEL):
                ii = i + ki - 1
                jj = j + kj - 1
                if ii >= 0 and ii < height and jj >= 0 and jj < width:
                    acc += x[c, ii, jj] * weights[o, c, ki, kj]
    y[o, i, j] = acc if acc > 0.0 else 0.0


@njit
def conv2d_twin(x, weights, bias, y):
    channels, height, width = x.shape
    for o in range(y.shape[0]):
        for i in range(height):
            for j in range(width):
                acc = bias[o]
                for c in range(channels):
                    for ki in range(KERNEL):
                        for kj in range(KERNEL):
                            ii = i + ki - 1
                            jj = j + kj - 1
                            if ii >= 0 and ii < height and jj >= 0 and jj < width:
                                acc += x[c, ii, jj] * weights[o, c, ki, kj]
                y[o, i, j] = acc if acc > F(0) else F(0)


def check_conv2d(x, weights, bias, y):
    p = np.pad(x.astype(float), ((0, 0), (1, 1), (1, 1)))
    h, w = x.shape[1:]
    want = bias[:, None, None] + sum(
        np.einsum("chw,oc->ohw", p[:, i : i + h, j : j + w], weights[:, :, i, j])
        for i in range(KERNEL)
        for j in range(KERNEL)
    )
    np.testing.assert_allclose(y, np.maximum(want, 0), rtol=1e-3, atol=1e-4)


@hg.kernel
def max_pool(x: DeviceArray[f32, 3], y: DeviceArray[f32, 3], where: DeviceArray[i32, 3]):
    """2 x 2 with the place of the largest, as PyTorch gives it."""
    t = int(get_global_id())
    channels, height, width = int(y.shape[0]), int(y.shape[1]), int(y.shape[2])
    if t >= channels * height * width:
        return
    c = t // (height * width)
    i = t // width % height
    j = t % width
    best = x[c, 2 * i, 2 * j]
    at = 2 * i * 2 * width + 2 * j
    for di in range(2):
        for dj in range(2):
            value = x[c, 2 * i + di, 2 * j + dj]
            if value > best:
                best = value
                at = (2 * i + di) * 2 * width + 2 * j + dj
    y[c, i, j] = best
    where[c, i, j] = at


@njit
def max_pool_twin(x, y, where):
    channels, height, width = y.shape
    for c in range(channels):
        for i in range(height):
            for j in range(width):
                best = x[c, 2 * i, 2 * j]
                at = 2 * i * 2 * width + 2 * j
                for di in range(2):
                    for dj in range(2):
                        value = x[c, 2 * i + di, 2 * j + dj]
                        if value > best:
                            best = value
                            at = (2 * i + di) * 2 * width + 2 * j + dj
                y[c, i, j] = best
                where[c, i, j] = at


def check_max_pool(x, y, where):
    c, h, w = y.shape
    np.testing.assert_array_equal(y, x.reshape(c, h, 2, w, 2).max((2, 4)))
    np.testing.assert_array_equal(
        np.take_along_axis(x.reshape(c, -1), where.reshape(c, -1), 1), y.reshape(c, -1)
    )


@hg.kernel
def embedding_bag(
    table: DeviceArray[f32, 2],
    tokens: DeviceArray[i32],
    offsets: DeviceArray[i32],
    out: DeviceArray[f32, 2],
):
    """The mean of the rows of a bag; a lane per column."""
    bag = int(get_block_id())
    column = int(get_local_id())
    if column < int(table.shape[1]):
        begin = offsets[bag]
        end = offsets[bag + 1]
        total = 0.0
        for k in range(begin, end):
            total += table[tokens[k], column]
        out[bag, column] = total / f32(max(end - begin, 1))


@njit
def embedding_twin(table, tokens, offsets, out):
    width = table.shape[1]
    for bag in range(out.shape[0]):
        begin, end = offsets[bag], offsets[bag + 1]
        for column in range(width):
            out[bag, column] = F(0)
        for k in range(begin, end):
            for column in range(width):
                out[bag, column] += table[tokens[k], column]
        for column in range(width):
            out[bag, column] /= F(max(end - begin, 1))


def check_embedding(table, tokens, offsets, out):
    for bag in range(0, len(out), 7):
        rows = table[tokens[offsets[bag] : offsets[bag + 1]]].astype(float)
        want = rows.sum(0) / max(len(rows), 1)
        np.testing.assert_allclose(out[bag], want, rtol=1e-4, atol=1e-5)


@hg.kernel(block=64)
def gemv_int8(
    weights: DeviceArray[i8, 2],
    scales: DeviceArray[f32, 2],
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    group: i32,
):
    """A block per row, a scale for each group of columns; the result goes through SiLU."""
    row = int(get_block_id())
    tid = int(get_local_id())
    columns = int(len(x))
    acc = 0.0
    for j in range(tid, columns, 64):
        acc += f32(weights[row, j]) * scales[row, j // group] * x[j]
    acc = block_reduce_add(acc)
    if tid == 0:
        y[row] = acc / (1.0 + exp(-acc))


@njit
def gemv_int8_twin(weights, scales, x, y, group):
    for row in range(len(y)):
        acc = F(0)
        for j in range(len(x)):
            acc += F(weights[row, j]) * scales[row, j // group] * x[j]
        y[row] = acc / (F(1) + math.exp(-acc))


def check_gemv_int8(weights, scales, x, y, group):
    acc = (weights * np.repeat(scales, group, 1).astype(float)) @ x
    np.testing.assert_allclose(y, acc / (1 + np.exp(-acc)), rtol=1e-3, atol=1e-4)


def programs(rng, small=False):
    n, heads, width = (7, 3, 20) if small else (256, 16, 128)
    angle = np.arange(n)[:, None] * 0.1 ** np.linspace(0, 4, width // 2)
    q = rng.normal(size=(n, heads, width)).astype(F)
    data = (q, np.cos(angle).astype(F), np.sin(angle).astype(F), np.zeros_like(q))
    yield "rotary", "Triton", rotary[(heads, n), 32], rotary_twin, data, check_rotary

    rows, columns = (5, 200) if small else (300, 1500)
    x = rng.normal(size=(rows, columns)).astype(F)
    data = (x, rng.random(columns, F), np.zeros_like(x), F(1e-5))
    yield "rms_norm", "Triton", rms_norm[rows, BLOCK], rms_norm_twin, data, check_rms_norm

    channels, outputs, h, w = (3, 4, 9, 11) if small else (16, 24, 40, 48)
    data = (rng.random((channels, h, w), F), rng.normal(size=(outputs, channels, 3, 3)).astype(F))
    data += (rng.random(outputs, F), np.zeros((outputs, h, w), F))
    kernel = conv2d[(blocks(w, 16), blocks(h, 8), outputs), (16, 8, 1)]
    yield "conv2d", "Triton", kernel, conv2d_twin, data, check_conv2d

    c, h, w = (2, 5, 7) if small else (16, 64, 80)
    data = (rng.random((c, 2 * h, 2 * w), F), np.zeros((c, h, w), F))
    data += (np.zeros((c, h, w), np.int32),)
    yield "max_pool", "Triton", max_pool, max_pool_twin, data, check_max_pool

    bags, rows, width = (15, 40, 20) if small else (500, 5000, 100)
    sizes = rng.integers(0, 30, bags)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    tokens = rng.integers(0, rows, offsets[-1]).astype(np.int32)
    data = (rng.random((rows, width), F), tokens, offsets, np.zeros((bags, width), F))
    yield "embedding_bag", "Triton", embedding_bag[bags, 128], embedding_twin, data, check_embedding

    rows, columns, group = (9, 128, 32) if small else (512, 2048, 64)
    data = (rng.integers(-127, 128, (rows, columns)).astype(np.int8),)
    data += (rng.uniform(1e-3, 2e-3, (rows, columns // group)).astype(F),)
    data += (rng.normal(size=columns).astype(F) * F(0.1), np.zeros(rows, F), group)
    yield "gemv_int8", "Triton", gemv_int8[rows, 64], gemv_int8_twin, data, check_gemv_int8
