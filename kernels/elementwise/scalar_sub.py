"""y = x - s for one number s.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: correctly rounded.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def scalar_sub(x: DeviceArray[f32], y: DeviceArray[f32], s: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] - s
