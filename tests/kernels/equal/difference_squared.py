"""out = (x - y)^2, written in ten ways."""

from hologram.lang import *


@inline
def square(v: f32):
    return v * v


@inline
def apart(a: f32, b: f32):
    if True:
        return a - b
    return b - a


def plain(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        d = x[i] - y[i]
        out[i] = d * d


def renamed(first: DeviceArray[f32], second: DeviceArray[f32], z: DeviceArray[f32], count: u32):
    me = get_global_id()
    if me < count:
        off = first[me] - second[me]
        z[me] = off * off


def power(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = (x[i] - y[i]) ** 2


def repeated(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = (x[i] - y[i]) * (x[i] - y[i])


def helper(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    if get_global_id() < n:
        i = get_global_id()
        out[i] = square(apart(x[i], y[i]))


def dead_store(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = exp(x[i])
        d = y[i] + 1.0
        d = x[i] - y[i]
        out[i] = d * d


def early(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    a, b = x[i], y[i]
    out[i] = (a - b) * (a - b)


def negated(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if n > i:
        d = x[i] + -y[i]
        out[i] = -d * -d


def accumulated(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i]
        out[i] -= y[i]
        out[i] *= out[i]


def whole_numbers(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if not i >= n:
        d = (x[i] - y[i]) * f32(1)
        out[i] = d * d + -0.0
