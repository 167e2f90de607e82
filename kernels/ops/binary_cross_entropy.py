"""out = the sum of all -(target * log(prediction) + (1 - target) * log(1 - prediction)), chunk by chunk.

Arrays: prediction, target T[n]; out A[chunks]; A is f32 for f32, f16 and bf16, f64 for f64.
Launch: blocks of 64, one for each chunk.
Accuracy: |error| <= min(n + 8, 520 + n / 512) * 2^-23 * (out + n) for targets and predictions in 0 .. 1, f64 2^-52.

What a logarithm is taken of counts as eps where it is below.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_add,
    f16,
    f32,
    f64,
    get_block_id,
    get_local_id,
    inline,
    log,
    u32,
)

F = TypeVar("F", f32, f16, bf16)
BLOCK = 64


@inline
def take(total, p, t, eps):
    kept = eps if p < eps else p
    rest = eps if 1.0 - p < eps else 1.0 - p
    return total - (t * log(kept) + (1.0 - t) * log(rest))


def op_binary_cross_entropy(
    prediction: DeviceArray[F],
    target: DeviceArray[F],
    out: DeviceArray[f32],
    eps: f32,
    n: u32,
    chunk: u32,
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f32(prediction[first + k + t]), f32(target[first + k + t]), eps)
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total


def op_binary_cross_entropy_double_f64(
    prediction: DeviceArray[f64],
    target: DeviceArray[f64],
    out: DeviceArray[f64],
    eps: f64,
    n: u32,
    chunk: u32,
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f64 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f64(prediction[first + k + t]), f64(target[first + k + t]), eps)
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total
