"""counts[v] = how many of data are v, counted by blocks in shared memory first.

Arrays: data u8[n]; counts u32[256], added to.
Launch: blocks of 256, one for each 16384 elements.
Accuracy: exact; integer sums do not depend on the order of lanes.

Each block adds to counts at most 256 times, whatever its elements are.
"""

from hologram.lang import (
    DeviceArray,
    atomic_add,
    barrier,
    get_block_id,
    get_local_id,
    shared,
    u8,
    u32,
)

BLOCK = 256
CHUNK = 16384


def histogram_shared(data: DeviceArray[u8], counts: DeviceArray[u32], n: u32):
    found = shared(u32, 256)
    t = get_local_id()
    base = get_block_id() * CHUNK
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            atomic_add(found, data[i], 1)
    barrier()
    atomic_add(counts, t, found[t])
