"""Five-point stencil on a grid: dst = 0.2 * (centre + left + right + up + down); the rim is copied.

Arrays: src, dst f32[height * width].
Launch: lanes over (width, height).
Accuracy: as written, each step rounded.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def stencil5(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        i = y * width + x
        if x > 0 and x + 1 < width and y > 0 and y + 1 < height:
            dst[i] = 0.2 * (src[i] + src[i - 1] + src[i + 1] + src[i - width] + src[i + width])
        else:
            dst[i] = src[i]
