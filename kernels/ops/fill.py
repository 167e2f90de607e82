"""out = one number, everywhere, given by its bits.

Arrays: out T[n]; value T.
Launch: op_fill: one lane per element; op_fill_strided: lanes over (columns, rows, planes).
Accuracy: exact.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, get_global_id, u8, u16, u32, u64

T = TypeVar("T", u8, u16, u32, u64)


def op_fill(out: DeviceArray[T], value: T, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = value


def op_fill_strided(
    out: DeviceArray[T],
    value: T,
    planes: u32,
    rows: u32,
    columns: u32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        out[i * out1 + j * out2 + k * out3] = value
