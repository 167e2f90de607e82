"""out = x where x > 0, else alpha * (e^x - 1).

Arrays: x, out T[n], of one type; alpha of that type; of the other kernels any shape, by strides in elements.
Launch: op_elu: one lane per element; the others: lanes over (columns, rows, planes).
Accuracy: at most 2 ulp.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, expm1, f16, f32, f64, get_global_id, i32, inline, u32

T = TypeVar("T", f32, f64, f16, bf16)


@inline
def value(x, alpha):
    v = x * f32(1.0)  # f16 and bf16 are computed in f32
    return v if v > 0.0 else alpha * expm1(v)


def op_elu(x: DeviceArray[T], out: DeviceArray[T], alpha: T, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(x[i], alpha))


def op_elu_strided(
    x: DeviceArray[T],
    out: DeviceArray[T],
    alpha: T,
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
        out[i * out1 + j * out2 + k * out3] = T(value(p, alpha))
