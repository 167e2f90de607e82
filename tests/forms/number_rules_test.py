"""The table of types (src/frontend/number_rules.txt) beside NumPy, over all pairs of types.

usage: number_rules_test.py HOLOGRAM

Two parts. The table itself: a cell is NumPy's type of `a op b`, but where NumPy computes in a wider
type (`!`) or the language has none (`-`). What is computed: `a op b` into an array of f64, of all
pairs and operators, is NumPy's number, bit for bit, or is refused; by the plain-Python run and by
the compiler with the interpreter.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np

import hologram as hg
from hologram.errors import CompileError
from hologram.simulator import launch
from hologram.simulator.errors import KernelError
from hologram.simulator.number_rules import OPERATORS, QUOTIENT

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages

guard_pages.install()

DTYPES = {
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
LITERALS = {"int": 7, "float": 0.1}
OPERATIONS = ("+", "-", "*", "/")
# Numbers that a narrower float would round, without a result that wraps.
VALUES = {kind: 0.3 for kind in ("f16", "f32", "f64")}
VALUES |= {"i8": 101, "u8": 11, "i16": 3001, "u16": 999, "i32": 2**24 + 1, "u32": 2**24 + 3}
VALUES |= {"i64": 2**40 + 1, "u64": 2**40 + 5}


def check_table() -> list[str]:
    """NumPy's types, by its own rules for Python numbers (NEP 50)."""
    wrong = []
    for title, table, divides in (("op", OPERATORS, False), ("/", QUOTIENT, True)):
        for a, row in table.items():
            for b, cell in row.items():
                if "bf16" in (a, b) or (a in LITERALS and b in LITERALS):
                    continue  # NumPy has no bf16, Python computes literals
                theirs = NAMES[result_type(a, b, divides)]
                mine = cell.rstrip("!")
                wide = cell == "-" or cell.endswith("!")
                if wide and not (theirs[0] == "f" and mine != theirs):
                    wrong.append(f"{a} {title} {b}: {cell}, but NumPy has {theirs}")
                if not wide and mine != theirs:
                    wrong.append(f"{a} {title} {b}: {cell} is not NumPy's {theirs}")
    return wrong


def operand(kind: str, other: str) -> object:
    """An array of one element, or a Python number."""
    if kind in LITERALS:
        return LITERALS[kind]
    value = VALUES[kind]
    return np.array([value], DTYPES[kind])


def result_type(a: str, b: str, divides: bool) -> np.dtype:
    left, right = operand(a, b), operand(b, a)
    return (left / right if divides else left + right).dtype  # type: ignore[operator]


def numpy_value(a: str, op: str, b: str) -> float:
    left, right = operand(a, b), operand(b, a)
    operations = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
    }
    with np.errstate(all="ignore"):
        return float(np.asarray(operations[op]()).astype(np.float64).reshape(()))


def source(a: str, op: str, b: str, name: str) -> str:
    rows = ["o: DeviceArray[f64]"]
    texts = []
    for letter, kind in (("p", a), ("q", b)):
        if kind in LITERALS:
            texts.append(repr(LITERALS[kind]))
        else:
            rows.append(f"{letter}: DeviceArray[{kind}]")
            texts.append(f"{letter}[0]")
    value = f"{texts[0]} {op} {texts[1]}"
    if of_integers(a, b) and op != "/":
        value = f"f64({value})"  # the sum of integers is one, and needs the cast
    return f"def {name}({', '.join(rows)}):\n    o[0] = {value}\n"


def of_integers(a: str, b: str) -> bool:
    return all(kind == "int" or kind[0] in "iu" for kind in (a, b))


def may_be_refused(a: str, op: str, b: str) -> bool:
    """Where there is no type, or an integer would be rounded to the float beside it."""
    cell = OPERATORS[a][b]
    if of_integers(a, b):
        return cell == "-" and op != "/"
    return cell.endswith("!") and "float" not in (a, b)


def plain(path: Path, name: str, kinds: tuple[str, str]) -> float | None:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = np.zeros(1)
    try:
        launch(getattr(module, name), 1, 1)(out, *arrays(kinds))
    except KernelError:
        return None
    return float(out[0])


def arrays(kinds: tuple[str, str]) -> list[np.ndarray]:
    return [operand(kind, "") for kind in kinds if kind not in LITERALS]  # type: ignore[misc]


def compiled(path: Path, name: str, kinds: tuple[str, str]) -> float | None:
    try:
        kernel = hg.compile(path)[name].configure(backend="interpreter")
    except CompileError:
        return None
    out = np.zeros(1)
    kernel[1, 1](out, *arrays(kinds))
    return float(out[0])


def main() -> int:
    wrong = check_table()
    kinds = [*DTYPES, *LITERALS]
    counts = {"computed": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        for a in kinds:
            for b in kinds:
                for op in OPERATIONS:
                    if a in LITERALS and b in LITERALS:
                        continue
                    name = f"k_{a}_{b}_{OPERATIONS.index(op)}"
                    file = path / f"{name}.py"
                    text = "from hologram.lang import *\n\n\n" + source(a, op, b, name)
                    file.write_text(text)
                    want = numpy_value(a, op, b)
                    found = {
                        "plain Python": plain(file, name, (a, b)),
                        "compiled": compiled(file, name, (a, b)),
                    }
                    for how, value in found.items():
                        if value is None and not may_be_refused(a, op, b):
                            wrong.append(f"{how}: {a} {op} {b} is refused, NumPy has {want!r}")
                        elif value is not None and value != want:
                            wrong.append(f"{how}: {a} {op} {b} is {value!r}, NumPy has {want!r}")
                        counts["refused" if value is None else "computed"] += 1
    for line in wrong:
        print("FAIL", line)
    print(f"{counts}, {len(wrong)} wrong")
    return 1 if wrong or counts["computed"] < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
