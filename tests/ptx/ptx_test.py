#!/usr/bin/env python3
"""The PTX of every kernel, run by a machine in Python: the interpreter's bits.

usage: ptx_test.py HOLOGRAM LIBRARY [--only TEXT] [--lanes N] [--segments M] [--emit cuda]
HOLOGRAM is the command, LIBRARY libhologram.so; the PTX is LLVM's, or with "--emit cuda" that of src/device. The launches are those of tests/kernels (*_cases.py) that
have at most N lanes (of each kernel one at least) and run at most M straight pieces of code. Each is run twice, in two orders of the threads. No GPU takes part: what this shows is that the text computes the right bits by the
rules of the PTX manual as machine.py has them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "kernels"))
import numpy as np
from case import Case
from library import INTERPRETER, SCALARS, TYPES, Failure, Library
from machine import Machine, Memory, PtxFaultError, TooLongError
from module import UnknownPtxError, coarse, named_arguments, read
from run import ROOT, compile_bundle, kernel_files, load_cases

BLOCK = 256
STATE_BYTES = 48  # hologram_launch_state
STATE_CODE = 28  # fault_code
BUDGET = 1 << 24
ROUNDS = 1 << 40  # launch::most_rounds
EXTENT = r'^\.param "(\w+)\.shape\[\d\]" u32 extent \w+ (\d)'


class Ptx(NamedTuple):
    text: str
    extents: list[tuple[str, int]]  # of arrays, by dimension: the parameters after those of a call


def ptx_of(hologram: str, names: list[str], folder: str, emit: str) -> dict[str, Ptx]:
    """Each kernel by its name; a generic one for each of its types."""
    found = {}
    for name in names:
        path = f"{folder}/kernels.json"
        command = [hologram, "compile", f"kernels/{name}.py", "--emit", "json", "-o", path]
        subprocess.run(command, cwd=ROOT, check=True)
        command = [hologram, "compile", path, "--emit", "asm"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        for program in re.split(r"^\.kernel ", done.stdout, flags=re.M)[1:]:
            kernel = program.split(None, 1)[0]
            extents = re.findall(EXTENT, program, re.M)
            command = [hologram, "compile", path, "--entry", kernel, "--emit", emit]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found[kernel] = Ptx(done.stdout, [(array, int(d)) for array, d in extents])
    return found


def shape_of(library: Library, step, values) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Grid and block of a launch; without a grid, whole blocks over the largest output."""
    block = (*(step.block or (BLOCK,)), 1, 1)[:3]
    if step.grid is not None:
        return (*step.grid, 1, 1)[:3], block
    largest = max(
        values[name].size for name, direction in library.directions(step.kernel) if direction != 0
    )
    return (max(1, -(-largest // block[0])), 1, 1), block


def launch(ptx: Ptx, library: Library, step, values, last_first: bool, segments: int) -> None:
    grid, block = shape_of(library, step, values)
    memory = Memory()
    machine = Machine(read(ptx.text), memory, last_first, segments)
    given: list[
        tuple[int | float, ...]
    ] = []  # of each parameter: an address and a length, or a number
    written = []
    for name, is_buffer, kind in library.parameters(step.kernel):
        value = values[name]
        if is_buffer:
            given.append((memory.add(value.tobytes()), value.size))
            written.append((value, int(given[-1][0])))
        elif SCALARS[kind] in "fd":
            given.append((float(value),))
        elif kind in (TYPES["float16"], TYPES["bfloat16"]):
            raise UnknownPtxError("a scalar of 16 bits")
        else:
            given.append((int(value),))
    given += [(values[array].shape[dimension],) for array, dimension in ptx.extents]
    if machine.module.arguments:
        blocks, grid = coarse(machine.module, grid)
        others = {
            **blocks,
            "budget": BUDGET,
            "rounds": ROUNDS,
            "class_base": 0,
            "fault": memory.add(bytes(4)),
        }
        arguments = named_arguments(machine.module, given, others)
        machine.launch(arguments, grid, block)
        code = int.from_bytes(memory.read(others["fault"], 4), "little")
    else:
        # No lane has faulted yet: fault_lane is the highest there is.
        state = memory.add((BUDGET.to_bytes(8, "little") + b"\xff" * 8).ljust(STATE_BYTES, b"\0"))
        machine.launch([*(number for one in given for number in one), state], grid, block)
        code = int.from_bytes(memory.read(state + STATE_CODE, 4), "little")
    if code != 0:
        raise PtxFaultError(f"fault {code}")
    for array, address in written:
        array[:] = np.frombuffer(memory.read(address, array.nbytes), array.dtype)


def lanes_of(library: Library, case: Case) -> int:
    """Of its largest launch."""
    most = 0
    for step in case.steps:
        values = {}
        for name, _, _ in library.parameters(step.kernel):
            key = step.given.get(name, name)
            values[name] = case.arrays.get(key) if isinstance(key, str) else key
        grid, block = shape_of(library, step, values)
        most = max(most, int(np.prod(grid, dtype=np.int64) * np.prod(block, dtype=np.int64)))
    return most


def chosen(library: Library, cases: list[tuple[str, Case]], lanes: int) -> list[tuple[str, Case]]:
    """Those of few lanes, and of each kernel that has none of them the smallest one."""
    sized = sorted((lanes_of(library, c), k) for k, (_, c) in enumerate(cases) if not c.fault)
    found, covered = set(), set()
    for size, k in sized:
        kernels = {step.kernel for step in cases[k][1].steps}
        if size <= lanes or kernels - covered:
            found.add(k)
            covered |= kernels
    return [cases[k] for k in sorted(found)]


def run_case(library: Library, ptx: dict[str, Ptx], case: Case, segments: int) -> str:
    """Empty if all bits are equal, else what is wrong."""
    results = []
    for engine in ("interpreter", "first", "last"):
        arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
        for step in case.steps:
            values = step.values(library.parameters(step.kernel), arrays, case.scalars)
            if engine == "interpreter":
                library.launch(step.kernel, values, step.grid, step.block, INTERPRETER)
            else:
                launch(ptx[step.kernel], library, step, values, engine == "last", segments)
        results.append(arrays)
    for engine, found in zip(("first", "last"), results[1:]):
        for name, expected in results[0].items():
            kind = (
                f"u{expected.dtype.itemsize}" if expected.dtype.itemsize in (1, 2, 4, 8) else "u1"
            )
            a, b = expected.view(kind), found[name].view(kind)
            if not np.array_equal(a, b):
                at = int(np.flatnonzero(a != b)[0])
                return f"{name}[{at}] is {found[name][at]!r}, expected {expected[at]!r} ({engine})"
    return ""


def work(arguments) -> list[tuple[str, str, list[str], float]]:
    library_path, bundle, expect, ptx, cases, segments = arguments
    library = Library(library_path, bundle.split(","), expect.split(","))
    done = []
    for label, case in cases:
        start = time.perf_counter()
        kernels = [step.kernel for step in case.steps]
        try:
            wrong = run_case(library, ptx, case, segments)
        except TooLongError:
            wrong = "long"
        except (Failure, PtxFaultError, UnknownPtxError) as error:
            wrong = f"{type(error).__name__}: {error}"
        done.append((label, wrong, kernels, time.perf_counter() - start))
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("--only", default="")
    parser.add_argument("--lanes", type=int, default=4096)
    parser.add_argument("--segments", type=int, default=1 << 30)
    parser.add_argument("--emit", default="ptx", choices=("ptx", "cuda"))
    options = parser.parse_args()
    start = time.perf_counter()
    files = kernel_files(options.only)
    cases = load_cases(files)
    with tempfile.TemporaryDirectory() as folder:
        bundle, expect = compile_bundle(options.hologram, list(files), folder)
        library = Library(options.library, bundle.split(","), expect.split(","))
        few = chosen(library, cases, options.lanes)
        ptx = ptx_of(options.hologram, list(files), folder, options.emit)
        with multiprocessing.Pool(2) as pool:
            parts = pool.map(
                work,
                [
                    (options.library, bundle, expect, ptx, few[k::16], options.segments)
                    for k in range(16)
                ],
                chunksize=1,
            )
    results = [result for part in parts for result in part]
    covered = {k for _, wrong, kernels, _ in results if wrong == "" for k in kernels}
    missing = sorted(set(ptx) - covered)
    failures = [(label, wrong) for label, wrong, _, _ in results if wrong not in ("", "long")]
    for label, wrong in failures:
        print(f"FAIL {label}: {wrong}")
    for kernel in missing:
        print(f"FAIL no case of {kernel} gave equal bits")
    equal = sum(wrong == "" for _, wrong, _, _ in results)
    print(
        f"{equal} cases of {len(covered)} kernels equal in two orders, {len(cases) - len(few)} that are"
        f" large or fault and {sum(w == 'long' for _, w, _, _ in results)} long ones left out,"
        f" {len(failures)} wrong, in {time.perf_counter() - start:.0f} s"
    )
    slow = sorted(results, key=lambda r: -r[3])[:3]
    print("longest: " + ", ".join(f"{label} {seconds:.1f} s" for label, _, _, seconds in slow))
    return 1 if failures or missing else 0


if __name__ == "__main__":
    sys.exit(main())
