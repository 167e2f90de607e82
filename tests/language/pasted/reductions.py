"""Reductions, scans and statistics of rows."""

from __future__ import annotations

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "dot product of CUDA by Example",
    lambda: [floats(200), floats(200, seed=2), zeros(2)],
    lambda a, b, c: np.array([np.sum(a[:128] * b[:128]), np.sum(a[128:] * b[128:])]),
    """
threadsPerBlock = 128


@kernel(block=threadsPerBlock)
def dot(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32]):
    cache = shared(f32, threadsPerBlock)
    tid = get_local_id(0) + get_block_id(0) * get_block_dim(0)
    cacheIndex = get_local_id(0)

    temp = 0.0
    while tid < len(a):
        temp += a[tid] * b[tid]
        tid += get_block_dim(0) * get_grid_dim(0)

    # set the cache values
    cache[cacheIndex] = temp

    # synchronize threads in this block
    barrier()

    # for reductions, threadsPerBlock must be a power of 2
    i = get_block_dim(0) // 2
    while i != 0:
        if cacheIndex < i:
            cache[cacheIndex] += cache[cacheIndex + i]
        barrier()
        i //= 2

    if cacheIndex == 0:
        c[get_block_id(0)] = cache[0]
""",
    shape=(2, 128),
    near=1e-5,
)

program(
    "Hillis and Steele scan in a block",
    lambda: [integers(64), zeros(64, dtype=np.int32)],
    lambda x, y: np.cumsum(x),
    """
@kernel(block=64)
def scan(g_idata: DeviceArray[i32], g_odata: DeviceArray[i32]):
    temp = shared(i32, (2, 64))
    thid = get_local_id()
    pout, pin = 0, 1
    temp[pout, thid] = g_idata[thid]
    barrier()
    offset = 1
    while offset < 64:
        pout = 1 - pout
        pin = 1 - pout
        if thid >= offset:
            temp[pout, thid] = temp[pin, thid] + temp[pin, thid - offset]
        else:
            temp[pout, thid] = temp[pin, thid]
        barrier()
        offset *= 2
    g_odata[thid] = temp[pout, thid]
""",
    shape=(1, 64),
)

program(
    "sum of a warp by shuffles, as in NVIDIA's post",
    lambda: [integers(128), zeros(4, dtype=np.int32)],
    lambda x, y: x.reshape(4, 32).sum(1),
    """
@inline
def warp_reduce_sum(val):
    offset = 16
    while offset > 0:
        val += shuffle_down(val, offset)
        offset //= 2
    return val


@kernel(block=64)
def sums(x: DeviceArray[i32], out: DeviceArray[i32]):
    i = get_global_id()
    v = x[i]
    total = warp_reduce_sum(v)
    if get_local_id() % 32 == 0:
        out[i // 32] = total
""",
    shape=(2, 64),
)

program(
    "histogram in shared memory, then one atomic for each bin",
    lambda: [integers(500, high=32, dtype=np.uint8), zeros(32, dtype=np.uint32)],
    lambda x, h: np.bincount(x, minlength=32),
    """
NBINS = 32


@kernel(block=64)
def histogram(data: DeviceArray[u8], hist: DeviceArray[u32]):
    local_hist = shared(u32, NBINS)
    t = get_local_id()
    if t < NBINS:
        local_hist[t] = 0
    barrier()
    for i in range(get_global_id(), len(data), get_grid_dim() * get_block_dim()):
        if data[i] < NBINS:
            atomic_add(local_hist, data[i], 1)
    barrier()
    if t < NBINS:
        atomic_add(hist, t, local_hist[t])
""",
    shape=(2, 64),
)

program(
    "arg max of each row, with inf",
    lambda: [floats(9, 14), zeros(9, dtype=np.int32)],
    lambda a, o: np.argmax(a, 1),
    """
@kernel
def argmax(a: DeviceArray[f32, 2], out: DeviceArray[i32]):
    r = get_global_id()
    if r < a.shape[0]:
        best, where = -np.inf, 0
        for c in range(a.shape[1]):
            if a[r, c] > best:
                best = a[r, c]
                where = i32(c)
        out[r] = where
""",
)

program(
    "mean and variance by Welford",
    lambda: [doubles(6, 40), zeros(6, 2, dtype=np.float64)],
    lambda a, o: np.c_[a.mean(1), a.var(1)],
    """
@kernel
def welford(a: DeviceArray[f64, 2], out: DeviceArray[f64, 2]):
    row = get_global_id()
    if row < a.shape[0]:
        mean = f64(0.0)
        m2 = f64(0.0)
        count = 0
        for v in a[row]:
            count += 1
            delta = v - mean
            mean += delta / count
            m2 += delta * (v - mean)
        out[row, 0] = mean
        out[row, 1] = m2 / count
""",
    near=1e-12,
)

program(
    "softmax of rows, one lane each",
    lambda: [floats(5, 12, low=-4, high=4), zeros(5, 12)],
    lambda a, o: np.exp(a - a.max(1, keepdims=True))
    / np.exp(a - a.max(1, keepdims=True)).sum(1, keepdims=True),
    """
@kernel
def softmax(inp: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    i = get_global_id()
    N, C = inp.shape
    if i < N:
        inp_row = inp[i]
        out_row = out[i]
        maxval = -math.inf
        for j in range(C):
            if inp_row[j] > maxval:
                maxval = inp_row[j]
        sum = 0.0
        for j in range(C):
            out_row[j] = math.exp(inp_row[j] - maxval)
            sum += out_row[j]
        for j in range(C):
            out_row[j] /= sum
""",
    near=2e-6,
)

program(
    "layer norm with a helper for each pass",
    lambda: [floats(4, 30), floats(30, seed=2), floats(30, seed=3), zeros(4, 30)],
    lambda x, w, b, o: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w
    + b,
    """
@inline
def mean_of(row: DeviceArray[f32], n: u32) -> f32:
    s = 0.0
    for i in range(n):
        s += row[i]
    return s / n


@inline
def rstd_of(row: DeviceArray[f32], m: f32, n: u32, eps: f32 = 1e-5) -> f32:
    v = 0.0
    for i in range(n):
        v += (row[i] - m) ** 2
    return 1.0 / sqrtf(v / n + eps)


@kernel
def layernorm(x: DeviceArray[f32, 2], weight: DeviceArray[f32], bias: DeviceArray[f32], y: DeviceArray[f32, 2]):
    t = get_global_id()
    T, C = x.shape
    if t < T:
        m = mean_of(x[t], C)
        s = rstd_of(x[t], m, n=C)
        for c in range(C):
            y[t, c] = (x[t, c] - m) * s * weight[c] + bias[c]
""",
    near=2e-5,
)
