"""Kernels for what the language has, as Python and compiled: equal bits, or the same fault.

Those of tests/frontend/meaning.py and of kernels/ here; arguments are made from the signatures.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from dataclasses import replace

import numpy as np
from compiled import ROOT, CompiledError, Run, compiled, difference, load
from random_test import DTYPES, INTEGERS, place, values_of

from hologram.simulator.errors import KernelFaultError

HERE = os.path.dirname(os.path.abspath(__file__))
MEANING = os.path.join(ROOT, "tests", "frontend", "meaning.py")
INTEGER_VALUES = (0, 7, 3, 12)
SIGNED_VALUES = (5, -7, 3, -1)
FLOAT_VALUES = (0.75, -2.5, float("nan"), 1e10)


def one_lane_runs(path: str, names: list[str]) -> list[Run]:
    """Each kernel for several scalars, in one lane, on arrays of 160 elements."""
    module = load(path)
    runs = []
    for name in names:
        kernel = getattr(module, name)
        parameters = inspect.signature(getattr(kernel, "_atlas_kernel", kernel)).parameters
        for number in range(4):
            values: dict[str, object] = {}
            bf16 = []
            for index, parameter in enumerate(parameters.values()):
                kind = parameter.annotation
                if hasattr(kind, "__args__"):
                    element = repr(kind.__args__[0])
                    values[parameter.name] = np.zeros(160, DTYPES[element])
                    bf16 += [parameter.name] if element == "bf16" else []
                else:
                    values[parameter.name] = scalar(repr(kind), number + index)
            runs.append(Run(path, name, values, (1,), (1,), tuple(bf16)))
    return runs


def scalar(kind: str, number: int) -> object:
    if kind not in INTEGERS:
        return FLOAT_VALUES[number % 4]
    return (INTEGER_VALUES if kind[0] == "u" else SIGNED_VALUES)[number % 4]


def kernels_of(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return [
        line.split("(")[0].removeprefix("def ")
        for before, line in itertools.pairwise(lines)
        if line.startswith("def ") and before != "@inline"
    ]


def block_runs() -> list[Run]:
    path = os.path.join(HERE, "kernels", "blocks.py")
    numbers = np.random.default_rng(3)
    floats = numbers.uniform(0.5, 2, 150).astype(np.float32)
    integers = numbers.integers(-99, 99, 150).astype(np.int32)
    words = numbers.integers(0, 5000, 150).astype(np.uint32)
    runs = []
    for name in ("reverse_blocks", "early_return", "reduce_all", "helpers", "scan_floats"):
        out = np.zeros(150, np.float32)
        size = 128 if name == "reverse_blocks" else 150
        values = {"x": floats, "out": out, "n": size}
        runs.append(Run(path, name, values, (3,), (64,)))
    for name, grid in (("block_strides", 1), ("grid_strides", 2)):
        values = {"x": floats, "out": np.zeros(150, np.float32), "n": 150}
        runs.append(Run(path, name, values, (grid,), (64,)))
    for step in (1, 40, 0, 256):  # u8 saturates
        values = {"out": np.zeros(150, np.int32), "n": 150, "step": step}
        runs.append(Run(path, "own_steps", values, (1,), (64,)))
    for name in ("prefix_sum", "reduce_integers", "scan_integers"):
        values = {"x": integers, "out": np.zeros(150, np.int32), "n": 150}
        runs.append(Run(path, name, values, (3,), (64,)))
    for size in (139, 150):  # the assertion holds; it fails in lane 140
        values = {"x": floats, "out": np.zeros(150, np.float32), "n": size}
        runs.append(Run(path, "checked", values, (3,), (64,)))
    values = {"x": words, "out": np.zeros(8, np.uint32), "total": np.zeros(1, np.uint32)}
    values |= {"high": np.zeros(2, np.uint32), "low": np.full(1, 1 << 31, np.uint32)}
    values |= {"ors": np.zeros(1, np.uint32), "xors": np.zeros(1, np.uint32), "n": 150}
    runs.append(Run(path, "counted", values, (3,), (64,)))
    values = {"out": np.zeros(60, np.uint32), "width": 4, "height": 5, "depth": 3}
    runs.append(Run(path, "ids", values, (2, 2, 3), (2, 4, 1)))
    return runs


def generic_runs() -> list[Run]:
    path = os.path.join(HERE, "kernels", "values.py")
    numbers = np.random.default_rng(4)
    runs = []
    for kind in ("f32", "f64", "i32"):
        values = {"a": values_of(kind, numbers, 8), "out": np.zeros(8, DTYPES[kind]), "times": 3}
        run = Run(path, "generic", values, (1,), (8,), instance=f"generic_{kind}")
        runs.append(replace(run, fixed=("times",)))
    values = {"a": np.arange(15, dtype=np.float32).reshape(5, 3)}
    values |= {"out": np.zeros((5, 3), np.float32), "cube": np.zeros((4, 2, 3), np.int32)}
    runs.append(Run(path, "ranked", values, (1,), (32,)))
    return runs


def random_runs() -> list[Run]:
    path = os.path.join(HERE, "kernels", "random_numbers.py")
    values = {"words": np.zeros(40, np.uint32), "out": np.zeros(40, np.float32)}
    values |= {"seed": 2**63 + 9, "n": 40}
    return [Run(path, "numbers", values, (1,), (64,))]


def check(hologram: str, run: Run) -> str | None:
    try:
        return difference(hologram, run)
    except KernelFaultError as error:
        mine = str(error)
    try:
        compiled(hologram, run)
    except CompiledError as error:
        if place(mine) == place(str(error)):
            return None
        return f"{run.entry}: as Python {mine}, compiled {error}"
    return f"{run.entry}: only as Python: {mine}"


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    values = os.path.join(HERE, "kernels", "values.py")
    plain = [name for name in kernels_of(values) if name not in ("generic", "ranked")]
    runs = [*one_lane_runs(MEANING, kernels_of(MEANING)), *one_lane_runs(values, plain)]
    runs += [*block_runs(), *generic_runs(), *random_runs()]
    failures = 0
    for run in runs:
        try:
            wrong = check(hologram, run)
        except Exception as error:
            wrong = f"{run.entry}: {type(error).__name__}: {error}"
        if wrong is not None:
            failures += 1
            shown = {k: v for k, v in run.values.items() if not isinstance(v, np.ndarray)}
            print(f"FAIL {wrong} {shown}")
    print(f"{len(runs)} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
