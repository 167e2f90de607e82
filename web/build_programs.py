#!/usr/bin/env python3
"""Writes what the playground reads: programs.json with the source and the kernel JSON of each
program, frontend.json with the front end's sources; and for the gallery a picture of each result.

usage: build_programs.py HOLOGRAM HOLOGRAM.WASM OUT [--pictures FOLDER]
HOLOGRAM is the native command, which runs the programs for their pictures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from picture import draw

PLAYGROUND = Path(__file__).resolve().parent / "playground"
FRONTEND = Path(__file__).resolve().parents[1] / "python/hologram/frontend"


def kernel_json(hologram: str, source: str) -> str:
    """As the playground compiles it: the file is called kernel.py."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(source, encoding="utf-8")
        command = [hologram, "compile", "kernel.py", "--emit", "json", "-o", "kernel.json"]
        subprocess.run(command, cwd=folder, check=True)
        return Path(folder, "kernel.json").read_text(encoding="utf-8").strip()


def with_sources(hologram: str, program: dict) -> dict:
    source = (PLAYGROUND / program["file"]).read_text(encoding="utf-8")
    return {**program, "python": source, "json": kernel_json(hologram, source)}


def load_programs(hologram: str) -> dict[str, list[dict]]:
    programs = json.loads((PLAYGROUND / "programs.json").read_text(encoding="utf-8"))
    return {name: [with_sources(hologram, p) for p in group] for name, group in programs.items()}


def run_program(hologram: str, wasm: str, program: dict) -> dict[str, np.ndarray] | str:
    """By the native command, on the arrays that the playground makes: the arrays that it writes, or
    the text of its error."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(program["python"], encoding="utf-8")
        command = ["node", str(Path(__file__).with_name("arguments.mjs")), wasm, folder]
        text = json.dumps(program)
        made = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
        launch = json.loads(made.stdout)
        command = [hologram, "run", "kernel.py", *launch["options"]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        return {name: np.load(f"{folder}/{name}.out.npy") for name in launch["written"]}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("wasm")
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    hologram, wasm = (str(Path(path).resolve()) for path in (options.hologram, options.wasm))
    programs = load_programs(hologram)
    (options.out / "programs.json").write_text(json.dumps(programs), encoding="utf-8")
    frontend = {
        f"hologram/frontend/{path.relative_to(FRONTEND).as_posix()}": path.read_text("utf-8")
        for path in sorted(FRONTEND.rglob("*.py"))
    }
    # The package itself imports the native module, which the page does not have.
    frontend["hologram/__init__.py"] = ""
    (options.out / "frontend.json").write_text(json.dumps(frontend), encoding="utf-8")
    if options.pictures is not None:
        for program in [*programs["lessons"], *programs["examples"]]:
            result = run_program(hologram, wasm, program)
            if not isinstance(result, str):
                draw(list(result.values()), options.pictures / f"{program['id']}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
