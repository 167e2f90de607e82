"""y = a * x + y in place, fused.

Arrays: x, y f32[n]; a f32.
Launch: one lane per element.
Accuracy: each element rounded once.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def axpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = fma(a, x[i], y[i])
