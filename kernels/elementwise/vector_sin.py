"""y = sin(x), x in radians, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp for every finite x; an infinity gives NaN.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sin, u32


def vector_sin(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sin(x[i])
