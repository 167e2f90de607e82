"""out = x where it is above low, else slope x; at most 4, written in ten ways."""

from hologram.lang import *

TOP = 8.0 / 2.0


@inline
def leaky(v: f32, low: f32, slope: f32):
    if v < low:
        return slope * v
    return v


def plain(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = slope * x[i] if x[i] < low else x[i]
        out[i] = min(v, 4.0)


def mirrored(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = slope * x[i] if low > x[i] else x[i]
        out[i] = min(4.0, v)


def inverted(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i] if not x[i] < low else x[i] * slope
        out[i] = min(v, TOP)


def helper(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = min(leaky(x[i], low, slope), TOP)


def branch(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        if v < low:
            v = v * slope
        out[i] = min(v, 4.0)


def branches(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        if x[i] < low:
            v = x[i] * slope
        else:
            v = x[i]
        out[i] = min(v, 4.0)


def returns(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    out[i] = x[i]
    if x[i] < low:
        out[i] = slope * out[i]
    out[i] = min(out[i], 4.0)


def selects(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        steep = slope * x[i]
        out[i] = min(select(x[i] < low, steep, x[i]), 4.0)


def flagged(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        below = x[i] < low
        above = not below
        v = x[i] if above else x[i] * slope
        out[i] = min(v, 4.0)


def twice(x: DeviceArray[f32], low: f32, slope: f32, out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i] * slope if x[i] < low and x[i] < low else x[i]
        w = log(v)
        out[i] = min(min(v, 4.0), 4.0)
