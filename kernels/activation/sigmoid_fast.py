"""y = 1 / (1 + e^-x), by the fast form of the SIGMOID instruction.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 4 ulp, the same bits on every engine.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sigmoid, u32


def sigmoid_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i], fast=True)
