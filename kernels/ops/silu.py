"""out = x * sigmoid(x), also called swish.

Arrays: x, out T[n], of one type; of the other kernels any shape, by strides in elements.
Launch: op_silu: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 2 ulp, op_silu_fast 5; -inf gives NaN.

Below -87 sigmoid(x) is so small that it loses bits before it is multiplied. There it is e^x to the
last bit: e^(x + 45) is none of the small numbers, and the factor e^-45 comes last.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, inline, sigmoid, u32

T = TypeVar("T", f32, f64, f16, bf16)
SMALL = -87.0
MOVED = 45.0
FACTOR = 2.8625185805493937e-20  # e^-45, to 0.1 ulp of f32 too


@inline
def value(x):
    v = x * f32(1.0)  # f16 and bf16 are computed in f32
    product = v * sigmoid(v + MOVED if v < SMALL else v)
    return product * FACTOR if v < SMALL else product


@inline
def fast_value(x):
    product = x * sigmoid(x + MOVED if x < SMALL else x, fast=True)
    return product * FACTOR if x < SMALL else product


def op_silu(x: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(x[i]))


def op_silu_strided(
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


def op_silu_fast(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = fast_value(x[i])


def op_silu_fast_strided(
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
