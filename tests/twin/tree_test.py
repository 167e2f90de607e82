"""Every kernel of kernels/ as Python and compiled: equal bits, on the smallest cases of tests/kernels."""

from __future__ import annotations

import ast
import os
import sys
import time

import numpy as np
from compiled import ROOT, Run, as_python, compiled

sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))
import run as _all_cases  # noqa: F401, E402  registers them
from case import REGISTERED, Case, Step  # noqa: E402

MOST_ELEMENTS = 12_000  # of the arrays of a case: Python takes some microseconds an operation
CASES_OF_A_FILE = 2


def kernels_of(path: str) -> dict[str, list[str]]:
    """The parameters of each kernel of a file."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not any(isinstance(d, ast.Name) and d.id == "inline" for d in node.decorator_list)
    }


def size(case: Case) -> int:
    return sum(array.size for array in case.arrays.values())


def small_cases(file: str) -> list[Case]:
    cases = [case for case in REGISTERED[file]() if not case.fault and size(case) <= MOST_ELEMENTS]
    return sorted(cases, key=size)[:: max(1, len(cases) // 2)][:CASES_OF_A_FILE]


def difference(
    hologram: str, path: str, parameters: list[str], step: Step, case: Case, arrays: dict
) -> str | None:
    """Runs one launch in both forms; `arrays` is what it leaves."""
    values, places = {}, {}
    for name in parameters:
        key = step.given.get(name, name)
        if isinstance(key, str) and key in arrays:
            values[name], places[name] = arrays[key], key
        else:
            values[name] = case.scalars[key] if isinstance(key, str) else key
    run = Run(path, step.kernel, values, step.grid, step.block)
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
    for file in sorted(REGISTERED):
        path = os.path.join(ROOT, "kernels", f"{file}.py")
        kernels = kernels_of(path)
        for case in small_cases(file):
            arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
            for step in case.steps:
                launched.add((file, step.kernel))
                parameters = kernels.get(step.kernel)
                if parameters is None:  # of another file, which has its own cases
                    break
                try:
                    wrong = difference(hologram, path, parameters, step, case, arrays)
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
        f"{len(launched)} kernels of {len(REGISTERED)} files: {passed} launches equal, "
        f"{len(failures)} failed, {seconds:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
