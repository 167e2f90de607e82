"""The rows of hologram.ops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hologram import ops
from hologram.ops import table

from .data import BINARY, FUNCTIONS, MOST_FOR_GEMM, REDUCTIONS, ROUNDING, Data, Ours


def _row(name: str, *arrays: Any, out: Any, **options: Any) -> Ours:
    f = getattr(ops, name)
    plain = Ours(lambda: f(*arrays, out=out, **options), lambda: f(*arrays, **options), out)
    if not table.TABLE[name].fast:
        return plain
    fast = {**options, "accuracy": "fast"}
    return replace(
        plain,
        fast_out=lambda: f(*arrays, out=out, **fast),
        fast_new=lambda: f(*arrays, **fast),
    )


def _one(call: Any) -> Ours:
    return Ours(call, call)


def _elements(d: Data) -> dict[str, Ours]:
    found = {name: _row(name, d.x, d.y, out=d.out) for name in BINARY}
    found["add, new array"] = _one(lambda: ops.add(d.x, d.y))
    found["add, a row"] = _row("add", d.rows, d.row, out=d.row_out)
    found["add, a column"] = _row("add", d.rows, d.column, out=d.row_out)
    found["add, a number"] = _row("scalar_add", d.x, 2.0, out=d.out)
    found["mul, a number"] = _row("scalar_mul", d.x, 2.0, out=d.out)
    found["add, every other"] = _row("add", d.x[::2], d.y[::2], out=d.out[::2])
    for name in (
        *ROUNDING,
        *FUNCTIONS,
        "relu",
        "gelu",
        "softplus",
        "softsign",
        "elu",
        "leaky_relu",
    ):
        found[name] = _row(name, d.of(name), out=d.out)
    found["gelu, erf"] = _row("gelu", d.signed, out=d.out, approximate="none")
    found["clip"] = _row("clip", d.signed, -1.0, 1.0, out=d.out)
    return found


def rows(d: Data) -> dict[str, Ours]:
    found = _elements(d)
    for name in REDUCTIONS:
        found[name] = _one(lambda f=getattr(ops, name): f(d.x))
    for name in ("sum", "max"):
        for axis in (0, 1):
            found[f"{name}, axis {axis}"] = _one(lambda f=getattr(ops, name), a=axis: f(d.rows, a))
    found["norm"] = _one(lambda: ops.norm(d.x))
    found["cumsum"] = _row("cumsum", d.x, out=d.out)
    found["dot"] = _one(lambda: ops.dot(d.x, d.y))
    found["mse"] = _one(lambda: ops.mse(d.x, d.y))
    found["cross_entropy"] = _one(lambda: ops.cross_entropy(d.x, d.y))
    found["binary_cross_entropy"] = _one(lambda: ops.binary_cross_entropy(d.x, d.y))
    found["softmax, rows"] = _row("softmax", d.rows, out=d.row_out)
    found["log_softmax, rows"] = _row("log_softmax", d.rows, out=d.row_out)
    found["layer_norm, rows"] = _row("layer_norm", d.rows, d.gamma, d.beta, out=d.row_out)
    found["rms_norm, rows"] = _row("rms_norm", d.rows, d.gamma, out=d.row_out)
    found["transpose"] = _row("transpose", d.square, out=d.square_out)
    found["copy"] = _row("copy", d.x, out=d.out)
    found["fill"] = replace(_one(lambda: ops.fill(d.out, 2.0)), place=d.out)
    found["cast to i32"] = _row("cast", d.x, np.int32, out=d.whole)
    found["where"] = _row("where", d.mask, d.x, d.y, out=d.out)
    found["matvec"] = _row("matvec", d.square, d.vector, out=d.vector_out)
    if d.n <= MOST_FOR_GEMM:
        found["gemm"] = _row("gemm", d.square, d.square, out=d.square_out)
    return found
