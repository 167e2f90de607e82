"""Functions of the library on every engine, with equal bits, and their values.

usage: engines_test.py HOLOGRAM

Kernels of write_kernels.py for special and random arguments: in the interpreter, as native code of each
level of this processor, and as plain Python. All of them have PTX. Integers are compared with Python's,
floats with its `math`, within two units; tests/library/accuracy.cc knows how exact they are.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile

import numpy as np
import write_kernels

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "simulator"))
from compiled import ROOT, Run, as_python, compiled
from levels import levels_here

COUNT = 40
DTYPES = {
    **{
        kind: np.dtype(("uint" if kind[0] == "u" else "int") + kind[1:])
        for kind in write_kernels.INTEGERS
    },
    "f16": np.dtype("f2"),
    "bf16": np.dtype("u2"),
    "f32": np.dtype("f4"),
    "f64": np.dtype("f8"),
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5, -0.5, 2.0, -2.0, 1e-7, 40.0)
DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
LEAST = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
LARGEST = {
    "f16": 65504.0,
    "bf16": (2 - 2.0**-7) * 2.0**127,
    "f32": (2 - 2.0**-23) * 2.0**127,
    "f64": sys.float_info.max,
}


def narrow(values: np.ndarray, kind: str) -> np.ndarray:
    """Floats as elements of an array of a type; bf16 are bits."""
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(DTYPES[kind])


def wide(values: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def arguments(kind: str, rng: np.random.Generator) -> np.ndarray:
    dtype = DTYPES[kind]
    bits = np.dtype(f"u{dtype.itemsize}")
    patterns = rng.integers(0, 2 ** (8 * dtype.itemsize), COUNT, dtype=bits)
    if kind in write_kernels.INTEGERS:
        patterns >>= rng.integers(0, 8 * dtype.itemsize, COUNT).astype(bits)
        patterns[:2] = 0, 2 ** (8 * dtype.itemsize) - 1
        return patterns.view(dtype)
    values = patterns.view(dtype).copy()
    values[: len(SPECIAL)] = narrow(rng.permutation(np.array(SPECIAL)), kind)
    values[len(SPECIAL) : 32] = narrow(rng.normal(size=32 - len(SPECIAL)) * 3, kind)
    return values


def lgamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def real(function: str, values: tuple[float, ...]) -> float:
    """A function of Python where it has a value, else what IEEE 754 says."""
    if function == "cbrt":
        x = abs(values[0])
        root = x ** (1 / 3)
        if 0 < x < math.inf:
            root -= (root * root * root - x) / (3 * root * root)
        return math.copysign(root, values[0])
    if function == "sign":
        return values[0] if values[0] != values[0] else float((values[0] > 0) - (values[0] < 0))
    try:
        return lgamma(*values) if function == "lgamma" else getattr(math, function)(*values)
    except OverflowError:
        return math.copysign(math.inf, values[0]) if function == "sinh" else math.inf
    except ValueError:
        return (
            math.copysign(math.inf, values[0])
            if function == "atanh" and abs(values[0]) == 1
            else math.nan
        )


def near(value: float, wanted: float, kind: str, slack: float) -> bool:
    if wanted != wanted or value != value:
        return wanted != wanted and value != value
    if abs(wanted) > LARGEST[kind]:
        return abs(value) >= LARGEST[kind] and (value > 0) == (wanted > 0)
    if math.isinf(value) or (wanted == 0 and math.copysign(1, value) != math.copysign(1, wanted)):
        return False
    exponent = max(math.frexp(wanted)[1] - 1, LEAST[kind]) if wanted else LEAST[kind]
    unit = math.ldexp(1.0, exponent - DIGITS[kind] + 1)
    return abs(value - wanted) <= 2 * unit + slack


def integer(function: str, x: int, y: int, kind: str) -> int:
    bits = 8 * DTYPES[kind].itemsize
    mask = 2**bits - 1
    pattern = x & mask
    turn = {"rotl": min(y, 2**32 - 1), "rotr": -min(y, 2**32 - 1), "rotl5": 5}.get(
        function, 0
    ) % bits
    result = {
        "popc": pattern.bit_count(),
        "clz": bits - pattern.bit_length(),
        "ctz": (pattern & -pattern).bit_length() - 1 if pattern else bits,
        "sign": (x > 0) - (x < 0),
        "mulhi": x * y >> bits,
        "clamp": min(max(x, 3), y),
    }.get(function, pattern << turn | pattern >> (bits - turn))
    result &= mask
    return result - 2**bits if kind[0] == "i" and result >> (bits - 1) else result


def wrong_values(
    name: str, row: tuple[str, str, str, list[str]], values: dict, out: np.ndarray
) -> list[str]:
    kind, arrays, result, expressions = row
    if name.startswith("bits"):
        same = out.tobytes() == values["x"].tobytes()
        return [] if same else ["bitcast changes bits"]
    found = []
    for k, expression in enumerate(expressions):
        function = "rotl5" if expression.endswith(", 5)") else expression.partition("(")[0]
        if name.startswith("truth"):
            function = expression.split()[2].partition("(")[0]
        got = out[k * COUNT : (k + 1) * COUNT]
        columns = [values[array] for array in arrays]
        if kind not in write_kernels.INTEGERS:
            columns = [wide(column, kind) for column in columns]
            got = wide(got, result) if not name.startswith("truth") else got
        for value, *given in zip(got.tolist(), *(column.tolist() for column in columns)):
            if name.startswith("truth"):
                good = bool(value) == getattr(math, function)(given[0])
            elif kind in write_kernels.INTEGERS:
                good = value == integer(function, given[0], given[1], kind)
            elif function == "clamp":
                x, low = given
                good = near(value, low if x < low else 2.0 if x > 2 else x, kind, 0)
            else:
                slack = 1e-14 if function == "lgamma" and kind == "f64" else 0
                good = near(value, real(function, tuple(given)), kind, slack)
            if not good:
                found.append(f"{expression} of {given} is {value}")
    return found


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    levels = levels_here()
    rng = np.random.default_rng(22)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(write_kernels.text())
        for name, row in write_kernels.functions().items():
            kind, arrays, result, expressions = row
            values = {"out": np.zeros(COUNT * len(expressions), DTYPES[result])}
            values.update({array: arguments(kind, rng) for array in arrays})
            values["n"] = COUNT
            bf16 = tuple(a for a in ("out", *arrays) if (result if a == "out" else kind) == "bf16")
            run = Run(path, name, values, (1,), (64,), bf16, ("out",))
            outs = {"Python": as_python(run)["out"], "interpreter": compiled(hologram, run)["out"]}
            for level in levels:
                os.environ["HOLOGRAM_CPU_LEVEL"] = level
                outs[level] = compiled(hologram, run, "cpu")["out"]
            del os.environ["HOLOGRAM_CPU_LEVEL"]
            wrong = [
                f"{engine} differs from the interpreter at {np.flatnonzero(out != outs['interpreter'])[:4]}"
                for engine, out in outs.items()
                if out.tobytes() != outs["interpreter"].tobytes()
            ]
            wrong += wrong_values(name, row, values, outs["interpreter"])
            command = [
                hologram,
                "compile",
                path,
                "--entry",
                name,
                "--emit",
                "ptx",
                "-o",
                f"{folder}/k.ptx",
            ]
            ptx = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            if ptx.returncode != 0:
                wrong.append(f"PTX: {ptx.stderr.strip()}")
            for text in wrong[:8]:
                print(f"FAIL {name}: {text}")
            failures += len(wrong)
    print(f"{len(write_kernels.functions())} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
