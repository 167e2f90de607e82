"""out = sin(x), x in radians.

Arrays: x, out T[n], of one type; of the other kernels any shape, by strides in elements.
Launch: op_sin: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 1 ulp, f64 1.5, op_sin_fast 4; an infinity gives NaN.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, inline, sin, u32

T = TypeVar("T", f32, f64, f16, bf16)


@inline
def value(x):
    return sin(x)


@inline
def fast_value(x):
    return sin(x, fast=True)


def op_sin(x: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(x[i])


def op_sin_strided(
    x: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    x0: i32,
    x1: i32,
    x2: i32,
    x3: i32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = x[x0 + i * x1 + j * x2 + k * x3]
        out[i * out1 + j * out2 + k * out3] = value(p)


def op_sin_fast(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = fast_value(x[i])


def op_sin_fast_strided(
    x: DeviceArray[f32],
    out: DeviceArray[f32],
    planes: u32,
    rows: u32,
    columns: u32,
    x0: i32,
    x1: i32,
    x2: i32,
    x3: i32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = x[x0 + i * x1 + j * x2 + k * x3]
        out[i * out1 + j * out2 + k * out3] = fast_value(p)
