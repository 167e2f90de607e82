# Random numbers beside helpers of the kernel's own that have the names of functions they need.
from hologram.lang import DeviceArray, f32, get_global_id, inline, philox, random_normal, u32, u64
from hologram.lang import random_uniform as draw


@inline
def cos(x: f32) -> f32:
    return x + 1.0


@inline
def mixed(seed: u32, i: u32):
    a, b, c, d = philox(seed, i, 0xFFFFFFFFFFFFFFFF)
    return a ^ b ^ c ^ d


def numbers(words: DeviceArray[u32], out: DeviceArray[f32], seed: u64, n: u32):
    i = get_global_id()
    if i < n:
        words[i] = mixed(7, i)
        if i % 2 == 0:
            words[i], _b, c, words[i] = philox(seed, i, 1)
            words[i] ^= c
        out[i] = random_normal(seed, i, 3) + cos(draw(seed, i, 2))
        out[i] += draw(seed, u64(i) << 33, 2) if i > 5 else random_normal(seed, 5, i)
