"""Every kernel of kernels/ as Python and compiled: equal bits, on the smallest cases of tests/kernels."""

from __future__ import annotations

import os
import re
import sys

import numpy as np
from compiled import ROOT, Run, difference

sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))
import run as cases_of_tree

MOST_ELEMENTS = 12_000  # of the arrays of a case: Python takes some microseconds an operation
GENERATORS = ("elementwise", "plane", "block", "gemm", "digits")
CASES_OF_A_KERNEL = 2


def kernel_files() -> dict[str, list[str]]:
    """The kernels of each file below kernels/."""
    files = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "kernels")):
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    files[path] = re.findall(r"^def (\w+)\(", file.read(), re.MULTILINE)
    return files


def arguments(path: str, case: object) -> dict[str, object]:
    """The values of a case in the order of the parameters."""
    arrays = {**case.inputs, **{k: np.zeros_like(v) for k, v in case.expected.items()}}
    arrays.update(case.started)
    if case.ulp:
        arrays.update({k: np.zeros(v.size, np.float32) for k, v in case.expected.items()})
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\s+", " ", file.read())
    signature = re.search(rf"def {case.kernel}\((.*?)\):", text).group(1)
    values = {**arrays, **case.scalars}
    return {name: values[name] for name in re.findall(r"(\w+):", signature)}


def small_runs() -> dict[tuple[str, str], list[Run]]:
    found: dict[tuple[str, str], list[Run]] = {}
    for generator in GENERATORS:
        for case in getattr(cases_of_tree, f"{generator}_cases")():
            path = os.path.join(ROOT, "kernels", f"{case.file}.py")
            values = arguments(path, case)
            if sum(v.size for v in values.values() if isinstance(v, np.ndarray)) > MOST_ELEMENTS:
                continue
            grid, block = (None, None) if case.launch is None else map(_numbers, case.launch)
            run = Run(path, case.kernel, values, grid, block)
            known = found.setdefault((path, case.kernel), [])
            if len(known) < CASES_OF_A_KERNEL:
                known.append(run)
    return found


def other_runs() -> dict[tuple[str, str], list[Run]]:
    """The kernels that tests/kernels leaves to the example which uses them."""
    path = os.path.join(ROOT, "kernels", "digits.py")
    numbers = np.random.default_rng(5)
    count, classes = 30, 10
    scores = numbers.uniform(-3, 3, classes * count).astype(np.float32)
    labels = numbers.integers(0, classes, count).astype(np.uint8)
    errors = np.zeros_like(scores)
    shape = {"count": count, "classes": classes}
    picture = np.zeros(16 * 20, np.uint8)
    size = {"width": 20, "height": 16, "zoom": 2}
    counts = numbers.integers(0, 9, 100).astype(np.uint32)
    given = {
        "softmax_error": {"scores_t": scores, "labels": labels, "error_t": errors, **shape},
        "update_bias": {
            "error_t": scores,
            "bias": np.ones(classes, np.float32),
            **shape,
            "rate": 0.5,
            "decay": 0.25,
        },
        "weight_picture": {"weights": scores, "picture": picture, "scale": 40.0, **size},
        "confusion_picture": {
            "matrix": counts,
            "picture": picture,
            "largest": 9,
            **size,
            "classes": classes,
        },
    }
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\s+", " ", file.read())
    runs = {}
    for kernel, values in given.items():
        signature = re.search(rf"def {kernel}\((.*?)\):", text).group(1)
        ordered = {name: values[name] for name in re.findall(r"(\w+):", signature)}
        plane = "picture" in values
        grid, block = ((2, 16), (16, 1)) if plane else ((1,), (32,))
        runs[path, kernel] = [Run(path, kernel, ordered, grid, block)]
    return runs


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    failures, passed = [], 0
    runs = {**small_runs(), **other_runs()}
    files = kernel_files()
    for path, kernels in files.items():
        for kernel in kernels:
            if (path, kernel) not in runs:
                failures.append(f"{kernel} of {path} has no case that is small enough")
    for cases in runs.values():
        for run in cases:
            try:
                wrong = difference(hologram, run)
            except Exception as error:
                wrong = f"{run.kernel}: {type(error).__name__}: {error}"
            passed += wrong is None
            if wrong is not None:
                failures.append(wrong)
    for failure in failures:
        print("FAIL", failure)
    print(f"{len(runs)} kernels of {len(files)} files: {passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
