"""y = the square root of x, element by element.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: correctly rounded; x < 0 gives NaN, -0 gives -0.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sqrt, u32


def vector_sqrt(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sqrt(x[i])
