"""Functions of one f32 on a device and on the host: each of the 2^32 bit patterns gives the same bits.

usage: function_sweep.py ENGINE [--every N] [--seconds S] [FUNCTION]...

On the host they are native code with all processors. --every takes each N-th pattern;
after S seconds no further function is begun. Prints a line for each function and the first pattern
that differs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from there import is_there

import hologram as hg

FUNCTIONS = (
    "exp log sin cos tanh pow erf log2 log10 tan sqrt rsqrt sigmoid silu softplus gelu elu abs round"
).split()
PART = 1 << 20  # patterns that one thread compares
HELD = 256  # parts at a time


def function_of(name: str, out: Any) -> Any:
    if name == "pow":
        exponent = np.full(out.shape, np.float32(2.7))
        if not isinstance(out, np.ndarray):
            exponent = hg.to_device(exponent, out.device)
        return lambda x: hg.ops.pow(x, exponent, out=out)
    return partial(getattr(hg.ops, name), out=out)


class Sweep:
    def __init__(self, engine: str, every: int) -> None:
        self.every = every
        self.parts = range(0, 1 << 32, PART * every)
        size = min(HELD, len(self.parts)) * PART
        self.x, self.host, self.found = (np.empty(size, np.float32) for _ in range(3))
        self.there = hg.to_device(self.x, engine)
        self.out = hg.device_empty(size, "f32", engine)
        self.pool = ThreadPoolExecutor(os.cpu_count())

    def fill(self, start: int, k: int) -> None:
        first = self.parts[start + k]
        patterns = self.x[k * PART : (k + 1) * PART].view(np.uint32)
        patterns[:] = np.arange(first, first + PART * self.every, self.every, dtype=np.uint32)

    def digest(self, k: int) -> bytes:
        return hashlib.sha256(self.host[k * PART : (k + 1) * PART]).digest()

    def difference(self, k: int) -> int | None:
        """The first pattern of a part whose results differ."""
        part = slice(k * PART, (k + 1) * PART)
        same = self.host[part].view(np.uint32) == self.found[part].view(np.uint32)
        if same.all():
            return None
        return int(self.x[part].view(np.uint32)[np.argmin(same)])

    def run(self, name: str) -> str:
        """Empty, or what differs."""
        begin = time.perf_counter()
        digest = hashlib.sha256()
        on_host, on_device = function_of(name, self.host), function_of(name, self.out)
        held = self.x.size // PART
        for start in range(0, len(self.parts), held):
            numbers = range(min(held, len(self.parts) - start))
            list(self.pool.map(partial(self.fill, start), numbers))
            self.there.copy_from(self.x)
            on_device(self.there)
            on_host(self.x)
            self.out.to_host(out=self.found)
            for different in self.pool.map(self.difference, numbers):
                if different is not None:
                    return f"{name}: the pattern {different:#010x} has other bits"
            for part in self.pool.map(self.digest, numbers):
                digest.update(part)
        count = len(self.parts) * PART
        seconds = time.perf_counter() - begin
        print(f"{name:10} {count} equal, {digest.hexdigest()[:16]}, in {seconds:.1f} s", flush=True)
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=("cuda", "opencl"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    options = parser.parse_intermixed_args()
    if not is_there(options.engine):
        return 0
    deadline = time.monotonic() + options.seconds
    sweep = Sweep(options.engine, options.every)
    failures = []
    for name in options.functions:
        if time.monotonic() > deadline:
            print(f"{name}: not run, {options.seconds:g} s are over")
            continue
        failures.append(sweep.run(name))
    found = [failure for failure in failures if failure]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
