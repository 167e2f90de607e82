"""What mypy says of programs that use the package, as their authors run it: with --strict."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hologram
import hologram.lang
from hologram import lang_warps, ops, vectors

pytest.importorskip("mypy")
pytest.importorskip("numpy")

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "python"

PROGRAM = """\
from typing import Literal, TypeVar

import numpy as np

import hologram as hg
from hologram import Error, f64
from hologram.lang import *

T = TypeVar("T", f32, f64)
Field = DeviceArray[f32, Literal[2]]


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32) -> None:
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


@hg.kernel(block=(16, 16))
def count(x: Field, found: DeviceArray[u32, Literal[2]], sums: DeviceArray[f32]) -> None:
    i, j = get_global_id(0), get_global_id(1)
    rows, columns = x.shape
    tile = shared(f32, (16, 16))
    v = vec3(x[i, j], 2.0, 3.0)
    tile[0, 0] = dot(v, v) + vec2(1.0, 2.0).x
    if i < columns and j < rows:
        atomic_add(found, (j, i), 1)
        atomic_max(x, (0, 1), 1.5)
        atomic_cas(found, (0, 0), 1, 2)
        atomic_add(sums, 0, warp_reduce_add(x[j, i]))


@hg.kernel
def both(x: DeviceArray[T], y: DeviceArray[T, Literal[2]], radius: constexpr = 3) -> None:
    x[0] = y[0, 1] + y[1, 1]


x = np.ones(3, np.float32)
scale(2.0, x, len(x))
scale[3](2.0, x, 3)
scale[3, (16, 1)](2.0, x, 3)
scale.configure(grid=3, threads=1)(2.0, x, 3)
both.instance(T="f32", radius=2)(x, x)
text: str = scale.path + scale.explain() + scale.asm() + scale.name + scale.last_launch.engine
counts: dict[str, int] = scale.counts
print(text, counts, count.path, hg.f32, hg.vec3, hg.lang.f32, f64, hg.compile(scale).path)
print(hg.ops.sum(x), hg.ops.add(x, x, out=x))
try:
    hg.load("scale.holo").scale(2.0, x, 3)
except (Error, hg.CompileError) as error:
    print(error)
"""

# Each line has what mypy finds in it, behind the `#`.
WRONG = """\
import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, u32


@hg.kernel
def k(x: DeviceArray[f32], i: u32) -> None:
    x["i"] = 1.0  # no overload|incompatible|invalid index type
    atomic_add(x, "i", 1.0)  # Argument 2


hg.krenel  # has no attribute "krenel"
hg.ops.nothing  # has no attribute "nothing"
k.pathh  # has no attribute "pathh"
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def mypy(cache: Path, *arguments: str | Path) -> list[str]:
    """The lines of its errors. The package is found and is not itself what is checked."""
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent"]
    command += ["--no-error-summary", "--hide-error-context", f"--cache-dir={cache}"]
    command += ["--disable-error-code=import-not-found"]  # of OpenTelemetry, in an example
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}
    result = subprocess.run(
        [*command, *map(str, arguments)],
        env={**environment, "MYPYPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    return [line for line in result.stdout.splitlines() if ": error: " in line]


def test_a_program_is_accepted(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    assert mypy(cache, "--strict", file) == []


def test_wrong_lines_are_found(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    found = {int(line.split(":")[1]): line for line in mypy(cache, "--strict", file)}
    expected = {
        number: line.partition("  # ")[2]
        for number, line in enumerate(WRONG.splitlines(), 1)
        if "  # " in line
    }
    assert found.keys() == expected.keys(), found
    for number, pattern in expected.items():
        assert re.search(pattern, found[number], re.IGNORECASE)


def test_the_examples_are_accepted(cache: Path) -> None:
    files = sorted((ROOT / "examples/python").glob("*.py"))
    assert files
    assert mypy(cache, "--strict", *files) == []


def test_kernels_of_the_first_page_are_accepted_as_they_are(cache: Path, tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python file=(\w+\.py)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert {name for name, _ in blocks} >= {"blur.py", "scale.py"}
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    assert mypy(cache, *(tmp_path / name for name, _ in blocks)) == []


def test_the_package_tells_type_checkers_all_its_names() -> None:
    """Names that are loaded when they are used, and those that type checkers read."""
    found = names_in(PYTHON / "hologram/__init__.py")
    lazy = {name for names in hologram._PLACES.values() for name in names}
    assert found == lazy | set(hologram._MODULES)
    assert names_in(PYTHON / "hologram/ops/__init__.py") == set(ops.__all__)


def test_the_language_tells_type_checkers_all_its_names() -> None:
    """They read a list only where its names are written."""
    found = names_in(PYTHON / "hologram/lang.py")
    assert found == set(hologram.lang.__all__)
    assert found >= {*lang_warps.__all__, *vectors.__all__}


def names_in(file: Path) -> set[str]:
    """`__all__` as it is written."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            assert isinstance(node.value, ast.List)
            return {item.value for item in node.value.elts if isinstance(item, ast.Constant)}
    pytest.fail(f"{file} has no __all__")
