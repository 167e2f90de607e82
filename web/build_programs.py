#!/usr/bin/env python3
"""Writes what the playground reads: programs.json with the source and the kernel JSON of each
program, examples.json with those of the pages, for the gallery a picture of each result, and
same-bits.json, the hash of each result, which native code and the WebAssembly module agree on.

usage: build_programs.py HOLOGRAM HOLOGRAM.WASM OUT FRONTEND PICTURES
HOLOGRAM is the native command, which runs the programs for their pictures. The file FRONTEND gets
the sources of the front end, for python_code.mjs.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from examples import load_examples
from picture import draw
from whole import has_numpy

PLAYGROUND = Path(__file__).resolve().parent / "playground"
GRID = re.compile(r"pass a grid: --grid ([\d,]+) --block ([\d,]+)")
FRONTEND = Path(__file__).resolve().parents[1] / "python/hologram/frontend"


def kernel_json(hologram: str, source: str) -> str:
    """As the playground compiles it: the file is called kernel.py."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(source, encoding="utf-8")
        command = [hologram, "compile", "kernel.py", "--emit", "json", "-o", "kernel.json"]
        subprocess.run(command, cwd=folder, check=True)
        return Path(folder, "kernel.json").read_text(encoding="utf-8").strip()


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def kernel_alone(text: str, name: str) -> str:
    """A kernel of a larger program: its definition, and what of the file it needs."""
    body = ast.parse(text).body
    defined: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            defined[node.targets[0].id] = node
    needed, names = {name}, names_in(defined[name])
    while found := {known for known in names if known in defined} - needed:
        needed |= found
        names |= {used for known in found for used in names_in(defined[known])}
    lines, pieces = text.splitlines(), []
    for node in body:
        if isinstance(node, ast.Import) and node.names[0].name == "hologram":
            pieces.append(ast.unparse(node) + "\n")
        elif isinstance(node, ast.ImportFrom) and node.module == "hologram.lang":
            imported = ", ".join(alias.name for alias in node.names if alias.name in names)
            wrapped = textwrap.wrap(imported, 70)
            inside = imported if len(wrapped) == 1 else "(\n    " + "\n    ".join(wrapped) + ",\n)"
            pieces.append(f"from hologram.lang import {inside}\n")
        elif any(defined[known] is node for known in needed):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            gap = "\n\n" if isinstance(node, ast.FunctionDef | ast.ClassDef) else "\n"
            pieces.append(gap + "\n".join(lines[first - 1 : node.end_lineno]) + "\n")
    return "".join(pieces)


def with_sources(hologram: str, program: dict) -> dict:
    source = (PLAYGROUND / program["file"]).read_text(encoding="utf-8")
    if "kernel" in program:
        source = kernel_alone(source, program["kernel"])
    return {**program, "python": source, "json": kernel_json(hologram, source)}


def load_programs(hologram: str) -> dict[str, list[dict]]:
    programs = json.loads((PLAYGROUND / "programs.json").read_text(encoding="utf-8"))
    return {name: [with_sources(hologram, p) for p in group] for name, group in programs.items()}


class Run(NamedTuple):
    """A launch by the native command, on the arrays that the playground makes."""

    arrays: dict[str, np.ndarray]  # those that it writes
    error: str  # its text, if there is one
    hash: str  # of the arrays; empty beside an error
    module: str  # the same from the WebAssembly module


def run_program(hologram: str, wasm: str, program: dict) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(program["python"], encoding="utf-8")
        command = ["node", str(Path(__file__).with_name("arguments.mjs")), wasm, folder]
        text = json.dumps(program)
        made = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
        launch = json.loads(made.stdout)
        command = [hologram, "run", "kernel.py", *launch["options"]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return Run({}, done.stderr, "", launch["hash"])
        arrays = {name: np.load(f"{folder}/{name}.out.npy") for name in launch["written"]}
        digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays.values()))
        return Run(arrays, "", digest.hexdigest(), launch["hash"])


def with_grid(program: dict, run: Run) -> bool:
    """Whether the command says which grid an example needs; then it has that."""
    found = GRID.search(run.error) if program["id"].startswith("doc-") else None
    if found is not None:
        program |= {"grid": found[1], "block": found[2]}
    return found is not None


def same_bits(hologram: str, wasm: str, programs: list[dict], pictures: Path) -> list[dict]:
    """Runs each by native code and in the module, draws what it writes, ends where they differ."""
    rows = []
    for program in programs:
        run = run_program(hologram, wasm, program)
        if with_grid(program, run):
            run = run_program(hologram, wasm, program)
        if run.hash != run.module:
            sys.exit(f"{program['id']}: native code gives {run.hash}, WebAssembly {run.module}")
        if run.error == "":
            rows.append({"id": program["id"], "title": program["title"], "hash": run.hash})
        if run.error == "" and not program["id"].startswith("doc-"):
            draw(list(run.arrays.values()), pictures / f"{program['id']}.png")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("wasm")
    parser.add_argument("out", type=Path)
    parser.add_argument("frontend", type=Path)
    parser.add_argument("pictures", type=Path)
    options = parser.parse_args()
    hologram, wasm = (str(Path(path).resolve()) for path in (options.hologram, options.wasm))
    programs = load_programs(hologram)
    (options.out / "programs.json").write_text(json.dumps(programs), encoding="utf-8")
    examples = load_examples(hologram, has_numpy(options.out))
    frontend = {
        f"hologram/frontend/{path.relative_to(FRONTEND).as_posix()}": path.read_text("utf-8")
        for path in sorted(FRONTEND.rglob("*.py"))
    }
    # The package itself imports the native module, which the page does not have.
    frontend["hologram/__init__.py"] = ""
    options.frontend.write_text(json.dumps(frontend), encoding="utf-8")
    kernels = [example for example in examples if not example.get("program")]
    every = [*programs["lessons"], *programs["examples"], *kernels]
    rows = same_bits(hologram, wasm, every, options.pictures)
    (options.out / "same-bits.json").write_text(json.dumps(rows), encoding="utf-8")
    (options.out / "examples.json").write_text(json.dumps(examples), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
