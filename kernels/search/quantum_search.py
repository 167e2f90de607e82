"""found = the indices of all elements that equal the target, rising, with one read of the data.

Arrays: data T[n], counts u32[ceil(n / chunk)]; chunks u32[m], the numbers of those that have matches; found
u32 of all matches.
Launch: search_count with blocks of 64, one for each four chunks; then search_collect with one lane.
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


# A block reads four chunks side by side: one core asks for more memory at a time in four places than in
# one, a third more on a processor with two of them.
def search_count(data: DeviceArray[T], target: T, counts: DeviceArray[u32], n: u32, chunk: u32):
    number = 4 * get_block_id()
    t = get_local_id()
    a = number * chunk + t
    b = a + chunk
    c = b + chunk
    d = c + chunk
    of_a: u32 = 0
    of_b: u32 = 0
    of_c: u32 = 0
    of_d: u32 = 0
    for k in range(0, chunk, BLOCK):
        if a + k < n:
            of_a += 1 if data[a + k] == target else 0
        if b + k < n:
            of_b += 1 if data[b + k] == target else 0
        if c + k < n:
            of_c += 1 if data[c + k] == target else 0
        if d + k < n:
            of_d += 1 if data[d + k] == target else 0
    of_a = block_reduce_add(of_a)
    of_b = block_reduce_add(of_b)
    of_c = block_reduce_add(of_c)
    of_d = block_reduce_add(of_d)
    if t == 0:
        if number < len(counts):
            counts[number] = of_a
        if number + 1 < len(counts):
            counts[number + 1] = of_b
        if number + 2 < len(counts):
            counts[number + 2] = of_c
        if number + 3 < len(counts):
            counts[number + 3] = of_d


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
