"""out = A x.

Arrays: a T[rows, columns] by its strides; x T[columns], out T[rows].
Launch: op_matvec: one block of 64 for each row; op_matvec_rows: one for each 8 rows, whose elements then arrive in 8 streams; op_matvec_columns: one lane for each row, for an A whose columns lie together; op_matvec_columns_blocks: the same in whole blocks of up to 1024, which go through A by groups of columns, so that memory is read in its order.
Accuracy: |error| <= min(n, 512 + n / 64) * 2^-24 * |A| |x|, f64 2^-53; f16 and bf16 are computed in f32.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    barrier,
    bf16,
    block_reduce_add,
    f16,
    f32,
    f64,
    fma,
    get_block_id,
    get_global_id,
    get_local_id,
    min,
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


def op_matvec_rows(  # noqa: PLR0915
    a: DeviceArray[T], x: DeviceArray[T], out: DeviceArray[T], rows: u32, columns: u32, stride: u32
):
    row = get_block_id() * 8
    t = get_local_id()
    start0 = row * stride + t
    start1 = min(row + 1, rows - 1) * stride + t
    start2 = min(row + 2, rows - 1) * stride + t
    start3 = min(row + 3, rows - 1) * stride + t
    start4 = min(row + 4, rows - 1) * stride + t
    start5 = min(row + 5, rows - 1) * stride + t
    start6 = min(row + 6, rows - 1) * stride + t
    start7 = min(row + 7, rows - 1) * stride + t
    total0 = T(0) * f32(0.0)
    total1 = T(0) * f32(0.0)
    total2 = T(0) * f32(0.0)
    total3 = T(0) * f32(0.0)
    total4 = T(0) * f32(0.0)
    total5 = T(0) * f32(0.0)
    total6 = T(0) * f32(0.0)
    total7 = T(0) * f32(0.0)
    for k in range(0, columns, BLOCK):
        if k + t < columns:
            value = x[k + t]
            total0 = fma(a[start0 + k], value, total0)
            total1 = fma(a[start1 + k], value, total1)
            total2 = fma(a[start2 + k], value, total2)
            total3 = fma(a[start3 + k], value, total3)
            total4 = fma(a[start4 + k], value, total4)
            total5 = fma(a[start5 + k], value, total5)
            total6 = fma(a[start6 + k], value, total6)
            total7 = fma(a[start7 + k], value, total7)
    total0 = block_reduce_add(total0)
    total1 = block_reduce_add(total1)
    total2 = block_reduce_add(total2)
    total3 = block_reduce_add(total3)
    total4 = block_reduce_add(total4)
    total5 = block_reduce_add(total5)
    total6 = block_reduce_add(total6)
    total7 = block_reduce_add(total7)
    if t == 0:
        out[row] = T(total0)
        if row + 1 < rows:
            out[row + 1] = T(total1)
        if row + 2 < rows:
            out[row + 2] = T(total2)
        if row + 3 < rows:
            out[row + 3] = T(total3)
        if row + 4 < rows:
            out[row + 4] = T(total4)
        if row + 5 < rows:
            out[row + 5] = T(total5)
        if row + 6 < rows:
            out[row + 6] = T(total6)
        if row + 7 < rows:
            out[row + 7] = T(total7)


def op_matvec_columns(
    a: DeviceArray[T], x: DeviceArray[T], out: DeviceArray[T], rows: u32, columns: u32, stride: u32
):
    row = get_global_id()
    if row < rows:
        total = T(0) * f32(0.0)
        for k in range(columns):
            total = fma(a[row + k * stride] * f32(1.0), x[k] * f32(1.0), total)
        out[row] = T(total)


def op_matvec_columns_blocks(
    a: DeviceArray[T], x: DeviceArray[T], out: DeviceArray[T], columns: u32, stride: u32
):
    row = get_global_id()
    total = T(0) * f32(0.0)
    for group in range(columns // 8):
        k = group * 8
        at = row + k * stride
        total = fma(a[at], x[k], total)
        total = fma(a[at + stride], x[k + 1], total)
        total = fma(a[at + 2 * stride], x[k + 2], total)
        total = fma(a[at + 3 * stride], x[k + 3], total)
        total = fma(a[at + 4 * stride], x[k + 4], total)
        total = fma(a[at + 5 * stride], x[k + 5], total)
        total = fma(a[at + 6 * stride], x[k + 6], total)
        total = fma(a[at + 7 * stride], x[k + 7], total)
        barrier()
    for k in range(columns // 8 * 8, columns):
        total = fma(a[row + k * stride], x[k], total)
    out[row] = T(total)
