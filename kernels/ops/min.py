"""out = the smallest of the elements along the rows or the columns of a matrix, chunk by chunk.

Arrays: src T[outer, n, columns] by its strides, out T[outer, chunks, columns]; n is at least 1.
Launch: op_min_rows*: blocks of 64, one for each chunk of each row, grid (chunks, rows); op_min_columns*: lanes over
(columns, outer, chunks).
Accuracy: exact; a number comes before NaN.

A comparison takes half as long as min(), and gives the same but where all are NaN, or the first is,
and for the sign of zero: these are looked at again. Kernels of integers (*_whole) have no such cases.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_min,
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

F = TypeVar("F", f32, f64, f16, bf16)
W = TypeVar("W", i8, i16, i32, i64, u8, u16, u32, u64)
T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)
BLOCK = 64


def op_min_rows(src: DeviceArray[F], out: DeviceArray[F], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    best = src[row * stride + first]
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            x = src[row * stride + first + k + t]
            best = x if x < best else best
    best = block_reduce_min(best)
    if best == F(0.0) or best != best:
        best = src[row * stride + first]
        for k in range(0, chunk, BLOCK):
            if first + k + t < n:
                best = min(best, src[row * stride + first + k + t])
        best = block_reduce_min(best)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = best


def op_min_rows_whole(src: DeviceArray[W], out: DeviceArray[W], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    best = src[row * stride + first]
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            best = min(best, src[row * stride + first + k + t])
    best = block_reduce_min(best)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = best


def op_min_columns(
    src: DeviceArray[T],
    out: DeviceArray[T],
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
        best = src[i * plane + first * stride + j]
        for k in range(first, min(n, first + chunk)):
            best = min(best, src[i * plane + k * stride + j])
        out[(i * get_grid_dim(2) + part) * columns + j] = best
