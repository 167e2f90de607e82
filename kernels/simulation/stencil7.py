"""A step of heat flow in three dimensions: dst = src + rate * (the sum of six neighbours - 6 src).

Arrays: src, dst f32[depth * height * width].
Launch: lanes over (width, height, depth).
Accuracy: as written, each operation rounded once and the last two fused; the hull is copied.

The step is stable for rate <= 1/6.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def stencil7(
    src: DeviceArray[f32],
    dst: DeviceArray[f32],
    rate: f32,
    width: u32,
    height: u32,
    depth: u32,
):
    x = get_global_id(0)
    y = get_global_id(1)
    z = get_global_id(2)
    if x < width and y < height and z < depth:
        plane = width * height
        i = (z * height + y) * width + x
        here = src[i]
        inside_x = x > 0 and x + 1 < width
        if inside_x and y > 0 and y + 1 < height and z > 0 and z + 1 < depth:
            around = src[i - 1] + src[i + 1]
            around += src[i - width] + src[i + width]
            around += src[i - plane] + src[i + plane]
            dst[i] = fma(rate, fma(-6.0, here, around), here)
        else:
            dst[i] = here
