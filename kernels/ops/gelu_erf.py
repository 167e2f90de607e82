"""out = x * (1 + erf(x / sqrt(2))) / 2.

Arrays: x, out T[n], of one type; of the other kernels any shape, by strides in elements.
Launch: op_gelu_erf: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 2 ulp for x >= 0; for x < 0 an absolute error of at most 1.2e-7 * |x|.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, erf, f16, f32, f64, get_global_id, i32, inline, u32

T = TypeVar("T", f32, f64, f16, bf16)
SQRT_HALF = 0.7071067811865476


@inline
def value(x):
    v = x * f32(1.0)  # f16 and bf16 are computed in f32
    return 0.5 * v * (1.0 + erf(v * SQRT_HALF))


@inline
def fast_value(x):
    return 0.5 * x * (1.0 + erf(x * SQRT_HALF, fast=True))


def op_gelu_erf(x: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(x[i]))


def op_gelu_erf_strided(
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
        out[i * out1 + j * out2 + k * out3] = T(value(p))


def op_gelu_erf_fast(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = fast_value(x[i])


def op_gelu_erf_fast_strided(
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
