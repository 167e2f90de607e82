"""Four random words of 32 bits from each counter first, first + 1, ...: out[4 i] to out[4 i + 3].

Arrays: out u32[4 n].
Launch: one lane per counter: cover n.
Accuracy: exact: Philox-4x32-10 with the key seed and the counter first + i below stream.

The published generator as it is; random_uniform and random_normal make numbers of its words.
"""

from hologram.lang import DeviceArray, get_global_id, philox, u32, u64


def random_words(out: DeviceArray[u32], seed: u64, first: u64, stream: u64, n: u32):
    i = get_global_id()
    if i < n:
        at = 4 * i
        out[at], out[at + 1], out[at + 2], out[at + 3] = philox(seed, first + i, stream)
