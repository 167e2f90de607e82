"""out = x kept within low .. high: min(max(x, low), high).

Arrays: x, out T[n], of one type; low, high of that type; of the other kernels any shape, by strides in elements.
Launch: op_clip: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: exact; NaN counts as low; low > high gives high for all x.
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
    max,
    min,
    u8,
    u16,
    u32,
    u64,
)

T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)


@inline
def value(x, low, high):
    return min(max(x, low), high)


def op_clip(x: DeviceArray[T], out: DeviceArray[T], low: T, high: T, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(x[i], low, high)


def op_clip_strided(
    x: DeviceArray[T],
    out: DeviceArray[T],
    low: T,
    high: T,
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
        out[i * out1 + j * out2 + k * out3] = value(p, low, high)
