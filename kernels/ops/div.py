"""out = a / b; of integers the quotient rounded towards zero.

Arrays: a, b, out T[n], of one type; of the other kernels any shape, by strides in elements. Of *_into a is out.
Launch: op_div and op_div_whole: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: correctly rounded; integers wrap, and one divided by 0 is a fault.
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
    u8,
    u16,
    u32,
    u64,
)

T = TypeVar("T", f32, f64, f16, bf16)
S = TypeVar("S", i8, i16, i32, i64, u8, u16, u32, u64)


@inline
def value(a, b):
    return a / b


@inline
def whole(a, b):
    quotient = a // b
    if quotient * b != a and (a < 0) != (b < 0):
        quotient += 1
    return quotient


def op_div(a: DeviceArray[T], b: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(a[i], b[i])


def op_div_rows(
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


def op_div_rows_left(
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


def op_div_rows_right(
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


def op_div_strided(
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


def op_div_into(
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


def op_div_whole(a: DeviceArray[S], b: DeviceArray[S], out: DeviceArray[S], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = whole(a[i], b[i])


def op_div_whole_rows(
    a: DeviceArray[S],
    b: DeviceArray[S],
    out: DeviceArray[S],
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
        out[i * out1 + j * out2 + k] = whole(p, q)


def op_div_whole_rows_left(
    a: DeviceArray[S],
    b: DeviceArray[S],
    out: DeviceArray[S],
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
        out[i * out1 + j * out2 + k] = whole(p, q)


def op_div_whole_rows_right(
    a: DeviceArray[S],
    b: DeviceArray[S],
    out: DeviceArray[S],
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
        out[i * out1 + j * out2 + k] = whole(p, q)


def op_div_whole_strided(
    a: DeviceArray[S],
    b: DeviceArray[S],
    out: DeviceArray[S],
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
        out[i * out1 + j * out2 + k * out3] = whole(p, q)


def op_div_whole_into(
    b: DeviceArray[S],
    out: DeviceArray[S],
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
        out[i * out1 + j * out2 + k * out3] = whole(p, q)
