"""out[b] = the largest of the 256 elements of block b, by a halving tree in shared memory.

Arrays: src f32[n], out f32[ceil(n / 256)].
Launch: one block of 256 for each 256 elements.
Accuracy: exact; a number comes before NaN. Elements past n count as -3.4e38.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    max,
    shared,
    u32,
)

BLOCK = 256


def block_max(src: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    tile = shared(f32, BLOCK)
    t = get_local_id()
    i = get_global_id()
    tile[t] = src[i] if i < n else -3.4e38
    barrier()
    s: u32 = BLOCK // 2
    while s > 0:
        if t < s:
            tile[t] = max(tile[t], tile[t + s])
        barrier()
        s = s // 2
    if t == 0:
        out[get_block_id()] = tile[0]
