"""out = the sum of all x[i] * y[i], chunk by chunk.

Arrays: x, y T[n]; out A[chunks]; A is f32 for f32, f16 and bf16, f64 for f64.
Launch: blocks of 64, one for each chunk.
Accuracy: |error| <= min(n, 512 + n / 512) * 2^-24 * the sum of all |x[i] * y[i]|, f64 2^-53.
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
    return fma(p, t, total)


def op_dot(x: DeviceArray[F], y: DeviceArray[F], out: DeviceArray[f32], n: u32, chunk: u32):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f32 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f32(x[first + k + t]), f32(y[first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total


def op_dot_double_f64(
    x: DeviceArray[f64], y: DeviceArray[f64], out: DeviceArray[f64], n: u32, chunk: u32
):
    first = get_block_id() * chunk
    t = get_local_id()
    total: f64 = 0
    for k in range(0, chunk, BLOCK):
        if first + k + t < n:
            total = take(total, f64(x[first + k + t]), f64(y[first + k + t]))
    total = block_reduce_add(total)
    if t == 0:
        out[get_block_id()] = total
