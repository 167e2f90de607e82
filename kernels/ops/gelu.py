"""out = x * (1 + tanh(u)) / 2 with u = sqrt(2 / pi) * (x + 0.044715 x^3).

Arrays: x, out T[n], of one type; of the other kernels any shape, by strides in elements.
Launch: op_gelu: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 4 ulp for x >= -1, at most 220 ulp below, of f64 2200.

(1 + tanh(u)) / 2 is sigmoid(2 u), which loses nothing where tanh(u) is close to -1.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, inline, sigmoid, u32

T = TypeVar("T", f32, f64, f16, bf16)
SCALE = 1.5957691216057308  # 2 * sqrt(2 / pi)
CUBIC = 0.044715


@inline
def value(x):
    v = x * f32(1.0)  # f16 and bf16 are computed in f32
    return v * sigmoid(SCALE * (v + CUBIC * (v * v * v)))


@inline
def fast_value(x):
    return x * sigmoid(SCALE * (x + CUBIC * (x * x * x)), fast=True)


def op_gelu(x: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(x[i]))


def op_gelu_strided(
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


def op_gelu_fast(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = fast_value(x[i])


def op_gelu_fast_strided(
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
