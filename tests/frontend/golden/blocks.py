# Local arrays and reductions of a block.
from hologram.lang import (
    DeviceArray, block_reduce_add, block_reduce_max, block_reduce_min, block_reduce_mul,
    block_reduce_or, f32, get_local_id, i32, local, u32,
)


def own(a: DeviceArray[f32], n: i32):
    x = local(f32, 4)
    y = local(u32, 3)
    x[n & 3] = a[0]
    x[1] += 2.0
    y[2] = 7
    a[1] = x[n & 3] + f32(y[0])


def reductions(a: DeviceArray[f32], b: DeviceArray[u32]):
    i = get_local_id()
    x = block_reduce_add(a[i]) * block_reduce_mul(a[i])
    a[i] = block_reduce_min(x) - block_reduce_max(a[i] + x)
    b[i] = block_reduce_or(i)
