"""out[i] = src[0] + ... + src[i], the running sum.

Arrays: src, out f32[n], totals f32[ceil(n / 1024)].
Launch: cumsum_blocks, then cumsum_add, both with one block of 1024 for each 1024 elements.
Accuracy: |error| <= (30 + i / 2^18) * 2^-24 * the sum of all |src[0 .. i]|.

Each block sums its elements by the fixed scan of block_scan_add and leaves its total; then each
block adds the totals before it, by the fixed tree of block_reduce_add, to its elements. The second
launch reads all totals in each block, which is next to nothing up to some ten million elements.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    block_scan_add,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    u32,
)

BLOCK = 1024


def cumsum_blocks(src: DeviceArray[f32], out: DeviceArray[f32], totals: DeviceArray[f32], n: u32):
    t = get_local_id()
    i = get_global_id()
    total = block_scan_add(src[i] if i < n else 0.0)
    if i < n:
        out[i] = total
    if t == BLOCK - 1:
        totals[get_block_id()] = total


def cumsum_add(totals: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    before: f32 = 0.0
    for first in range(0, get_block_id(), BLOCK):
        b = first + t
        if b < get_block_id():
            before += totals[b]
    before = block_reduce_add(before)
    i = get_global_id()
    if i < n:
        out[i] += before
