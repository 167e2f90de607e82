"""Kernels that are run in windows: what they touch follows the lane, stays, or is data."""

# ruff: noqa: F403, F405, SIM102
import hologram as hg
from hologram.lang import *


@hg.kernel
def ramp(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        dst[i] = src[i] * f32(i)


@hg.kernel
def blur(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i > 0 and i + 1 < n:
        dst[i] = 0.25 * src[i - 1] + 0.5 * src[i] + 0.25 * src[i + 1]


@hg.kernel
def pairs(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        dst[i] = src[2 * i] - src[2 * i + 1]


@hg.kernel
def backwards(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        dst[i] = src[n - 1 - i]


@hg.kernel
def lookup(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        dst[i] = src[i] + src[0] if i < 100 else src[u32(abs(src[i]) * 8.0) % 64]


@hg.kernel
def gather(src: DeviceArray[f32], index: DeviceArray[u32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        dst[i] = src[index[i]]


@hg.kernel
def coefficients(src: DeviceArray[f32], table: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i + 4 < n:
        total = f32(0)
        for k in range(5):
            total += src[i + k] * table[k]
        dst[i] = total


@hg.kernel
def first_only(src: DeviceArray[f32], table: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        value = src[i]
        if i < 100:
            value += table[5]
        dst[i] = value


@hg.kernel
def jacobi(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x > 0 and x + 1 < width and y > 0 and y + 1 < height:
        i = y * width + x
        dst[i] = 0.25 * (src[i - 1] + src[i + 1] + src[i - width] + src[i + width])


@hg.kernel
def plane(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y + 1 < height:
        dst[y, x] = src[y + 1, x] - src[y, x]


@hg.kernel
def taken_apart(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    t = get_global_id(0)
    if t < width * height:
        y = t // width
        x = t % width
        dst[t] = src[y * width + x] * f32(x) + f32(y)


@hg.kernel
def rows(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    y = get_global_id(0)
    if y < height:
        total = f32(0)
        for x in range(width):
            total += src[y * width + x]
        dst[y] = total


@hg.kernel
def blocks(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    part = shared(f32, 64)
    lane = get_local_id(0)
    block = get_block_id(0)
    i = block * 64 + lane
    part[lane] = src[i] if i < n else f32(0)
    barrier()
    if i < n:
        dst[i] = part[63 - lane]


@hg.kernel
def histogram(src: DeviceArray[u8], table: DeviceArray[u32], n: u32):
    i = get_global_id(0)
    if i < n:
        atomic_add(table, u32(src[i]), u32(1))


@hg.kernel
def add_up(src: DeviceArray[f32], total: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        atomic_add(total, 0, src[i])


@hg.kernel
def chain(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        t = 2.0 * x[i] + 1.0
        y[i] = max(t, 0.0) * x[i]


@hg.kernel
def positive(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        if x[i] > 0.0:
            y[i] = x[i]


@hg.kernel
def divides(x: DeviceArray[i32], y: DeviceArray[i32], n: u32):
    i = get_global_id(0)
    if i < n:
        y[i] = 1000 // x[i]
