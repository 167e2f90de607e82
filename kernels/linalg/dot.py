"""result = the sum of all x[i] * y[i].

Arrays: x, y f32[n], partial f32[blocks], result f32[1].
Launch: dot_partial with blocks of 256, one for each 4096 elements; then dot with
one block of 256 over the partial results.
Accuracy: |error| <= (32 + blocks / 256) * 2^-24 * the sum of all |x[i] * y[i]|.

Each lane adds its elements in order and a block its lanes by the fixed tree of block_reduce_add, so
the bits depend on the data alone.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_local_id,
    u32,
)

BLOCK = 256
CHUNK = 4096


def dot_partial(x: DeviceArray[f32], y: DeviceArray[f32], partial: DeviceArray[f32], n: u32):
    t = get_local_id()
    base = get_block_id() * CHUNK
    total: f32 = 0.0
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            total = fma(x[i], y[i], total)
    total = block_reduce_add(total)
    if t == 0:
        partial[get_block_id()] = total


def dot(partial: DeviceArray[f32], result: DeviceArray[f32], blocks: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            total += partial[i]
    total = block_reduce_add(total)
    if t == 0:
        result[0] = total
