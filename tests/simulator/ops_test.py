"""The kernels of hg.ops as Python and compiled: equal bits, on the launches of ops_engines.py.

usage: HOLOGRAM_LIBRARY=libhologram.so HOLOGRAM_STDLIB=stdlib.holo ops_test.py HOLOGRAM

Each kernel of a file stands for one of each type; of these some are taken, in turn, so that every
kernel and every type has its share.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import time

import numpy as np
from compiled import ROOT, load

from hologram.simulator import launch

sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))
import operation_kernels
from case import Case
from library import Library
from ops_engines import make_case

INSTANCES = 2  # of each kernel
ELSEWHERE = "op_gemm_device"  # its arrays have two dimensions; tests/device/resident_ops_test.py


def kernels() -> dict[str, str]:
    """The kernels of kernels/ops and operations/, each with its file."""
    folders = os.path.join(ROOT, "kernels", "ops"), str(operation_kernels.folder())
    files = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    found = {}
    for path in sorted(files, key=os.path.basename):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            if isinstance(node, ast.FunctionDef) and "inline" not in map(ast.unparse, decorators):
                found[node.name] = path
    return found


def kernel_of(instance: str, known: dict[str, str]) -> str:
    """op_cast of op_cast_f32_i8."""
    candidates = [name for name in known if f"{instance}_".startswith(f"{name}_")]
    return max(candidates, key=len, default="")


def difference(library: Library, path: str, kernel: str, instance: str) -> str | None:
    case: Case = make_case(library, instance)
    (step,) = case.steps
    names = [name for name, _, _ in library.parameters(instance)]
    values = {**case.arrays, **case.scalars}
    mine = [values[name].copy() if name in case.arrays else values[name] for name in names]
    launch(getattr(load(path), kernel), step.grid, step.block)(*mine)
    library.launch(instance, values, step.grid, step.block, 1)
    for name, got in zip(names, mine, strict=True):
        if name not in case.arrays:
            continue
        want = case.arrays[name]
        kind = np.dtype(f"u{want.dtype.itemsize}")
        wrong = np.flatnonzero(got.view(kind) != want.view(kind))
        if len(wrong):
            at = int(wrong[0])
            return (
                f"{name}[{at}] is {got[at]!r} as Python, {want[at]!r} compiled; {len(wrong)} differ"
            )
    return None


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    path, bundle = os.environ["HOLOGRAM_LIBRARY"], os.environ["HOLOGRAM_STDLIB"]
    command = [hologram, "inspect", bundle]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    match = re.search(r"[0-9a-f]{64}", text)
    assert match is not None
    shown = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    library = Library(path, [bundle], [match[0]])
    known = kernels()
    instances: dict[str, list[str]] = {name: [] for name in known}
    for program in json.loads(shown)["programs"]:
        if not program["name"].startswith("op_"):
            continue  # a standard kernel, which tree_test.py runs
        if program["name"] == ELSEWHERE:
            print(f"{ELSEWHERE}: not here, tests/device/resident_ops_test.py runs it")
            known.pop(ELSEWHERE), instances.pop(ELSEWHERE)
            continue
        instances.setdefault(kernel_of(program["name"], known), []).append(program["name"])
    failures = [f"{name}: of no kernel here" for name in instances.pop("", [])]
    failures += [f"{name}: not in the bundle" for name, found in instances.items() if not found]
    started, equal = time.perf_counter(), 0
    for number, (name, found) in enumerate(instances.items()):
        step = max(1, len(found) // INSTANCES)
        count = min(INSTANCES, len(found))
        for instance in [found[(number + step * k) % len(found)] for k in range(count)]:
            try:
                wrong = difference(library, known[name], name, instance)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                failures.append(f"{instance}: {wrong}")
            else:
                equal += 1
    for failure in failures:
        print("FAIL", failure)
    seconds = time.perf_counter() - started
    print(
        f"{len(instances)} kernels: {equal} launches equal, {len(failures)} failed, {seconds:.0f} s"
    )
    return 1 if failures or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
