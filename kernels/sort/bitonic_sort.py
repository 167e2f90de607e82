"""One step of the bitonic sorting network, for a whole array in any number of launches.

Arrays: src, dst f32[n], two different arrays that change places from launch to launch.
Launch: one lane per element; for size = 2, 4, 8, ... up to the first that is at least n:
bitonic_mirror with that size, then bitonic_step with distance = size / 4, size / 8, ..., 1.
Accuracy: exact. NaN may not occur; the order of -0 and +0 is open.

An element takes the smaller or the larger of itself and its partner. Partners behind the end count as
infinitely large, so n need not be a power of two. Sorting takes about log2(n)^2 / 2 launches.
"""

from hologram.lang import DeviceArray, f32, get_global_id, max, min, u32


def bitonic_mirror(src: DeviceArray[f32], dst: DeviceArray[f32], size: u32, n: u32):
    i = get_global_id()
    if i < n:
        other = i // size * size + (size - 1 - i % size)
        v = src[i]
        if other < n:
            w = src[other]
            v = min(v, w) if i < other else max(v, w)
        dst[i] = v


def bitonic_step(src: DeviceArray[f32], dst: DeviceArray[f32], distance: u32, n: u32):
    i = get_global_id()
    if i < n:
        v = src[i]
        if i >= distance and i // distance % 2 == 1:
            v = max(v, src[i - distance])
        elif i + distance < n and i // distance % 2 == 0:
            v = min(v, src[i + distance])
        dst[i] = v
