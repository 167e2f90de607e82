"""out = the index of the largest element along the rows or the columns of a matrix, the first of equals.

Arrays: src T[outer, n, columns] by its strides, out i64[outer, columns]; of op_argmax_pick values
T[rows, chunks], the results of op_max_rows, and columns is 1. n is at least 1.
Launch: op_argmax_pick: one block of 64 for each row; op_argmax_columns: lanes over (columns, outer).
Accuracy: exact; a number comes before NaN, and if all are NaN the result is 0.

The first chunk that has the largest element is searched for it; the others are not read again.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_max,
    block_reduce_min,
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
    inline,
    max,
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
    return x > best or (best != best and x == x)


def op_argmax_pick(
    src: DeviceArray[T],
    values: DeviceArray[T],
    out: DeviceArray[i64],
    n: u32,
    stride: u32,
    chunk: u32,
    chunks: u32,
):
    row = get_block_id()
    t = get_local_id()
    best = values[row * chunks]
    for k in range(0, chunks, BLOCK):
        if k + t < chunks:
            best = max(best, values[row * chunks + k + t])
    best = block_reduce_max(best)
    part: u32 = NONE
    for k in range(0, chunks, BLOCK):
        if k + t < chunks and values[row * chunks + k + t] == best:
            part = min(part, k + t)
    part = block_reduce_min(part)
    first = min(part, chunks - 1) * chunk
    at: u32 = NONE
    for k in range(0, chunk, BLOCK):
        if first + k + t < n and src[row * stride + first + k + t] == best:
            at = min(at, first + k + t)
    at = block_reduce_min(at)
    if t == 0:
        out[row] = i64(0 if at == NONE else at)


def op_argmax_columns(
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
