"""Random kernels over all types: both forms accept them and give the same bits, or both refuse them.

usage: random_test.py HOLOGRAM [--count N] [--seed N]
Most kernels are refused by the typing rules if types are drawn at random, so casts are put where a
rule would end most of them; what is left of refusals tests that the rules are the same.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile

import numpy as np
from compiled import CompiledError, Run, compiled, difference

from hologram.simulator.errors import KernelError, KernelFaultError

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
DTYPES = {name: np.dtype(("u" if name[0] == "u" else "") + f"int{name[1:]}") for name in INTEGERS}
DTYPES.update({"f16": np.dtype("f2"), "bf16": np.dtype("u2")})
DTYPES.update({"f32": np.dtype("f4"), "f64": np.dtype("f8")})
COUNT = 24
UNARY = (
    *("sqrt", "floor", "ceil", "round", "trunc", "exp", "log", "sin", "tanh", "sigmoid", "erf"),
    *("rsqrt", "exp2", "expm1", "log1p", "log2", "log10", "cos", "tan"),
)


class Source:
    """Writes one kernel."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.types = {name: rng.choice((*INTEGERS, *FLOATS, "f32", "i32", "u32")) for name in "abc"}
        self.scalar = rng.choice((*INTEGERS, *FLOATS))
        self.outputs = {
            name: rng.choice((*INTEGERS, *FLOATS, *FLOATS)) for name in ("x", "y", "out")
        }
        self.locals: list[str] = []

    def text(self) -> str:
        rng = self.rng
        rows = [f"{name}: DeviceArray[{kind}]" for name, kind in self.types.items()]
        rows += [f"to_{name}: DeviceArray[{kind}]" for name, kind in self.outputs.items()]
        rows += [f"s: {self.scalar}", "n: u32"]
        lines = ["from hologram.lang import *", ""]
        if rng.random() < 0.3:
            lines += ["@kernel(contract=True)"]
        lines += [f"def k({', '.join(rows)}):", "    i = get_global_id()", "    if i < n:"]
        if rng.random() < 0.5:
            lines.append(f"        z = {self.number(2)}")
            self.locals.append("z")
        for name in ("x", "y"):
            kind = self.outputs[name]
            declared = f": {kind}" if rng.random() < 0.4 else ""
            lines.append(f"        {name}{declared} = {kind}({self.number(2)})")
            self.locals.append(name)
        if rng.random() < 0.3:
            lines.append(f"        for j in range({rng.randint(0, 3)}):")
            lines.append(f"            x {rng.choice(('+', '-', '*'))}= {self.leaf()}")
        if rng.random() < 0.3:
            lines.append(f"        if {self.truth(2)}:")
            lines.append(f"            y = {self.number(1)}")
        lines += ["        to_x[i] = x", "        to_y[i] = y"]
        if rng.random() < 0.2:
            op = rng.choice(("+", "-", "*", "//"))
            lines.append(f"        to_x[i] {op}= {self.number(1)}")
        kind = self.outputs["out"]
        lines.append(f"        to_out[i] = {kind}({self.number(3)})")
        return "\n".join(lines) + "\n"

    def leaf(self) -> str:
        rng = self.rng
        choice = rng.random()
        if choice < 0.45:
            return rng.choice("abc") + "[i]"
        if choice < 0.6 and self.locals:
            return rng.choice(self.locals)
        if choice < 0.7:
            return "s"
        if choice < 0.75:
            return "i"
        if choice < 0.9:
            return rng.choice(("0", "1", "2", "3", "7", "100", "-1"))
        return rng.choice(("0.5", "2.0", "1e-3", "3.25", "-0.1", "1e30"))

    def number(self, depth: int) -> str:
        rng = self.rng
        if depth == 0:
            return self.leaf()
        choice = rng.random()
        if choice < 0.45:
            op = rng.choice(("+", "-", "*", "+", "-", "*", "/", "//", "%"))
            return f"({self.number(depth - 1)} {op} {self.number(depth - 1)})"
        if choice < 0.55:
            kind = rng.choice(INTEGERS)
            op = rng.choice(("&", "|", "^", "<<", ">>"))
            return f"({kind}({self.number(depth - 1)}) {op} {kind}({self.number(depth - 1)}))"
        if choice < 0.6:
            return f"-{self.number(depth - 1)}"
        if choice < 0.68:
            return f"{rng.choice((*INTEGERS, *FLOATS))}({self.number(depth - 1)})"
        if choice < 0.76:
            name = rng.choice(("min", "max"))
            return f"{name}({self.number(depth - 1)}, {self.number(depth - 1)})"
        if choice < 0.8:
            return f"abs({self.number(depth - 1)})"
        if choice < 0.9:
            return self.function(depth)
        if choice < 0.96:
            return f"({self.number(depth - 1)} if {self.truth(depth - 1)} else {self.number(depth - 1)})"
        return (
            f"select({self.truth(depth - 1)}, {self.number(depth - 1)}, {self.number(depth - 1)})"
        )

    def function(self, depth: int) -> str:
        rng = self.rng
        kind = rng.choice(FLOATS)
        x, y, z = (f"{kind}({self.number(depth - 1)})" for _ in range(3))
        choice = rng.random()
        if choice < 0.2:
            return f"fma({x}, {y}, {z})"
        if choice < 0.3:
            return f"atan2({x}, {y})"
        if choice < 0.4:
            return f"({x} ** {rng.choice((y, '2', '3', '-1', '0.5'))})"
        name = rng.choice(UNARY)
        fast = (
            ", fast=True"
            if name in ("exp", "log", "sin", "tanh", "sigmoid") and rng.random() < 0.5
            else ""
        )
        return f"{name}({x}{fast})"

    def truth(self, depth: int) -> str:
        rng = self.rng
        choice = rng.random()
        if depth > 0 and choice < 0.2:
            return f"({self.truth(depth - 1)} {rng.choice(('and', 'or'))} {self.truth(depth - 1)})"
        if depth > 0 and choice < 0.3:
            return f"(not {self.truth(depth - 1)})"
        ops = ("<", "<=", ">", ">=", "==", "!=")
        terms = [self.number(max(depth - 1, 0))]
        for _ in range(1 if choice < 0.9 else 2):
            terms += [rng.choice(ops), self.number(max(depth - 1, 0))]
        return f"({' '.join(terms)})"


def values_of(kind: str, numbers: np.random.Generator, count: int) -> np.ndarray:
    """Small numbers, edges and any bits."""
    dtype = DTYPES[kind]
    bits = numbers.integers(0, 256, count * dtype.itemsize, dtype=np.uint8).view(dtype).copy()
    third = count // 3
    if kind in INTEGERS:
        low = 0 if kind[0] == "u" else -4
        bits[:third] = numbers.integers(low, 9, third).astype(dtype)
        bits[third : third + 2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    elif kind == "bf16":
        small = numbers.uniform(-4, 4, third).astype(np.float32).view(np.uint32) >> 16
        bits[:third] = small.astype(np.uint16)
        bits[third : third + 6] = 0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xFFA1
    else:
        bits[:third] = numbers.uniform(-4, 4, third).astype(dtype)
        bits[third : third + 6] = 0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).tiny / 4
    return bits


def make_run(source: Source, path: str, numbers: np.random.Generator) -> Run:
    values: dict[str, object] = {
        name: values_of(kind, numbers, COUNT) for name, kind in source.types.items()
    }
    outputs = {f"to_{name}": kind for name, kind in source.outputs.items()}
    values |= {name: np.zeros(COUNT, DTYPES[kind]) for name, kind in outputs.items()}
    values["s"] = 3 if source.scalar in INTEGERS else 0.375
    values["n"] = COUNT - 1
    kinds = {**source.types, **outputs}
    bf16 = tuple(name for name, kind in kinds.items() if kind == "bf16")
    return Run(path, "k", values, (1,), (32,), bf16, tuple(outputs))


def place(text: str) -> str:
    found = re.search(r":(\d+:\d+): error", text)
    return found.group(1) if found else text


def outcome(hologram: str, run: Run) -> tuple[str, str | None]:
    """(accepted, refused or faulted; what is wrong)."""
    try:
        return "accepted", difference(hologram, run)
    except KernelError as error:
        kind, mine = "refused", str(error)
    except KernelFaultError as error:
        kind, mine = "faulted", str(error)
    except CompiledError as error:
        return "refused", f"runs as Python, but compiled: {error}"
    try:
        compiled(hologram, run)
    except CompiledError as error:
        theirs = str(error)
        if kind == "faulted" and place(mine) != place(theirs):
            return kind, f"as Python {mine}, compiled {theirs}"
        return kind, None
    return kind, f"compiles, but as Python: {mine}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts = {"accepted": 0, "refused": 0, "faulted": 0}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            rng = random.Random(options.seed * 1_000_003 + number)
            source = Source(rng)
            path = os.path.join(folder, f"k{number}.py")
            text = source.text()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            numbers = np.random.default_rng(options.seed * 1_000_003 + number)
            kind, wrong = outcome(
                os.path.abspath(options.hologram), make_run(source, path, numbers)
            )
            counts[kind] += 1
            if wrong is not None:
                failures += 1
                print(f"FAIL kernel {number}: {wrong}\n{text}")
    print(f"{counts}, {failures} failed")
    if counts["accepted"] < options.count // 5:
        print("FAIL: too few kernels are accepted to test anything")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
