"""out[i] = a random number in [0, 1), a multiple of 2^-24, from (seed, stream, i) alone.

Arrays: out f32[n].
Launch: one lane per number.
Accuracy: exact: the top 24 bits of the first word of Philox-2x32-10.

Philox is a function of a counter: ten rounds of multiplication and exchange. There is no state, so lanes
need not agree about who draws next, and any part of the sequence can be made by itself.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32, u64

MULTIPLIER = 0xD256D193
WEYL = 0x9E3779B9
UNIT = 2.0**-24


def random_uniform(out: DeviceArray[f32], seed: u32, stream: u32, n: u32):
    i = get_global_id()
    if i < n:
        a = i
        b = stream
        key = seed
        for _round in range(10):
            product = u64(a) * MULTIPLIER
            a = u32(product >> 32) ^ key ^ b
            b = u32(product & 0xFFFFFFFF)
            key = u32((u64(key) + WEYL) & 0xFFFFFFFF)
        out[i] = f32(a >> 8) * UNIT
