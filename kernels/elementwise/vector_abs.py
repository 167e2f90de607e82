"""y = |x|, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: exact; clears the sign bit, also that of NaN.
"""

from hologram.lang import DeviceArray, abs, f32, get_global_id, u32


def vector_abs(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = abs(x[i])
