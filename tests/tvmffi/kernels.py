"""Kernels of the library that calls_test.cc and tests/scale/tvm_ffi_test.py load."""

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i8, i32, u8, u32, u64


def scale(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = a * x[i]


def rows(x: DeviceArray[f64, 2], y: DeviceArray[f64, 2]):
    j, i = get_global_id(0), get_global_id(1)
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] = x[i, j] + f64(i)


def bits(a: u64, b: i8, out: DeviceArray[u64], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = a + u64(i) + u64(b)


def halves(x: DeviceArray[f16], y: DeviceArray[bf16], flag: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = bf16(f32(x[i])) if flag[i] != 0 else bf16(0.0)


def quotient(a: DeviceArray[i32], b: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = a[i] // b[i]


def races(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[x[i]] = x[i] + 1
