"""y = x * (1 + erf(x / sqrt(2))) / 2.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2 ulp for x >= 0; for x < 0 an absolute error of at most 1.2e-7 * |x|.
"""

from hologram.lang import DeviceArray, erf, f32, get_global_id, u32

SQRT_HALF = 0.7071067811865476


def gelu_erf(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        y[i] = 0.5 * v * (1.0 + erf(v * SQRT_HALF))
