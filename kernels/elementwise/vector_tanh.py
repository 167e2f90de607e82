"""y = tanh(x), element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp.
"""

from hologram.lang import DeviceArray, f32, get_global_id, tanh, u32


def vector_tanh(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = tanh(x[i])
