#!/usr/bin/env python3
"""Every kernel of the tree on every engine: equal bits, and NumPy's bits where IEEE defines them.

usage: run.py HOLOGRAM LIBRARY [--only TEXT] [--hashes FOLDER]
HOLOGRAM is the command, LIBRARY libhologram.so; --only runs the kernel files with TEXT in their name,
--hashes writes what each engine computes (result_hashes.py), x86-64-v2 among them.

All kernel files are compiled into one bundle, which is loaded, vouched for by its hash, in a process for
each engine: the interpreter, native code for x86-64-v3 and for x86-64-v4 (skipped with a line on a
machine without AVX-512), or for AArch64. HOLOGRAM may be of another machine than LIBRARY and this
Python: scripts/aarch64.sh runs these under qemu. The files *_cases.py say what is launched and what must come out; a kernel
that none of their cases launches fails the run, and so does a launch that a proof did not cover.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from case import REGISTERED, Case, problem
from library import CPU, INTERPRETER, Failure, Library, cached
from result_hashes import digest_of, write_hashes

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from levels import levels_here

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"
MOST_FAILURES = 60


def kernel_files(only: str) -> dict[str, list[str]]:
    """The kernels of each file, by its name below kernels/ without the suffix."""
    files = {}
    for path in sorted(KERNELS.rglob("*.py")):
        name = path.relative_to(KERNELS).with_suffix("").as_posix()
        if name.startswith("ops/"):  # python/tests/test_ops.py
            continue
        if only in name:
            found = re.findall(r"^(@inline\n)?def (\w+)\(", path.read_text(), re.MULTILINE)
            files[name] = [kernel for helper, kernel in found if not helper]
    return files


def load_cases(files: dict[str, list[str]]) -> list[tuple[str, Case]]:
    """(label, case) of all that is registered for these files."""
    for path in sorted(Path(__file__).parent.glob("*_cases.py")):
        __import__(path.stem)
    cases = []
    for name in files:
        if name in REGISTERED:
            for number, case in enumerate(REGISTERED[name]()):
                cases.append((f"{name}, case {number} {case.scalars}", case))
    return cases


def uncovered(files: dict[str, list[str]], cases: list[tuple[str, Case]]) -> Iterator[str]:
    """What is wrong with the list of tests itself."""
    launched = {step.kernel for _, case in cases for step in case.steps}
    # Of a kernel with type variables, one for each type.
    launched |= {kernel.rpartition("_")[0] for kernel in launched}
    owner: dict[str, str] = {}
    for name, kernels in files.items():
        for kernel in kernels:
            if kernel in owner:
                yield f"kernel {kernel} is in {owner[kernel]} and in {name}"
            owner[kernel] = name
            if kernel not in launched:
                yield f"kernel {kernel} of kernels/{name}.py has no test"
    for name in REGISTERED:
        if not (KERNELS / f"{name}.py").exists():
            yield f"tests are registered for kernels/{name}.py, which does not exist"


def compile_bundle(
    hologram: str, files: list[str], folder: str, native: str = "all"
) -> tuple[str, str]:
    """The bundle and its hash. Its parts compile side by side."""
    sources = [f"kernels/{name}.py" for name in files]
    parts = [sources[k::2] for k in range(2) if sources[k::2]]
    running = []
    for number, part in enumerate(parts):
        command = [hologram, "compile", *part, "-o", f"{folder}/{number}.holo", "--native", native]
        command += cached()
        running.append(subprocess.Popen(command, cwd=ROOT))
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("FAIL: the kernels do not compile")
    hashes = []
    for number in range(len(parts)):
        command = [hologram, "inspect", f"{folder}/{number}.holo"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        hashes.append(re.search(r"[0-9a-f]{64}", text)[0])
    return ",".join(f"{folder}/{number}.holo" for number in range(len(parts))), ",".join(hashes)


def run_case(library: Library, case: Case, engine: str) -> tuple[str | None, str]:
    """(what is wrong, hash of all arrays after the launches)."""
    arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
    backend = INTERPRETER if engine == "interpreter" else CPU
    for step in case.steps:
        values = step.values(library.parameters(step.kernel), arrays, case.scalars)
        before = library.guarded(step.kernel)
        library.launch(step.kernel, values, step.grid, step.block, backend)
        if library.guarded(step.kernel) != before:
            return f"{step.kernel} ran guarded: a proof does not cover this launch", ""
        if backend == CPU and not library.engine(step.kernel).startswith("native (bundle"):
            return f"{step.kernel} ran as {library.engine(step.kernel)}", ""
    for name, expected in case.expected.items():
        wrong = problem(expected, arrays[name])
        if wrong:
            return name + wrong, digest_of(arrays)
    return None, digest_of(arrays)


def run_engine(arguments: tuple[str, str, str, str, list[tuple[str, Case]]]) -> list[tuple]:
    engine, path, bundle, expect, cases = arguments
    if engine != "interpreter":
        os.environ["HOLOGRAM_CPU_LEVEL"] = engine
    library = Library(path, bundle.split(","), expect.split(","))
    results = []
    for _, case in cases:
        start = time.perf_counter()
        try:
            wrong, bits = run_case(library, case, engine)
            if case.fault:
                wrong = "no fault"
        except Failure as error:
            text = str(error).strip()
            wrong = None if case.fault and case.fault in text else text
            bits = case.fault
        results.append((wrong, bits, time.perf_counter() - start))
    return results


def engines(*, all_levels: bool = False) -> list[str]:
    if platform.machine() == "aarch64":
        return ["interpreter", "aarch64"]
    return ["interpreter", *(level for level in levels_here() if all_levels or level != "v2")]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("--only", default="")
    parser.add_argument("--hashes", default="")
    options = parser.parse_args()
    files = kernel_files(options.only)
    cases = load_cases(files)
    if not cases:
        print("no case is to be run")
        return 1
    failures = list(uncovered(files, cases))
    names = engines(all_levels=bool(options.hashes))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command, native = os.path.abspath(options.hologram), ",".join(names[1:])
        bundle, expect = compile_bundle(command, list(files), folder, native)
        print(f"{len(files)} files compiled in {time.perf_counter() - start:.1f} s")
        jobs = [(name, os.path.abspath(options.library), bundle, expect, cases) for name in names]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            results = dict(zip(names, pool.map(run_engine, jobs, chunksize=1)))
    for name in names:
        found = {label: r[1] for (label, _), r in zip(cases, results[name], strict=True)}
        is_arm = platform.machine() == "aarch64"
        write_hashes(options.hashes, f"{name}-on-aarch64" if is_arm else name, found)
    passed = 0
    for number, (label, _) in enumerate(cases):
        reference = results["interpreter"][number][1]
        for name in names:
            wrong, bits, _ = results[name][number]
            if wrong is None and bits != reference:
                wrong = "other bits than the interpreter"
            passed += wrong is None
            if wrong is not None:
                failures.append(f"{name}: {label}: {wrong}")
    for failure in failures[:MOST_FAILURES]:
        print("FAIL", failure)
    if len(failures) > MOST_FAILURES:
        print(f"and {len(failures) - MOST_FAILURES} more")
    for name in names:
        print(f"{name}: {len(cases)} cases in {sum(r[2] for r in results[name]):.1f} s")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
