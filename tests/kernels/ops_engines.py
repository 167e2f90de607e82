#!/usr/bin/env python3
"""Every kernel of hologram.ops on every engine: equal bits, also for bf16, which NumPy does not have.

usage: ops_engines.py HOLOGRAM LIBRARY STDLIB
HOLOGRAM is the command, LIBRARY libhologram.so, STDLIB the bundle stdlib.holo.

Each kernel is launched once in each engine, on elements of all kinds. That the values are right is
what python/tests/test_ops*.py compare with NumPy; here a kernel for bf16 that works on elements must
give what its f32 sibling gives for the widened elements, rounded once. A kernel whose parameters this
test does not know fails it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "operations"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import numpy as np
from case import Case, Step
from generator import rows
from inputs import random
from library import BFLOAT16, TYPES, Library
from run import engines, run_engine

N = 1000
SIDE = 20  # of matrices; SIDE * SIDE <= N
NUMBERS = {  # of operations on elements
    name: number for row in rows.read().rows for name, number in zip(row.scalars, row.facts.numbers)
} | {"value": 7}
NAMES = {number: name for name, number in TYPES.items()}
# The places of operands without gaps: inputs from 0 on in steps of 1, one row of N.
STRIDED = {"planes": 1, "rows": 1, "columns": N, "out1": N, "out2": N, "out3": 1}
# By pattern of the name: scalars, grid, block.
TILE = {
    "m": SIDE,
    "n": SIDE,
    "k": SIDE,
    "a_row": SIDE,
    "a_column": 1,
    "panel": N,
    "row": 49,
    "out_row": SIDE,
}
FORMS = [
    (r"op_cumsum_device_starts", {"chunks": 4}, (1,), (256,)),
    (r"op_cumsum_device", {"n": N}, (4,), (256,)),
    (r"op_gemm_pack", {"n": SIDE, "k": 15, "b_row": SIDE, "b_column": 1}, (1, 15, 1), (64, 1, 1)),
    (r"op_gemm_tile_narrow_f64", TILE, (1, 4, 1), (16, 1, 1)),
    (r"op_gemm_tile_narrow", TILE, (1, 4, 1), (32, 1, 1)),
    (r"op_gemm_tile_f64", TILE, (1, 4, 1), (32, 1, 1)),
    (r"op_gemm_tile", TILE, (1, 4, 1), (64, 1, 1)),
    (r"op_gemm", {"m": SIDE, "n": SIDE, "k": SIDE, "a_row": SIDE, "a_column": 1, "b_row": SIDE,
                  "b_column": 1, "out_row": SIDE}, (1, SIDE // 4), (32, 1)),
    (r"op_matvec_columns_blocks", {"columns": SIDE, "stride": 48}, (1,), (64,)),
    (r"op_matvec_rows", {"rows": SIDE, "columns": SIDE, "stride": SIDE}, (3,), (64,)),
    (r"op_matvec_columns", {"rows": SIDE, "columns": SIDE, "stride": SIDE}, (1,), (64,)),
    (r"op_matvec", {"columns": SIDE, "stride": SIDE}, (SIDE,), (64,)),
    (r"op_\w*(softmax|norm)_", {"columns": N, "x_stride": N, "out_stride": N, "epsilon": 1e-5},
     (1,), (64,)),
    (r"op_(dot|mse|\w*cross_entropy)_", {"n": N, "chunk": N, "eps": 1e-6}, (1,), (64,)),
    (r"op_cumsum_rows", {"n": N, "stride": N}, (1,), (256,)),
    (r"op_arg\w+_pick", {"n": N, "stride": N, "chunk": SIDE, "chunks": SIDE}, (1,), (64,)),
    (r"_columns", {"n": SIDE, "outer": 1, "columns": SIDE, "plane": N, "stride": SIDE,
                   "chunk": SIDE}, (1, 1, 1), (64, 1, 1)),
]  # fmt: skip


def elements(name: str, kind: str, key: object) -> np.ndarray:
    """N elements of all kinds."""
    if kind == "bfloat16":
        bits = random(name, key).integers(0, 2**16, N, dtype=np.uint32).astype(np.uint16)
        bits[(bits & 0x7FFF) > 0x7F80] = 0x7FC0
        return bits.view(BFLOAT16)
    dtype = np.dtype(kind)
    words = random(name, key).integers(0, 2**64, N, dtype=np.uint64, endpoint=False)
    x = words.astype(f"u{dtype.itemsize}").view(dtype)
    if dtype.kind == "f":
        x = np.where(np.isnan(x), dtype.type(np.nan), x).astype(dtype)
    if name.startswith("op_div_whole"):
        x = np.where(x == 0, 3, x).astype(dtype)
    return x


def launch_of(name: str, scalars: list[str]) -> tuple[dict[str, float], tuple | None, tuple | None]:
    """Scalars, grid and block of a launch of the kernel."""
    if "out3" in scalars or "planes" in scalars:
        values = {key: STRIDED.get(key, 1 if key.endswith("3") else 0) for key in scalars}
        return values, (4, 1, 1), (256, 1, 1)
    for pattern, values, grid, block in FORMS:
        if re.search(pattern, name):
            return values, grid, block
    if "chunk" in scalars:  # rows of a reduction
        return {"n": N, "stride": N, "chunk": N}, (1, 1), (64, 1)
    return {"n": N}, None, None


def make_case(library: Library, name: str) -> Case:
    parameters = library.parameters(name)
    arrays = {
        key: elements(name, NAMES[kind], key) for key, is_buffer, kind in parameters if is_buffer
    }
    scalars = [key for key, is_buffer, _ in parameters if not is_buffer]
    values, grid, block = launch_of(name, scalars)
    given = {key: values.get(key, NUMBERS.get(key)) for key in scalars}
    unknown = [key for key, value in given.items() if value is None]
    if unknown:
        raise SystemExit(f"FAIL: {name} has parameters {unknown}, which this test does not know")
    return Case(arrays, given, [Step(name, grid, block)], {})


def widened(x: np.ndarray) -> np.ndarray:
    return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def rounded(x: np.ndarray) -> np.ndarray:
    bits = x.view(np.uint32).astype(np.uint64)
    upper = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), upper)


def check_bfloat16(library: Library, names: list[str]) -> list[str]:
    """What is wrong with the kernels for bf16 that work on elements."""
    failures = []
    checked = 0
    for name in names:
        parameters = library.parameters(name)
        flat = [key for key, is_buffer, _ in parameters if not is_buffer][-1:] == ["n"]
        if not name.endswith("_bf16") or not flat or name.startswith("op_cast"):
            continue
        case = make_case(library, name)
        values: dict[str, np.ndarray | float] = {**case.arrays, **case.scalars}
        sibling = {key: widened(x) for key, x in case.arrays.items()}
        library.launch(name, values, None, None, 2)
        wide = {**sibling, **case.scalars}
        library.launch(name.removesuffix("bf16") + "f32", wide, None, None, 2)
        have, want = case.arrays["out"].view(np.uint16), rounded(sibling["out"])
        moves = re.match(r"op_(abs|neg)_", name) is not None  # these keep the bits of NaN
        same = (have == want) | (moves & np.isnan(widened(case.arrays["out"])))
        checked += 1
        if not same.all():
            at = int(np.flatnonzero(~same)[0])
            failures.append(f"{name}: out[{at}] is {have[at]:#x}, f32 rounded {want[at]:#x}")
    if checked < 30:
        failures.append(f"only {checked} kernels for bf16 were found")
    print(f"{checked} kernels for bf16 are those for f32, rounded once")
    return failures


def main() -> int:
    hologram, path, bundle = (os.path.abspath(argument) for argument in sys.argv[1:4])
    command = [hologram, "inspect", bundle]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    trust = re.search(r"[0-9a-f]{64}", text)[0]
    shown = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    # The standard kernels beside them have run.py.
    programs = [program["name"] for program in json.loads(shown)["programs"]]
    names = [name for name in programs if name.startswith("op_") and "_device" not in name]
    print("op_*_device*: they have no native code; tests/device/resident_ops_test.py runs them")
    library = Library(path, [bundle], [trust])
    cases = [(name, make_case(library, name)) for name in names]
    jobs = [(engine, path, bundle, trust, cases) for engine in engines()]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = dict(zip(engines(), pool.map(run_engine, jobs, chunksize=1)))
    failures = check_bfloat16(library, names)
    for number, name in enumerate(names):
        for engine, found in results.items():
            wrong, bits, _ = found[number]
            if wrong is None and bits != results["interpreter"][number][1]:
                wrong = "other bits than the interpreter"
            if wrong is not None:
                failures.append(f"{engine}: {name}: {wrong}")
    for failure in failures[:40]:
        print("FAIL", failure)
    print(f"{len(names)} kernels on {', '.join(results)}: {len(failures)} failures")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
