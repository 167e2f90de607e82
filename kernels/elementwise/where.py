"""out = a where the mask is not 0, else b.

Arrays: mask u8[n]; a, b, out f32[n].
Launch: one lane per element.
Accuracy: exact, bit for bit.
"""

from hologram.lang import DeviceArray, f32, get_global_id, select, u8, u32


def where(
    mask: DeviceArray[u8],
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    out: DeviceArray[f32],
    n: u32,
):
    i = get_global_id()
    if i < n:
        out[i] = select(mask[i] != 0, a[i], b[i])
