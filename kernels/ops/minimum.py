"""out = the smaller of a and b.

Arrays: a, b, out T[n], of one type; of the other kernels any shape, by strides in elements. Of *_into a is out.
Launch: op_minimum: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: exact; a number comes before NaN, -0 before +0.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    f16,
    f32,
    f64,
    get_global_id,
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


@inline
def value(a, b):
    return min(a, b)


def op_minimum(a: DeviceArray[T], b: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(a[i], b[i])


def op_minimum_rows(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2 + k]
        q = b[i * b1 + j * b2 + k]
        out[i * out1 + j * out2 + k] = value(p, q)


def op_minimum_rows_left(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2 + k]
        q = b[i * b1 + j * b2]
        out[i * out1 + j * out2 + k] = value(p, q)


def op_minimum_rows_right(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2]
        q = b[i * b1 + j * b2 + k]
        out[i * out1 + j * out2 + k] = value(p, q)


def op_minimum_strided(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a0: i32,
    a1: i32,
    a2: i32,
    a3: i32,
    b0: i32,
    b1: i32,
    b2: i32,
    b3: i32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[a0 + i * a1 + j * a2 + k * a3]
        q = b[b0 + i * b1 + j * b2 + k * b3]
        out[i * out1 + j * out2 + k * out3] = value(p, q)


def op_minimum_into(
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    b0: i32,
    b1: i32,
    b2: i32,
    b3: i32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = out[i * out1 + j * out2 + k * out3]
        q = b[b0 + i * b1 + j * b2 + k * b3]
        out[i * out1 + j * out2 + k * out3] = value(p, q)
