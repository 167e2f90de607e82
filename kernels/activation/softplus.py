"""y = log(1 + e^x), computed as max(x, 0) + log1p(e^-|x|), which never overflows.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2.5 ulp; NaN stays NaN.
"""

from hologram.lang import DeviceArray, abs, exp, f32, get_global_id, log1p, max, u32


def softplus(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = max(x[i], 0.0) + log1p(exp(-abs(x[i])))
