"""Kernels of tests/scale/duckdb_extension_test.py, compiled as a file; `same_T` are added by it."""

from hologram.lang import DeviceArray, f32, get_global_id, i32, u8, u32


def revenue(price: DeviceArray[f32], off: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = price[i] * (1.0 - off[i])


def quotient(x: DeviceArray[i32], y: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] // y[i]


def axpy(a: f32, x: DeviceArray[f32], b: i32, y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    """With arguments that are scalars."""
    i = get_global_id()
    if i < n:
        out[i] = a * x[i] + y[i] + f32(b)


def positive(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    """Leaves elements unwritten."""
    i = get_global_id()
    if i < n and x[i] > 0.0:
        out[i] = x[i]


def collatz(x: DeviceArray[u32], out: DeviceArray[u32], n: u32):
    """Goes round as often as data say."""
    i = get_global_id()
    if i < n:
        value = x[i]
        steps = u32(0)
        while value > 1:
            value = 3 * value + 1 if value % 2 == 1 else value // 2
            steps += 1
        out[i] = steps


def blur(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    """Sees its neighbours."""
    i = get_global_id()
    if i > 0 and i + 1 < n:
        out[i] = x[i - 1] + x[i] + x[i + 1]


def ramp(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    """Sees where it is."""
    i = get_global_id()
    if i < n:
        out[i] = x[i] + f32(i)


def total(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    """Has no output alone."""
    i = get_global_id()
    if i < n:
        y[i] += x[i]


def first_of(
    x: DeviceArray[f32],
    x_valid: DeviceArray[u8],
    y: DeviceArray[f32],
    y_valid: DeviceArray[bool],
    out: DeviceArray[f32],
    out_valid: DeviceArray[u8],
    n: u32,
):
    """The first of two that is there, for nulls := 'pass'."""
    i = get_global_id()
    if i < n:
        out[i] = x[i] if x_valid[i] != 0 else y[i]
        out_valid[i] = 1 if x_valid[i] != 0 or y_valid[i] else 0


def raw(x: DeviceArray[i32], x_valid: DeviceArray[u8], out: DeviceArray[i32], n: u32):
    """What lies under a null."""
    i = get_global_id()
    if i < n:
        out[i] = x[i] if x_valid[i] != 0 else x[i] + 1000
