# Names may come from three modules, under other names, and beside ordinary Python.
from __future__ import annotations

import numpy as np

import hologram.lang as lang
from atlas_kernel import atlas_kernel, expf
from hologram import kernel as device_kernel
from hologram.lang import DeviceArray
from hologram.lang import f32 as real
from hologram.lang import get_global_id as gid

try:
    from hologram.lang import u32
except ImportError:
    from atlas_kernel import u32


def reference(x):
    return np.exp(x)


@device_kernel
def renamed(x: DeviceArray[real], n: u32):
    i = gid()
    if i < n:
        x[i] = real(expf(x[i]))


@atlas_kernel
def dotted(x: lang.DeviceArray[lang.f32], scale: lang.f32):
    x[0] = scale


@atlas_kernel()
def no_parameters():
    pass


if __name__ == "__main__":
    print([n for n in range(3)], reference(1.0))
