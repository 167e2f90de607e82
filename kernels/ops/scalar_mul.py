"""out = x * s.

Arrays: x, out T[n], of one type; s of that type; of the other kernels any shape, by strides in elements.
Launch: op_scalar_mul: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: correctly rounded; integers wrap.
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

T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)


@inline
def value(x, s):
    return x * s


def op_scalar_mul(x: DeviceArray[T], out: DeviceArray[T], s: T, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(x[i], s)


def op_scalar_mul_strided(
    x: DeviceArray[T],
    out: DeviceArray[T],
    s: T,
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
        out[i * out1 + j * out2 + k * out3] = value(p, s)
