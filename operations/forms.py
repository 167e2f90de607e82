"""The forms of kernels of operations on elements, each written once.

The build makes a kernel of each for every operation (operations/generator/kernels.py): `value` is
the function of the operation, `T` the types of it, and `*numbers` stands for its numbers. The name
of a kernel is op_OPERATION, then _VARIANT, _fast and _FORM where there are any. Strides are in
elements; lanes go over (columns, rows, planes), of `flat` over all elements.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, get_global_id, i32, inline, u32

T = TypeVar("T")


@inline
def value(*operands):
    """The operation."""


# ---- One array


def flat(x: DeviceArray[T], out: DeviceArray[T], *numbers: T, n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(x[i], *numbers))


def strided(
    x: DeviceArray[T],
    out: DeviceArray[T],
    *numbers: T,
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
        out[i * out1 + j * out2 + k * out3] = T(value(p, *numbers))


# ---- Two arrays


def flat2(a: DeviceArray[T], b: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(value(a[i], b[i]))


def rows2(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    """Elements side by side along the columns of all three."""
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2 + k]
        q = b[i * b1 + j * b2 + k]
        out[i * out1 + j * out2 + k] = T(value(p, q))


def rows_left2(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    """One element of b for each row."""
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2 + k]
        q = b[i * b1 + j * b2]
        out[i * out1 + j * out2 + k] = T(value(p, q))


def rows_right2(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    a1: u32,
    a2: u32,
    b1: u32,
    b2: u32,
    out1: u32,
    out2: u32,
):
    """One element of a for each row."""
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = a[i * a1 + j * a2]
        q = b[i * b1 + j * b2 + k]
        out[i * out1 + j * out2 + k] = T(value(p, q))


def strided2(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
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
        p = a[a0 + i * a1 + j * a2 + k * a3]
        q = b[b0 + i * b1 + j * b2 + k * b3]
        out[i * out1 + j * out2 + k * out3] = T(value(p, q))


def into2(
    b: DeviceArray[T],
    out: DeviceArray[T],
    planes: u32,
    rows: u32,
    columns: u32,
    b0: i32,
    b1: i32,
    b2: i32,
    b3: i32,
    out1: u32,
    out2: u32,
    out3: u32,
):
    """a is out."""
    i = get_global_id(2)
    j = get_global_id(1)
    k = get_global_id(0)
    if i < planes and j < rows and k < columns:
        p = out[i * out1 + j * out2 + k * out3]
        q = b[b0 + i * b1 + j * b2 + k * b3]
        out[i * out1 + j * out2 + k * out3] = T(value(p, q))
