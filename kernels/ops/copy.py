"""out = x, bit for bit, of elements of one, two, four or eight bytes.

Arrays: x, out T[n], of one type; of the other kernels any shape, by strides in elements.
Of op_copy_turned the neighbours in the rows of x lie side by side, and those in the columns of out.
Launch: op_copy: one lane per element; the others: lanes over (columns, rows, planes). op_copy_turned
is meant for few columns at a time, whose neighbours in x are then still in the cache.
Accuracy: exact.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, get_global_id, i32, inline, u8, u16, u32, u64

T = TypeVar("T", u8, u16, u32, u64)


@inline
def value(x):
    return x


def op_copy(x: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value(x[i])


def op_copy_strided(
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


def op_copy_turned(
    x: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    x1: u32,
    x3: u32,
    out1: u32,
    out2: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        out[i * out1 + j * out2 + k] = value(x[i * x1 + k * x3 + j])
