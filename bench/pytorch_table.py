#!/usr/bin/env python3
"""The 47 rows of the published comparison with PyTorch, run again, on one thread.

usage: pytorch_table.py [--filter TEXT] [--rounds 15]

Eleven operations on 1,000 to 1,000,000 elements of float32 and three products of matrices.
Published are the times of PyTorch and of the earlier hologram, both making a new array, without the
name of the processor; here both run in this process, in turns, and each figure is the least of
several rounds. "ratio" is PyTorch's time / ours for new arrays, and for `out=` where PyTorch has
that (relu and reductions have not). Functions are the precise forms. Results are compared first:
"verified" of the published table failed for seven rows. Ends with 1 where PyTorch is not installed
or has another result.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.update({"HOLOGRAM_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})

import numpy as np

from hologram import ops

try:
    import torch
except ImportError:
    sys.exit("pytorch_table.py: PyTorch is not installed")

Call = Callable[[], Any]
BINARY = ("add", "mul", "div")
UNARY = ("neg", "abs", "relu", "sigmoid", "tanh")
REDUCTIONS = ("sum", "max", "min")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
SIDES = (64, 128, 256)
BUDGET = 0.005  # seconds of one call's turn

# Milliseconds as published: PyTorch, and the earlier hologram; four digits of them.
PUBLISHED = {
    "add": ((0.00526, 0.6728), (0.003386, 5.092), (0.04042, 51.68), (3.034, 689.1)),
    "mul": ((0.004744, 0.4887), (0.003281, 6.333), (0.02601, 49.33), (0.2879, 824.9)),
    "div": ((0.004006, 0.4881), (0.00485, 6.012), (0.02804, 60.62), (0.2334, 499.8)),
    "neg": ((0.002382, 0.3851), (0.003124, 4.36), (0.02535, 42.39), (0.5005, 427.8)),
    "abs": ((0.006202, 0.3891), (0.00529, 5.417), (0.01795, 37.4), (0.4568, 391.1)),
    "relu": ((0.00266, 0.4266), (0.004648, 3.836), (0.02069, 37.8), (0.7808, 389.5)),
    "sigmoid": ((0.005257, 0.5831), (0.01071, 5.279), (0.09386, 52.95), (1.415, 560.6)),
    "tanh": ((0.007842, 1.64), (0.03561, 7.618), (0.3185, 76.01), (3.082, 834.1)),
    "sum": ((0.005377, 0.3241), (0.002494, 3.066), (0.008146, 32.98), (0.07556, 324.5)),
    "max": ((0.003455, 0.3379), (0.002522, 3.36), (0.01074, 39.09), (0.08896, 347.2)),
    "min": ((0.003168, 0.3276), (0.002542, 3.309), (0.01133, 35.01), (0.09339, 335.3)),
    "gemm": ((0.02061, 177.2), (0.05019, 1446.0), (0.3697, 15290.0)),
}


class Row:
    """Calls of one row: (ours, PyTorch's) for new arrays, and for `out=` or nothing."""

    def __init__(self, op: str, n: int) -> None:
        random = np.random.default_rng(n)
        shape = (n, n) if op == "gemm" else (n,)
        arrays = [random.normal(size=shape).astype(np.float32) for _ in range(2)]
        if op in UNARY or op in REDUCTIONS:
            arrays = arrays[:1]
        tensors = [torch.from_numpy(array) for array in arrays]
        mine: Any = getattr(ops, op)
        theirs: Any = getattr(torch, "mm" if op == "gemm" else op)
        self.name, self.op, self.n = f"{op} {n}" + (f" x {n}" if op == "gemm" else ""), op, n
        self.new: tuple[Call, Call] = (lambda: mine(*arrays), lambda: theirs(*tensors))
        self.out: tuple[Call, Call] | None = None
        if op not in REDUCTIONS and op != "relu":
            out, place = np.empty_like(arrays[0]), torch.empty_like(tensors[0])
            self.out = (lambda: mine(*arrays, out=out), lambda: theirs(*tensors, out=place))

    def verify(self) -> None:
        ours, theirs = (np.asarray(call(), dtype=np.float64) for call in self.new)
        # A sum of n numbers of both signs: the error goes by their sizes.
        slack = 1e-6 * self.n if self.op in ("sum", "gemm") else 1e-7
        if not np.allclose(ours, theirs, rtol=1e-5, atol=slack):
            sys.exit(f"{self.name}: the results differ by {np.abs(ours - theirs).max()}")


def all_rows() -> list[Row]:
    kinds = (BINARY, UNARY, REDUCTIONS)
    found = [Row(op, n) for kind in kinds for n in SIZES for op in kind]
    found += [Row("gemm", side) for side in SIDES]
    assert len(found) == sum(len(times) for times in PUBLISHED.values()) == 47
    return found


def seconds(call: Call, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def least(calls: list[Call], rounds: int) -> list[float]:
    counts = []
    for call in calls:
        call()
        counts.append(max(1, int(BUDGET / max(seconds(call, 1), 1e-7))))
    best = [math.inf] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            best[k] = min(best[k], seconds(call, counts[k]))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="rows that contain this text")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    rows = [row for row in all_rows() if options.filter in row.name]
    if not rows:
        sys.exit(f"no row contains '{options.filter}'")
    print(f"hologram.ops, {ops.path()}; PyTorch {torch.__version__}; float32, one thread; us")
    print(f"{'':15}{'new array':^28}{'out=':^28}{'published':^28}")
    print(f"{'row':15}" + f"{'ours':>10}{'PyTorch':>10}{'ratio':>8}" * 2 + "    PyTorch   earlier")
    ratios, missed = [], []
    for row in rows:
        row.verify()
        best = least([*row.new, *(row.out or ())], options.rounds)
        line = f"{row.name:15}"
        worst = math.inf
        for k in range(0, len(best), 2):
            line += f"{best[k] * 1e6:10.2f}{best[k + 1] * 1e6:10.2f}{best[k + 1] / best[k]:8.2f}"
            worst = min(worst, best[k + 1] / best[k])
        line += "" if row.out else " " * 28
        sizes = SIDES if row.op == "gemm" else SIZES
        theirs, earlier = PUBLISHED[row.op][sizes.index(row.n)]
        print(f"{line}{theirs * 1e3:11,.1f}{earlier * 1e3:13,.0f}", flush=True)
        ratios.append(worst)
        if worst < 1:
            missed.append(f"{row.name} ({worst:.2f})")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{len(rows)} rows, the lower of both ratios: geometric mean {mean:.2f}")
    print(f"slower than PyTorch: {len(missed)}" + "".join(f"\n  {text}" for text in missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
