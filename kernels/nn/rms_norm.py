"""y = gamma * x / sqrt(mean of x^2 + epsilon), the mean of each row.

Arrays: x, y f32[rows * columns], row-major; gamma f32[columns].
Launch: one block of 64 for each row.
Accuracy: at most 8 + columns / 64 ulp while the mean of x^2 is in 1e-30 .. 1e38.
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


def rms_norm(
    x: DeviceArray[f32],
    gamma: DeviceArray[f32],
    y: DeviceArray[f32],
    columns: u32,
    epsilon: f32,
):
    row = get_block_id() * columns
    t = get_local_id()
    rounds = (columns + BLOCK - 1) // BLOCK
    squares: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            squares = fma(x[row + j], x[row + j], squares)
    scale = rsqrt(block_reduce_add(squares) / f32(columns) + epsilon)
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            y[row + j] = x[row + j] * scale * gamma[j]
