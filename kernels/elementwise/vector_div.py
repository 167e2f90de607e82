"""c = a / b, element by element.

Arrays: a, b, c f32[n].
Launch: one lane per element.
Accuracy: correctly rounded.

A division by zero gives an infinity, 0 / 0 NaN, as in IEEE 754.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def vector_div(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = a[i] / b[i]
