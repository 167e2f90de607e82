"""out = A x.

Arrays: a T[rows, columns] by its strides; x T[columns], out T[rows].
Launch: op_matvec: one block of 64 for each row; op_matvec_columns: one lane for each row, for an A whose columns lie together.
Accuracy: |error| <= min(n, 512 + n / 64) * 2^-24 * |A| |x|, f64 2^-53; f16 and bf16 are computed in f32.
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
    get_global_id,
    get_local_id,
    u32,
)

T = TypeVar("T", f32, f64, f16, bf16)
BLOCK = 64


def op_matvec(a: DeviceArray[T], x: DeviceArray[T], out: DeviceArray[T], columns: u32, stride: u32):
    row = get_block_id()
    t = get_local_id()
    total = T(0) * f32(0.0)
    for k in range(0, columns, BLOCK):
        if k + t < columns:
            total = fma(a[row * stride + k + t] * f32(1.0), x[k + t] * f32(1.0), total)
    total = block_reduce_add(total)
    if t == 0:
        out[row] = T(total)


def op_matvec_columns(
    a: DeviceArray[T], x: DeviceArray[T], out: DeviceArray[T], rows: u32, columns: u32, stride: u32
):
    row = get_global_id()
    if row < rows:
        total = T(0) * f32(0.0)
        for k in range(columns):
            total = fma(a[row + k * stride] * f32(1.0), x[k] * f32(1.0), total)
        out[row] = T(total)
