"""y = e^(x - top) / sum of e^(x - top) along rows, by 64 lanes, written in ten ways."""

from hologram.lang import *

BLOCK = 64


@inline
def power(v: f32, top: f32):
    return exp(v - top)


def plain(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    for j in range(t, columns, BLOCK):
        top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for j in range(t, columns, BLOCK):
        total += exp(x[row + j] - top)
    total = block_reduce_add(total)
    for j in range(t, columns, BLOCK):
        y[row + j] = exp(x[row + j] - top) / total


def kept(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    for j in range(t, columns, BLOCK):
        top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for j in range(t, columns, BLOCK):
        y[row + j] = exp(x[row + j] - top)
        total += y[row + j]
    total = block_reduce_add(total)
    for j in range(t, columns, BLOCK):
        y[row + j] /= total


def counted(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    t = get_local_id()
    row = columns * get_block_id()
    rounds = (columns + BLOCK - 1) // BLOCK
    top = x[row]
    for k in range(rounds):
        if k * BLOCK + t < columns:
            top = max(x[row + k * BLOCK + t], top)
    largest = block_reduce_max(top)
    total: f32 = 0.0
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            total += exp(x[row + j] - largest)
    all_of_it = block_reduce_add(total)
    for k in range(rounds):
        j = k * BLOCK + t
        if j < columns:
            y[row + j] = exp(x[row + j] - largest) / all_of_it


def by_index(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    for i in range(row + t, row + columns, BLOCK):
        top = max(top, x[i])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for i in range(row + t, row + columns, BLOCK):
        total += exp(x[i] - top)
    total = block_reduce_add(total)
    for i in range(row + t, row + columns, BLOCK):
        y[i] = exp(x[i] - top) / total


def helper(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    top = x[row]
    for j in range(get_local_id(), columns, BLOCK):
        top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for j in range(get_local_id(), columns, BLOCK):
        total += power(x[row + j], top)
    total = block_reduce_add(total)
    for j in range(get_local_id(), columns, BLOCK):
        y[row + j] = power(x[row + j], top) / total


def skipping(x: DeviceArray[f32], y: DeviceArray[f32], width: u32):
    base = get_block_id() * width
    me = get_local_id()
    top = x[base]
    for first in range(0, width, BLOCK):
        if first + me >= width:
            continue
        top = max(top, x[base + first + me])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for first in range(0, width, BLOCK):
        if first + me >= width:
            continue
        total += exp(x[base + first + me] - top)
    total = block_reduce_add(total)
    for first in range(0, width, BLOCK):
        if first + me >= width:
            continue
        y[base + first + me] = exp(x[base + first + me] - top) / total


def signed(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    for j in range(t, columns, BLOCK):
        top = max(top, x[row + j])
    below = -block_reduce_max(top)
    total: f32 = 0.0
    for j in range(t, columns, BLOCK):
        total -= -exp(x[row + j] + below)
    total = block_reduce_add(total)
    for j in range(t, columns, BLOCK):
        y[row + j] = -exp(below + x[row + j]) / -total


def written_twice(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    for j in range(t, columns, BLOCK):
        top = max(top, x[row + j])
        y[row + j] = 0.0
    top = block_reduce_max(top)
    total: f32 = 0.0
    for j in range(t, columns, BLOCK):
        total += exp(x[row + j] - top)
    total = block_reduce_add(total)
    for j in range(t, columns, BLOCK):
        y[row + j] = x[row + j] - top
        y[row + j] = exp(y[row + j]) / total


def twice(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    t = get_local_id()
    top = x[row]
    least = x[row]
    for j in range(t, columns, BLOCK):
        top = max(top, x[row + j])
        least = min(least, x[row + j])
    top = block_reduce_max(top)
    least = block_reduce_min(least)
    total: f32 = 0.0
    again: f32 = 0.0
    for j in range(t, columns, BLOCK):
        total += exp(x[row + j] - top)
        again += exp(x[row + j] - top)
    total = block_reduce_add(total)
    again = block_reduce_add(again)
    for j in range(t, columns, BLOCK):
        y[row + j] = exp(x[row + j] - top) / again


def unpacked(x: DeviceArray[f32], y: DeviceArray[f32], columns: u32):
    t, row = get_local_id(), get_block_id() * columns
    top = x[row]
    for first in range(0, columns, BLOCK):
        j = first + t
        if j < columns:
            top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for first in range(0, columns, BLOCK):
        if columns > t + first:
            v = x[row + t + first] - top
            total += exp(v)
    total = block_reduce_add(total)
    for j in range(t, columns, BLOCK):
        part, whole = exp(x[row + j] - top), total
        y[row + j] = part / whole
