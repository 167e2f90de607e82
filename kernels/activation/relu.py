"""y = x where x > 0, else 0.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: exact; NaN stays NaN, -0 gives +0.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def relu(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 0.0 if x[i] <= 0.0 else x[i]
