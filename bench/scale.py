"""make bench GROUP=scale: streams against what one would write by hand, in alternating pairs.

usage: scale.py [CPP_PROGRAM] [--mebibytes N]. Files are in a folder of TMPDIR, and warm. A ratio is
the median over the pairs; above 1, the stream is faster.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

PAIRS = 7
MIB = 1 << 20
BAR = 1.5  # against other engines and numpy.memmap


@hg.kernel
def chain(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        t = 2.0 * x[i] + 1.0
        y[i] = max(t, 0.0) * x[i]


def by_hand(source: str, sink: int) -> float:
    """pread and pwrite of 1 MiB, and nothing else."""
    file = os.open(source, os.O_RDONLY)
    window = memoryview(bytearray(MIB))
    began = time.perf_counter()
    at = 0
    while got := os.preadv(file, [window], at):
        os.pwrite(sink, window[:got], at)
        at += got
    seconds = time.perf_counter() - began
    os.close(file)
    return seconds


def ratio(
    name: str, size: int, ours: Callable[[], float], peer: Callable[[], float], bar: float = 0
) -> None:
    """Both give seconds."""
    ours(), peer()  # first touches
    pairs = [(ours(), peer()) for _ in range(PAIRS)]
    mine = statistics.median(own for own, _ in pairs)
    other = statistics.median(them for _, them in pairs)
    times = statistics.median(them / own for own, them in pairs)
    missed = "" if times >= bar else f", bar {bar}, MISSED"
    print(
        f"{name:<48} {size / mine / 1e9:6.2f} {size / other / 1e9:6.2f} GB/s {times:6.2f} x{missed}"
    )


def resident(program: str) -> int:
    """KiB that a process has had at most."""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    return int(done.stdout)


def resident_of(path: str, out: str) -> int:
    return resident(
        f"""import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
import scale, hologram as hg
hg.stream(scale.chain, {{'x': {path + ":f32"!r}, 'n': hg.length_of('x')}}, {{'y': {out!r}}})
lines = open('/proc/self/status').read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith('VmHWM')))"""
    )


def main() -> None:  # noqa: PLR0915
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("--mebibytes", type=int, default=512)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        n = options.mebibytes * MIB // 4
        data = (np.arange(n) * 7919 % 1000).astype(np.float32)
        data.tofile("x.raw")
        data[: 16 * MIB].tofile("small.raw")
        sinks = [os.open(name, os.O_RDWR | os.O_CREAT) for name in ("a.raw", "b.raw")]

        def stream() -> float:
            os.lseek(sinks[0], 0, os.SEEK_SET)
            return hg.stream(chain, {"x": "x.raw", "n": n}, {"y": (sinks[0], n)}).seconds

        print(f"{options.mebibytes} MiB, warm; median of {PAIRS} alternating pairs")
        peer = lambda: by_hand("x.raw", sinks[1])  # noqa: E731
        ratio("chain in Python | pread + pwrite of 1 MiB", 4 * n, stream, peer)
        if options.program:
            sys.stdout.flush()
            subprocess.run([options.program, "x.raw", "a.raw", "b.raw"], check=True)

        def mapped() -> float:
            x = np.memmap("x.raw", np.float32)
            y = np.memmap("b.raw", np.float32, "r+")
            began = time.perf_counter()
            for at in range(0, n, MIB // 4):
                part = x[at : at + MIB // 4]
                y[at : at + MIB // 4] = np.maximum(2 * part + 1, 0) * part
            return time.perf_counter() - began

        ratio("chain in Python | numpy.memmap, windows", 4 * n, stream, mapped, BAR)

        def fold() -> float:
            return hg.stream(hg.ops.sum, ["x.raw:f32"]).seconds

        def read_alone() -> float:
            file, window = os.open("x.raw", os.O_RDONLY), memoryview(bytearray(MIB))
            began = time.perf_counter()
            at = 0
            while got := os.preadv(file, [window], at):
                at += got
            os.close(file)
            return time.perf_counter() - began

        ratio("sum in Python | pread of 1 MiB alone", 4 * n, fold, read_alone)
        parts = 25 * MIB
        x, y, z = data[:parts].copy(), np.zeros(parts, np.float32), np.zeros(parts, np.float32)
        pool = hg.Pool(128 * 1024)
        own = chain.configure(threads=1)

        def through_pool() -> float:
            return hg.stream(own, {"x": x, "n": parts}, {"y": y}, pool=pool).seconds

        def in_place() -> float:
            began = time.perf_counter()
            own(x, z, parts)
            return time.perf_counter() - began

        ratio("100 MiB through a pool of 128 KiB | in place", 4 * parts, through_pool, in_place)
        os.ftruncate(sinks[0], 0)
        large, small = resident_of("x.raw", "c.raw"), resident_of("small.raw", "c.raw")
        label = f"resident at {options.mebibytes} MiB | at 64 MiB"
        print(f"{label:<44} {large} {small} KiB")
        pool = hg.Pool(128)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        some = {"x": x[:100_000], "n": 100_000}
        done = hg.stream(own, some, {"y": y[:100_000]}, pool=pool, window=4)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{f'{done.windows} windows':<44} {done.seconds:.2f} s, {grown} KiB more")


if __name__ == "__main__":
    main()
