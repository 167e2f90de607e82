#!/usr/bin/env python3
"""Every kernel of the tree in WebAssembly: the bits of native code, by hash.

usage: kernels_test.py HOLOGRAM LIBRARY HOLOGRAM.WASM [--only TEXT] [--lanes N]
HOLOGRAM is the command, LIBRARY libhologram.so. The launches are those of tests/kernels
(*_cases.py) that have at most N lanes, and of each kernel one at least. Native code is that of the
best level that this processor has. Node runs the module (run_cases.mjs).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS / "kernels"), str(TESTS / "ptx")]
from case import Case  # noqa: E402
from library import CPU, Failure, Library  # noqa: E402
from ptx_test import chosen  # noqa: E402
from result_hashes import digest_of  # noqa: E402
from run import ROOT, compile_bundle, kernel_files, load_cases  # noqa: E402


def document_of(hologram: str, name: str, folder: str) -> str:
    """The kernel JSON of kernels/NAME.py."""
    path = f"{folder}/kernels.json"
    command = [hologram, "compile", f"kernels/{name}.py", "--emit", "json", "-o", path]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(path).read_text(encoding="utf-8")


def values_of(library: Library, case: Case, step) -> dict[str, str | float]:
    """By parameter: the name of an array of the case, or a number."""
    values = {}
    for name, _, _ in library.parameters(step.kernel):
        key = step.given.get(name, name)
        is_scalar = isinstance(key, str) and key not in case.arrays
        values[name] = case.scalars[key] if is_scalar else key
    return values


def in_json(value: str | float) -> dict[str, str | float]:
    if isinstance(value, str):
        return {"array": value}
    number = float(value) if isinstance(value, float) else int(value)
    if not math.isfinite(number) or abs(number) >= 2**53:
        return {"scalar": str(number).replace("inf", "Infinity").replace("nan", "NaN")}
    return {"scalar": number}


def write_cases(library: Library, cases: list[tuple[str, Case]], folder: str) -> None:
    tests = []
    with open(f"{folder}/arrays.bin", "wb") as file:
        for _, case in cases:
            arrays = []
            for name, array in case.arrays.items():
                is_number = array.dtype.kind in "iuf"
                kind = array.dtype.name if is_number else f"uint{array.itemsize * 8}"
                size = {"type": kind, "at": file.tell(), "bytes": array.nbytes}
                arrays.append({"name": name, **size})
                file.write(array.ravel().tobytes())
            steps = [
                {
                    "kernel": step.kernel,
                    "grid": step.grid,
                    "block": step.block,
                    "values": [in_json(v) for v in values_of(library, case, step).values()],
                }
                for step in case.steps
            ]
            tests.append({"arrays": arrays, "steps": steps})
    Path(f"{folder}/cases.json").write_text(json.dumps(tests), encoding="utf-8")


def run_native(library: Library, case: Case) -> dict[str, str]:
    arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
    try:
        for step in case.steps:
            named = values_of(library, case, step)
            values = {k: arrays[v] if isinstance(v, str) else v for k, v in named.items()}
            library.launch(step.kernel, values, step.grid, step.block, CPU)
    except Failure as error:
        return {"error": str(error).strip()}
    return {"hash": digest_of(arrays)}


def differing(cases: list, expected: list, output: str, name: str) -> int:
    """How many lines of run_cases.mjs are not as native code; each is printed."""
    failed = 0
    found = [json.loads(line) for line in output.splitlines()]
    for (label, _), native, web in zip(cases, expected, found, strict=True):
        if native != web:
            failed += 1
            print(f"FAIL {label}: native {native}, {name} {web}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("wasm")
    parser.add_argument("--only", default="")
    parser.add_argument("--lanes", type=int, default=4096)
    options = parser.parse_args()
    hologram, wasm = os.path.abspath(options.hologram), os.path.abspath(options.wasm)
    files = kernel_files(options.only)
    with tempfile.TemporaryDirectory() as folder:
        bundle, expect = compile_bundle(hologram, list(files), folder)
        library = Library(os.path.abspath(options.library), bundle.split(","), expect.split(","))
        cases = chosen(library, load_cases(files), options.lanes)
        documents = {f"{name}.py": document_of(hologram, name, folder) for name in files}
        Path(f"{folder}/kernels.json").write_text(json.dumps(documents), encoding="utf-8")
        write_cases(library, cases, folder)
        expected = [run_native(library, case) for _, case in cases]
        start = time.perf_counter()
        script = Path(__file__).with_name("run_cases.mjs")
        command = ["node", str(script), wasm, folder]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        print(f"{len(cases)} cases in WebAssembly in {time.perf_counter() - start:.1f} s")
    failed = differing(cases, expected, output, "WebAssembly")
    kernels = {step.kernel for _, case in cases for step in case.steps}
    print(f"{len(kernels)} kernels: {len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
