"""Softmax of rows and GELU with fast forms, for the figures of `hologram_bench` alone.

Arrays: softmax_fast: x, y f32[rows * columns]; gelu_tanh_fast: x, y f32[n].
Launch: softmax_fast: one block of 64 for each row; gelu_tanh_fast: one lane per element.
Accuracy: as softmax and gelu_tanh, with the 4 ulp of the fast exponential.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    block_reduce_max,
    exp,
    exp2,
    f32,
    fma,
    get_block_id,
    get_global_id,
    get_local_id,
    max,
    u32,
)

BLOCK = 64
SCALE = -2.302208198144325  # -2 * sqrt(2 / pi) / ln 2
CUBIC = -0.1029432395800235  # 0.044715 * SCALE


def softmax_fast(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    rounds = (columns + BLOCK - 1) // BLOCK
    top = x[row]
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            power = exp(x[row + j] - top, fast=True)
            y[row + j] = power
            total += power
    scale = 1.0 / block_reduce_add(total)
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            y[row + j] *= scale


def gelu_tanh_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        y[i] = v / (1.0 + exp2(v * fma(CUBIC, v * v, SCALE), fast=True))
