"""Kernels of test_cancel.py, which take hours: a module, because kernels stand at module level."""

from __future__ import annotations

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u32,
)


@hg.kernel
def spin(x: DeviceArray[u32], out: DeviceArray[u32], m: u32, n: u32):
    i = get_global_id()
    if i < n:
        s = x[i]
        for k in range(m):
            s = (s * 1664525) ^ k
        out[i] = s


@hg.kernel
def nest(out: DeviceArray[u32], m: u32, n: u32):
    i = get_global_id()
    if i < n:
        s: u32 = 1
        for _a in range(m):
            for _b in range(m):
                for c in range(m):
                    s = (s * 1664525) ^ c
        out[i] = s


@hg.kernel
def unbounded(x: DeviceArray[u32], out: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        s = x[i]
        while s != 0:
            s = (s * 1664525) | 1
        out[i] = s


@hg.kernel
def meet(out: DeviceArray[u32], m: u32):
    tile = shared(u32, 256)
    t = get_local_id()
    s: u32 = 7
    for k in range(m):
        tile[t] = s * 1664525
        barrier()
        s = tile[255 - t] ^ k
        barrier()
    out[get_global_id()] = s


@hg.kernel
def wide(out: DeviceArray[u32], n: u32):
    i = get_global_id()
    s = i
    for _k in range(200):
        s = (s * 1664525) ^ (s >> 7)
    if i < n:
        out[i] = s


# Loops whose rounds no scalar says alone.


@hg.kernel
def down(out: DeviceArray[u32], m: u32, low: u32, n: u32):
    i = get_global_id()
    if i < n:
        s = i
        for k in range(m, low, -1):
            s = (s * 1664525) ^ k
        out[i] = s


@hg.kernel
def between(out: DeviceArray[u32], low: i32, high: i32, n: u32):
    i = get_global_id()
    if i < n:
        s = i
        for k in range(low, high):
            s = (s * 1664525) ^ u32(k)
        out[i] = s


@hg.kernel
def alike(out: DeviceArray[u32], m: u32, n: u32):
    i = get_global_id()
    if i < n:
        s: u32 = 1
        for k in range(m):
            s = (s * 1664525) ^ k
        out[i] = s


@hg.kernel
def past(out: DeviceArray[u32], m: u32, n: u32):
    i = get_global_id()
    if i < n:
        s = i
        k: u32 = 0
        while k != m:
            k += 2
            s = (s * 1664525) ^ k
        out[i] = s
