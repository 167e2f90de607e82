"""Loops whose counter starts at an id: block-stride and grid-stride loops, and names used again."""

import numpy as np
from rows import Pair, Table, once

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    block_reduce_add,
    block_reduce_max,
    exp,
    f32,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    i64,
    local,
    max,
    min,
    rsqrt,
    shared,
    u32,
)

TABLE = Table("loops")
LIMIT = 1.1
OPS = 1.3  # against hologram.ops


# ---- Rows of a matrix, a block of 64 lanes each


@hg.kernel(block=64)
def sums_rounds(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for k in range((n + 63) // 64):
        j = k * 64 + lane
        if j < n:
            total += x[row, j]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def sums_stride(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for c in range(lane, n, 64):
        total += x[row, c]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def sums_int(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: i32):
    row, lane = int(get_block_id()), int(get_local_id())
    total = 0.0
    for c in range(lane, n, 64):
        total += x[row, c]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def sums_i64(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for c in range(i64(lane), i64(n), 64):
        total += x[row, c]
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def sums_while(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    c = lane
    while c < n:
        total += x[row, c]
        c += 64
    total = block_reduce_add(total)
    if lane == 0:
        y[row] = total


@hg.kernel(block=64)
def sums_shared(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    part = shared(f32, 64)
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for c in range(lane, n, get_block_dim()):
        total += x[row, c]
    part[lane] = total
    barrier()
    if lane == 0:
        all_lanes = 0.0
        for k in range(64):
            all_lanes += part[k]
        y[row] = all_lanes


@hg.kernel(block=64)
def sums_shared_rounds(x: DeviceArray[f32, 2], y: DeviceArray[f32], n: u32):
    part = shared(f32, 64)
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for k in range((n + 63) // 64):
        j = k * 64 + lane
        if j < n:
            total += x[row, j]
    part[lane] = total
    barrier()
    if lane == 0:
        all_lanes = 0.0
        for k in range(64):
            all_lanes += part[k]
        y[row] = all_lanes


def _rows(rng, kernel, peer, rows=512, width=1000):
    x = rng.random((rows, width), np.float32)
    a, b = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    line = (rows, 64)
    return Pair(once(kernel, *line, x, a, width), once(peer, *line, x, b, width), (a, b))


@TABLE.row("row sums, range(lane, n, 64)", LIMIT)
def _(rng):
    return _rows(rng, sums_stride, sums_rounds)


@TABLE.row("row sums of 64 columns", LIMIT)
def _(rng):
    return _rows(rng, sums_stride, sums_rounds, 2000, 64)


@TABLE.row("row sums of 50 columns", LIMIT)
def _(rng):
    return _rows(rng, sums_stride, sums_rounds, 2000, 50)


@TABLE.row("row sums in int, range(lane, n, 64)", LIMIT)
def _(rng):
    return _rows(rng, sums_int, sums_rounds)


@TABLE.row("row sums in i64", LIMIT)
def _(rng):
    return _rows(rng, sums_i64, sums_rounds)


@TABLE.row("row sums, while c < n", LIMIT)
def _(rng):
    return _rows(rng, sums_while, sums_rounds)


@TABLE.row("row sums by shared memory", LIMIT)
def _(rng):
    return _rows(rng, sums_shared, sums_shared_rounds)


# ---- Shared memory


@hg.kernel(block=64)
def tile_rounds(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], n: u32):
    tile = shared(f32, 1024)
    row, lane = get_block_id(), get_local_id()
    for k in range(16):
        j = k * 64 + lane
        if j < n:
            tile[j] = x[row, j]
    barrier()
    for k in range(16):
        j = k * 64 + lane
        if j < n:
            y[row, j] = tile[j] + tile[1023 - j]


@hg.kernel(block=64)
def tile_stride(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], n: u32):
    tile = shared(f32, 1024)
    row, lane = get_block_id(), get_local_id()
    for j in range(lane, min(n, 1024), 64):
        tile[j] = x[row, j]
    barrier()
    for j in range(lane, min(n, 1024), 64):
        y[row, j] = tile[j] + tile[1023 - j]


@TABLE.row("a tile filled and read by range(lane, n, 64)", LIMIT)
def _(rng):
    x = rng.random((512, 1000), np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    line = (512, 64)
    return Pair(once(tile_stride, *line, x, a, 1000), once(tile_rounds, *line, x, b, 1000), (a, b))


# ---- Grid-stride loops


@hg.kernel
def saxpy_rounds(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], rounds: u32):
    stride = get_grid_dim() * get_block_dim()
    for k in range(rounds):
        i = get_global_id() + k * stride
        if i < len(y):
            y[i] = a * x[i] + y[i]


@hg.kernel
def saxpy_grid(a: f32, x: DeviceArray[f32], y: DeviceArray[f32]):
    for i in range(get_global_id(), len(y), get_grid_dim() * get_block_dim()):
        y[i] = a * x[i] + y[i]


@hg.kernel
def saxpy_int(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    for i in range(int(get_global_id()), n, 4096):
        y[i] = a * x[i] + y[i]


@hg.kernel
def saxpy_while(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    i = int(get_block_id() * get_block_dim() + get_local_id())
    while i < n:
        y[i] = a * x[i] + y[i]
        i += int(get_grid_dim() * get_block_dim())


@hg.kernel
def relu_rounds(x: DeviceArray[f32], y: DeviceArray[f32], rounds: u32):
    stride = get_grid_dim() * get_block_dim()
    for k in range(rounds):
        i = get_global_id() + k * stride
        if i < len(y):
            v = x[i]
            if v < 0.0:
                v = exp(v) - 1.0
            y[i] = v


@hg.kernel
def relu_grid(x: DeviceArray[f32], y: DeviceArray[f32]):
    for i in range(get_global_id(), len(y), get_grid_dim() * get_block_dim()):
        v = x[i]
        if v < 0.0:
            v = exp(v) - 1.0
        y[i] = v


def _saxpy(rng, kernel, *scalars):
    n = 100_000
    x = rng.random(n, np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    grid = (16, 256)
    rounds = (n + 4095) // 4096
    return Pair(
        once(kernel, *grid, 0.5, x, a, *scalars), once(saxpy_rounds, *grid, 0.5, x, b, rounds)
    )


@TABLE.row("saxpy, range(id, len(y), grid * block)", LIMIT)
def _(rng):
    return _saxpy(rng, saxpy_grid)


@TABLE.row("saxpy, grid-stride in int", LIMIT)
def _(rng):
    return _saxpy(rng, saxpy_int, 100_000)


@TABLE.row("saxpy, grid-stride, while i < n", LIMIT)
def _(rng):
    return _saxpy(rng, saxpy_while, 100_000)


@TABLE.row("ELU, grid-stride with a branch", LIMIT)
def _(rng):
    x = rng.standard_normal(100_000).astype(np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    grid = (16, 256)
    return Pair(once(relu_grid, *grid, x, a), once(relu_rounds, *grid, x, b, 25), (a, b))


# ---- Against hologram.ops


@hg.kernel(block=64)
def softmax_stride(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], n: u32):
    row, lane = get_block_id(), get_local_id()
    top = -3.0e38
    for c in range(lane, n, 64):
        top = max(top, x[row, c])
    top = block_reduce_max(top)
    total = 0.0
    for c in range(lane, n, 64):
        total += exp(x[row, c] - top)
    total = block_reduce_add(total)
    for c in range(lane, n, 64):
        y[row, c] = exp(x[row, c] - top) / total


@hg.kernel(block=64)
def layer_norm_stride(
    x: DeviceArray[f32, 2],
    w: DeviceArray[f32],
    b: DeviceArray[f32],
    y: DeviceArray[f32, 2],
    n: u32,
):
    row, lane = get_block_id(), get_local_id()
    total = 0.0
    for c in range(lane, n, 64):
        total += x[row, c]
    mean = block_reduce_add(total) / f32(n)
    squares = 0.0
    for c in range(lane, n, 64):
        d = x[row, c] - mean
        squares += d * d
    scale = rsqrt(block_reduce_add(squares) / f32(n) + 1e-5)
    for c in range(lane, n, 64):
        y[row, c] = (x[row, c] - mean) * scale * w[c] + b[c]


@TABLE.row("softmax 128 x 781, against hg.ops", OPS)
def _(rng):
    x = rng.standard_normal((128, 781)).astype(np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)
    hg.ops.softmax(x, out=b)
    return Pair(
        once(softmax_stride, 128, 64, x, a, 781), lambda: hg.ops.softmax(x, out=b), (a, b), 1e-5
    )


@TABLE.row("layer norm 128 x 781, against hg.ops", OPS)
def _(rng):
    x = rng.standard_normal((128, 781)).astype(np.float32)
    w, c = rng.random(781, np.float32), rng.random(781, np.float32)
    a, b = np.zeros_like(x), np.zeros_like(x)

    def peer():
        hg.ops.layer_norm(x, w, c, 1e-5, out=b)

    peer()
    return Pair(once(layer_norm_stride, 128, 64, x, w, c, a, 781), peer, (a, b), 1e-3)


# ---- Forms and names


@hg.kernel(block=32)
def nested_same(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    p = local(f32, 32)
    i = get_global_id()
    for _ in range(n):
        for j in range(32):
            s = 0.0
            for d in range(32):
                s += p[d]
            p[j] = s + x[i]
        for d in range(32):
            p[d] += 1.0
        for j in range(32):
            for d in range(32):
                p[d] += p[j]
    out[i] = p[0]


@hg.kernel(block=32)
def nested_other(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    p = local(f32, 32)
    i = get_global_id()
    for _ in range(n):
        for j in range(32):
            s = 0.0
            for d in range(32):
                s += p[d]
            p[j] = s + x[i]
        for e in range(32):
            p[e] += 1.0
        for k in range(32):
            for g in range(32):
                p[g] += p[k]
    out[i] = p[0]


@TABLE.row("a loop variable used again", 1.05)
def _(rng):
    x = rng.random(1024, np.float32) * 0.0
    a, b = np.zeros_like(x), np.zeros_like(x)
    line = (32, 32)
    return Pair(once(nested_same, *line, x, a, 4), once(nested_other, *line, x, b, 4), (a, b))


@hg.kernel
def ends_scalar(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, w: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for k in range(w):
            total += x[k * n + i]
        y[i] = total


@hg.kernel
def ends_min(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, w: u32, most: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for k in range(min(w, most)):
            total += x[k * n + i]
        y[i] = total


@hg.kernel
def ends_literals(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for k in range(0, 50, 1):
            total += x[u32(k) * n + i]
        y[i] = total


@hg.kernel
def ends_running(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, w: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        at = i
        for _ in range(w):
            total += x[at]
            at += n
        y[i] = total


@hg.kernel
def ends_nested(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, h: u32, w: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for j in range(h):
            for k in range(w):
                total += x[(j * w + k) * n + i]
        y[i] = total


def _columns(rng, kernel, *scalars):
    n, w = 2000, 50
    x = rng.random(n * w, np.float32)
    a, b = np.zeros(n, np.float32), np.zeros(n, np.float32)
    line = (8, 256)
    return Pair(
        once(kernel, *line, x, a, n, *scalars), once(ends_scalar, *line, x, b, n, w), (a, b)
    )


@TABLE.row("range(min(w, most))", 1.05)
def _(rng):
    return _columns(rng, ends_min, 50, 60)


@TABLE.row("range(0, 50, 1), a literal", 1.05)
def _(rng):
    return _columns(rng, ends_literals)


@TABLE.row("an index that runs, at += n", LIMIT)
def _(rng):
    return _columns(rng, ends_running, 50)


@TABLE.row("nested uniform loops", LIMIT)
def _(rng):
    return _columns(rng, ends_nested, 5, 10)
