"""y = 1 / (1 + e^-x), each step rounded as written.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2.5 ulp for x >= -88; below, e^-x overflows and y is 0.
"""

from hologram.lang import DeviceArray, exp, f32, get_global_id, u32


def sigmoid_formula(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 1.0 / (1.0 + exp(-x[i]))
