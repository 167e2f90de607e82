"""dst = transpose of src.

Arrays: src f32[height * width], dst f32[width * height].
Launch: lanes over (width, height).
Accuracy: exact, bit for bit.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def transpose(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        dst[x * height + y] = src[y * width + x]
