#!/usr/bin/env python3
"""The kernels of the tree that are circuits: three ways to run them, equal bits.

usage: circuits.py HOLOGRAM LIBRARY [--bless]
HOLOGRAM is the command, LIBRARY libhologram.so. circuits.txt lists the kernels that are circuits and
their texts; a kernel that is none any more, or another text, is a failure, as is a new one. --bless
writes the list anew.

Each case of *_cases.py that launches one of them runs as it is written, by way of the canonical
circuit (--canonical), and as a kernel made of the circuit's text; on each engine the arrays must end up
equal, bit for bit.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import numpy as np
from case import Case
from library import CPU, INTERPRETER, Failure, Library, cached
from run import KERNELS, ROOT, engines, kernel_files, load_cases

LIST = Path(__file__).with_name("circuits.txt")
IN, OUT = 0, 1


def circuits_of(hologram: str, path: str, kernels: list[str]) -> dict[str, str]:
    """The canonical circuits of the kernels of a file that are circuits."""
    command = [hologram, "compile", path, "--emit", "circuit"]
    command += ["--entry", kernels[0]] if len(kernels) == 1 else []
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        lines = [line for line in done.stdout.splitlines() if not line.startswith("//")]
        return dict(zip(kernels, lines, strict=True))
    if "is no circuit: " not in done.stderr:
        raise SystemExit(f"FAIL: {path}: {done.stderr}")
    refused = set(re.findall(r"kernel '(\w+)' is no circuit: ", done.stderr))
    # A generic kernel is refused under the names that it has for its types.
    refused |= {re.sub(r"(_(bool|bf16|[iuf]\d+))+$", "", name) for name in refused}
    found = {}
    for kernel in set(kernels) - refused:
        found |= circuits_of(hologram, path, [kernel])
    return found


def all_circuits(hologram: str, files: dict[str, list[str]]) -> dict[str, tuple[str, str]]:
    """(file, circuit) of each kernel that is one."""
    return {
        kernel: (name, text)
        for name, kernels in files.items()
        for kernel, text in circuits_of(hologram, f"kernels/{name}.py", kernels).items()
    }


def compare_with_list(circuits: dict[str, tuple[str, str]], bless: bool) -> list[str]:
    lines = [f"{kernel}: {text}" for kernel, (_, text) in sorted(circuits.items())]
    if bless:
        LIST.write_text("\n".join(lines) + "\n")
        return []
    listed = LIST.read_text().splitlines()
    gone = [f"listed, but not so now: {line}" for line in listed if line not in lines]
    new = [f"not listed: {line}" for line in lines if line not in listed]
    return gone + new


def compile_all(hologram: str, sources: list[str], output: str, *options: str) -> tuple[str, str]:
    """The bundle and its hash."""
    command = [hologram, "compile", *sources, "-o", output, "--native", "all", *cached(), *options]
    subprocess.run(command, cwd=ROOT, check=True)
    command = [hologram, "inspect", output]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return output, re.search(r"[0-9a-f]{64}", text)[0]


def size_of(name: str, kernel: str) -> str:
    """The parameter that the kernel's guards compare element numbers with."""
    body = re.split(r"^def ", (KERNELS / f"{name}.py").read_text(), flags=re.MULTILINE)
    mine = next(part for part in body if part.startswith(kernel + "("))
    return re.search(r"\n +if \w+ < (\w+):", mine)[1]


def order_of(library: Library, kernel: str, size: str) -> list[str]:
    """The kernel's parameters as the circuit has them: inputs, what is output only, the size."""
    rows = library.directions(kernel)
    inputs = [name for name, direction in rows if direction != OUT and name != size]
    return [*inputs, *(name for name, direction in rows if direction == OUT), size]


class Variant:
    """One way to run `kernels`; others run as they are written. `orders` says which of the kernel's
    parameters each of the circuit's is, where that is another order."""

    def __init__(
        self,
        path: str,
        bundle: tuple[str, str],
        kernels: Iterable[str],
        orders: dict[str, list[str]] | None,
    ) -> None:
        self.library = Library(path, [bundle[0]], [bundle[1]])
        self.mine = set(kernels)
        self.orders = orders

    def run(self, case: Case, written: Library, backend: int) -> str:
        """Hash of all arrays after the launches."""
        arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
        for step in case.steps:
            given = step.values(written.parameters(step.kernel), arrays, case.scalars)
            values = given
            if self.orders is not None and step.kernel in self.orders:
                mine = [name for name, _, _ in self.library.parameters(step.kernel)]
                values = dict(zip(mine, (given[name] for name in self.orders[step.kernel])))
            library = self.library if step.kernel in self.mine else written
            before = library.guarded(step.kernel)
            library.launch(step.kernel, values, step.grid, step.block, backend)
            if library.guarded(step.kernel) != before:
                raise Failure(f"{step.kernel} ran guarded: a proof does not cover this launch")
        digest = hashlib.sha256()
        for name in sorted(arrays):
            digest.update(np.ascontiguousarray(arrays[name]).tobytes())
        return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    hologram, path = os.path.abspath(options.hologram), os.path.abspath(options.library)
    files = kernel_files("")
    circuits = all_circuits(hologram, files)
    failures = compare_with_list(circuits, options.bless)
    print(f"{len(circuits)} of {sum(map(len, files.values()))} kernels are circuits")
    cases = [
        (label, case)
        for label, case in load_cases(files)
        if not case.fault and any(step.kernel in circuits for step in case.steps)
    ]
    covered = circuits.keys() & {step.kernel for _, case in cases for step in case.steps}
    failures += [f"no case launches {kernel}" for kernel in sorted(circuits.keys() - covered)]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for kernel, (_, text) in circuits.items():
            texts.append(f"{folder}/{kernel}.circuit")
            Path(texts[-1]).write_text(text + "\n")
        sources = [f"kernels/{name}.py" for name in sorted({file for file, _ in circuits.values()})]
        written = compile_all(hologram, sources, f"{folder}/written.holo")
        canonical = compile_all(hologram, sources, f"{folder}/canonical.holo", "--canonical")
        texts_bundle = compile_all(hologram, texts, f"{folder}/circuits.holo")
        for engine in engines():
            if engine != "interpreter":
                os.environ["HOLOGRAM_CPU_LEVEL"] = engine
            backend = INTERPRETER if engine == "interpreter" else CPU
            reference = Variant(path, written, covered, None)
            by_canonical = Variant(path, canonical, covered, None)
            orders = {
                kernel: order_of(by_canonical.library, kernel, size_of(name, kernel))
                for kernel, (name, _) in circuits.items()
            }
            others = {
                "canonical": by_canonical,
                "circuit": Variant(path, texts_bundle, covered, orders),
            }
            for label, case in cases:
                wanted = reference.run(case, reference.library, backend)
                for way, variant in others.items():
                    try:
                        good = variant.run(case, reference.library, backend) == wanted
                    except Failure as error:
                        good = False
                        print(error)
                    compared += good
                    if not good:
                        failures.append(f"{engine}: {label}: {way}: other bits than as written")
    for failure in failures[:60]:
        print("FAIL", failure)
    print(
        f"{len(cases)} cases of {len(covered)} kernels, {compared} runs equal, {len(failures)} failed"
    )
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
