"""y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, mean and variance of each row.

Arrays: x, y f32[rows * columns], row-major; gamma, beta f32[columns].
Launch: one block of 64 for each row.
Accuracy: absolute error at most (24 + columns / 32) * 2^-24 * (|gamma| * (max |x| / deviation) + |beta|).

The variance is that of the population (divided by `columns`), from the differences to the mean, so
a large mean does not cancel it.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_local_id,
    rsqrt,
    u32,
)

BLOCK = 64


def layer_norm(
    x: DeviceArray[f32],
    gamma: DeviceArray[f32],
    beta: DeviceArray[f32],
    y: DeviceArray[f32],
    columns: u32,
    epsilon: f32,
):
    row = get_block_id() * columns
    t = get_local_id()
    rounds = (columns + BLOCK - 1) // BLOCK
    total: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            total += x[row + j]
    mean = block_reduce_add(total) / f32(columns)
    squares: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            off = x[row + j] - mean
            squares = fma(off, off, squares)
    variance = block_reduce_add(squares) / f32(columns)
    scale = rsqrt(variance + epsilon)
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            y[row + j] = fma((x[row + j] - mean) * scale, gamma[j], beta[j])
