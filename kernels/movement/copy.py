"""y = x, bit for bit.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: exact; NaN keeps its payload.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def copy(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]
