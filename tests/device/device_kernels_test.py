#!/usr/bin/env python3
"""Every kernel of the tree on a device: the interpreter's bits.

usage: device_kernels_test.py HOLOGRAM LIBRARY opencl|cuda [--only TEXT] [--hashes FOLDER]
HOLOGRAM is the command, LIBRARY libhologram.so; HOLOGRAM_OPENCL and HOLOGRAM_CUDA name the library of the device.
The launches are those of tests/kernels (*_cases.py). Prints a line for each launch with other bits and each kernel that the
device does not take, and a table. --hashes writes what it computes (tests/kernels/result_hashes.py).
Exits with 77 where there is no device.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import numpy as np
from case import Case
from library import INTERPRETER, Failure, Library
from result_hashes import digest_of, write_hashes
from run import ROOT, kernel_files, load_cases

BACKENDS = {"cuda": 3, "opencl": 4}
REFUSED = ("there is no device code", "has not", "takes blocks of up to", "does not build")


def bundle_of(hologram: str, files: list[str], folder: str) -> str:
    sources = [f"kernels/{name}.py" for name in files]
    command = [hologram, "compile", *sources, "-o", f"{folder}/k.holo", "--native", "none"]
    subprocess.run(command, cwd=ROOT, check=True)
    return f"{folder}/k.holo"


def run_case(library: Library, case: Case, backend: int) -> tuple[dict[str, np.ndarray], str]:
    """The arrays after the launches, and the fault."""
    arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
    for step in case.steps:
        values = step.values(library.parameters(step.kernel), arrays, case.scalars)
        before = library.compiled(step.kernel)
        try:
            library.launch(step.kernel, values, step.grid, step.block, backend)
        except Failure as error:
            return arrays, str(error)
        if backend != INTERPRETER and library.compiled(step.kernel) == before:
            return arrays, f"{step.kernel} ran elsewhere"
    return arrays, ""


def compare(library: Library, case: Case, backend: int) -> tuple[str, str, str]:
    """("equal", "different" or "refused", what is wrong, the digest of the device's arrays)."""
    expected, expected_fault = run_case(library, case, INTERPRETER)
    found, fault = run_case(library, case, backend)
    if fault and any(words in fault for words in REFUSED):
        return "refused", fault, ""
    if fault != expected_fault:
        return "different", f"expected '{expected_fault}', found '{fault}'", fault
    if fault:
        return "equal", "", case.fault
    for name, values in expected.items():
        a, b = values.view(np.uint8), found[name].view(np.uint8)
        if not np.array_equal(a, b):
            at = int(np.flatnonzero(a != b)[0]) // values.dtype.itemsize
            why = f"{name}[{at}] is {found[name][at]!r}, expected {values[at]!r}"
            return "different", why, digest_of(found)
    return "equal", "", digest_of(found)


def has_device(hologram: str, engine: str) -> bool:
    text = subprocess.run([hologram, "devices"], capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if line.startswith(engine + " ")]
    print("\n".join(lines))
    return any(not line.split(maxsplit=1)[1].startswith("no:") for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("engine", choices=BACKENDS)
    parser.add_argument("--only", default="")
    parser.add_argument("--hashes", default="")
    options = parser.parse_args()
    if not has_device(options.hologram, options.engine):
        print(f"SKIPPED: no device for {options.engine}")
        return 77
    start = time.perf_counter()
    files = kernel_files(options.only)
    cases = load_cases(files)
    digests: dict[str, str] = {}
    counts = {"equal": 0, "different": 0, "refused": 0}
    kernels: dict[str, set[str]] = {kind: set() for kind in counts}
    with tempfile.TemporaryDirectory() as folder:
        library = Library(options.library, [bundle_of(options.hologram, list(files), folder)], [""])
        for label, case in cases:
            kind, why, digest = compare(library, case, BACKENDS[options.engine])
            if kind != "refused":
                digests[label] = digest
            counts[kind] += 1
            kernels[kind] |= {step.kernel for step in case.steps}
            if why:
                print(f"{kind.upper()} {label}: {why}")
    order = os.environ.get("FAKECUDA_ORDER") if options.engine == "cuda" else None
    write_hashes(options.hashes, options.engine + (f"-{order}" if order else ""), digests)
    equal = kernels["equal"] - kernels["different"] - kernels["refused"]
    print(f"{'':12}{'equal':>10}{'different':>12}{'refused':>10}")
    print(f"{'launches':12}{counts['equal']:>10}{counts['different']:>12}{counts['refused']:>10}")
    print(
        f"{'kernels':12}{len(equal):>10}{len(kernels['different']):>12}{len(kernels['refused']):>10}"
    )
    print(f"in {time.perf_counter() - start:.0f} s")
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
