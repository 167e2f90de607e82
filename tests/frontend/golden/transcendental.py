# The canonical functions, their fast forms and their names with suffix.
from hologram.lang import (
    DeviceArray, cos, cosf, f32, f64, log, log2, log2f, log10, log10f, logf, rsqrt, rsqrtf, sin, sinf,
    tan, tanf, tanh, tanhf,
)


def precise(a: DeviceArray[f32], d: DeviceArray[f64], x: f32, y: f64):
    a[0] = log(x) + log2(x) + log10(x) + rsqrt(x)
    a[1] = sin(x) + cos(x) + tan(x) + tanh(x)
    d[0] = log(y) + log2(y) + log10(y) + rsqrt(y)
    d[1] = sin(y) + cos(y) + tan(y) + tanh(y)


def fast(a: DeviceArray[f32], x: f32):
    a[0] = log(x, fast=True) + log2(x, fast=True) + log10(x, fast=True)
    a[1] = sin(x, fast=True) + cos(x, fast=True) + tanh(x, fast=True)


def suffixes(a: DeviceArray[f32], x: f32):
    a[0] = logf(x) + log2f(x) + log10f(x) + rsqrtf(x)
    a[1] = sinf(x) + cosf(x) + tanf(x) + tanhf(2)
