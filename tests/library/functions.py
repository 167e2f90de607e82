"""A kernel for each function whose accuracy library_accuracy measures, in f32 and f64."""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cbrt,
    copysign,
    cosh,
    erfc,
    f32,
    f64,
    fmod,
    get_global_id,
    hypot,
    lgamma,
    sinh,
    u32,
)

T = TypeVar("T", f32, f64)


def asin_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = asin(x[i])


def acos_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = acos(x[i])


def atan_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = atan(x[i])


def sinh_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sinh(x[i])


def cosh_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = cosh(x[i])


def asinh_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = asinh(x[i])


def acosh_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = acosh(x[i])


def atanh_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = atanh(x[i])


def cbrt_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = cbrt(x[i])


def erfc_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = erfc(x[i])


def lgamma_of(x: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = lgamma(x[i])


def hypot_of(x: DeviceArray[T], z: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = hypot(x[i], z[i])


def fmod_of(x: DeviceArray[T], z: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = fmod(x[i], z[i])


def copysign_of(x: DeviceArray[T], z: DeviceArray[T], y: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = copysign(x[i], z[i])
