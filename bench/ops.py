#!/usr/bin/env python3
"""hologram.ops against NumPy: nanoseconds of a call and how many times as fast it is.

usage: ops.py [--only TEXT] [--sizes 1000,100000,10000000] [--threads N]
Both write into an array that is given (out=). Each figure is the least of several rounds, in which the
two take turns. Both use N threads at most, one unless said: NumPy has more for products only. Where
NumPy has no function of the kind, a plain expression stands for it, marked *; those are left out of
the geometric mean. Functions marked "fast" are the fast forms, against the same function of NumPy.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable

arguments = argparse.ArgumentParser()
arguments.add_argument("--only", default="")
arguments.add_argument("--sizes", default="1000,100000,10000000")
arguments.add_argument("--threads", default="1")
OPTIONS = arguments.parse_args()
# Before the libraries are loaded, which read them.
for variable in ("OPENBLAS_NUM_THREADS", "HOLOGRAM_NUM_THREADS"):
    os.environ[variable] = OPTIONS.threads
import numpy as np
from hologram import ops

Call = Callable[[], object]
BUDGET = 0.02  # seconds of a round


def pairs(n: int) -> dict[str, tuple[Call, Call]]:
    """(ours, NumPy's) for each row of the table."""
    random = np.random.default_rng(1)
    x, y = (random.uniform(0.1, 0.9, n).astype(np.float32) for _ in range(2))
    signed = x * 8 - 4
    out = np.empty_like(x)
    rows, row_out = x.reshape(-1, 100), np.empty((n // 100, 100), np.float32)
    row, column = x[:100].copy(), x[: n // 100].reshape(-1, 1).copy()
    found: dict[str, tuple[Call, Call]] = {}
    binary = ("add", "sub", "mul", "div", "minimum", "maximum", "pow")
    theirs = {"sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power"}
    for name in binary:
        ours, peer = getattr(ops, name), getattr(np, theirs.get(name, name))
        found[name] = (lambda f=ours: f(x, y, out=out), lambda f=peer: f(x, y, out=out))
    found["add, new array"] = (lambda: ops.add(x, y), lambda: np.add(x, y))
    found["add, a row"] = (
        lambda: ops.add(rows, row, out=row_out),
        lambda: np.add(rows, row, out=row_out),
    )
    found["add, a column"] = (
        lambda: ops.add(rows, column, out=row_out),
        lambda: np.add(rows, column, out=row_out),
    )
    found["add, a number"] = (
        lambda: ops.scalar_add(x, 2.0, out=out),
        lambda: np.add(x, np.float32(2), out=out),
    )
    found["add, every other"] = (
        lambda: ops.add(x[::2], y[::2], out=out[::2]),
        lambda: np.add(x[::2], y[::2], out=out[::2]),
    )
    unary = (
        "abs",
        "floor",
        "ceil",
        "sqrt",
        "exp",
        "log",
        "log2",
        "log10",
        "sin",
        "cos",
        "tan",
        "tanh",
    )
    for name in (*unary, "neg", "round"):
        ours = getattr(ops, name)
        peer = getattr(np, {"neg": "negative", "round": "rint"}.get(name, name))
        source = x if name.startswith(("log", "sqrt")) else signed
        found[name] = (
            lambda f=ours, s=source: f(s, out=out),
            lambda f=peer, s=source: f(s, out=out),
        )
        if name in ("exp", "log", "log2", "log10", "sin", "cos", "tanh"):
            found[f"{name}, fast"] = (
                lambda f=ours, s=source: f(s, out=out, accuracy="fast"),
                lambda f=peer, s=source: f(s, out=out),
            )
    s = signed
    found["relu"] = (lambda: ops.relu(s, out=out), lambda: np.maximum(s, np.float32(0), out=out))
    low, high = np.float32(-1), np.float32(1)  # Python's numbers would be converted for each call
    found["clip"] = (
        lambda: ops.clip(s, -1.0, 1.0, out=out),
        lambda: np.clip(s, low, high, out=out),
    )
    found["sigmoid *"] = (
        lambda: ops.sigmoid(s, out=out),
        lambda: np.divide(1, 1 + np.exp(-s), out=out),
    )
    found["rsqrt *"] = (lambda: ops.rsqrt(x, out=out), lambda: np.divide(1, np.sqrt(x), out=out))
    found["silu *"] = (lambda: ops.silu(s, out=out), lambda: np.divide(s, 1 + np.exp(-s), out=out))
    found["softplus *"] = (
        lambda: ops.softplus(s, out=out),
        lambda: np.add(np.maximum(s, 0), np.log1p(np.exp(-np.abs(s))), out=out),
    )
    scale = np.float32(math.sqrt(2 / math.pi))
    found["gelu *"] = (
        lambda: ops.gelu(s, out=out),
        lambda: np.multiply(
            0.5 * s, 1 + np.tanh(scale * (s + np.float32(0.044715) * (s * s * s))), out=out
        ),
    )
    for name in ("sum", "mean", "min", "max", "argmin", "argmax", "prod", "any", "all"):
        ours, peer = getattr(ops, name), getattr(np, name)
        found[name] = (lambda f=ours: f(x), lambda f=peer: f(x))
    for name in ("sum", "max"):
        for axis in (0, 1):
            ours, peer = getattr(ops, name), getattr(np, name)
            found[f"{name}, axis {axis}"] = (
                lambda f=ours, a=axis: f(rows, a),
                lambda f=peer, a=axis: f(rows, a),
            )
    found["norm"] = (lambda: ops.norm(x), lambda: np.linalg.norm(x))
    found["cumsum"] = (lambda: ops.cumsum(x, out=out), lambda: np.cumsum(x, out=out))
    found["dot"] = (lambda: ops.dot(x, y), lambda: np.dot(x, y))
    found["mse *"] = (lambda: ops.mse(x, y), lambda: np.mean(np.square(x - y)))
    found["cross_entropy *"] = (lambda: ops.cross_entropy(x, y), lambda: -np.mean(y * np.log(x)))

    def softmax() -> object:
        powers = np.exp(rows - rows.max(-1, keepdims=True))
        return np.divide(powers, powers.sum(-1, keepdims=True), out=row_out)

    def layer_norm() -> object:
        off = rows - rows.mean(-1, keepdims=True)
        return np.divide(off, np.sqrt((off * off).mean(-1, keepdims=True) + 1e-5), out=row_out)

    found["softmax, rows of 100 *"] = (lambda: ops.softmax(rows, out=row_out), softmax)
    found["layer_norm, rows of 100 *"] = (lambda: ops.layer_norm(rows, out=row_out), layer_norm)
    side = math.isqrt(n)
    square, square_out = x[: side * side].reshape(side, side), np.empty((side, side), np.float32)
    vector, vector_out = x[:side].copy(), np.empty(side, np.float32)
    found["transpose"] = (
        lambda: ops.transpose(square, out=square_out),
        lambda: np.copyto(square_out, square.T),
    )
    found["copy"] = (lambda: ops.copy(x, out=out), lambda: np.copyto(out, x))
    whole = np.empty(n, np.int32)
    found["cast to i32"] = (
        lambda: ops.cast(x, np.int32, out=whole),
        lambda: np.copyto(whole, x, casting="unsafe"),
    )
    mask = x > 0.5
    found["where"] = (lambda: ops.where(mask, x, y), lambda: np.where(mask, x, y))
    found["matvec"] = (
        lambda: ops.matvec(square, vector, out=vector_out),
        lambda: np.matmul(square, vector, out=vector_out),
    )
    if n <= 100_000:
        found["gemm"] = (
            lambda: ops.gemm(square, square, out=square_out),
            lambda: np.matmul(square, square, out=square_out),
        )
    return found


def nanoseconds(call: Call, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e9


def measure(calls: tuple[Call, Call]) -> tuple[float, float]:
    """The least of each, in nanoseconds."""
    counts = []
    for call in calls:
        call()
        counts.append(max(1, int(BUDGET / max(nanoseconds(call, 1) / 1e9, 1e-7) / 4)))
    best = [math.inf, math.inf]
    for _ in range(7):
        for k, call in enumerate(calls):
            best[k] = min(best[k], nanoseconds(call, counts[k]))
    return best[0], best[1]


def main() -> int:
    sizes = [int(size) for size in OPTIONS.sizes.split(",")]
    print(
        f"hologram.ops, {ops.path()}, against NumPy {np.__version__}; f32, {OPTIONS.threads} thread(s)"
    )
    print("nanoseconds of a call, and how many times as fast as NumPy's")
    print(f"{'':24}" + "".join(f"{f'n = {size:,}':>26}" for size in sizes))
    ratios: dict[int, list[float]] = {size: [] for size in sizes}
    tables = {size: pairs(size) for size in sizes}
    for name in tables[sizes[0]]:
        if OPTIONS.only not in name:
            continue
        line = f"{name:24}"
        for size in sizes:
            if name not in tables[size]:
                line += f"{'':26}"
                continue
            ours, theirs = measure(tables[size][name])
            if "*" not in name:
                ratios[size].append(theirs / ours)
            line += f"{ours:12,.0f}{theirs / ours:10.2f} x  "
        print(line.rstrip(), flush=True)
    means = [math.exp(sum(map(math.log, r)) / len(r)) if r else math.nan for r in ratios.values()]
    print(f"{'geometric mean':24}" + "".join(f"{'':12}{mean:10.2f} x  " for mean in means).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
