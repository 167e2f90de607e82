"""y = e^(-x^2 / 2), written in ten ways: the sign and the factors stand in many places."""

from hologram.lang import *


def outside(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(-(x[i] * x[i]) / 2.0)


def inside(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(-x[i] * x[i] / 2.0)


def of_quotient(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(-(x[i] * x[i] / 2.0))


def scaled(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(x[i] * x[i] * -0.5)


def in_front(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(-0.5 * (x[i] * x[i]))


def divided(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        y[i] = exp(v * v / -2.0)


def second(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        v = x[i]
        q = v * -v
        y[i] = exp(q * 0.5)


def power(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(-(x[i] ** 2) / 2.0)


def absolute(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(abs(x[i]) * abs(x[i]) * -0.5)


def returns(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    y[i] = exp(-1.0 * x[i] * (1.0 * x[i]) * 0.5)
