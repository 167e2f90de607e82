"""The random numbers of the kernel language, as helpers in the language itself.

hologram/simulator/random.py has them once more, for kernels that run as Python, because it is
faster; tests/kernels compares both with the published vectors.

Philox-4x32-10 is a function of a 128-bit counter and a 64-bit key: ten rounds of two products whose
halves change places. The counter is `index` below `stream`, the key is `seed`.
"""

from hologram.lang import cos, f32, inline, log, sqrt, u32, u64


@inline
def philox(seed: u64, index: u64, stream: u64) -> tuple[u32, u32, u32, u32]:
    a = u32(index & 0xFFFFFFFF)
    b = u32(index >> 32)
    c = u32(stream & 0xFFFFFFFF)
    d = u32(stream >> 32)
    key = u32(seed & 0xFFFFFFFF)
    other = u32(seed >> 32)
    for _round in range(10):
        first = u64(a) * 0xD2511F53
        second = u64(c) * 0xCD9E8D57
        a = u32(second >> 32) ^ b ^ key
        b = u32(second & 0xFFFFFFFF)
        c = u32(first >> 32) ^ d ^ other
        d = u32(first & 0xFFFFFFFF)
        key += 0x9E3779B9
        other += 0xBB67AE85
    return a, b, c, d


# Number i of a stream comes from word i % 4 of the block i // 4, so that a kernel may also make
# four numbers of one block.
@inline
def random_uniform(seed: u64, index: u64, stream: u64) -> f32:
    a, b, c, d = philox(seed, index >> 2, stream)
    low = b if (index & 1) != 0 else a
    high = d if (index & 1) != 0 else c
    word = high if (index & 2) != 0 else low
    return f32(word >> 8) * 2.0**-24


# Box and Muller: a pair of words is a radius and an angle, and their point has two coordinates. The
# radius is that of a uniform number in (0, 1]; the second coordinate is the cosine of the angle
# less a quarter of a turn.
@inline
def random_normal(seed: u64, index: u64, stream: u64) -> f32:
    a, b, c, d = philox(seed, index >> 2, stream)
    first = c if (index & 2) != 0 else a
    second = d if (index & 2) != 0 else b
    radius = sqrt(-2.0 * log(f32(first) * 2.0**-32 + 2.0**-33))
    turn = f32(second >> 8) * 2.0**-24 - f32(index & 1) * 0.25
    return radius * cos(turn * 6.283185307179586)
