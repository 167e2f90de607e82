"""y = x kept within low .. high: min(max(x, low), high).

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: exact; NaN gives low, and low > high gives high everywhere.
"""

from hologram.lang import DeviceArray, f32, get_global_id, max, min, u32


def clamp(x: DeviceArray[f32], y: DeviceArray[f32], low: f32, high: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = min(max(x[i], low), high)
