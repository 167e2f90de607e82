"""y = x * sigmoid(x), also called swish.

Arrays: x, y f32[n].
Launch: one lane per element.
Accuracy: at most 2 ulp; -inf gives NaN.

Below -87 sigmoid(x) is so small that it loses bits before it is multiplied. There it is e^x to the
last bit: e^(x + 45) is none of the small numbers, and the factor e^-45 comes last.
"""

from hologram.lang import DeviceArray, f32, get_global_id, sigmoid, u32

SMALL = -87.0
MOVED = 45.0
FACTOR = 2.8625185805493937e-20  # e^-45


def silu(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        product = v * sigmoid(v + MOVED if v < SMALL else v)
        y[i] = product * FACTOR if v < SMALL else product
