"""y = 1 / (1 + e^-x), by the SIGMOID instruction.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 1 ulp.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sigmoid, u32


def sigmoid_precise(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i])
