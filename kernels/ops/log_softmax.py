"""out = x - m - log(sum of e^(x - m)) along each row, m the largest of the row.

Arrays: x, out T[rows, columns] by their strides; at least one column.
Launch: one block of 64 for each row.
Accuracy: absolute error at most 2^-23 * (|x| + |m| + 8 + columns / 64), f64 2^-52; f16 and bf16 are computed in f32.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_add,
    block_reduce_max,
    exp,
    f16,
    f32,
    f64,
    get_block_id,
    get_local_id,
    log,
    max,
    u32,
)

T = TypeVar("T", f32, f64, f16, bf16)
BLOCK = 64


def op_log_softmax(
    x: DeviceArray[T], out: DeviceArray[T], columns: u32, x_stride: u32, out_stride: u32
):
    a = get_block_id() * x_stride
    b = get_block_id() * out_stride
    t = get_local_id()
    top = x[a] * f32(1.0)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            top = max(top, x[a + j] * f32(1.0))
    top = block_reduce_max(top)
    total = T(0) * f32(0.0)
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            total += exp(x[a + j] * f32(1.0) - top)
    total = log(block_reduce_add(total))
    for k in range((columns + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        if j < columns:
            out[b + j] = T(x[a + j] * f32(1.0) - top - total)
