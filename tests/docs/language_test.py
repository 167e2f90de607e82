"""Runs every kernel of docs/language.md and compares it with what the page says it gives.

usage: language_test.py HOLOGRAM

A line `<!-- KERNEL: NAME = VALUES; ... -> NAME = VALUES; ... -->` stands before each block. One value
fills an array; its size is that of the longest list on the line, or NAME(2x3). Names of scalars have
one value. Every block of the page has such a line. A block of text behind it is what the kernel
prints.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
BLOCK = re.compile(r"(?:<!-- (.*?) -->\n)?```python\n(.*?)```(?:\n+```text\n(.*?)```)?", re.DOTALL)
DTYPES = {
    name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in ("f32", "f64", "i32", "u8", "u32")
}


def fill(array: np.ndarray[Any, Any], values: list[float]) -> None:
    """One value for all elements, or one for each."""
    array.reshape(-1)[...] = values


def values_of(text: str) -> dict[str, tuple[tuple[int, ...], list[float]]]:
    found = {}
    for item in text.split(";"):
        name, _, values = item.partition("=")
        name, _, shape = name.strip().rstrip(")").partition("(")
        extents = tuple(int(extent) for extent in shape.split("x")) if shape else ()
        found[name] = (extents, [float(value) for value in values.split()])
    return found


def run_block(hologram: str, says: str, source: str, prints: str, folder: Path) -> None:
    kernel, _, rest = says.partition(":")
    given_text, _, expected_text = rest.partition("->")
    given, expected = values_of(given_text), values_of(expected_text)
    (folder / "k.py").write_text(source)
    subprocess.run(
        [hologram, "compile", "k.py", "-o", "k.holo", "--native", "none"], check=True, cwd=folder
    )
    inspected = subprocess.run(
        [hologram, "inspect", "--json", "k.holo"], check=True, cwd=folder, capture_output=True
    )
    programs = json.loads(inspected.stdout)["programs"]
    program = next(program for program in programs if program["name"] == kernel)
    lists = [len(values) for _, values in (*given.values(), *expected.values())]
    size = max([int(given["n"][1][0])] if "n" in given else lists)
    command = [hologram, "run", "k.py", "--entry", kernel]
    outputs: list[dict[str, Any]] = []
    for parameter in program["parameters"]:
        name = parameter["name"]
        if parameter["kind"] == "scalar":
            command += ["--set", f"{name}={given[name][1][0]:g}"]
            continue
        shape = (given.get(name) or expected[name])[0] or (size,)
        if name in given:
            array = np.empty(shape, DTYPES[parameter["type"]])
            fill(array, given[name][1])
            np.save(folder / f"{name}.npy", array)
            command += ["--in", f"{name}={name}.npy"]
        if parameter["direction"] != "in":
            outputs.append(parameter)
            spelled = f":{parameter['type']}:{'x'.join(map(str, shape))}"
            command += ["--out", f"{name}=out_{name}.npy{'' if name in given else spelled}"]
    done = subprocess.run(command, check=True, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert not prints or done.stderr == prints, f"{kernel} prints\n{done.stderr}not\n{prints}"
    assert {parameter["name"] for parameter in outputs} == set(expected), kernel
    for parameter in outputs:
        name = parameter["name"]
        got = np.load(folder / f"out_{name}.npy")
        wanted = np.empty(got.shape, got.dtype)
        fill(wanted, expected[name][1])
        assert np.array_equal(got, wanted), f"{kernel}: {name} is {got}, the page says {wanted}"


def main() -> int:
    hologram = str(Path(sys.argv[1]).resolve())
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) >= 7, "the page has lost its examples"
    assert any(prints for _, _, prints in blocks), "no example prints"
    for says, source, prints in blocks:
        assert says, f"no line says what this gives:\n{source}"
        with tempfile.TemporaryDirectory() as folder:
            run_block(hologram, says, source, prints, Path(folder))
    print(f"{len(blocks)} kernels of {PAGE.name} do what the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
