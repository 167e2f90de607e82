"""y = x * sigmoid(x), also called swish.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2 ulp where |y| >= 2^-126; -inf gives NaN.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sigmoid, u32


def silu(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] * sigmoid(x[i])
