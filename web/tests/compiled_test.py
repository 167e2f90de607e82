#!/usr/bin/env python3
"""Every kernel of the tree compiled to WebAssembly, in Node: the bits of native code, by hash.

usage: compiled_test.py HOLOGRAM LIBRARY HOLOGRAM.WASM [--only TEXT] [--lanes N] [--hashes FOLDER]
As kernels_test.py, with the code that `hologram compile --emit wasm` makes, with software
multiply-adds and, where the host has fused ones, with those. Every launch must run in that code:
what the engine decides in its stead is a failure. --hashes writes what is computed
(tests/kernels/result_hashes.py). Node 20 needs a flag for relaxed SIMD.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kernels_test import (
    differing,
    run_native,
    write_cases,
)  # first: it finds the modules of tests/kernels
from library import Library
from ptx_test import chosen
from result_hashes import write_hashes
from run import ROOT, compile_bundle, kernel_files, load_cases

FLAG = "--experimental-wasm-relaxed-simd"
SCRIPT = Path(__file__).with_name("run_cases.mjs")


def node() -> list[str]:
    """Node with relaxed SIMD, which those before 22 have behind a flag that later ones lack."""
    works = subprocess.run(["node", FLAG, "-e", "0"], capture_output=True, check=False)
    return ["node", FLAG] if works.returncode == 0 else ["node"]


def compile_kernels(hologram: str, files: list[str], folder: str) -> None:
    """FOLDER/0.wasm and FOLDER/1.wasm, side by side."""
    sources = [f"kernels/{name}.py" for name in files]
    parts = [sources[k::2] for k in range(2) if sources[k::2]]
    running = [
        subprocess.Popen(
            [hologram, "compile", *part, "--emit", "wasm", "-o", f"{folder}/{number}.wasm"],
            cwd=ROOT,
        )
        for number, part in enumerate(parts)
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("FAIL: the kernels do not compile")


def has_fused_madd() -> bool:
    command = [*node(), "--input-type=module", "-e"]
    module = SCRIPT.parents[1] / "hologram.js"
    command += [f"import {{ isMaddFused }} from '{module}'; console.log(isMaddFused())"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout == "true\n"


def run_form(
    form: str, wasm: str, folder: str, cases: list, expected: list
) -> tuple[int, dict[str, str]]:
    """How many cases differ, and the digest of each by its label."""
    start = time.perf_counter()
    command = [*node(), str(SCRIPT), wasm, folder, form]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    failed = differing(cases, expected, output, f"{form} WebAssembly")
    lines = [json.loads(line) for line in output.splitlines()]
    took = time.perf_counter() - start
    kernels = {step.kernel for _, case in cases for step in case.steps}
    counts = f"{len(kernels)} kernels, {len(cases)} cases, {failed} failed"
    print(f"compiled, {form}: {counts}, in {took:.1f} s")
    digests = {label: line.get("hash", "") for (label, _), line in zip(cases, lines, strict=True)}
    return failed, digests


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("wasm")
    parser.add_argument("--only", default="")
    parser.add_argument("--lanes", type=int, default=1 << 16)
    parser.add_argument("--hashes", default="")
    options = parser.parse_args()
    hologram, wasm = os.path.abspath(options.hologram), os.path.abspath(options.wasm)
    files = list(kernel_files(options.only))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        compile_kernels(hologram, files, folder)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.wasm"))
        print(f"compiled in {time.perf_counter() - start:.1f} s, {size} bytes")
        bundle, expect = compile_bundle(hologram, files, folder)
        library = Library(os.path.abspath(options.library), bundle.split(","), expect.split(","))
        cases = chosen(library, load_cases(files), options.lanes)
        write_cases(library, cases, folder)
        expected = [run_native(library, case) for _, case in cases]
        forms = ["software"]
        if has_fused_madd():
            forms.append("fused")
        else:
            print("compiled, fused: SKIPPED, relaxed_madd is not fused here")
        failed = 0
        for form in forms:
            differ, digests = run_form(form, wasm, folder, cases, expected)
            failed += differ
            write_hashes(options.hashes, f"wasm-{form}", digests)
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
