"""The forms of kernels of reductions, each written once, chunk by chunk.

The build makes a kernel of each for every reduction and type to accumulate in: `take` is the
function of the reduction, `start` its first total, `join` what joins the totals of a block, `T` the
types of the elements, `A` the type of the total, `x` and `y` the arrays, `*numbers` its numbers.

Elements of a chunk are taken in order, by each lane of a block every 64th, then lanes by the fixed
tree of block_reduce_*, so the bits depend on the data and the size of a chunk alone. The results of
chunks are an array of which the same is computed again. Blocks have 64 lanes; `rows` have one for
each chunk of each row, grid (chunks, rows); lanes of `columns` go over (columns, outer, chunks).
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    block_reduce_min,
    get_block_id,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i64,
    inline,
    min,
    u32,
)
from hologram.lang import block_reduce_add as join

T = TypeVar("T")
A = TypeVar("A")
BLOCK = 64
NONE = 4294967295
start = 0


@inline
def take(*operands):
    """The reduction."""


@inline
def ahead(best, x):
    """Whether x comes before, but for NaN and zeros; written in place."""


@inline
def better(best, x):
    """Whether x is better."""


# ---- src T[outer, n, columns] by its strides, out [outer, chunks, columns]


def rows(src: DeviceArray[T], out: DeviceArray[A], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    total: A = start
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, A(src[row * stride + first + k + t]))
    total = join(total)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = total


def columns(
    src: DeviceArray[T],
    out: DeviceArray[A],
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
        total: A = start
        for k in range(first, min(n, first + chunk)):
            total = take(total, A(src[i * plane + k * stride + j]))
        out[(i * get_grid_dim(2) + part) * columns + j] = total


# ---- The best of the elements, the same with out T; n is at least 1


def best_rows(src: DeviceArray[T], out: DeviceArray[T], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    best = src[row * stride + first]
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            x = src[row * stride + first + k + t]
            best = x if ahead(best, x) else best
    best = join(best)
    if best == T(0.0) or best != best:
        best = src[row * stride + first]
        for k in range(0, chunk, BLOCK):
            if first + k + t < n:
                best = take(best, src[row * stride + first + k + t])
        best = join(best)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = best


def best_rows_whole(src: DeviceArray[T], out: DeviceArray[T], n: u32, stride: u32, chunk: u32):
    row = get_block_id(1)
    first = get_block_id(0) * chunk
    t = get_local_id()
    best = src[row * stride + first]
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            best = take(best, src[row * stride + first + k + t])
    best = join(best)
    if t == 0:
        out[row * get_grid_dim(0) + get_block_id(0)] = best


def best_columns(
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
            best = take(best, src[i * plane + k * stride + j])
        out[(i * get_grid_dim(2) + part) * columns + j] = best


# ---- Its index, out i64[outer, columns]


def index_pick(
    src: DeviceArray[T],
    values: DeviceArray[T],
    out: DeviceArray[i64],
    n: u32,
    stride: u32,
    chunk: u32,
    chunks: u32,
):
    """`values` are the results of best_rows, one block for each row. The first chunk that has the
    best element is searched for it; the others are not read again."""
    row = get_block_id()
    t = get_local_id()
    best = values[row * chunks]
    for k in range(0, chunks, BLOCK):
        if k + t < chunks:
            best = take(best, values[row * chunks + k + t])
    best = join(best)
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


def index_columns(
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
            if better(best, x):
                best = x
                at = k
        out[i * columns + j] = i64(at)


# ---- x, y T[n], out A[chunks]


def pairs(
    x: DeviceArray[T], y: DeviceArray[T], out: DeviceArray[A], *numbers: A, n: u32, chunk: u32
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: A = start
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, A(x[first + k + t]), A(y[first + k + t]), *numbers)
    total = join(total)
    if t == 0:
        out[get_block_id()] = total
