"""y = 1 / (1 + exp(-x)), each step rounded as written, with the canonical EXP.

x, y: f32[n]; one lane per element.
"""

from hologram.lang import DeviceArray, exp, f32, get_global_id, u32


def sigmoid_formula(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 1.0 / (1.0 + exp(-x[i]))
