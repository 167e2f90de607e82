"""out = a where the condition is not 0, else b, bit for bit.

Arrays: condition u8[n]; a, b, out T[n], of elements of one, two, four or eight bytes; of
op_where_strided any shape, by strides in elements.
Launch: op_where: one lane per element; op_where_strided: lanes over (columns, rows, planes).
Accuracy: exact.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, get_global_id, i32, select, u8, u16, u32, u64

T = TypeVar("T", u8, u16, u32, u64)


def op_where(
    condition: DeviceArray[u8], a: DeviceArray[T], b: DeviceArray[T], out: DeviceArray[T], n: u32
):
    i = get_global_id()
    if i < n:
        out[i] = select(condition[i] != 0, a[i], b[i])


def op_where_strided(
    condition: DeviceArray[u8],
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    c0: i32,
    c1: i32,
    c2: i32,
    c3: i32,
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
        p = condition[c0 + i * c1 + j * c2 + k * c3]
        q = a[a0 + i * a1 + j * a2 + k * a3]
        r = b[b0 + i * b1 + j * b2 + k * b3]
        out[i * out1 + j * out2 + k * out3] = select(p != 0, q, r)
