# A kernel may be called like a function of the language.
from hologram.lang import DeviceArray, f32, get_global_id, u32


def exp(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(x[i])
