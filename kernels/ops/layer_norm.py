"""out = gamma * (x - mean) / sqrt(variance + epsilon) + beta along each row.

Arrays: x, out T[rows, columns] by their strides; gamma, beta T[columns]; at least one column.
Launch: one block of 64 for each row.
Accuracy: absolute error at most (16 + columns / 64) * 2^-23 * (|gamma| * (|x| + max|x|) / sqrt(variance + epsilon) + |beta|), f64 2^-52; f16 and bf16 are computed in f32.

The variance is that of the row, divided by columns.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_add,
    f16,
    f32,
    f64,
    fma,
    get_block_id,
    get_local_id,
    sqrt,
    u32,
)

T = TypeVar("T", f32, f64, f16, bf16)
BLOCK = 64


def op_layer_norm(
    x: DeviceArray[T],
    gamma: DeviceArray[T],
    beta: DeviceArray[T],
    out: DeviceArray[T],
    epsilon: f32,
    columns: u32,
    x_stride: u32,
    out_stride: u32,
):
    a = get_block_id() * x_stride
    b = get_block_id() * out_stride
    t = get_local_id()
    total = T(0) * f32(0.0)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            total += x[a + j]
    mean = block_reduce_add(total) / columns
    total = T(0) * f32(0.0)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            off = x[a + j] - mean
            total = fma(off, off, total)
    scale = 1.0 / sqrt(block_reduce_add(total) / columns + epsilon)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            off = x[a + j] - mean
            out[b + j] = T(gamma[j] * (off * scale) + beta[j])
