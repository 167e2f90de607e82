"""loss = the mean of (prediction - target)^2 over n elements.

Arrays: prediction, target f32[n], partial f32[blocks], loss f32[1].
Launch: mse_partial with blocks of 256, one for each 4096 elements; then mse with
one block of 256 over the partial results.
Accuracy: relative error <= (36 + blocks / 256) * 2^-24.

count is n: what the sum is divided by.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_local_id,
    u32,
)

BLOCK = 256
CHUNK = 4096


def mse_partial(
    prediction: DeviceArray[f32],
    target: DeviceArray[f32],
    partial: DeviceArray[f32],
    n: u32,
):
    t = get_local_id()
    base = get_block_id() * CHUNK
    total: f32 = 0.0
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            off = prediction[i] - target[i]
            total = fma(off, off, total)
    total = block_reduce_add(total)
    if t == 0:
        partial[get_block_id()] = total


def mse(partial: DeviceArray[f32], loss: DeviceArray[f32], blocks: u32, count: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            total += partial[i]
    total = block_reduce_add(total)
    if t == 0:
        loss[0] = total / f32(count)
