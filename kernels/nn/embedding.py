"""out[i] = row ids[i] of the table.

Arrays: table f32[entries * width], row-major; ids u32[n]; out f32[n * width].
Launch: lanes over (width, n).
Accuracy: exact, bit for bit.

An id that is no entry is a fault that names the smallest such lane.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def embedding(
    table: DeviceArray[f32], ids: DeviceArray[u32], out: DeviceArray[f32], width: u32, n: u32
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < width and i < n:
        out[i * width + j] = table[ids[i] * width + j]
