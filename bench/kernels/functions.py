"""The mathematical functions, one kernel each, for the figures of `hologram_bench` alone.

Arrays: x, y, out [n].
Launch: one lane per element.
Accuracy: that of the function (docs/math.md), with `_fast` that of the fast form.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    atan2,
    cos,
    erf,
    exp,
    exp2,
    expm1,
    f32,
    f64,
    get_global_id,
    log,
    log1p,
    log2,
    log10,
    pow,
    rsqrt,
    sigmoid,
    sin,
    tan,
    tanh,
    u32,
)

T = TypeVar("T", f32, f64)


def map_exp(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(x[i])


def map_exp2(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp2(x[i])


def map_expm1(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = expm1(x[i])


def map_log(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log(x[i])


def map_log2(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log2(x[i])


def map_log10(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log10(x[i])


def map_log1p(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log1p(x[i])


def map_sin(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sin(x[i])


def map_cos(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = cos(x[i])


def map_tan(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = tan(x[i])


def map_tanh(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = tanh(x[i])


def map_erf(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = erf(x[i])


def map_sigmoid(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i])


def map_rsqrt(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = rsqrt(x[i])


def map_exp_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp(x[i], fast=True)


def map_exp2_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = exp2(x[i], fast=True)


def map_expm1_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = expm1(x[i], fast=True)


def map_log_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log(x[i], fast=True)


def map_log2_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log2(x[i], fast=True)


def map_log10_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log10(x[i], fast=True)


def map_log1p_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = log1p(x[i], fast=True)


def map_sin_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sin(x[i], fast=True)


def map_cos_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = cos(x[i], fast=True)


def map_tanh_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = tanh(x[i], fast=True)


def map_erf_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = erf(x[i], fast=True)


def map_sigmoid_fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i], fast=True)


def map_pow(x: DeviceArray[T], y: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = pow(x[i], y[i])


def map_pow_fast(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = pow(x[i], y[i], fast=True)


def map_atan2(x: DeviceArray[T], y: DeviceArray[T], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = atan2(x[i], y[i])


def map_atan2_fast(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = atan2(x[i], y[i], fast=True)
