"""out = 1 if any element is not 0, else 0, along the rows or the columns of a matrix, chunk by chunk.

Arrays: src T[outer, n, columns] by its strides, out u8[outer, chunks, columns].
Launch: op_any_rows*: blocks of 64, one for each chunk of each row, grid (chunks, rows); op_any_columns*: lanes over
(columns, outer, chunks).
Accuracy: exact; NaN is not 0, -0 is. Of nothing it is 0.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_or,
    f16,
    f32,
    f64,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i8,
    i16,
    i32,
    i64,
    min,
    u8,
    u16,
    u32,
    u64,
)

T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)
BLOCK = 64


def op_any_rows(src: DeviceArray[T], out: DeviceArray[u8], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    found: u32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            found |= 1 if src[row * stride + first + k + t] != 0 else 0
    found = block_reduce_or(found)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = u8(found)


def op_any_columns(
    src: DeviceArray[T],
    out: DeviceArray[u8],
    n: u32,
    outer: u32,
    columns: u32,
    plane: u32,
    stride: u32,
    chunk: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    part = get_global_id(2)
    first = part * chunk
    if j < columns and i < outer and first < n:
        found: u32 = 0
        for k in range(first, min(n, first + chunk)):
            found |= 1 if src[i * plane + k * stride + j] != 0 else 0
        out[(i * get_grid_dim(2) + part) * columns + j] = u8(found)
