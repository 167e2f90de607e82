"""NaNs in what is kept in registers while a loop runs, and in shared and local arrays: a computed one
is canonical once it is in memory, one that was loaded keeps its bits. Native code of each level
against the interpreter, bit for bit.

usage: nans_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

from typing import TypeVar

import numpy as np
from comparing import on_each_level

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    f64,
    get_global_id,
    get_local_id,
    local,
    shared,
    u32,
)

T = TypeVar("T", f32, f64)
LANES = 173
PAYLOAD = {np.float32: (np.uint32, 0x7F812345), np.float64: (np.uint64, 0xFFF0123456789ABC)}


@hg.kernel
def summed(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < len(c):
        for k in range(n):
            c[i] += x[k, i]


@hg.kernel
def last(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < len(c):
        for k in range(n):
            if x[k, i] > c[i]:
                c[i] = c[i] + x[k, i]
            else:
                c[i] = x[k, i]


@hg.kernel
def in_local(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    kept = local(T, 4)
    i = get_global_id()
    if i < len(c):
        for k in range(n):
            kept[k % 4] = kept[k % 4] + x[k, i]
        total = kept[0]
        for k in range(4):
            total = total if kept[k] == kept[k] else kept[k]
        c[i] = total


@hg.kernel
def given_in_local(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    kept = local(T, 4)
    i = get_global_id()
    if i < len(c):
        for k in range(n):
            kept[k % 4] = x[k, i] if k % 2 == 0 else kept[k % 4] + x[k, i]
        c[i] = kept[(i + n) % 4]


@hg.kernel(block=64)
def in_shared(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    kept = shared(T, 64)
    lane = get_local_id()
    i = get_global_id()
    total: T = 0
    for k in range(n):
        total += x[k, i % x.shape[1]]
    kept[lane] = total
    barrier()
    if i < len(c):
        c[i] = kept[63 - lane]


@hg.kernel(block=64)
def given_in_shared(x: DeviceArray[T, 2], c: DeviceArray[T], n: u32):
    kept = shared(T, 64)
    lane = get_local_id()
    i = get_global_id()
    at = x[0, i % x.shape[1]]
    kept[lane] = at if lane % 3 != 0 else at + x[n - 1, i % x.shape[1]]
    barrier()
    if i < len(c):
        c[i] = kept[63 - lane]


KERNELS = (summed, last, in_local, given_in_local, in_shared, given_in_shared)


def numbers(rng, dtype, shape):
    """A third of them NaNs or infinities, with payloads and signs."""
    bits, payload = PAYLOAD[dtype]
    values = rng.integers(-9, 9, shape).astype(dtype)
    which = rng.integers(0, 9, shape)
    values[which == 0] = np.array(payload, bits).view(dtype)
    values[which == 1] = np.inf
    values[which == 2] = -np.inf
    return values


def check(kernel, dtype, rounds):
    """Whether all bits are those of the interpreter; gives how many NaNs have a payload."""
    rng = np.random.default_rng(rounds)
    x, start = numbers(rng, dtype, (max(rounds, 1), LANES)), numbers(rng, dtype, LANES)
    bits, _ = PAYLOAD[dtype]
    results = []
    for backend in ("interpreter", "cpu"):
        c = start.copy()
        kernel.configure(backend=backend)(x, c, rounds)
        results.append(c.view(bits))
    np.testing.assert_array_equal(*results, err_msg=f"{kernel.__name__} {dtype} {rounds}")
    canonical = np.array(np.nan, dtype).view(bits)
    nans = np.isnan(results[0].view(dtype))
    return int(nans.sum()), int((nans & (results[0] != canonical)).sum())


def main():
    nans = dict.fromkeys((kernel.__name__ for kernel in KERNELS), (0, 0))
    for kernel in KERNELS:
        for dtype in PAYLOAD:
            for rounds in (1, 2, 7, 0):
                if rounds == 0 and kernel is given_in_shared:
                    continue
                found = check(kernel, dtype, rounds)
                nans[kernel.__name__] = tuple(
                    a + b for a, b in zip(nans[kernel.__name__], found, strict=True)
                )
    for name, (found, with_payload) in nans.items():
        assert found > 20, f"{name}: {found} NaNs"
        given = name in ("summed", "last", "given_in_local", "given_in_shared")
        assert (with_payload > 0) == given, f"{name}: {with_payload} with a payload"


if __name__ == "__main__":
    on_each_level(main)
