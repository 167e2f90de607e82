# Three ways to a sigmoid; every kernel of the file is in the document.
from hologram.lang import DeviceArray, exp, f32, get_global_id, sigmoid, u32


def precise(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i])


def fast(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = sigmoid(x[i], fast=True)


def composed(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 1 / (1 + exp(-x[i]))
