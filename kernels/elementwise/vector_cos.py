"""y = cos(x), x in radians, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp for every finite x; an infinity gives NaN.
"""

from hologram.lang import DeviceArray, cos, f32, get_global_id, u32


def vector_cos(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = cos(x[i])
