"""Each 512 elements sorted by themselves, rising.

Arrays: src, out f32[n].
Launch: one block of 512 for each 512 elements.
Accuracy: exact. NaN may not occur; the order of -0 and +0 is open.

The bitonic network in shared memory: for each size, partners that mirror each other in a run of that
size, then partners at distances that halve. Every lane keeps one element, the smaller or the larger
of its own and its partner's, so nobody writes what another lane reads before the next barrier. The
last block is filled with infinities, which stay at its end.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    get_global_id,
    get_local_id,
    inf,
    max,
    min,
    shared,
    u32,
)

SIZE = 512


def sort_blocks(src: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    run = shared(f32, SIZE)
    t = get_local_id()
    i = get_global_id()
    run[t] = src[i] if i < n else inf
    barrier()
    size: u32 = 2
    while size <= SIZE:
        across = size - 1
        distance = size // 2
        while distance > 0:
            mine = run[t]
            other = run[(t ^ across) & (SIZE - 1)]
            barrier()
            run[t] = min(mine, other) if (t & distance) == 0 else max(mine, other)
            barrier()
            distance = distance // 2
            across = distance
        size = size * 2
    if i < n:
        out[i] = run[t]
