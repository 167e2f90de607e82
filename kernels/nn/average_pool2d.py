"""out = the mean of each window of a picture.

Arrays: src f32[planes * height * width]; out f32[planes * out_height * out_width].
Launch: lanes over (out_width, out_height, planes); planes are batch * channels.
Accuracy: |error| <= (size^2 + 1) * 2^-24 * the mean of the absolute values.

The window of (x, y) starts at (x * stride - padding, y * stride - padding) and has size * size elements.
The mean is over what lies inside the picture; each window must hold a part of it (padding < size).
"""

from hologram.lang import DeviceArray, f32, get_global_id, max, min, u32


def average_pool2d(
    src: DeviceArray[f32],
    out: DeviceArray[f32],
    planes: u32,
    height: u32,
    width: u32,
    size: u32,
    stride: u32,
    padding: u32,
    out_height: u32,
    out_width: u32,
):
    x = get_global_id(0)
    y = get_global_id(1)
    z = get_global_id(2)
    if x < out_width and y < out_height and z < planes:
        left = max(x * stride, padding) - padding
        right = min(x * stride + size, width + padding) - padding
        above = max(y * stride, padding) - padding
        below = min(y * stride + size, height + padding) - padding
        total: f32 = 0.0
        for row in range(above, below):
            for column in range(left, right):
                total += src[(z * height + row) * width + column]
        out[(z * out_height + y) * out_width + x] = total / f32((right - left) * (below - above))
