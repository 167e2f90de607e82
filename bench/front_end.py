#!/usr/bin/env python3
"""How long the front end takes for a file of 600 lines, and a start of `hologram run k.py`.

usage: front_end.py HOLOGRAM [--rounds N] [--profile]

The file is made of kernels of the tree, old forms and new ones. Its time is that of this process,
from the text to the document, without Python's start; that of a start is of the whole command, with
the kernel in the code cache and without. Medians of N rounds (20), of wall time, which the bars are
for, and of processor time, which others on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from hologram.frontend.document import compile_source
from hologram.frontend.source import read_source

LINES = 600
FRONT_END_MS = 60
START_MS = 80
PARTS = (
    "tests/language/programs/forms.py",
    "tests/language/programs/plain.py",
    "kernels/simulation/nbody.py",
    "kernels/simulation/black_scholes.py",
    "kernels/nn/batch_norm.py",
    "kernels/nn/conv2d.py",
    "kernels/nn/layer_norm.py",
    "kernels/nn/softmax.py",
    "kernels/nn/log_softmax.py",
)
KERNEL = """from hologram.lang import DeviceArray, f32, get_global_id, u32


def scale(x: DeviceArray[f32], y: DeviceArray[f32], a: f32, n: u32):
    i = get_global_id()
    if i < n:
        y[i] = a * x[i]
"""


def kernels() -> str:
    """The parts one after the other, each with names of its own."""
    text = ""
    for number, part in enumerate(PARTS):
        one = (ROOT / part).read_text()
        for name in re.findall(r"^(?:def|class) (\w+)|^([A-Z]\w*) =", one, re.M):
            word = name[0] or name[1]
            one = re.sub(rf"(?<![.\w]){word}\b", f"{word}_{number}", one)
        text += one + "\n\n"
        if text.count("\n") >= LINES:
            break
    assert text.count("\n") >= LINES, text.count("\n")
    return text


def used() -> float:
    """Processor time of this process and of its children that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def in_ms(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The medians of wall time and of processor time, that of children too."""
    wall, processor = [], []
    for _ in range(rounds + 1):
        before, start = used(), time.perf_counter()
        run()
        wall.append(time.perf_counter() - start)
        processor.append(used() - before)
    return 1e3 * statistics.median(wall[1:]), 1e3 * statistics.median(processor[1:])


def report(what: str, run: Callable[[], object], rounds: int, limit: float | None) -> bool:
    wall, processor = in_ms(run, rounds)
    bar = "" if limit is None else f" (<= {limit:g})"
    print(f"{what}: {wall:.1f} ms, {processor:.1f} ms of processor{bar}")
    return limit is None or wall <= limit


def start_of(hologram: str, folder: Path) -> Callable[[], object]:
    """`hologram run k.py`, with what it needs."""
    kernel = folder / "k.py"
    kernel.write_text(KERNEL)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + b"\n"
    (folder / "x.npy").write_bytes(b"\x93NUMPY\1\0\x76\0" + header + bytes(256))
    command = [hologram, "run", str(kernel), "--in", f"x={folder}/x.npy"]
    command += ["--out", f"y={folder}/y.npy:f32:64", "--set", "a=2", "--set", "n=64"]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "many.py"
        path.write_text(kernels())
        source = read_source(str(path))

        def compile_it() -> None:
            compile_source(source, None)

        if options.profile:
            compile_it()
            cProfile.runctx("compile_it()", {"compile_it": compile_it}, {}, sort="tottime")
            return 0
        count = path.read_text().count("\n")
        rounds = options.rounds
        good = report(f"front end, {count} lines", compile_it, rounds, FRONT_END_MS)
        start = start_of(options.hologram, folder)
        # Not `python3` of the path, which may be a script that looks for one.
        python = os.environ.setdefault("HOLOGRAM_PYTHON", sys.executable)
        os.environ["HOLOGRAM_CACHE_DIR"] = str(folder / "cache")
        good &= report("start of hologram run k.py", start, rounds, START_MS)
        os.environ["HOLOGRAM_CACHE_DIR"] = ""
        report("  compiled anew each time", start, rounds, None)
        bare = [python, "-I", "-S", "-c", ""]
        report("  Python alone", lambda: subprocess.run(bare, check=True), rounds, None)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
