"""y = 1 / sqrt(x), element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp; x < 0 gives NaN, +0 and -0 give +inf and -inf.
"""

from hologram.lang import DeviceArray, f32, get_global_id, rsqrt, u32


def vector_rsqrt(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = rsqrt(x[i])
