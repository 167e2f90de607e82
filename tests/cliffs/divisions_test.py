"""`//` and `%` by numbers that all lanes share, in vectors of each level, against NumPy; samples
against the interpreter.

All pairs of 8 bits, all divisors of 16 bits with the dividends at which a multiplier that is too
small or too large shows first (multiples of the divisor and what lies beside them), and edges and
random numbers of 32 and 64 bits.

usage: divisions_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

import os
import sys
from typing import TypeVar

import numpy as np
from comparing import on_each_level

import hologram as hg
from hologram.lang import DeviceArray, get_global_id, i8, i16, i32, i64, u8, u16, u32, u64

T = TypeVar("T", i8, i16, i32, i64, u8, u16, u32, u64)
CONSTANTS = (1, 2, 3, 7, 10, 100, 127)


@hg.kernel
def parts(x: DeviceArray[T], q: DeviceArray[T], r: DeviceArray[T], d: T):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // d
        r[i] = x[i] % d


@hg.kernel
def constants(x: DeviceArray[T], q: DeviceArray[T, 2], r: DeviceArray[T, 2]):
    i = get_global_id()
    if i < len(x):
        q[0, i], r[0, i] = x[i] // 1, x[i] % 1
        q[1, i], r[1, i] = x[i] // 2, x[i] % 2
        q[2, i], r[2, i] = x[i] // 3, x[i] % 3
        q[3, i], r[3, i] = x[i] // 7, x[i] % 7
        q[4, i], r[4, i] = x[i] // 10, x[i] % 10
        q[5, i], r[5, i] = x[i] // 100, x[i] % 100
        q[6, i], r[6, i] = x[i] // 127, x[i] % 127


def reference(x: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """NumPy's own, but for the smallest number by -1, which NumPy leaves to the processor."""
    if d == -1:
        with np.errstate(over="ignore"):
            return -x, np.zeros_like(x)
    return x // x.dtype.type(d), x % x.dtype.type(d)


def compare(x: np.ndarray, d: int, engine=None) -> None:
    q, r = np.empty_like(x), np.empty_like(x)
    (engine or parts)(x, q, r, d)
    for name, ours, theirs in zip(("//", "%"), (q, r), reference(x, d), strict=True):
        if np.array_equal(ours, theirs):
            continue
        at = int(np.flatnonzero(ours != theirs)[0])
        sys.exit(f"{x.dtype} {x[at]} {name} {d}: expected {theirs[at]}, found {ours[at]}")


def edges(dtype) -> np.ndarray:
    info = np.iinfo(dtype)
    found = {0, info.min, info.min + 1, info.max, info.max - 1}
    for shift in range(info.bits):
        for near in (-1, 0, 1):
            found |= {(1 << shift) + near, -(1 << shift) + near}
    return np.array(sorted(v for v in found if info.min <= v <= info.max), dtype=dtype)


def multiples(d: int, info: np.iinfo, rng) -> np.ndarray:
    """The dividends whose quotient is wrong first."""
    most = info.max // abs(d)
    factors = {0, 1, 2, most, max(0, most - 1)} | {
        int(v) for v in rng.integers(0, most, 27, info.dtype, endpoint=True)
    }
    found = {sign * f * d + near for f in factors for near in (-1, 0, 1) for sign in (-1, 1)}
    return np.array([v for v in found if info.min <= v <= info.max], dtype=info.dtype)


def check_level() -> None:
    rng = np.random.default_rng(1)
    interpreter = parts.configure(backend="interpreter")
    count = 0
    for dtype in (np.int8, np.uint8):
        info = np.iinfo(dtype)
        every = np.arange(info.min, info.max + 1, dtype=dtype)
        for d in every:
            if d != 0:
                compare(every, int(d))
                count += len(every)
        compare(every, 7, interpreter)
    for dtype in (np.int16, np.uint16):
        info = np.iinfo(dtype)
        for d in range(info.min, info.max + 1):
            if d != 0:
                x = multiples(d, info, rng)
                compare(x, d)
                count += len(x)
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        info = np.iinfo(dtype)
        numbers = rng.integers(info.min, info.max, 500, dtype=dtype, endpoint=True)
        small = numbers >> rng.integers(0, info.bits, 500).astype(dtype)
        divisors = np.concatenate((edges(dtype), numbers, small))
        for k, d in enumerate(divisors):
            if d != 0:
                x = np.concatenate((edges(dtype), multiples(int(d), info, rng), small[:64]))
                compare(x, int(d))
                if k % 50 == 0:
                    compare(x, int(d), interpreter)
                count += len(x)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        x = edges(dtype)
        q, r = (np.empty((len(CONSTANTS), len(x)), dtype) for _ in "qr")
        constants(x, q, r)
        for k, d in enumerate(CONSTANTS):
            np.testing.assert_array_equal(q[k], x // dtype(d), err_msg=f"{dtype} // {d}")
            np.testing.assert_array_equal(r[k], x % dtype(d), err_msg=f"{dtype} % {d}")
        try:
            parts(x, x.copy(), x.copy(), 0)
            sys.exit(f"{dtype}: a division by 0 is no fault")
        except hg.errors.FaultError as error:
            if "0" not in str(error):
                raise
    print(f"{os.environ['HOLOGRAM_CPU_LEVEL']}: {count} pairs of dividend and divisor")


if __name__ == "__main__":
    on_each_level(check_level)
