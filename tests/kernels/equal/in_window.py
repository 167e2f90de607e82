"""mask = 1 where low <= x < high, else 0 (i32), written in ten ways."""

from hologram.lang import *


def plain(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(low <= x[i] and x[i] < high)


def chain(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(low <= x[i] < high)


def swapped(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(high > x[i] and x[i] >= low)


def not_below(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(not x[i] < low and not x[i] >= high)


def locals_of_bool(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        above = x[i] >= low
        below = x[i] < high
        mask[i] = u8(above and below)


def whole(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i] + 0
        mask[i] = u8(low <= v and v * 1 < high)


def double_negation(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(low <= -(-x[i]) and ~~x[i] < high)


def bitwise(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8(low <= x[i]) & u8(x[i] < high)


def three(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        mask[i] = u8((x[i] < high and low <= x[i]) and (x[i] < high and low <= x[i]))


def masked(x: DeviceArray[i32], low: i32, high: i32, mask: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        v = (x[i] ^ 5 ^ 5) | 0
        w = v & -1
        mask[i] = u8(v >= low and high > w) ^ 0
