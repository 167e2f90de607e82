"""Two-dimensional convolution (correlation, as in neural networks) with bias, stride, padding, dilation.

out[b][o][y][x] = bias[o] + sum over c, v, u of
    weights[o][c][v][u] * src[b][c][y * stride + v * dilation - padding][x * stride + u * dilation - padding]
where src counts as 0 outside the picture.

Arrays: src f32[batch * channels * height * width]; weights f32[filters * channels * size * size];
bias f32[filters]; out f32[batch * filters * out_height * out_width].
Launch: lanes over (out_width, out_height, batch * filters).
Accuracy: |error| <= (channels * size^2 + 1) * 2^-24 * the same sum of absolute values.

The sum starts with the bias and runs over c, v, u in order, fused; what lies outside is left out,
not multiplied by 0. The sizes of the output are those of the launch:
out_width = (width + 2 * padding - dilation * (size - 1) - 1) // stride + 1, and so for the height.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def conv2d(
    src: DeviceArray[f32],
    weights: DeviceArray[f32],
    bias: DeviceArray[f32],
    out: DeviceArray[f32],
    batch: u32,
    channels: u32,
    height: u32,
    width: u32,
    filters: u32,
    size: u32,
    stride: u32,
    padding: u32,
    dilation: u32,
    out_height: u32,
    out_width: u32,
):
    x = get_global_id(0)
    y = get_global_id(1)
    z = get_global_id(2)
    if x < out_width and y < out_height and z < batch * filters:
        picture = z // filters
        filter = z % filters
        total = bias[filter]
        for c in range(channels):
            for v in range(size):
                row = y * stride + v * dilation
                if row >= padding and row < height + padding:
                    for u in range(size):
                        column = x * stride + u * dilation
                        if column >= padding and column < width + padding:
                            total = fma(
                                weights[((filter * channels + c) * size + v) * size + u],
                                src[
                                    ((picture * channels + c) * height + (row - padding)) * width
                                    + (column - padding)
                                ],
                                total,
                            )
        out[(z * out_height + y) * out_width + x] = total
