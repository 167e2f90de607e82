"""Kernels of test_binding.py: a module, because kernels stand at module level."""

from __future__ import annotations

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f16,
    f32,
    f64,
    get_global_id,
    i8,
    i16,
    i32,
    i64,
    sigmoid,
    u8,
    u16,
    u32,
    u64,
)


@hg.kernel
def add(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = a[i] + b[i]


@hg.kernel
def add_matrices(a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]):
    j = get_global_id(0)
    i = get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[i, j] + b[i, j]


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


@hg.kernel
def sigmoid_of(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i])


@hg.kernel
def copy_int8(x: DeviceArray[i8], y: DeviceArray[i8], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_int16(x: DeviceArray[i16], y: DeviceArray[i16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_int32(x: DeviceArray[i32], y: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_int64(x: DeviceArray[i64], y: DeviceArray[i64], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_uint8(x: DeviceArray[u8], y: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_uint16(x: DeviceArray[u16], y: DeviceArray[u16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_uint32(x: DeviceArray[u32], y: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_uint64(x: DeviceArray[u64], y: DeviceArray[u64], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_float16(x: DeviceArray[f16], y: DeviceArray[f16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_float32(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]


@hg.kernel
def copy_float64(x: DeviceArray[f64], y: DeviceArray[f64], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]
