"""out = a to the power b.

Arrays: a, b, out T[n], of one type; of the other kernels any shape, by strides in elements. Of *_into a is out.
Launch: op_pow: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 1.5 ulp, op_pow_fast 4; special values as in IEEE 754-2019, 9.2.1.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, inline, pow, u32

T = TypeVar("T", f32, f64, f16, bf16)


@inline
def value(a, b):
    return pow(a, b)


@inline
def fast_value(a, b):
    return pow(a, b, fast=True)


def op_pow(a: DeviceArray[T], b: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(a[i], b[i])


def op_pow_rows(
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


def op_pow_rows_left(
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


def op_pow_rows_right(
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


def op_pow_strided(
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


def op_pow_into(
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


def op_pow_fast(a: DeviceArray[f32], b: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = fast_value(a[i], b[i])


def op_pow_fast_rows(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    out: DeviceArray[f32],
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
        out[i * out1 + j * out2 + k] = fast_value(p, q)


def op_pow_fast_rows_left(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    out: DeviceArray[f32],
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
        out[i * out1 + j * out2 + k] = fast_value(p, q)


def op_pow_fast_rows_right(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    out: DeviceArray[f32],
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
        out[i * out1 + j * out2 + k] = fast_value(p, q)


def op_pow_fast_strided(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    out: DeviceArray[f32],
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
        out[i * out1 + j * out2 + k * out3] = fast_value(p, q)


def op_pow_fast_into(
    b: DeviceArray[f32],
    out: DeviceArray[f32],
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
        out[i * out1 + j * out2 + k * out3] = fast_value(p, q)
