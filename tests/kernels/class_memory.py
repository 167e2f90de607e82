#!/usr/bin/env python3
"""Circuits on class memory: 96 regions of 12,288 bytes, chunk by chunk, have the bits of the buffer form.

usage: class_memory.py HOLOGRAM LIBRARY
Every circuit of circuits.txt but those of rows, and some whose classes are the far ones, runs on arrays of 7,001 elements of
random bits (NaNs with payloads among them): in one launch on buffers, and in chunks of 12,288 bytes (3,072 f32)
that go through the classes of the text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import numpy as np
from library import BFLOAT16, CPU, INTERPRETER, Failure, Library

LIST = Path(__file__).with_name("circuits.txt")
ELEMENTS = 7001
CLASS_BYTES = 12288
DTYPES = {
    "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
    "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8",
}  # fmt: skip
FAR = {
    "far": "(f32 c95, f32 $a, f32 c00) -> (f32 c50) over n "
    "merge:mul@c95[$a,c01] . merge@c01[c00,c02] . merge:tanh@c02[c02,c50]",
    "exchanged": "(f32 c30, f32 c31) -> (f32 c30, f32 c31) over n swap@c30<->c31",
    "prefixed": "(f32 c01, f32 c02) -> (f32 c03) over n T+1@merge:mul@c00[c01,c02]",
}


def dtype_of(name: str) -> np.dtype:
    return BFLOAT16 if name == "bf16" else np.dtype(DTYPES[name])


def header_of(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(type, name) of inputs and of outputs."""
    inputs, outputs = re.match(r"\((.*?)\) -> \((.*?)\) over", text).groups()
    pairs = [re.findall(r"(\w+) (\S+?)(?:,|$)", part) for part in (inputs, outputs)]
    return pairs[0], pairs[1]


def run_buffers(library: Library, name: str, text: str, given: dict, backend: int) -> list:
    inputs, outputs = header_of(text)
    values: dict = {key.strip("$"): given[key] for _, key in inputs}
    for kind, key in outputs:
        old = values.get(key)
        values[key] = np.zeros(ELEMENTS, dtype_of(kind)) if old is None else old.copy()
    values["n"] = ELEMENTS
    library.launch(name, values, None, None, backend)
    return [values[key] for _, key in outputs]


def run_classes(library: Library, name: str, text: str, given: dict, backend: int) -> list:
    inputs, outputs = header_of(text)
    arrays = [(kind, key) for kind, key in inputs + outputs if not key.startswith("$")]
    chunk = CLASS_BYTES // max(dtype_of(kind).itemsize for kind, _ in arrays)
    results = [np.zeros(ELEMENTS, dtype_of(kind)) for kind, _ in outputs]
    for first in range(0, ELEMENTS, chunk):
        count = min(chunk, ELEMENTS - first)
        values: dict = {"n": count}
        for _, key in inputs:
            if key.startswith("$"):
                values[key.strip("$")] = given[key]
            else:
                part = np.ascontiguousarray(given[key][first : first + count])
                library.write_class(int(key[1:]), part)
        # Lanes have bytes of their own, which no proof says of class memory.
        library.launch(name, values, (-(-count // 256),), (256,), backend, nondeterministic=True)
        for result, (_, key) in zip(results, outputs):
            part = np.zeros(count, result.dtype)
            library.read_class(int(key[1:]), part)
            result[first : first + count] = part
    return results


def compile_all(hologram: str, files: list[str], output: str, *options: str) -> tuple[str, str]:
    command = [hologram, "compile", *files, "-o", output, "--native", "none", *options]
    subprocess.run(command, check=True)
    shown = subprocess.run(
        [hologram, "inspect", output], capture_output=True, text=True, check=True
    )
    return output, re.search(r"[0-9a-f]{64}", shown.stdout)[0]


def main() -> int:
    hologram, path = (os.path.abspath(argument) for argument in sys.argv[1:3])
    listed = dict(line.split(": ", 1) for line in LIST.read_text().splitlines()) | FAR
    # Rows need blocks of their own; class memory has none.
    circuits = {name: text for name, text in listed.items() if " by " not in text}
    failures = []
    compared = 0
    random = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, text in circuits.items():
            files.append(f"{folder}/{name}.circuit")
            Path(files[-1]).write_text(text + "\n")
        buffers = compile_all(hologram, files, f"{folder}/buffers.holo")
        classes = compile_all(hologram, files, f"{folder}/classes.holo", "--class-memory")
        of_buffers = Library(path, [buffers[0]], [buffers[1]])
        of_classes = Library(path, [classes[0]], [classes[1]])
        for backend in (INTERPRETER, CPU):
            for name, text in circuits.items():
                given: dict = {}
                for kind, key in header_of(text)[0]:
                    size = dtype_of(kind).itemsize * ELEMENTS
                    data = np.frombuffer(random.bytes(size), dtype_of(kind)).copy()
                    given[key] = 0.75 if key.startswith("$") else data
                wanted = run_buffers(of_buffers, name, text, given, backend)
                got = run_classes(of_classes, name, text, given, backend)
                for one, other in zip(wanted, got, strict=True):
                    compared += 1
                    if one.tobytes() != other.tobytes():
                        failures.append(f"{name}: other bits in class memory")
        try:
            of_classes.launch("far", {"a": 1.0, "n": 3073}, (13,), (256,), INTERPRETER, True)
            failures.append("3,073 elements fitted a class")
        except Failure as error:
            if "at most 3072 elements fit a class" not in str(error):
                failures.append(f"3,073 elements: {error}")
    for failure in failures[:60]:
        print("FAIL", failure)
    print(f"{len(circuits)} circuits, {compared} arrays compared, {len(failures)} failed")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
