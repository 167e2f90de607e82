"""out = the sum of the squares of the elements along the rows or the columns of a matrix, chunk by chunk.

Arrays: src T[outer, n, columns] by its strides, out A[outer, chunks, columns]; A is f32 for f32, f16 and
bf16, f64 for f64.
Launch: op_sum_squares_rows*: blocks of 64, one for each chunk of each row, grid (chunks, rows); op_sum_squares_columns*: lanes over
(columns, outer, chunks).
Accuracy: relative error <= min(n, 512 + n / 512) * 2^-24, f64 2^-53.

Elements of a chunk are taken in order, by each lane of a block every 64th, then lanes by the fixed tree
of block_reduce_add, so the bits depend on the data and the size of a chunk alone. The results of
chunks are an array of which the same is computed again.
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
    get_grid_dim,
    get_local_id,
    inline,
    min,
    u32,
)

F = TypeVar("F", f32, f16, bf16)
BLOCK = 64


@inline
def take(total, x):
    return fma(x, x, total)


def op_sum_squares_rows(
    src: DeviceArray[F], out: DeviceArray[f32], n: u32, stride: u32, chunk: u32
):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    total: f32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f32(src[row * stride + first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = total


def op_sum_squares_columns(
    src: DeviceArray[F],
    out: DeviceArray[f32],
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
        total: f32 = 0
        for k in range(first, min(n, first + chunk)):
            total = take(total, f32(src[i * plane + k * stride + j]))
        out[(i * get_grid_dim(2) + part) * columns + j] = total


def op_sum_squares_rows_double_f64(
    src: DeviceArray[f64], out: DeviceArray[f64], n: u32, stride: u32, chunk: u32
):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    total: f64 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f64(src[row * stride + first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = total


def op_sum_squares_columns_double_f64(
    src: DeviceArray[f64],
    out: DeviceArray[f64],
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
        total: f64 = 0
        for k in range(first, min(n, first + chunk)):
            total = take(total, f64(src[i * plane + k * stride + j]))
        out[(i * get_grid_dim(2) + part) * columns + j] = total
