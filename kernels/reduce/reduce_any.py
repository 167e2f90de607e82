"""result = 1 if any element is not 0, else 0.

Arrays: src f32[n], partial u32[blocks], result u32[1].
Launch: reduce_any_partial with blocks of 256, one for each 4096 elements; then reduce_any with
one block of 256 over the partial results.
Accuracy: exact; NaN is not 0, -0 is. For n = 0 the result is 0.
"""

from hologram.lang import DeviceArray, block_reduce_or, f32, get_block_id, get_local_id, u32

BLOCK = 256
CHUNK = 4096


def reduce_any_partial(src: DeviceArray[f32], partial: DeviceArray[u32], n: u32):
    t = get_local_id()
    base = get_block_id() * CHUNK
    found: u32 = 0
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            found |= 1 if src[i] != 0.0 else 0
    found = block_reduce_or(found)
    if t == 0:
        partial[get_block_id()] = found


def reduce_any(partial: DeviceArray[u32], result: DeviceArray[u32], blocks: u32):
    t = get_local_id()
    found: u32 = 0
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            found |= partial[i]
    found = block_reduce_or(found)
    if t == 0:
        result[0] = found
