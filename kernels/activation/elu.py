"""y = x where x > 0, else alpha * (e^x - 1).

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2 ulp.
"""

from hologram.lang import DeviceArray, expm1, f32, get_global_id, u32


def elu(x: DeviceArray[f32], y: DeviceArray[f32], alpha: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] if x[i] > 0.0 else alpha * expm1(x[i])
