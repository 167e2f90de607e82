#!/usr/bin/env python3
"""Kernels whose lanes have rows, as they are written and by way of their circuits: equal bits.

usage: row_kernels.py HOLOGRAM LIBRARY
Every kernel of rows/folds.py, of the equal kernels with reductions and of kernels/ whose circuit says `by` runs on
rows of several lengths, shorter than a block and ragged among them; data are random bits, NaNs with payloads, zeros of both
signs and infinities included. Those of rows/refused.py have to be refused, for the reason above each.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import numpy as np
from circuits import LIST, circuits_of, compile_all
from library import CPU, INTERPRETER, TYPES, Failure, Library
from run import KERNELS, engines, kernel_files

FOLDER = Path(__file__).parent
LENGTHS = (0, 1, 2, 63, 64, 65, 255, 1000, 4096, 9001)
KERNEL = re.compile(r"^def (\w+)\(\s*\w+: DeviceArray", re.MULTILINE)
NAMES = {number: name for name, number in TYPES.items()}


def sources() -> dict[str, list[str]]:
    """The kernels of each file, by its path."""
    tree = {line.split(":")[0] for line in LIST.read_text().splitlines() if " by " in line}
    found = {}
    for path in (FOLDER / "rows/folds.py", *sorted((FOLDER / "equal").glob("*.py"))):
        if "block_reduce" in path.read_text():
            found[str(path)] = KERNEL.findall(path.read_text())
    for name, kernels in kernel_files("").items():
        mine = [kernel for kernel in kernels if kernel in tree]
        if mine:
            found[str(KERNELS / f"{name}.py")] = mine
    return found


def refusals(hologram: str) -> list[str]:
    """What is wrong with the errors of rows/refused.py."""
    path = FOLDER / "rows/refused.py"
    wanted = re.findall(r"^# (.*)\ndef (\w+)\(", path.read_text(), re.MULTILINE)
    given = {}
    for _, kernel in wanted:
        command = [hologram, "compile", str(path), "--emit", "circuit", "--entry", kernel]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        given[kernel] = "".join(re.findall(r"is no circuit: (.*)", done.stderr))
    wrong = [
        f"{kernel}: {given.get(kernel)!r}, expected {reason!r}"
        for reason, kernel in wanted
        if reason not in given.get(kernel, "")
    ]
    if len(wanted) < 20:
        wrong.append(f"only {len(wanted)} kernels to refuse")
    return wrong


def conditions(levels: int) -> str:
    """A kernel whose sum is chosen by conditions that share their sides: 2^levels ways to reach its start."""
    lines = [
        "from hologram.lang import *",
        "def deep(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):",
        "    total: f32 = 0.0",
        "    for j in range(get_local_id(), n, 64):",
        "        old = total",
        "        if x[j] > 0.0:",
        "            total += x[j]",
    ]
    for k in range(1, levels + 1):
        lines += [
            f"        if x[j] > {k}.0:",
            "            total = total",
            "        else:",
            f"            if x[j] < -{k}.0:",
            "                total = old",
        ]
    lines += [
        "    total = block_reduce_add(total)",
        "    if get_local_id() == 0:",
        "        out[0] = total",
    ]
    return "\n".join(lines) + "\n"


def takes_long(hologram: str) -> list[str]:
    """What is wrong with the time that conditions(60) takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deep.py"
        path.write_text(conditions(60))
        command = [hologram, "compile", str(path), "--emit", "circuit"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except subprocess.TimeoutExpired:
            return ["60 conditions take more than a minute"]
    return [] if "reduce_sum" in done.stdout else [f"60 conditions: {done.stderr}"]


def random_data(random: np.random.Generator, dtype: np.dtype, size: int) -> np.ndarray:
    if dtype.kind != "f":
        return np.frombuffer(random.bytes(size * dtype.itemsize), dtype).copy()
    data = random.standard_normal(size).astype(dtype)
    if random.integers(3) == 0:  # as many odd ones as others
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], dtype)
        bits = special.view(f"u{dtype.itemsize}")
        bits[4] += 5  # a payload
        data = np.where(random.integers(2, size=size) == 0, data, random.choice(special, size))
    elif random.integers(2) == 0:
        data = random.choice(np.array([0.0, -0.0], dtype), size)
    return data


class Comparison:
    def __init__(self, path: str, written: tuple[str, str], canonical: tuple[str, str]) -> None:
        self.written = Library(path, [written[0]], [written[1]])
        self.canonical = Library(path, [canonical[0]], [canonical[1]])
        self.random = np.random.default_rng(11)
        self.count = 0

    def run(self, kernel: str, source: str, text: str, backend: int) -> str | None:
        """What is wrong, if anything."""
        lanes, cut = re.search(r" by (\d+)(?: cut (\d+))?", text).groups()
        by_rows = "get_block_id()" in source
        starts = re.search(r"= \w+\[(row|base|0)\]\n", source)  # the first element must be there
        for n in LENGTHS[1:] if starts else LENGTHS:
            rows = -(-n // int(cut)) if cut else 3 if by_rows else 1
            size = max(1, rows, rows * n)
            values: dict = {}
            for name, is_buffer, number in self.written.parameters(kernel):
                dtype = np.dtype(NAMES[number])
                if is_buffer:
                    values[name] = random_data(self.random, dtype, size)
                else:
                    sized = name in ("n", "columns", "width", "count", "blocks")
                    values[name] = n if sized else dtype.type(3)
            if "blocks" in values and "count" in values:
                values["count"] = 7
            results = []
            for library in (self.written, self.canonical):
                mine = {
                    key: value.copy() if isinstance(value, np.ndarray) else value
                    for key, value in values.items()
                }
                before = library.guarded(kernel)
                # Not every way to say "the first lane" is proved to be one lane.
                any_order = library is self.written
                shape = (max(1, rows),), (int(lanes),)
                library.launch(kernel, mine, *shape, backend, any_order)
                if library is self.canonical and library.guarded(kernel) != before:
                    return f"n = {n}: ran guarded"
                results.append(mine)
            self.count += 1
            for name, value in results[0].items():
                if isinstance(value, np.ndarray) and value.tobytes() != results[1][name].tobytes():
                    return f"n = {n}: other bits in {name}: {results[1][name][:4]}, written {value[:4]}"
        return None


def main() -> int:
    hologram, path = (os.path.abspath(argument) for argument in sys.argv[1:3])
    failures = refusals(hologram) + takes_long(hologram)
    files = sources()
    compared = kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (file, names) in enumerate(files.items()):
            circuits = circuits_of(hologram, file, KERNEL.findall(Path(file).read_text()))
            missing = sorted(set(names) - circuits.keys())
            failures += [f"{name} of {file} is no circuit" for name in missing]
            written = compile_all(hologram, [file], f"{folder}/{number}w.holo")
            canonical = compile_all(hologram, [file], f"{folder}/{number}c.holo", "--canonical")
            body = {
                part.split("(")[0]: part
                for part in re.split(r"^def ", Path(file).read_text(), flags=re.MULTILINE)[1:]
            }
            for engine in engines():
                if engine != "interpreter":
                    os.environ["HOLOGRAM_CPU_LEVEL"] = engine
                both = Comparison(path, written, canonical)
                for kernel in names:
                    if kernel in missing:
                        continue
                    backend = INTERPRETER if engine == "interpreter" else CPU
                    try:
                        wrong = both.run(kernel, body[kernel], circuits[kernel], backend)
                    except Failure as error:
                        wrong = str(error)
                    if wrong:
                        failures.append(f"{engine}: {kernel} of {Path(file).name}: {wrong}")
                compared += both.count
            kernels += len(names)
    for failure in failures[:60]:
        print("FAIL", failure)
    print(f"{kernels} kernels, {compared} launches compared, {len(failures)} failed")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
