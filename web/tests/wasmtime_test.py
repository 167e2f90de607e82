#!/usr/bin/env python3
"""Every kernel of the tree compiled to WebAssembly, in wasmtime: the bits of native code, by hash.

usage: wasmtime_test.py HOLOGRAM LIBRARY [--only TEXT] [--lanes N]
As compiled_test.py, in another runtime and with another host than hologram.js: this file calls what
docs/webassembly.md says that a module exports. It runs in build/wasm-venv (scripts/venv.sh wasm).
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import struct
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import wasmtime as wt
from compiled_test import compile_kernels
from kernels_test import run_native, values_of
from library import SCALARS, Library
from ptx_test import chosen, shape_of
from result_hashes import digest_of
from run import compile_bundle, kernel_files, load_cases

STACK = 1 << 20
BUDGET = 1 << 24
SCRATCH_LANES = 1024
UNPROVED = 1
FAULT_END = 32  # of what hologram_launch_state says of a fault
MAGIC = 8  # bytes before the first section


def custom_sections(module: bytes) -> dict[str, bytes]:
    """Contents by name."""

    def leb(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = module[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value, at

    sections, at = {}, MAGIC
    while at < len(module):
        kind = module[at]
        size, start = leb(at + 1)
        at = start + size
        if kind == 0:
            length, name = leb(start)
            sections[module[name : name + length].decode()] = module[name + length : at]
    return sections


def aligned(at: int) -> int:
    return (at + 63) // 64 * 64


class Module:
    """The kernels of one file in one form."""

    def __init__(self, engine: wt.Engine, code: bytes, description: dict) -> None:
        self.store = wt.Store(engine)
        self.memory = wt.Memory(self.store, wt.MemoryType(wt.Limits(64, 65536)))
        stack = wt.Global(self.store, wt.GlobalType(wt.ValType.i32(), True), wt.Val.i32(STACK))
        base = wt.Global(self.store, wt.GlobalType(wt.ValType.i32(), False), wt.Val.i32(STACK))
        linker = wt.Linker(engine)
        for name, item in (("memory", self.memory), ("base", base), ("stack", stack)):
            linker.define(self.store, "hologram", name, item)
        self.exports = linker.instantiate(self.store, wt.Module(engine, code)).exports(self.store)
        self.first = aligned(STACK + description["data"])
        self.codes = {k["signature"]["name"]: k["code"] for k in description["kernels"]}

    def launch(self, kernel: str, buffers: list, scalars: list[bytes], shape: tuple) -> None:
        at = self.first
        pieces: list[tuple[int, bytes]] = []

        def place(data: bytes) -> int:
            nonlocal at
            here = at
            pieces.append((here, data))
            at = aligned(here + len(data))
            return here

        places = [place(array.tobytes()) for array in buffers]
        refs = [struct.pack("<QQ", p, a.nbytes) for p, a in zip(places, buffers, strict=True)]
        refs_at, scalars_at = place(b"".join(refs)), place(b"".join(scalars))
        grid, block = shape
        shape_at = place(struct.pack("<6I", *grid, *block))
        code = self.codes[kernel]
        scratch = at
        at = aligned(at + code["scratch"] * SCRATCH_LANES)
        state = place(struct.pack("<QQqIIIIQ", BUDGET, 2**64 - 1, 0, 0, 0, 0, 1, scratch))
        missing = at - self.memory.data_len(self.store)
        if missing > 0:
            self.memory.grow(self.store, missing // 65536 + 1)
        for here, data in pieces:
            self.memory.write(self.store, data, here)
        arguments = (refs_at, scalars_at, shape_at, state)
        if self.exports[f"{kernel}.entry"](self.store, *arguments) == UNPROVED:
            lanes = [g * b for g, b in zip(grid, block, strict=True)]
            blocks = grid[0] * grid[1] * grid[2]
            units = (lanes[0], lanes[1] * lanes[2], blocks)[code["unit"]]
            self.exports[f"{kernel}.body"](self.store, *arguments, 0, units)
        after = struct.unpack("<QQqII", self.memory.read(self.store, state, state + FAULT_END))
        if after[4] != 0:
            raise SystemExit(f"FAIL: {kernel} faulted: {after}")
        for array, here in zip(buffers, places, strict=True):
            if array.nbytes:
                data = bytes(self.memory.read(self.store, here, here + array.nbytes))
                array[:] = np.frombuffer(data, array.dtype)


def run_case(library: Library, modules: dict[str, Module], case) -> str:
    arrays = {name: array.ravel().copy() for name, array in case.arrays.items()}
    for step in case.steps:
        values = {
            name: arrays[value] if isinstance(value, str) else value
            for name, value in values_of(library, case, step).items()
        }
        module, parameters = modules[step.kernel], library.parameters(step.kernel)
        buffers, scalars = [], []
        for name, is_buffer, kind in parameters:
            if is_buffer:
                buffers.append(values[name])
            else:
                scalars.append(struct.pack("<" + SCALARS[kind], values[name]).ljust(8, b"\0"))
        for taken in module.codes[step.kernel]["shapes"]:
            assert (taken["of"], taken["dimension"]) == ("extent", 0), "arrays here are flat"
            scalars.append(struct.pack("<Q", values[parameters[taken["array"]][0]].size))
        module.launch(step.kernel, buffers, scalars, shape_of(library, step, values))
    return digest_of(arrays)


def is_fused() -> bool:
    """By the module that hologram.js tries."""
    script = Path(__file__).parents[1] / "hologram-compiled.js"
    probe = base64.b64decode(re.search(r'PROBE = "([^"]+)"', script.read_text("utf-8"))[1])
    engine = wt.Engine(wt.Config())
    store = wt.Store(engine)
    exports = wt.Instance(store, wt.Module(engine, probe), []).exports(store)
    single = exports["f32"](store, 1 + 2**-12, 1 + 2**-12, -(1 + 2**-11)) == 2**-24
    double = exports["f64"](store, 1 + 2**-27, 1 + 2**-27, -(1 + 2**-26)) == 2**-54
    return bool(single and double)


def load_form(folder: str, form: str) -> dict[str, Module]:
    """The module of each kernel."""
    engine = wt.Engine(wt.Config())
    modules = {}
    for path in sorted(Path(folder).glob("*.wasm")):
        plain = path.read_bytes()
        sections = custom_sections(plain)
        description = json.loads(sections["hologram"])
        code = sections["hologram.relaxed"] if form == "fused" else plain
        module = Module(engine, code, description)
        modules |= dict.fromkeys(module.codes, module)
    return modules


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("library")
    parser.add_argument("--only", default="")
    parser.add_argument("--lanes", type=int, default=1 << 16)
    options = parser.parse_args()
    hologram = os.path.abspath(options.hologram)
    files = list(kernel_files(options.only))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        compile_kernels(hologram, files, folder)
        bundle, expect = compile_bundle(hologram, files, folder)
        library = Library(os.path.abspath(options.library), bundle.split(","), expect.split(","))
        cases = chosen(library, load_cases(files), options.lanes)
        expected = [run_native(library, case) for _, case in cases]
        kernels = {step.kernel for _, case in cases for step in case.steps}
        forms = ["software", "fused"] if is_fused() else ["software"]
        if len(forms) == 1:
            print("wasmtime, fused: SKIPPED, relaxed_madd is not fused here")
        for form in forms:
            modules = load_form(folder, form)
            start, wrong = time.perf_counter(), 0
            for (label, case), native in zip(cases, expected, strict=True):
                found = run_case(library, modules, case)
                if native != {"hash": found}:
                    wrong += 1
                    print(f"FAIL {label}: native {native}, {form} in wasmtime {found}")
            took = time.perf_counter() - start
            counts = f"{len(kernels)} kernels, {len(cases)} cases, {wrong} failed"
            print(f"wasmtime, {form}: {counts}, in {took:.1f} s")
            failed += wrong
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
