"""y = e^x, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp; +inf above 88.73, +0 below -103.97.
"""

from hologram.lang import DeviceArray, exp, f32, get_global_id, u32


def vector_exp(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(x[i])
