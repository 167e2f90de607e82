"""result = the largest element; there must be one.

Arrays: src f32[n], partial f32[blocks], result f32[1].
Launch: reduce_max_partial with blocks of 256, one for each 4096 elements; then reduce_max with
one block of 256 over the partial results.
Accuracy: exact; a number comes before NaN.

Lanes start with the first element of their block, so no identity is needed.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_max,
    f32,
    get_block_id,
    get_local_id,
    max,
    u32,
)

BLOCK = 256
CHUNK = 4096


def reduce_max_partial(src: DeviceArray[f32], partial: DeviceArray[f32], n: u32):
    t = get_local_id()
    base = get_block_id() * CHUNK
    total = src[base]
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            total = max(total, src[i])
    total = block_reduce_max(total)
    if t == 0:
        partial[get_block_id()] = total


def reduce_max(partial: DeviceArray[f32], result: DeviceArray[f32], blocks: u32):
    t = get_local_id()
    total = partial[0]
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            total = max(total, partial[i])
    total = block_reduce_max(total)
    if t == 0:
        result[0] = total
