# Five points of a grid with a border of one.
from hologram.lang import DeviceArray, f32, get_global_id, u32


def stencil(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    col = get_global_id(0)
    row = get_global_id(1)
    if 0 < col < width - 1 and 0 < row < height - 1:
        at = row * width + col
        around = src[at - 1] + src[at + 1] + src[at - width] + src[at + width]
        dst[at] = 0.5 * src[at] + 0.125 * around
