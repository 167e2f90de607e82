"""out[i] = src[index[i]].

Arrays: index u32[n], out f32[n], src f32 of any length.
Launch: one lane per element.
Accuracy: exact, bit for bit.

An index outside src is a fault that names the smallest such lane.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def gather(src: DeviceArray[f32], index: DeviceArray[u32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = src[index[i]]
