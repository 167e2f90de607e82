"""loss = -(1 / count) * the sum of target * log(prediction) + (1 - target) * log(1 - prediction).

Arrays: prediction, target f32[n], partial f32[blocks], loss f32[1].
Launch: binary_cross_entropy_partial with blocks of 256, one for each 4096 elements; then binary_cross_entropy with
one block of 256 over the partial results.
Accuracy: absolute error <= (40 + blocks / 256) * 2^-24 * (loss + 1) for targets and predictions in 0 .. 1.

count is n. A prediction is kept within epsilon .. 1 - epsilon, so that no logarithm is infinite; 1e-7 is
customary, 0 gives the plain formula.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    get_block_id,
    get_local_id,
    log,
    log1p,
    max,
    min,
    u32,
)

BLOCK = 256
CHUNK = 4096


def binary_cross_entropy_partial(
    prediction: DeviceArray[f32],
    target: DeviceArray[f32],
    partial: DeviceArray[f32],
    n: u32,
    epsilon: f32,
):
    t = get_local_id()
    base = get_block_id() * CHUNK
    total: f32 = 0.0
    for first in range(base, base + CHUNK, BLOCK):
        i = first + t
        if i < n:
            p = min(max(prediction[i], epsilon), 1.0 - epsilon)
            total += target[i] * log(p) + (1.0 - target[i]) * log1p(-p)
    total = block_reduce_add(total)
    if t == 0:
        partial[get_block_id()] = total


def binary_cross_entropy(
    partial: DeviceArray[f32], loss: DeviceArray[f32], blocks: u32, count: u32
):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, blocks, BLOCK):
        i = first + t
        if i < blocks:
            total += partial[i]
    total = block_reduce_add(total)
    if t == 0:
        loss[0] = -total / f32(count)
