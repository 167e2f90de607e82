"""Every kernel of kernels/ as Python and compiled: equal bits, on the smallest cases of tests/kernels."""

from __future__ import annotations

import ast
import os
import re
import sys
import time
from collections.abc import Container

import numpy as np
from compiled import ROOT, Run, as_python, compiled

sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))
from case import REGISTERED, Case, Step

MOST_ELEMENTS = 4_000  # of the arrays of a case: Python takes some microseconds an operation
MOST_OF_ONLY_CASE = 60_000  # where a kernel has no smaller one
CASES_OF_A_FILE = 2


def kernel_files() -> list[str]:
    """The files of kernels/, whose cases are registered when the modules of cases are imported.
    Those of hg.ops have none: ops_test.py runs them."""
    for name in sorted(os.listdir(os.path.join(ROOT, "tests", "kernels"))):
        if name.endswith("_cases.py"):
            __import__(name[:-3])
    top = os.path.join(ROOT, "kernels")
    return sorted(
        os.path.relpath(os.path.join(folder, name), top)[:-3]
        for folder, _, names in os.walk(top)
        for name in names
        if name.endswith(".py") and os.path.basename(folder) != "ops"
    )


def kernels_of(path: str) -> dict[str, dict[str, str]]:
    """The parameters of each kernel of a file, with their types."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {
        node.name: {p.arg: ast.unparse(p.annotation) for p in node.args.args if p.annotation}
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not any(isinstance(d, ast.Name) and d.id == "inline" for d in node.decorator_list)
    }


def written_name(kernel: str, kernels: Container[str]) -> str:
    """Of a kernel in its file: a generic one is called by its types too."""
    return kernel if kernel in kernels else re.sub(r"(_(bool|bf16|[iuf]\d+))+$", "", kernel)


def size(case: Case) -> int:
    return sum(array.size for array in case.arrays.values())


def flat(array: np.ndarray) -> np.ndarray:
    """A copy; NumPy has no bf16, the simulator takes its bits."""
    return (array.view(np.uint16) if array.dtype.kind == "V" else array).ravel().copy()


def small_cases(file: str) -> list[Case]:
    """Some of the smallest, so that every kernel is launched."""
    chosen: list[Case] = []
    launched: set[str] = set()
    cases = [case for case in REGISTERED.get(file, lambda: iter(()))() if not case.fault]
    for case in sorted(cases, key=size):
        new = {step.kernel for step in case.steps} - launched
        few = len(chosen) < CASES_OF_A_FILE and size(case) <= MOST_ELEMENTS
        if few or (new and size(case) <= MOST_OF_ONLY_CASE):
            chosen.append(case)
            launched |= new
    return chosen


def difference(
    hologram: str,
    path: str,
    written: str,
    parameters: dict[str, str],
    step: Step,
    case: Case,
    arrays: dict,
) -> str | None:
    """Runs one launch in both forms; `arrays` is what it leaves."""
    values, places = {}, {}
    for name in parameters:
        key = step.given.get(name, name)
        if isinstance(key, str) and key in arrays:
            values[name], places[name] = arrays[key], key
        else:
            values[name] = case.scalars[key] if isinstance(key, str) else key
    bf16 = tuple(name for name, kind in parameters.items() if "bf16" in kind)
    run = Run(path, written, values, step.grid, step.block, bf16=bf16, instance=step.kernel)
    mine = as_python(run)
    for name, theirs in compiled(hologram, run).items():
        kind = np.dtype(f"u{theirs.dtype.itemsize}")
        got, want = mine[name].ravel().view(kind), theirs.view(kind)
        wrong = np.flatnonzero(got != want)
        if len(wrong):
            at = int(wrong[0])
            return f"{name}[{at}] is {mine[name].ravel()[at]!r} as Python, {theirs[at]!r} compiled"
        arrays[places[name]] = theirs
    return None


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    failures, launched, passed = [], set(), 0
    started = time.perf_counter()
    files = kernel_files()
    for file in files:
        path = os.path.join(ROOT, "kernels", f"{file}.py")
        kernels = kernels_of(path)
        for case in small_cases(file):
            arrays = {name: flat(array) for name, array in case.arrays.items()}
            for step in case.steps:
                written = written_name(step.kernel, kernels)
                launched.add((file, written))
                parameters = kernels.get(written)
                if parameters is None:  # of another file, which has its own cases
                    break
                try:
                    wrong = difference(hologram, path, written, parameters, step, case, arrays)
                except Exception as error:
                    wrong = f"{type(error).__name__}: {error}"
                if wrong:
                    failures.append(f"{file}: {step.kernel} {case.scalars}: {wrong}")
                    break
                passed += 1
        failures += [
            f"{file}: kernel {kernel} has no case that is small enough"
            for kernel in kernels
            if (file, kernel) not in launched
        ]
    for failure in failures:
        print("FAIL", failure)
    seconds = time.perf_counter() - started
    print(
        f"{len(launched)} kernels of {len(files)} files: {passed} launches equal, "
        f"{len(failures)} failed, {seconds:.0f} s"
    )
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
