#!/usr/bin/env python3
"""Writes the files of web/playground/live.html: the compiled kernels of each program of live.json,
and live-programs.json with sources and the hash of the picture after some frames, which the native
command computes. Each last picture is one of the gallery.

usage: live.py HOLOGRAM OUT [--pictures FOLDER]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from picture import write_png

PLAYGROUND = Path(__file__).resolve().parent / "playground"
BLOCK = 16
DIGITS = Path(__file__).resolve().parents[1] / "examples/digits/data/digits.csv.gz"
TYPES = {"u8": np.uint8, "u32": np.uint32, "f32": np.float32}


def digits() -> bytes:
    """All pictures, then all labels, a byte each."""
    with gzip.open(DIGITS, "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.uint8)
    return table[:, :-1].tobytes() + table[:, -1].tobytes()


class NativeProgram:
    """The class LiveProgram of live-program.js, with arrays in files and `hologram run`."""

    def __init__(self, hologram: str, program: dict, folder: str, data: bytes) -> None:
        self.hologram, self.program, self.folder = hologram, program, Path(folder)
        self.source = PLAYGROUND / program["file"]
        self.frames = self.launches = 0
        shape = (program["height"], program["width"])
        self.files = {name: f"{name}.npy" for name in program["arrays"]}
        for name, given in program["arrays"].items():
            array = {"type": given} if isinstance(given, str) else given
            values = np.zeros(array.get("shape", shape), TYPES[array["type"]])
            if "at" in array:
                found = np.frombuffer(data, values.dtype, values.size, array["at"])
                values = found.reshape(values.shape)
            np.save(self.folder / self.files[name], values)
        command = [hologram, "compile", str(self.source), "-o", str(self.folder / "k.holo")]
        subprocess.run(command, check=True)
        text = subprocess.run(
            [hologram, "inspect", "--json", str(self.folder / "k.holo")],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        inspected = json.loads(text)
        self.trust = inspected["trust_hash"]
        self.parameters = {p["name"]: p["parameters"] for p in inspected["programs"]}
        self.run(program["start"])

    def pixels(self) -> np.ndarray:
        return np.load(self.folder / self.files["pixels"])

    def frame(self) -> None:
        self.run(self.program["frame"])
        self.frames += 1

    def run(self, steps: list) -> None:
        for step in steps:
            if isinstance(step, list):
                self.launch(step[0], step[1:])
            elif "swap" in step:
                one, other = step["swap"]
                self.files[one], self.files[other] = self.files[other], self.files[one]
            else:
                for _ in range(step["repeat"]):
                    self.run(step["of"])

    def number(self, value: float | dict) -> float:
        if not isinstance(value, dict):
            return value
        number = value["from"]
        for _ in range(self.frames):
            number = number * value.get("times", 1) + value.get("plus", 0)
        return number

    def launch(self, kernel: str, values: list) -> None:
        command = [self.hologram, "run", "k.holo", "--entry", kernel, "--expect", self.trust]
        self.launches += 1
        for parameter, value in zip(self.parameters[kernel], values, strict=True):
            name = parameter["name"]
            if isinstance(value, str):
                file = self.files[value]
                command += ["--in", f"{name}={file}"]
                if parameter["direction"] != "in":
                    self.files[value] = f"{value}.{self.launches}.npy"  # no file is replaced
                    command += ["--out", f"{name}={self.files[value]}"]
                continue
            number = self.number(value)
            is_float = parameter["type"] == "f32"
            command += ["--set", f"{name}={float(np.float32(number)) if is_float else number}"]
        grid = [-(-self.program[side] // BLOCK) for side in ("width", "height")]
        usual = {"grid": grid, "block": [BLOCK, BLOCK]}
        shape = self.program.get("shapes", {}).get(kernel, usual)
        for option in ("grid", "block"):
            command += [f"--{option}", ",".join(map(str, [*shape[option], 1]))]
        subprocess.run(command, cwd=self.folder, check=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    hologram = str(Path(options.hologram).resolve())
    programs = json.loads((PLAYGROUND / "live.json").read_text(encoding="utf-8"))
    (options.out / "live").mkdir(exist_ok=True)
    for program in programs:
        source = PLAYGROUND / program["file"]
        wasm = options.out / "live" / f"{program['id']}.wasm"
        subprocess.run([hologram, "compile", str(source), "--emit", "wasm", "-o", wasm], check=True)
        data = digits() if program.get("data") == "digits" else b""
        if data:
            (options.out / "live/digits.bin").write_bytes(data)
        with tempfile.TemporaryDirectory() as folder:
            native = NativeProgram(hologram, program, folder, data)
            for _ in range(program["test"]):
                native.frame()
            pixels = native.pixels()
        program["hash"] = hashlib.sha256(pixels.tobytes()).hexdigest()
        program["python"] = source.read_text(encoding="utf-8")
        if options.pictures is not None:
            colours = pixels.view(np.uint8).reshape(*pixels.shape, 4)[..., :3]
            write_png(colours, options.pictures / f"live-{program['id']}.png")
    (options.out / "live-programs.json").write_text(json.dumps(programs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
