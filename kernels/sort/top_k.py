"""values and indices of the k largest elements of each row, the largest first, of equals the first.

Arrays: src f32[rows * columns], values f32[rows * k], indices u32[rows * k], row-major; 1 <= k <= columns.
Launch: one block of 64 for each row.
Accuracy: exact. NaN is never chosen; where numbers run out, the value is NaN and the index 4294967295.

In each round the block finds the largest element that comes after the last one found, in the order
of falling values and rising indices. Nothing is moved or marked.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_max,
    block_reduce_min,
    f32,
    get_block_id,
    get_local_id,
    max,
    min,
    nan,
    u32,
)

BLOCK = 64
NONE = 4294967295


def top_k(
    src: DeviceArray[f32],
    values: DeviceArray[f32],
    indices: DeviceArray[u32],
    columns: u32,
    k: u32,
):
    row = get_block_id() * columns
    t = get_local_id()
    last = src[row]
    at: u32 = 0
    for rank in range(k):
        best = nan
        for first in range(0, columns, BLOCK):
            j = first + t
            if j < columns:
                v = src[row + j]
                if rank == 0 or v < last or (v == last and j > at):
                    best = max(best, v)
        best = block_reduce_max(best)
        found: u32 = NONE
        for first in range(0, columns, BLOCK):
            j = first + t
            if j < columns and src[row + j] == best and (rank == 0 or best < last or j > at):
                found = min(found, j)
        found = block_reduce_min(found)
        last = best
        at = found
        if t == 0:
            values[get_block_id() * k + rank] = best
            indices[get_block_id() * k + rank] = found
