"""out = gamma * x / sqrt(mean of x^2 + epsilon) along each row.

Arrays: x, out T[rows, columns] by their strides; gamma T[columns]; at least one column.
Launch: one block of 64 for each row.
Accuracy: f32 and f64 at most 8 + columns / 64 ulp while the mean of x^2 is a normal number; f16 and bf16 are computed in f32.
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


def op_rms_norm(
    x: DeviceArray[T],
    gamma: DeviceArray[T],
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
            v = x[a + j] * f32(1.0)
            total = fma(v, v, total)
    scale = 1.0 / sqrt(block_reduce_add(total) / columns + epsilon)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            out[b + j] = T(gamma[j] * (x[a + j] * scale))
