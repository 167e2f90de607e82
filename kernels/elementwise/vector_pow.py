"""c = a to the power b, element by element.

Arrays: a, b, c f32[n].
Launch: one lane per element.
Accuracy: at most 1.5 ulp; special values as in IEEE 754-2019, 9.2.1.

A negative base with a power that is no integer gives NaN.
"""

from hologram.lang import DeviceArray, f32, get_global_id, pow, u32


def vector_pow(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = pow(a[i], b[i])
