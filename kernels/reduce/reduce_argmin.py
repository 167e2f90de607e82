"""result = the index of the smallest element, the first of equals; there must be one.

Arrays: src f32[n]; values f32[blocks], indices u32[blocks], result u32[1].
Launch: reduce_argmin_partial with blocks of 256, one for each 4096 elements; then reduce_argmin with
one block of 256 over the partial results.
Accuracy: exact; a number comes before NaN, and if all are NaN the result is 4294967295.

The smallest value comes first, then the smallest index that holds it.
"""

from hologram.lang import DeviceArray, block_reduce_min, f32, get_block_id, get_local_id, min, u32

BLOCK = 256
CHUNK = 4096
NONE = 4294967295


def reduce_argmin_partial(
    src: DeviceArray[f32], values: DeviceArray[f32], indices: DeviceArray[u32], n: u32
):
    t = get_local_id()
    base = get_block_id() * CHUNK
    best = src[base]
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            best = min(best, src[i])
    best = block_reduce_min(best)
    at: u32 = NONE
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n and src[i] == best:
            at = min(at, i)
    at = block_reduce_min(at)
    if t == 0:
        values[get_block_id()] = best
        indices[get_block_id()] = at


def reduce_argmin(
    values: DeviceArray[f32], indices: DeviceArray[u32], result: DeviceArray[u32], blocks: u32
):
    t = get_local_id()
    best = values[0]
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            best = min(best, values[i])
    best = block_reduce_min(best)
    at: u32 = NONE
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks and values[i] == best:
            at = min(at, indices[i])
    at = block_reduce_min(at)
    if t == 0:
        result[0] = at
