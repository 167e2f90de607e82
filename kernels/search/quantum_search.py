"""found = the indices of all elements that equal the target, rising, with one read of the data.

Arrays: data T[n], counts u32[ceil(n / chunk)]; chunks u32[m], the numbers of those that have matches; found
u32 of all matches.
Launch: search_count with blocks of 64, one for each chunk; then search_collect with one lane.
Accuracy: exact; NaN equals nothing, -0 equals +0.

`hologram.search.quantum_search` drives them (docs/search.md).
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    i64,
    min,
    u32,
)

T = TypeVar("T", f32, f64, i32, i64)
BLOCK = 64


def search_count(data: DeviceArray[T], target: T, counts: DeviceArray[u32], n: u32, chunk: u32):
    first = get_block_id() * chunk
    t = get_local_id()
    hits: u32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            hits += 1 if data[first + k + t] == target else 0
    hits = block_reduce_add(hits)
    if t == 0:
        counts[get_block_id()] = hits


def search_collect(
    data: DeviceArray[T],
    target: T,
    chunks: DeviceArray[u32],
    found: DeviceArray[u32],
    m: u32,
    n: u32,
    chunk: u32,
):
    if get_global_id() == 0:
        place: u32 = 0
        for c in range(m):
            first = chunks[c] * chunk
            for i in range(first, min(n, first + chunk)):
                if data[i] == target:
                    found[place] = i
                    place += 1
