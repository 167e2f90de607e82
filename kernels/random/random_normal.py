"""out[i] = number i of a stream of random numbers with the normal distribution.

Arrays: out f32[n].
Launch: one lane per number.
Accuracy: within 1e-6 times the radius of Box and Muller's formula on the words of Philox-4x32-10.

The formula turns a pair of uniform numbers into a point: one gives its radius, the other its angle, and
its two coordinates are independent. Deviation 1 and mean 0; no number is beyond 6.8.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32, u64


def random_normal(out: DeviceArray[f32], seed: u64, stream: u64, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = random_normal(seed, i, stream)
