"""y = one number, everywhere.

Arrays: y f32[n].
Launch: one lane per element.
Accuracy: exact.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def fill(y: DeviceArray[f32], value: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = value
