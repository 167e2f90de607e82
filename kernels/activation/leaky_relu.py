"""y = x where x >= 0, else slope * x.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: correctly rounded.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def leaky_relu(x: DeviceArray[f32], y: DeviceArray[f32], slope: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = slope * x[i] if x[i] < 0.0 else x[i]
