"""Loops whose rounds the device code knows before the first, at the edges of 32 bits, and divisions by
numbers that the kernel states: the bits of the host.

usage: loops_test.py ENGINE
"""

from __future__ import annotations

import itertools
import sys
from typing import Any, TypeVar

import numpy as np
from there import is_there

import hologram as hg
from hologram.lang import DeviceArray, get_global_id, i8, i16, i32, i64, u8, u16, u32, u64

LANES = 70


@hg.kernel
def up(a: u32, b: u32, s: u32, out: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        total = u32(0)
        for k in range(a + i, b, s):
            total = total * 31 + k + 1
        out[i] = total


@hg.kernel
def up_by_64(a: u32, b: u32, out: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        total = u32(0)
        last = u32(7)
        for k in range(a + i, b, 64):
            total = total * 31 + k + 1
            last = k
        out[i] = total + last


@hg.kernel
def up_signed(a: i32, b: i32, out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        total = i32(0)
        for k in range(a + i32(i), b, 1000):
            total = total * 31 + k + 1
        out[i] = total


@hg.kernel
def down_signed(a: i32, b: i32, out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        total = i32(0)
        for k in range(a + i32(i), b, -1000):
            total = total * 31 + k + 1
        out[i] = total


@hg.kernel
def nested(a: u32, b: u32, out: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        total = u32(0)
        for k in range(0, a, 3):
            for m in range(k, b, 2):
                total = total * 31 + m
            total = total + k
        out[i] = total + i


T = TypeVar("T", u8, u16, u32, u64, i8, i16, i32, i64)


def divisions(divisor: int) -> Any:
    @hg.kernel
    def divided(x: DeviceArray[T], quotient: DeviceArray[T], rest: DeviceArray[T], n: u32):
        i = get_global_id()
        if i < n:
            quotient[i] = x[i] // T(divisor)
            rest[i] = x[i] % T(divisor)

    return divided


class Test:
    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.launches = 0

    def same(self, kernel: Any, scalars: tuple[int, ...], kind: type = np.uint32) -> None:
        host = np.zeros(LANES, kind)
        there = hg.to_device(host, self.engine)
        outcomes = []
        for out in (host, there):
            try:
                kernel(*scalars, out, LANES)
                outcomes.append("")
            except hg.Error as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1], (kernel, scalars, outcomes)
        if not outcomes[0]:
            assert kernel.last_launch.engine == self.engine, kernel.last_launch
            assert np.array_equal(host, there.to_host()), (kernel, scalars)
        self.launches += 1

    def ranges(self) -> None:
        edges = (0, 1, 63, 64, 65, 2**31 - 1, 2**31, 2**32 - 130, 2**32 - 70, 2**32 - 64, 2**32 - 1)
        steps = (1, 2, 63, 64, 2**31, 2**32 - 1)
        for a, b in itertools.product(edges, edges):
            if a + LANES > 2**32:
                continue  # lanes would go round 2^32 times
            if b - a < 2000:
                self.same(up_by_64, (a, b))
            for s in steps:
                if (b - a) // s < 2000:
                    self.same(up, (a, b, s))
        self.same(up, (10, 5, 0))
        signed = (-(2**31), -(2**31) + 999, -1001, -1000, -1, 0, 999, 1000, 2**31 - 2000, 2**31 - 1)
        for a, b in itertools.product(signed, signed):
            if abs(b - a) < 3_000_000 and a <= 2**31 - 1 - LANES:
                self.same(up_signed, (a, b), np.int32)
                self.same(down_signed, (a, b), np.int32)
        for a, b in itertools.product(range(9), range(9)):
            self.same(nested, (a, b))

    def divisions(self) -> None:
        random = np.random.default_rng(5)
        for name in "uint8 uint16 uint32 uint64 int8 int16 int32 int64".split():
            dtype = np.dtype(name)
            info = np.iinfo(dtype)
            edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 6, 7, 9, 10]
            edges += [info.max // 2, info.max // 2 + 1, info.max // 3, 64, 100, 127]
            if info.min < 0:
                edges += [-1, -2, -3, -7, -64]
            bits = random.integers(info.min, info.max, 5000, dtype=dtype, endpoint=True)
            x = np.concatenate([np.array(edges, dtype), bits])
            for divisor in {*edges, *(int(v) for v in bits[:5])} - {0}:
                kernel = divisions(divisor)
                host = [np.zeros_like(x), np.zeros_like(x)]
                there = [hg.to_device(host[0], self.engine) for _ in range(2)]
                kernel(x, *host, x.size)
                kernel(hg.to_device(x, self.engine), *there, x.size)
                for left, right in zip(host, there, strict=True):
                    assert np.array_equal(left, right.to_host()), (dtype, divisor)
                self.launches += 1


def main() -> int:
    engine = sys.argv[1]
    if not is_there(engine):
        return 0
    test = Test(engine)
    test.ranges()
    test.divisions()
    print(f"{engine}: {test.launches} launches equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
