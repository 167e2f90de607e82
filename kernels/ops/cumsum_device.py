"""The running sums of cumsum.py along rows, in parts that run side by side on a device.

Arrays: src f32[rows, n], sums f32[rows, chunks], out f32[rows, n]; chunks = ceil(n / 256).
Launch: op_cumsum_device_sums, blocks of 256, one for each chunk (x) and row (y); op_cumsum_device_starts, one
block of 256 for each row; op_cumsum_device_chunks, as the first.
Accuracy: that of op_cumsum_rows, whose order of additions this is.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    block_reduce_add,
    block_scan_add,
    f32,
    get_block_id,
    get_grid_dim,
    get_local_id,
    shared,
    u32,
)

BLOCK = 256


def op_cumsum_device_sums(src: DeviceArray[f32], sums: DeviceArray[f32], n: u32):
    """The sum of each chunk."""
    row = get_block_id(1)
    t = get_local_id()
    j = get_block_id(0) * BLOCK + t
    total = block_reduce_add(src[row * n + j] if j < n else f32(0))
    if t == 0:
        sums[row * get_grid_dim(0) + get_block_id(0)] = total


def op_cumsum_device_starts(sums: DeviceArray[f32], chunks: u32):
    """What comes before each chunk, in place of its sum: one lane adds, and the others load."""
    part = shared(f32, BLOCK)
    row = get_block_id(0)
    t = get_local_id()
    before: f32 = 0
    for k in range((chunks + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        part[t] = sums[row * chunks + j] if j < chunks else f32(0)
        barrier()
        if t == 0:
            for q in range(u32(BLOCK)):
                here = part[q]
                part[q] = before
                before += here
        barrier()
        if j < chunks:
            sums[row * chunks + j] = part[t]
        barrier()


def op_cumsum_device_chunks(
    src: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32
):
    row = get_block_id(1)
    t = get_local_id()
    j = get_block_id(0) * BLOCK + t
    total = block_scan_add(src[row * n + j] if j < n else f32(0))
    total = sums[row * get_grid_dim(0) + get_block_id(0)] + total
    if j < n:
        out[row * n + j] = total
