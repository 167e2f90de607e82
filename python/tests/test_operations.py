"""operations/generator: what it refuses, and that what it writes is always the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "operations"))

from generator import kernels, reductions, rows, steps  # noqa: E402

ROW = '@operation("x", FLOATS, reference="x")\n'


def read(tmp_path: Path, text: str) -> rows.Elementwise:
    path = tmp_path / "elementwise.py"
    path.write_text(text, encoding="utf-8")
    return rows.read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x):\n    return x\n", "1: error: `f` has no row; write @operation(...) above it"),
        ("@inline\ndef f(x):\n    return x\n", "2: error: the row of `f`: name 'inline' is not"),
        (f"{ROW}def f(y):\n    return y\n", "2: error: `f` expects x or a, b first, then numbers"),
        (f"{ROW}def f(x, s):\n    return x\n", "2: error: `f` expects reference=, and numbers="),
        (f"{ROW}def f(a, b, s):\n    return a\n", "2: error: `f` has two arrays and numbers"),
        (
            '@operation("x", FLOATS, fast=4.0, reference="x", numbers=(1,))\n'
            "def f(x, s):\n    return x\n",
            "2: error: `f` has numbers and a fast form",
        ),
        (
            '@variant("g", "whole", INTEGERS)\ndef f(x):\n    return x\n',
            "2: error: `f` is a variant of `g`, which is not above",
        ),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(rows.RowError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"operations/elementwise.py:{message}")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("    if x > 0:\n        return x\n    return -x\n", "if x > 0:"),
        ("    return y\n", "y"),
        ("    return x % 2\n", "x % 2"),
        ("    return abs(x)\n", "abs(x)"),
        ("    return x if x > 0 and x < 1 else 1.0\n", "x > 0 and x < 1"),
        ("    return lang.exp(x, fast=True)\n", "lang.exp(x, fast=True)"),
        ("    return x\n", "return x"),
    ],
)
def test_functions_that_are_no_steps(tmp_path: Path, body: str, shown: str) -> None:
    file = read(tmp_path, f"{ROW}def f(x):\n{body}")
    with pytest.raises(rows.RowError, match="has no step of a circuit") as caught:
        steps.steps_of(file, file.rows[0])
    assert f"`f`: `{shown}" in str(caught.value)


def test_steps_are_in_the_order_of_the_function(tmp_path: Path) -> None:
    text = f"HALF = 0.5\n\n\n{ROW}def f(x):\n    v = wide(x)\n    return HALF * v + x\n"
    file = read(tmp_path, text)
    assert steps.steps_of(file, file.rows[0]) == (
        ("wide", "w", ("x",)),
        ("merge:mul", "w", (steps.Literal(0.5), 0)),
        ("cast", "w", ("x",)),
        ("merge:add", "w", (1, 2)),
        ("cast", "t", (3,)),
    )


def test_positions_are_those_of_the_function() -> None:
    file = rows.read()
    for row in file.rows:
        made = kernels.kernel_file(file, row)
        written, own = made.text.split("\n"), file.text.split("\n")
        at = next(k for k, line in enumerate(written) if line.startswith("def value(")) + 1
        assert written[at] == own[at + made.moved["value"]], row.name
        assert own[made.function - 1].startswith(f"def {row.name}(")


def test_it_writes_the_same_twice(tmp_path: Path) -> None:
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        command = [sys.executable, "-I", "-S", ROOT / "operations/generator"]
        for what in ("build", "python"):
            environment = {"PYTHONHASHSEED": seed}
            subprocess.run([*command, what, folder], check=True, env=environment, timeout=60)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        found.append([(path.relative_to(folder), path.read_bytes()) for path in files])
    assert found[0] == found[1]
    names = {row.name for row in (*rows.read().rows, *reductions.read().rows)}
    assert {path.stem for path, _ in found[0]} == {*names, "_operations", "_elementwise"}
