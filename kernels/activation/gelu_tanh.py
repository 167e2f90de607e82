"""y = x * (1 + tanh(u)) / 2 with u = sqrt(2 / pi) * (x + 0.044715 x^3).

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 4 ulp for x >= -1, at most 220 ulp below.

(1 + tanh(u)) / 2 is sigmoid(2 u), which loses nothing where tanh(u) is close to -1.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sigmoid, u32

SCALE = 1.5957691216057308  # 2 * sqrt(2 / pi)
CUBIC = 0.044715


def gelu_tanh(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        y[i] = v * sigmoid(SCALE * (v + CUBIC * (v * v * v)))
