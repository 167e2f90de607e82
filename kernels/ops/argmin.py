"""out = the index of the smallest element along the rows or the columns of a matrix, the first of equals.

Arrays: src T[outer, n, columns] by its strides; of op_argmin_rows values T[rows, chunks] and indices
i64[rows, chunks], of op_argmin_columns out i64[outer, columns]; op_argmin_merge takes
values and indices T, i64[rows, chunks] to out i64[rows]. n is at least 1.
Launch: op_argmin_rows: blocks of 64, one for each chunk of each row, grid (chunks, rows);
op_argmin_merge: one lane for each row; op_argmin_columns: lanes over (columns, outer).
Accuracy: exact; a number comes before NaN, and if all are NaN the result is 0.
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
    inline,
    min,
    u8,
    u16,
    u32,
    u64,
)

T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)
BLOCK = 64
NONE = 4294967295


@inline
def better(x, best):
    return x < best or (best != best and x == x)


def op_argmin_rows(
    src: DeviceArray[T],
    values: DeviceArray[T],
    indices: DeviceArray[i64],
    n: u32,
    stride: u32,
    chunk: u32,
):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    best = src[row * stride + first]
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            best = min(best, src[row * stride + first + k + t])
    best = block_reduce_min(best)
    at: u32 = NONE
    for k in range(0, chunk, BLOCK):
        if first + k + t < n and src[row * stride + first + k + t] == best:
            at = min(at, first + k + t)
    at = block_reduce_min(at)
    if t == 0:
        values[row * get_grid_dim(0) + get_block_id(0)] = best
        indices[row * get_grid_dim(0) + get_block_id(0)] = i64(first if at == NONE else at)


def op_argmin_merge(
    values: DeviceArray[T], indices: DeviceArray[i64], out: DeviceArray[i64], rows: u32, chunks: u32
):
    row = get_global_id()
    if row < rows:
        best = values[row * chunks]
        at = indices[row * chunks]
        for k in range(1, chunks):
            if better(values[row * chunks + k], best):
                best = values[row * chunks + k]
                at = indices[row * chunks + k]
        out[row] = at


def op_argmin_columns(
    src: DeviceArray[T],
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
        best = src[i * plane + j]
        at: u32 = 0
        for k in range(1, n):
            x = src[i * plane + k * stride + j]
            if better(x, best):
                best = x
                at = k
        out[i * columns + j] = i64(at)
