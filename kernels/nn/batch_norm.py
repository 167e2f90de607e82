"""y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, with numbers for each channel.

Arrays: x, y f32[batch * channels * pixels]; gamma, beta, mean, variance f32[channels].
Launch: batch_norm_statistics with one block of 256 for each channel, where mean and variance are not
given; batch_norm with lanes over (pixels, channels, batch).
Accuracy: absolute error at most 8 * 2^-24 * (|gamma| * (|x| + |mean|) / deviation + |beta|), given the
statistics; those have the errors of sums of batch * pixels elements.

The variance is that of the population, from the differences to the mean.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_global_id,
    get_local_id,
    rsqrt,
    u32,
)

BLOCK = 256


def batch_norm_statistics(
    x: DeviceArray[f32],
    mean: DeviceArray[f32],
    variance: DeviceArray[f32],
    batch: u32,
    channels: u32,
    pixels: u32,
):
    channel = get_block_id()
    t = get_local_id()
    count = f32(batch) * f32(pixels)
    total: f32 = 0.0
    for picture in range(batch):
        for first in range(0, pixels, BLOCK):
            p = first + t
            if p < pixels:
                total += x[(picture * channels + channel) * pixels + p]
    middle = block_reduce_add(total) / count
    squares: f32 = 0.0
    for picture in range(batch):
        for first in range(0, pixels, BLOCK):
            p = first + t
            if p < pixels:
                off = x[(picture * channels + channel) * pixels + p] - middle
                squares = fma(off, off, squares)
    spread = block_reduce_add(squares) / count
    if t == 0:
        mean[channel] = middle
        variance[channel] = spread


def batch_norm(
    x: DeviceArray[f32],
    gamma: DeviceArray[f32],
    beta: DeviceArray[f32],
    mean: DeviceArray[f32],
    variance: DeviceArray[f32],
    y: DeviceArray[f32],
    batch: u32,
    channels: u32,
    pixels: u32,
    epsilon: f32,
):
    p = get_global_id(0)
    c = get_global_id(1)
    picture = get_global_id(2)
    if p < pixels and c < channels and picture < batch:
        i = (picture * channels + c) * pixels + p
        scale = gamma[c] * rsqrt(variance[c] + epsilon)
        y[i] = fma(x[i] - mean[c], scale, beta[c])
