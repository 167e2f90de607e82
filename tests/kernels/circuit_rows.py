#!/usr/bin/env python3
"""Circuits with reductions: the fixed tree over elements bit for bit, rows, chains of several passes.

usage: circuit_rows.py HOLOGRAM LIBRARY
Sums and products have the bits of the tree of docs/isa.md, written here in NumPy, or of the lanes that the circuit says, one
element after the other; for whole blocks sums have those of
kernels/reduce/block_sum.py; minima and maxima those of kernels/reduce. Softmax and norms are within bounds of
NumPy in float64. All engines give equal bits, and so does a row alone and among others.
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
from inputs import block_tree, lanes_in_order
from library import CPU, INTERPRETER, Failure, Library
from run import ROOT, engines

F = np.float32
CHUNK = 1024
ONE = "(f32 c00) -> (f32 c01) over n "
CIRCUITS = {
    "total": ONE + "reduce_sum@c00->c01",
    "least": ONE + "reduce_min@c00->c01",
    "most": ONE + "reduce_max@c00->c01",
    "counted": "(i32 c00) -> (i32 c01) over n reduce_sum@c00->c01",
    "least_whole": "(i32 c00) -> (i32 c01) over n reduce_min@c00->c01",
    "precise": "(f64 c00) -> (f64 c01) over n reduce_sum@c00->c01",
    "product": ONE + "reduce_prod@c00->c01",
    "whole_product": "(i32 c00) -> (i32 c01) over n reduce_prod@c00->c01",
    "bits": "(i32 c00) -> (i32 c01, i32 c02, i32 c03) over n reduce_and@c00->c01 . reduce_or@c00->c02 . "
    "reduce_xor@c00->c03",
    # By lanes instead of the tree.
    "by_lanes": ONE + "by 48 reduce_sum@c00->c01",
    "by_cut": ONE + "by 32 cut 128 reduce_sum@c00->c01",
    "by_fma": "(f64 c00, f64 c01) -> (f64 c02) over n by 64 reduce_fma@c00[c01,c02]",
    "by_product": ONE + "by 16 reduce_prod@c00->c01",
    "weighted": "(f32 c00, shared f32 c01) -> (f32 c02) over n by 64 merge:mul@c00[c01,c03] . reduce_sum@c03->c02",
    "gain": "(f32 c00, shared f32 c01) -> (f32 c02) over n reduce_max@c00->c03 . split@c00[c03,c03] . "
    "merge:mul@c03[c01,c02]",
    # Map, then reduce: the products are nowhere in memory.
    "dot": "(f32 c00, f32 c01) -> (f32 c02) over n merge:mul@c00[c01,c03] . reduce_sum@c03->c02",
    "norm": ONE + "merge:mul@c00[c00,c02] . reduce_sum@c02->c03 . merge:sqrt@c03[c03,c01]",
    "mean": ONE + "reduce_sum@c00->c02 . merge:f32@$n[$n,c03] . split:div@c02[c03,c01]",
    "range": "(f32 c00) -> (f32 c01, f32 c02) over n reduce_min@c00->c01 . reduce_max@c00->c02",
    "softmax": ONE + "softmax@c00->c01",
    "softmax_written": ONE + "reduce_max@c00->c02 . split@c00[c02,c03] . merge:exp@c03[c03,c03] . "
    "reduce_sum@c03->c04 . split:div@c03[c04,c01]",
    "normalise": "(f32 c00, f32 $e) -> (f32 c01) over n merge:f32@$n[$n,c02] . reduce_sum@c00->c03 . "
    "split:div@c03[c02,c03] . split@c00[c03,c04] . merge:mul@c04[c04,c05] . reduce_sum@c05->c06 . "
    "split:div@c06[c02,c07] . merge@c07[$e,c07] . merge:rsqrt@c07[c07,c07] . merge:mul@c04[c07,c01]",
    "rms": "(f32 c00, f32 $e) -> (f32 c01) over n merge:mul@c00[c00,c02] . reduce_sum@c02->c03 . "
    "merge:f32@$n[$n,c04] . split:div@c03[c04,c05] . merge@c05[$e,c05] . merge:rsqrt@c05[c05,c05] . "
    "merge:mul@c00[c05,c01]",
}
LENGTHS = [0, 1, 2, 3, 15, 16, 17, 1000, 1023, 1024, 1025, 3072, 4096, 5000, 70001]


def tree_sum(x: np.ndarray, operation: np.ufunc = np.add) -> np.ndarray:
    """The sum by the fixed tree over elements, or another fold."""

    def over(chunks: np.ndarray) -> np.floating:
        if len(chunks) == 1:
            return chunks[0]
        half = 1 << ((len(chunks) - 1).bit_length() - 1)
        return operation(over(chunks[:half]), over(chunks[half:]))

    product = operation is np.multiply
    if len(x) == 0:
        return x.dtype.type(product)
    chunks = np.full((-(-len(x) // CHUNK), CHUNK), 1.0 if product else -0.0, x.dtype)
    chunks.ravel()[: len(x)] = x
    return over(block_tree(chunks, operation))


def lane_sum(rows: np.ndarray, lanes: int, operation: np.ufunc = np.add) -> np.ndarray:
    """Of each row: every lane adds its elements in order, then the lanes by the tree."""
    start = 1.0 if operation is np.multiply else 0.0
    folded = lanes_in_order(rows, operation, start, lanes)
    most = np.full((len(rows), CHUNK), 1.0 if start else -0.0, rows.dtype)
    most[:, :lanes] = folded
    return block_tree(most, operation)


def softmax(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max())
    return power / power.sum()


class Runner:
    def __init__(self, library: Library, backend: int) -> None:
        self.library = library
        self.backend = backend

    def run(self, kernel: str, n: int, rows: int, inputs: list, sizes: list[int]) -> list:
        """The outputs, of `sizes` elements each; values in the order of the header."""
        parameters = self.library.parameters(kernel)
        values = dict(zip((name for name, _, _ in parameters), inputs))
        first = inputs[0]
        outputs = [np.full(size, 77, first.dtype) for size in sizes]
        names = [name for name, _, _ in parameters if name not in values][: len(outputs)]
        values |= dict(zip(names, outputs))
        values[parameters[-1][0]] = n
        lanes = re.search(r" by (\d+)", CIRCUITS[kernel])
        block = int(lanes[1]) if lanes else CHUNK
        self.library.launch(kernel, values, (rows,), (block,), self.backend)
        return outputs


class Checker:
    """All comparisons on one engine."""

    def __init__(self, runner: Runner, engine: str, failures: list[str]) -> None:
        self.runner = runner
        self.engine = engine
        self.failures = failures
        self.random = np.random.default_rng(7)
        self.count = 0
        self.bits: list[bytes] = []  # of all results

    def fail(self, text: str) -> None:
        self.failures.append(f"{self.engine}: {text}")

    def same(self, what: str, got: np.ndarray, wanted: np.ndarray) -> None:
        self.count += 1
        if got.tobytes() != np.asarray(wanted, got.dtype).tobytes():
            self.fail(f"{what}: {got[:4]}, expected {np.asarray(wanted)[:4]}")

    def near(self, what: str, got: np.ndarray, exact: np.ndarray, bound: float) -> None:
        self.count += 1
        off = np.max(np.abs(got - exact))
        if not off <= bound:
            self.fail(f"{what}: off by {off}, allowed {bound}")

    def numbers(self, n: int) -> None:
        """Reductions of n elements."""
        random, run = self.random, self.runner.run
        x = (random.standard_normal(n) * np.exp2(random.integers(-9, 9, n))).astype(F)
        y = random.standard_normal(n).astype(F)
        whole = random.integers(-(2**31), 2**31, n).astype(np.int32)
        results = {
            name: run(name, n, 1, [data], [1])[0]
            for name, data in [
                ("total", x), ("least", x), ("most", x), ("counted", whole), ("least_whole", whole),
                ("precise", x.astype(np.float64)), ("norm", x), ("mean", x),
            ]
        }  # fmt: skip
        results["dot"] = run("dot", n, 1, [x, y], [1])[0]
        self.words(n, x, whole)
        low, high = run("range", n, 1, [x], [1, 1])
        with np.errstate(all="ignore"):
            self.same(f"total {n}", results["total"], [tree_sum(x)])
            self.same(f"precise {n}", results["precise"], [tree_sum(x.astype(np.float64))])
            self.same(f"dot {n}", results["dot"], [tree_sum(x * y)])
            self.same(f"norm {n}", results["norm"], [np.sqrt(tree_sum(x * x))])
            if n:
                self.same(f"mean {n}", results["mean"], [tree_sum(x) / F(n)])
        self.same(f"least {n}", results["least"], [x.min(initial=np.inf)])
        self.same(f"most {n}", results["most"], [x.max(initial=-np.inf)])
        self.same(f"range {n}", low, results["least"])
        self.same(f"range {n}", high, results["most"])
        self.same(f"counted {n}", results["counted"], [whole.sum(dtype=np.int32)])
        self.same(f"least_whole {n}", results["least_whole"], [whole.min(initial=2**31 - 1)])
        self.bits += [result.tobytes() for result in results.values()]

    def words(self, n: int, x: np.ndarray, whole: np.ndarray) -> None:
        """Products and bits, and sums by lanes."""
        run = self.runner.run
        with np.errstate(all="ignore"):
            near_one = np.exp2(x / 64).astype(F)
            product = run("product", n, 1, [near_one], [1])[0]
            self.same(f"product {n}", product, [tree_sum(near_one, np.multiply)])
            by_product = run("by_product", n, 1, [near_one], [1])[0]
            self.same(f"by_product {n}", by_product, lane_sum(near_one[None], 16, np.multiply))
            odd = whole | 1
            self.same(
                f"whole_product {n}",
                run("whole_product", n, 1, [odd], [1])[0],
                [odd.prod(dtype=np.int32)],
            )
            both, one, either = run("bits", n, 1, [whole], [1, 1, 1])
            self.same(f"and {n}", both, [np.bitwise_and.reduce(whole, initial=-1)])
            self.same(f"or {n}", one, [np.bitwise_or.reduce(whole, initial=0)])
            self.same(f"xor {n}", either, [np.bitwise_xor.reduce(whole, initial=0)])
            by_lanes = run("by_lanes", n, 1, [x], [1])[0]
            self.same(f"by_lanes {n}", by_lanes, lane_sum(x[None], 48))
            wide = x.astype(np.float64)
            # Products of f32 are exact in f64, so an fma adds them with one rounding.
            by_fma = run("by_fma", n, 1, [wide, wide], [1])[0]
            self.same(f"by_fma {n}", by_fma, lane_sum((wide * wide)[None], 64))
            rows = max(1, -(-n // 128))
            cut = run("by_cut", n, rows, [x], [rows])[0]
            padded = np.zeros((rows, 128), F)
            padded.ravel()[:n] = x
            self.same(f"by_cut {n}", cut, lane_sum(padded, 32))
        self.bits += [product.tobytes(), by_lanes.tobytes(), by_fma.tobytes(), cut.tobytes()]

    def special(self) -> None:
        """All NaN is NaN, a number comes before NaN, a lone -0 stays."""
        run = self.runner.run
        nan = np.full(5, np.nan, F)
        self.same("all NaN", run("least", 5, 1, [nan], [1])[0], [F(np.nan)])
        nan[3] = 2
        self.same("one number", run("most", 5, 1, [nan], [1])[0], [F(2)])
        self.same("-0", run("total", 1, 1, [np.array([-0.0], F)], [1])[0], [F(-0.0)])

    def rows(self, n: int, rows: int) -> None:
        """Each row as if it were alone, and like the blocks of block_sum."""
        run = self.runner.run
        x = self.random.standard_normal(n * rows).astype(F)
        table = x.reshape(rows, n)
        wide = table.astype(np.float64)
        sums = run("total", n, rows, [x], [rows])[0]
        self.same(f"rows {n}", sums, [tree_sum(row) for row in table])
        if n == CHUNK:
            blocks = np.zeros(rows, F)
            values = {"src": x, "out": blocks, "n": len(x)}
            self.runner.library.launch("block_sum", values, (rows,), (CHUNK,), self.runner.backend)
            self.same("block_sum", sums, blocks)
        y = run("softmax", n, rows, [x], [len(x)])[0]
        self.near(
            f"softmax {n}", y.reshape(rows, n), np.array([softmax(row) for row in wide]), 1e-6
        )
        self.same(f"softmax {n} written out", run("softmax_written", n, rows, [x], [len(x)])[0], y)
        alone = run("softmax", n, 1, [np.ascontiguousarray(table[1])], [n])[0]
        self.same(f"softmax {n}, row 1", alone, y.reshape(rows, n)[1])
        z = run("normalise", n, rows, [x, 1e-5], [len(x)])[0]
        off = wide - wide.mean(1, keepdims=True)
        exact = off / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
        self.near(f"normalise {n}", z.reshape(rows, n), exact, 1e-5)
        r = run("rms", n, rows, [x, 1e-5], [len(x)])[0]
        exact = wide / np.sqrt((wide * wide).mean(1, keepdims=True) + 1e-5)
        self.near(f"rms {n}", r.reshape(rows, n), exact, 1e-5)
        self.bits += [y.tobytes(), z.tobytes(), r.tobytes()]
        gain = self.random.standard_normal(n).astype(F)
        weighted = run("weighted", n, rows, [x, gain], [rows])[0]
        self.same(f"weighted {n}", weighted, lane_sum(table * gain, 64))
        scaled = run("gain", n, rows, [x, gain], [len(x)])[0]
        self.same(f"gain {n}", scaled, (table - table.max(1, keepdims=True)) * gain)

    def lanes(self) -> None:
        """Another number of lanes would be another sum."""
        values = {"c00": np.zeros(5, F), "c01": np.zeros(1, F), "n": 5}
        try:
            self.runner.library.launch("by_lanes", values, (1,), (64,), self.runner.backend)
            self.fail("a block of 64 lanes was accepted for 48")
        except Failure as error:
            if "a block of 48 lanes" not in str(error):
                self.fail(f"a block of 64 lanes: {error}")
        values = {"c00": np.zeros(5, F), "c01": np.zeros(1, F), "n": 5}
        try:
            self.runner.library.launch("total", values, (1,), (256,), self.runner.backend)
            self.fail("a block of 256 lanes was accepted")
        except Failure as error:
            if "1,024 lanes" not in str(error):
                self.fail(f"a block of 256 lanes: {error}")

    def run(self) -> None:
        for n in LENGTHS:
            self.numbers(n)
        self.special()
        for n, rows in [(1024, 5), (37, 9), (2500, 3)]:
            self.rows(n, rows)
        self.lanes()


def main() -> int:
    hologram, path = (os.path.abspath(argument) for argument in sys.argv[1:3])
    failures: list[str] = []
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        sources = [str(ROOT / "kernels/reduce/block_sum.py")]
        for name, text in CIRCUITS.items():
            Path(f"{folder}/{name}.circuit").write_text(text + "\n")
            sources.append(f"{folder}/{name}.circuit")
        bundle = f"{folder}/rows.holo"
        command = [hologram, "compile", *sources, "-o", bundle, "--native", "all"]
        subprocess.run(command, check=True)
        shown = subprocess.run(
            [hologram, "inspect", bundle], capture_output=True, text=True, check=True
        )
        trust = re.search(r"[0-9a-f]{64}", shown.stdout)[0]
        reference: list[bytes] = []
        for engine in engines():
            if engine != "interpreter":
                os.environ["HOLOGRAM_CPU_LEVEL"] = engine
            runner = Runner(Library(path, [bundle], [trust]), CPU)
            if engine == "interpreter":
                runner.backend = INTERPRETER
            checker = Checker(runner, engine, failures)
            checker.run()
            reference = reference or checker.bits
            if checker.bits != reference:
                failures.append(f"{engine}: other bits than the interpreter")
            guarded = [name for name in CIRCUITS if runner.library.guarded(name)]
            if guarded:
                failures.append(f"{engine}: ran guarded: {guarded}")
            compared += checker.count
    for failure in failures[:60]:
        print("FAIL", failure)
    print(f"{len(CIRCUITS)} circuits, {compared} comparisons, {len(failures)} failed")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
