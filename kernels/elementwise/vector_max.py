"""c = the larger of a and b, element by element.

Arrays: a, b, c f32[n].
Launch: one lane per element.
Accuracy: exact.

A number comes before NaN; +0 counts as larger than -0.
"""

from hologram.lang import DeviceArray, f32, get_global_id, max, u32


def vector_max(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = max(a[i], b[i])
