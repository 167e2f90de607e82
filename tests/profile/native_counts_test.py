"""The kernels of the tree: instrumented native code counts what the interpreter counts.

usage: native_counts_test.py HOLOGRAM LIBRARY NATIVE_COUNTS_TEST [--only TEXT] [--every K] [--elements N]
The launches are those of tests/kernels (*_cases.py) with arrays of at most N elements, and of each
kernel one at least; those of each K-th kernel file.
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from case import Case
from library import SCALARS, TYPES, Library
from run import compile_bundle, kernel_files, load_cases


def chosen(cases: list[tuple[str, Case]], elements: int) -> list[Case]:
    """Those that are small, and the smallest of each kernel. No fault is counted."""
    found: list[Case] = []
    seen: set[str] = set()
    by_size = sorted(
        (case for _, case in cases if not case.fault),
        key=lambda case: max((array.size for array in case.arrays.values()), default=0),
    )
    for case in by_size:
        kernels = {step.kernel for step in case.steps}
        largest = max((array.size for array in case.arrays.values()), default=0)
        if largest <= elements or not kernels <= seen:
            found.append(case)
            seen |= kernels
    return found


def bits_of(value: float, kind: int) -> int:
    if kind == TYPES["bfloat16"]:
        return int.from_bytes(struct.pack("<f", value)[2:], "little")
    return int.from_bytes(struct.pack("<" + SCALARS[kind], value), "little")


def write_cases(library: Library, cases: list[Case], folder: Path) -> int:
    launches = 0
    with (folder / "arrays.bin").open("wb") as data, (folder / "cases.txt").open("w") as lines:
        for case in cases:
            lines.write("case\n")
            numbers = {}
            for name, array in case.arrays.items():
                numbers[name] = len(numbers)
                lines.write(f"array {data.tell()} {array.nbytes}\n")
                data.write(array.ravel().tobytes())
            for step in case.steps:
                words = ["launch", step.kernel]
                for triple in (step.grid, step.block):
                    words += map(str, (*triple, 1, 1)[:3] if triple else (0, 0, 0))
                for name, is_buffer, kind in library.parameters(step.kernel):
                    key = step.given.get(name, name)
                    if is_buffer:
                        words += ["a", str(numbers[key])]
                    else:
                        value = case.scalars[key] if isinstance(key, str) else key
                        words += ["s", str(bits_of(value, kind))]
                lines.write(" ".join(words) + "\n")
                launches += 1
    return launches


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("test")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--elements", type=int, default=300)
    options = parser.parse_args()
    files = kernel_files(options.only)
    files = {name: files[name] for name in list(files)[:: options.every]}
    cases = chosen(load_cases(files), options.elements)
    os.environ.pop("HOLOGRAM_CACHE_DIR", None)  # of bundles with native code; this one has none
    with tempfile.TemporaryDirectory() as folder:
        bundle, _ = compile_bundle(
            str(Path(options.hologram).resolve()), list(files), folder, "none"
        )
        library = Library(options.library, bundle.split(","), ["", ""])
        kernels = {step.kernel for case in cases for step in case.steps}
        launches = write_cases(library, cases, Path(folder))
        print(f"{launches} launches of {len(kernels)} kernels")
        done = subprocess.run(
            [options.test, bundle, f"{folder}/cases.txt", f"{folder}/arrays.bin"], check=False
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
