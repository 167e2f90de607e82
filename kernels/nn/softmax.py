"""y = e^(x - m) / sum of e^(x - m) along each row, m the largest of the row.

Arrays: x, y f32[rows * columns], row-major; at least one column.
Launch: one block of 64 for each row.
Accuracy: at most 7 + (m - x) + columns / 64 ulp where y >= 2^-126.

Subtracting m keeps e^ from overflowing. A row with NaN, +inf or nothing but -inf gives NaN.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    block_reduce_max,
    exp,
    f32,
    get_block_id,
    get_local_id,
    max,
    u32,
)

BLOCK = 64


def softmax(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    rounds = (columns + BLOCK - 1) // BLOCK
    top = x[row]
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            power = exp(x[row + j] - top)
            y[row + j] = power
            total += power
    scale = 1.0 / block_reduce_add(total)
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            y[row + j] *= scale
