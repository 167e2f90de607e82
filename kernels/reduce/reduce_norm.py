"""result = the Euclidean norm: the square root of the sum of squares.

Arrays: src f32[n], partial f32[blocks], result f32[1].
Launch: reduce_norm_partial with blocks of 256, one for each 4096 elements; then reduce_norm with
one block of 256 over the partial results.
Accuracy: relative error <= (18 + blocks / 512) * 2^-24 for a norm in 1e-18 .. 1.8e19.

Each lane adds its elements in order and a block its lanes by the fixed tree of block_reduce_add, so
the bits depend on the data alone.
A norm above 1.8e19 gives +inf: its square is no f32.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_local_id,
    sqrt,
    u32,
)

BLOCK = 256
CHUNK = 4096


def reduce_norm_partial(src: DeviceArray[f32], partial: DeviceArray[f32], n: u32):
    t = get_local_id()
    base = get_block_id() * CHUNK
    total: f32 = 0.0
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            total = fma(src[i], src[i], total)
    total = block_reduce_add(total)
    if t == 0:
        partial[get_block_id()] = total


def reduce_norm(partial: DeviceArray[f32], result: DeviceArray[f32], blocks: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            total += partial[i]
    total = block_reduce_add(total)
    if t == 0:
        result[0] = sqrt(total)
