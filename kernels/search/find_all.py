"""found = the indices of all elements that equal the target, rising, and how many there are.

Arrays: data f32[n], rank u32[n], totals u32[ceil(n / 1024)], count u32[1], found u32[m].
Launch: find_blocks and find_add with one block of 1024 for each 1024 elements, find_collect with one
lane for each of the m places for results.
Accuracy: exact. If there are more than m matches, the first m are found; count tells.

rank[i] is the number of matches among the first i + 1 elements: a running sum by blocks. The place of
match k is the first i with rank[i] = k + 1, which each lane finds by halving distances, so that every
result has one writer and the order of lanes does not matter.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    block_reduce_add,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    shared,
    u32,
    u64,
)

BLOCK = 1024


def find_blocks(
    data: DeviceArray[f32],
    target: f32,
    rank: DeviceArray[u32],
    totals: DeviceArray[u32],
    n: u32,
):
    sums = shared(u32, BLOCK)
    t = get_local_id()
    i = get_global_id()
    hit: u32 = 0
    if i < n:
        hit = 1 if data[i] == target else 0
    sums[t] = hit
    barrier()
    distance: u32 = 1
    while distance < BLOCK:
        earlier: u32 = sums[t - distance] if t >= distance else 0
        barrier()
        sums[t] += earlier
        barrier()
        distance = distance * 2
    if i < n:
        rank[i] = sums[t]
    if t == BLOCK - 1:
        totals[get_block_id()] = sums[t]


def find_add(totals: DeviceArray[u32], rank: DeviceArray[u32], count: DeviceArray[u32], n: u32):
    t = get_local_id()
    before: u32 = 0
    for first in range(0, get_block_id(), BLOCK):
        b = first + t
        if b < get_block_id():
            before += totals[b]
    before = block_reduce_add(before)
    i = get_global_id()
    if i < n:
        rank[i] += before
    if i + 1 == n:
        count[0] = rank[i]


def find_collect(rank: DeviceArray[u32], found: DeviceArray[u32], n: u32, m: u32):
    k = get_global_id()
    if k < m and n > 0:
        below: u32 = 0  # elements that are known to lie before match k
        step: u32 = 2147483648
        while step > 0:
            reach = u64(below) + u64(step)
            if reach <= n and rank[reach - 1] <= k:
                below = u32(reach)
            step = step // 2
        if below < n:
            found[k] = below
