"""out[i] = number i of a stream of random numbers in [0, 1), multiples of 2^-24.

Arrays: out f32[n].
Launch: one lane per number.
Accuracy: exact: the top 24 bits of word i % 4 of Philox-4x32-10 of (i // 4, stream) with the key seed.

Philox is a function of a counter, and random_uniform one of its arguments alone. There is no state, so lanes
need not agree about who draws next, and any part of the sequence can be made by itself.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32, u64


def random_uniform(out: DeviceArray[f32], seed: u64, stream: u64, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = random_uniform(seed, i, stream)
