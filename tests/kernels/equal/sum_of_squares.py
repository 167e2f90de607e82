"""out[0] = the sum of x^2, each of 256 lanes adding its elements in order, written in ten ways."""

from hologram.lang import *

BLOCK = 256


@inline
def square(v: f32):
    return v * v


@inline
def more(total: f32, v: f32):
    if True:
        return total + square(v)
    return total


def plain(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        i = first + t
        if i < n:
            total += x[i] * x[i]
    total = block_reduce_add(total)
    if t == 0:
        out[0] = total


def counted(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for k in range((n + BLOCK - 1) // BLOCK):
        if k * BLOCK + get_local_id() < n:
            total += x[k * BLOCK + get_local_id()] ** 2
    result = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = result


def strided(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for i in range(get_local_id(), n, BLOCK):
        total = total + x[i] * x[i]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def helper(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for i in range(get_local_id(), n, BLOCK):
        total = more(total, x[i])
    if get_local_id() == 0:
        out[0] = 0.0
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def skipping(x: DeviceArray[f32], z: DeviceArray[f32], count: u32):
    me = get_local_id()
    total: f32 = 0.0
    for first in range(0, count, BLOCK):
        i = first + me
        if i >= count:
            continue
        v = x[i]
        total += v * v
    all_of_it = block_reduce_add(total)
    if me < 1:
        z[0] = all_of_it


def early(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        if n > first + t:
            total = x[first + t] * x[first + t] + total
    total = block_reduce_add(total)
    if t != 0:
        return
    out[0] = total


def subtracted(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    for i in range(t, n, BLOCK):
        total -= -x[i] * x[i]
    total = block_reduce_add(total)
    if t == 0:
        out[0] = total


def wasteful(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    sum: f32 = 0.0
    for i in range(t, n, BLOCK):
        sum += exp(x[i])
        total += x[i] * x[i]
    unused = block_reduce_add(sum) * 2.0
    total = block_reduce_add(total)
    barrier()
    if t == 0:
        out[0] = total


def unpacked(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t, rounds = get_local_id(), (n + BLOCK - 1) // BLOCK
    total: f32 = 0.0
    for k in range(rounds):
        i = t + BLOCK * k
        if not i >= n:
            v = -x[i]
            total += v * v
    total = block_reduce_add(total)
    if not t > 0:
        out[0] = total


def chosen(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    for i in range(t, n, BLOCK):
        if x[i] < 0.0:
            total += x[i] * x[i]
        else:
            total += x[i] * x[i]
    total = block_reduce_add(total)
    if 0 == t:
        out[0] = total
