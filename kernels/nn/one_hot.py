"""out[i][c] = 1 if ids[i] is c, else 0.

Arrays: ids u32[n]; out f32[n * classes], row-major.
Launch: lanes over (classes, n).
Accuracy: exact; an id that is no class gives a row of zeros.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def one_hot(ids: DeviceArray[u32], out: DeviceArray[f32], n: u32, classes: u32):
    c = get_global_id(0)
    i = get_global_id(1)
    if c < classes and i < n:
        out[i * classes + c] = 1.0 if ids[i] == c else 0.0
