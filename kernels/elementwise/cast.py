"""y = x as another type, element by element.

Arrays: x, y [n], of the types in the name of the kernel.
Launch: one lane per element.
Accuracy: float to float and integer to float round to nearest even; float to integer rounds towards zero.

What does not fit an integer becomes the nearest integer that does, and NaN becomes 0. A float that is
too large for the new type becomes an infinity.
"""

from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, u8, u32


def cast_u8_f32(x: DeviceArray[u8], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f32(x[i])


def cast_f32_u8(x: DeviceArray[f32], y: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = u8(x[i])


def cast_i32_f32(x: DeviceArray[i32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f32(x[i])


def cast_f32_i32(x: DeviceArray[f32], y: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = i32(x[i])


def cast_f64_f32(x: DeviceArray[f64], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f32(x[i])


def cast_f32_f64(x: DeviceArray[f32], y: DeviceArray[f64], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f64(x[i])


def cast_f16_f32(x: DeviceArray[f16], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f32(x[i])


def cast_f32_f16(x: DeviceArray[f32], y: DeviceArray[f16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f16(x[i])


def cast_bf16_f32(x: DeviceArray[bf16], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = f32(x[i])


def cast_f32_bf16(x: DeviceArray[f32], y: DeviceArray[bf16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = bf16(x[i])
