"""y = the natural logarithm of x, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp; x < 0 gives NaN, 0 gives -inf.
"""

from hologram.lang import DeviceArray, f32, get_global_id, log, u32


def vector_log(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log(x[i])
