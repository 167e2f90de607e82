"""out = the sum of all (prediction - target)^2, chunk by chunk.

Arrays: prediction, target T[n]; out A[chunks]; A is f32 for f32, f16 and bf16, f64 for f64.
Launch: blocks of 64, one for each chunk.
Accuracy: relative error <= min(n + 4, 516 + n / 512) * 2^-24, f64 2^-53.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    block_reduce_add,
    f16,
    f32,
    f64,
    fma,
    get_block_id,
    get_local_id,
    inline,
    u32,
)

F = TypeVar("F", f32, f16, bf16)
BLOCK = 64


@inline
def take(total, p, t):
    off = p - t
    return fma(off, off, total)


def op_mse(
    prediction: DeviceArray[F], target: DeviceArray[F], out: DeviceArray[f32], n: u32, chunk: u32
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f32(prediction[first + k + t]), f32(target[first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total


def op_mse_double_f64(
    prediction: DeviceArray[f64],
    target: DeviceArray[f64],
    out: DeviceArray[f64],
    n: u32,
    chunk: u32,
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f64 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f64(prediction[first + k + t]), f64(target[first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total
