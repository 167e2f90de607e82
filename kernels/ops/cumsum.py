"""out = the running sums along the rows or the columns of a matrix.

Arrays: src T[outer, n, columns] by its strides, out [outer, n, columns] of the same type, of i64 or u64 for integers.
Launch: op_cumsum_rows*: one block of 256 for each row; op_cumsum_columns*: lanes over (columns, outer).
Accuracy: |error| <= n * 2^-24 * the sum of all |src| so far, f64 2^-53; f16 and bf16 are summed in f32; integers wrap.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_add,
    block_scan_add,
    f16,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_local_id,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)

F = TypeVar("F", f32, f16, bf16)
S = TypeVar("S", i8, i16, i32, i64)
U = TypeVar("U", u8, u16, u32, u64)
BLOCK = 256


def op_cumsum_rows(src: DeviceArray[F], out: DeviceArray[F], n: u32, stride: u32):
    row = get_block_id()
    t = get_local_id()
    before: f32 = 0
    for k in range((n + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        x: f32 = f32(src[row * stride + j]) if j < n else 0
        total = before + block_scan_add(x)
        if j < n:
            out[row * n + j] = F(total)
        before += block_reduce_add(x)


def op_cumsum_columns(
    src: DeviceArray[F],
    out: DeviceArray[F],
    n: u32,
    outer: u32,
    columns: u32,
    plane: u32,
    stride: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < columns and i < outer:
        total: f32 = 0
        for k in range(n):
            total += f32(src[i * plane + k * stride + j])
            out[(i * n + k) * columns + j] = F(total)


def op_cumsum_rows_double_f64(src: DeviceArray[f64], out: DeviceArray[f64], n: u32, stride: u32):
    row = get_block_id()
    t = get_local_id()
    before: f64 = 0
    for k in range((n + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        x: f64 = f64(src[row * stride + j]) if j < n else 0
        total = before + block_scan_add(x)
        if j < n:
            out[row * n + j] = f64(total)
        before += block_reduce_add(x)


def op_cumsum_columns_double_f64(
    src: DeviceArray[f64],
    out: DeviceArray[f64],
    n: u32,
    outer: u32,
    columns: u32,
    plane: u32,
    stride: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < columns and i < outer:
        total: f64 = 0
        for k in range(n):
            total += f64(src[i * plane + k * stride + j])
            out[(i * n + k) * columns + j] = f64(total)


def op_cumsum_rows_signed(src: DeviceArray[S], out: DeviceArray[i64], n: u32, stride: u32):
    row = get_block_id()
    t = get_local_id()
    before: i64 = 0
    for k in range((n + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        x: i64 = i64(src[row * stride + j]) if j < n else 0
        total = before + block_scan_add(x)
        if j < n:
            out[row * n + j] = i64(total)
        before += block_reduce_add(x)


def op_cumsum_columns_signed(
    src: DeviceArray[S],
    out: DeviceArray[i64],
    n: u32,
    outer: u32,
    columns: u32,
    plane: u32,
    stride: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < columns and i < outer:
        total: i64 = 0
        for k in range(n):
            total += i64(src[i * plane + k * stride + j])
            out[(i * n + k) * columns + j] = i64(total)


def op_cumsum_rows_unsigned(src: DeviceArray[U], out: DeviceArray[u64], n: u32, stride: u32):
    row = get_block_id()
    t = get_local_id()
    before: u64 = 0
    for k in range((n + BLOCK - 1) // BLOCK):
        j = k * BLOCK + t
        x: u64 = u64(src[row * stride + j]) if j < n else 0
        total = before + block_scan_add(x)
        if j < n:
            out[row * n + j] = u64(total)
        before += block_reduce_add(x)


def op_cumsum_columns_unsigned(
    src: DeviceArray[U],
    out: DeviceArray[u64],
    n: u32,
    outer: u32,
    columns: u32,
    plane: u32,
    stride: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < columns and i < outer:
        total: u64 = 0
        for k in range(n):
            total += u64(src[i * plane + k * stride + j])
            out[(i * n + k) * columns + j] = u64(total)
