"""out[b] = the sum of the elements of block b, by the fixed tree of block_reduce_add.

Arrays: src f32[n], out f32[blocks].
Launch: one lane per element, blocks of any size.
Accuracy: |error| <= log2(block) * 2^-24 * the sum of all |src| of the block. Elements past n count as 0.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    u32,
)


def block_sum(src: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    total = block_reduce_add(src[i] if i < n else 0.0)
    if get_local_id() == 0:
        out[get_block_id()] = total
