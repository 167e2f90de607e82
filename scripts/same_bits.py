#!/usr/bin/env python3
"""docs/same-bits.md from what engines have computed: a row for each engine, a hash for each kernel.

usage: same_bits.py FOLDER PAGE
FOLDER has a file for each engine (tests/kernels/result_hashes.py), PAGE is written. The interpreter of this
machine is what the others are compared with. Exits with 1 if a digest differs.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "kernels"))
from run import kernel_files, load_cases  # noqa: E402

REFERENCE = "interpreter"
# Name of the file, words of the page.
ENGINES = {
    "interpreter": "interpreter, x86-64",
    "v2": "native, x86-64-v2",
    "v3": "native, x86-64-v3",
    "v4": "native, x86-64-v4",
    "interpreter-on-aarch64": "interpreter, AArch64 (qemu)",
    "aarch64-on-aarch64": "native, AArch64 (qemu)",
    "opencl": "SPIR-V, Intel's OpenCL runtime for processors",
    "cuda-first": "PTX, substitute for NVIDIA's driver, first blocks and threads first",
    "cuda-last": "the same, last ones first",
    "cuda-1": "the same, in random order, stores seen late",
    "wasm-software": "WebAssembly in Node, multiply-adds in software",
    "wasm-fused": "WebAssembly in Node, multiply-adds of the host",
}
SHOWN = 16  # digits of a hash

TEXT = """# Same bits

Every kernel of the tree, its launches in `tests/kernels`, on every engine: `make same-bits` runs them and writes this
page. Two launches are equal if all arrays are, bit for bit, or if both end in the same fault.

| engine | kernels | launches | different |
|---|---|---|---|
{engines}

{missing}A launch is missing where an engine refuses the kernel by name (`docs/features.md`), or, in WebAssembly, has more
than 65,536 lanes or a fault.

## Hashes

The first {shown} digits of the SHA-256 of the arrays of all launches of a kernel file, in the order of the cases.

| kernels | launches | hash |
|---|---|---|
{kernels}
"""


def read(folder: str) -> dict[str, dict[str, str]]:
    found = {path.stem: json.loads(path.read_text()) for path in Path(folder).glob("*.json")}
    unknown = sorted(set(found) - set(ENGINES))
    if unknown or REFERENCE not in found:
        sys.exit(f"same_bits: {folder}: no {REFERENCE}, or files of unknown engines: {unknown}")
    return found


def main() -> int:
    folder, page = sys.argv[1:]
    digests = read(folder)
    reference = digests[REFERENCE]
    cases = load_cases(kernel_files(""))
    kernels_of = {label: {step.kernel for step in case.steps} for label, case in cases}
    rows, failures = [], 0
    for engine, words in ENGINES.items():
        if engine not in digests:
            continue
        found = digests[engine]
        different = [label for label, digest in found.items() if digest != reference[label]]
        for label in different:
            print(f"same_bits: {engine}: {label}: other bits than the {REFERENCE}")
        failures += len(different)
        kernels = set().union(*(kernels_of[label] for label in found))
        rows.append(f"| {words} | {len(kernels)} | {len(found)} | {len(different)} |")
    hashes = []
    for name in kernel_files(""):
        labels = [label for label, _ in cases if label.startswith(f"{name}, case ")]
        whole = hashlib.sha256("".join(reference[label] for label in labels).encode()).hexdigest()
        hashes.append(f"| `{name}` | {len(labels)} | `{whole[:SHOWN]}` |")
    missing = [words for engine, words in ENGINES.items() if engine not in digests]
    note = f"Not run here: {'; '.join(missing)}. " if missing else ""
    text = TEXT.format(
        engines="\n".join(rows), kernels="\n".join(hashes), missing=note, shown=SHOWN
    )
    Path(page).write_text(text, encoding="utf-8")
    print("\n".join(rows))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
