"""Kernels of test_generic.py: each stands for several programs. Annotations are objects here; those
of binding_kernels.py are text."""

from typing import TypeVar

import hologram as hg
from hologram.lang import (
    DeviceArray,
    bf16,
    constexpr,
    f32,
    f64,
    get_global_id,
    i32,
    inline,
    u8,
    u32,
)

T = TypeVar("T", f32, f64, i32)
U = TypeVar("U", u8, bf16, f32)


@inline
def twice(x: T) -> T:
    return x + x


@hg.kernel
def add(a: DeviceArray[T], b: DeviceArray[T], c: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = a[i] + b[i]


@hg.kernel(block=32)
def blur(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32, R: constexpr = 1):
    i = get_global_id()
    if i >= R and i + R < n:
        total = 0.0
        for k in range(2 * R + 1):
            total += src[i + k - R]
        dst[i] = total / (2 * R + 1)


@hg.kernel
def scaled(
    src: DeviceArray[U],
    dst: DeviceArray[T],
    factor: T,
    n: u32,
    STEP: constexpr,
    ON: constexpr = True,
):
    i = get_global_id()
    if i < n and i % STEP == 0:
        dst[i] = T(src[i]) * twice(factor) if ON else T(0)


@hg.kernel
def fill(out: DeviceArray[f32, 2], value: T):
    i, j = get_global_id(1), get_global_id(0)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = f32(value)
