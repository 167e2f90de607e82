"""sums = x + bias, out = tanh(sums) / 4, written in ten ways."""

from hologram.lang import *


def plain(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        sums[i] = x[i] + bias[i]
        out[i] = tanh(x[i] + bias[i]) / 4.0


def shared_sum(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        s = x[i] + bias[i]
        sums[i] = s
        out[i] = tanh(s) * 0.25


def other_order(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = 0.25 * tanh(bias[i] + x[i])
        sums[i] = bias[i] + x[i]


def read_back(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        sums[i] = x[i] + bias[i]
        out[i] = tanh(sums[i]) / 4.0


def tuples(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        s = bias[i] + x[i]
        sums[i], out[i] = s, tanh(s) / 4.0


def constant(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    quarter: f32 = 2.0 ** -2
    i = get_global_id()
    if i < n:
        s = x[i] - -bias[i]
        out[i] = tanh(s) * quarter
        sums[i] = s


def overwritten(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        sums[i] = 0.0
        out[i] = 0.0
        sums[i] = x[i] + bias[i]
        out[i] = tanh(sums[i]) / 4.0


def loops(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        s = x[i] + bias[i]
        t = tanh(s)
        for k in range(2):
            t = t / 2.0 if k == 5 else t
        sums[i] = s
        out[i] = t * 0.25


def generic(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        s = f32(x[i]) + f32(bias[i])
        sums[i] = s if 1 < 2 else 0.0
        out[i] = tanh(s if s == s else s) / f32(4)


def unused(x: DeviceArray[f32], bias: DeviceArray[f32], sums: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        a = x[i]
        b = bias[i]
        c = a * b
        d = sin(c) + cos(c)
        s = b + a
        sums[i] = s
        out[i] = tanh(s) / 4.0
