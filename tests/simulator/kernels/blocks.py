# Barriers, shared memory, reductions and scans of a block, assertions, atomics, ids of three dimensions.
from hologram.lang import (
    DeviceArray,
    atomic_add,
    atomic_add_u32,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xor,
    barrier,
    block_reduce_add,
    block_reduce_and,
    block_reduce_max,
    block_reduce_min,
    block_reduce_mul,
    block_reduce_or,
    block_reduce_xor,
    block_scan_add,
    block_scan_and,
    block_scan_max,
    block_scan_min,
    block_scan_mul,
    block_scan_or,
    block_scan_xor,
    f32,
    get_block_dim,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    inline,
    kernel,
    shared,
    u8,
    u32,
)


def reverse_blocks(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    tile = shared(f32, 64)
    t = get_local_id()
    i = get_global_id()
    if t < 64 and i < n:
        tile[t] = x[i]
    barrier()
    if t < 64 and i < n:
        out[i] = tile[63 - t]


def prefix_sum(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    tile = shared(i32, 64)
    t = get_local_id()
    i = get_global_id()
    tile[t] = x[i] if i < n else 0
    barrier()
    for k in range(6):
        step = 1 << k
        add = tile[t - u32(step)] if t >= u32(step) else 0
        barrier()
        tile[t] += add
        barrier()
    if i < n:
        out[i] = tile[t]


def early_return(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    total = block_reduce_add(x[i])
    out[i] = x[i] / total


def reduce_all(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    v = x[i] if i < n else 1.0
    low = block_reduce_min(v)
    high = block_reduce_max(v)
    product = block_reduce_mul(v)
    if i < n:
        out[i] = low + high * product


def reduce_integers(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    v = x[i] if i < n else 7
    a = block_reduce_and(v)
    o = block_reduce_or(v)
    e = block_reduce_xor(v)
    s = block_reduce_add(v)
    p = block_reduce_mul(v)
    if i < n:
        out[i] = (a ^ o) + e - s * p


def scan_floats(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n or i % 7 == 3:
        return
    low = block_scan_min(x[i])
    high = block_scan_max(x[i])
    total = block_scan_add(x[i])
    out[i] = block_scan_mul(x[i]) * low + high * total


def scan_integers(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    v = x[i] if i < n else 7
    a = block_scan_and(v)
    o = block_scan_or(v)
    e = block_scan_xor(v)
    s = block_scan_add(v)
    p = block_scan_mul(v)
    if i < n:
        out[i] = (a ^ o) + e - s * p


def checked(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        assert x[i] > 0.0
        limit = 200 - i
        assert limit > 60 and x[i] < 2.0, "the input is sorted"
        out[i] = x[i]


def counted(
    x: DeviceArray[u32],
    out: DeviceArray[u32],
    total: DeviceArray[u32],
    high: DeviceArray[u32],
    low: DeviceArray[u32],
    ors: DeviceArray[u32],
    xors: DeviceArray[u32],
    n: u32,
):
    seen = shared(u32, 8)
    t = get_local_id()
    i = get_global_id()
    if i < n:
        atomic_add(seen, x[i] % 8, 1)
        atomic_add_u32(total, x[i])
        atomic_max(high, x[i] % 2, x[i])
        atomic_min(low, 0, x[i])
        atomic_or(ors, 0, x[i])
        atomic_xor(xors, 0, x[i])
    barrier()
    if t < 8:
        atomic_add(out, t, seen[t])


def ids(out: DeviceArray[u32], width: u32, height: u32, depth: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    z = get_global_id(2)
    if x < width and y < height and z < depth:
        mark = 1000 * get_local_id(1) + 10000 * get_block_id(2) + 100000 * get_block_dim(0)
        out[(z * height + y) * width + x] = x + 10 * y + 100 * z + mark + get_grid_dim(2)


@inline
def meet_sum(x):
    return block_reduce_add(x)


@inline
def halves(a: f32, b):
    if a > b:
        return a * 0.5, b
    return b * 0.5, a


@kernel(block=64)
def helpers(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    v = x[i] if i < n else 0.0
    total = meet_sum(v)
    a, b = halves(v, total)
    a, b = b, a
    if i < n:
        out[i] = a - b


def block_strides(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    tile = shared(f32, 150)
    lane = get_local_id()
    for j in range(lane, n, 64):
        tile[j] = x[j]
    barrier()
    for k in range(i32(n) - 1 - i32(lane), -1, -64):
        tile[k] *= 2.0
    barrier()
    for j in range(lane, n, get_block_dim()):
        out[j] = tile[n - 1 - j] + f32(lane)


def grid_strides(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    for j in range(get_global_id(), n, get_grid_dim() * get_block_dim()):
        out[j] = x[j] + f32(j)


def own_steps(out: DeviceArray[i32], n: u32, step: u32):
    if get_global_id() == 3:
        stride = u8(step)
        for j in range(n - 100, 150, stride):
            out[j] += 1
            stride = 0
        for k in range(7, n, step):
            out[k] -= 7
