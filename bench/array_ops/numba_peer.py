"""The rows of Numba: loops as one would write them, compiled for the arrays that are given.

Sums may be reordered ("reassoc" and "contract" alone, so NaN and infinities keep their meaning);
products of matrices and what Numba would hand on to NumPy's library are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from .data import BINARY, Data, Peer

ZERO, HALF, ONE, TWO, SLOPE = (np.float32(v) for v in (0, 0.5, 1, 2, 0.01))
CUBE, SCALE = np.float32(0.044715), np.float32(math.sqrt(2 / math.pi))
ROOT = np.float32(math.sqrt(0.5))
SUMS = {"reassoc", "contract"}


def _binary(f: Any) -> Any:
    g = numba.njit(f, error_model="numpy")

    @numba.njit(error_model="numpy")
    def loop(x: Any, y: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = g(x[i], y[i])

    return loop


def _unary(f: Any) -> Any:
    g = numba.njit(f, error_model="numpy")

    @numba.njit(error_model="numpy")
    def loop(x: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = g(x[i])

    return loop


def _total(f: Any) -> Any:
    """The sum of f(x, y)."""
    g = numba.njit(f, error_model="numpy", fastmath=SUMS)

    @numba.njit(error_model="numpy", fastmath=SUMS)
    def loop(x: Any, y: Any) -> Any:
        total = ZERO
        for i in range(x.size):
            total += g(x[i], y[i])
        return total

    return loop


@numba.njit
def _add_row(x: Any, row: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] + row[j]


@numba.njit
def _add_column(x: Any, column: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] + column[i, 0]


@numba.njit(fastmath=SUMS)
def _sum_rows(x: Any) -> Any:
    out = np.empty(x.shape[0], np.float32)
    for i in range(x.shape[0]):
        total = ZERO
        for j in range(x.shape[1]):
            total += x[i, j]
        out[i] = total
    return out


@numba.njit
def _sum_columns(x: Any) -> Any:
    out = np.zeros(x.shape[1], np.float32)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j] += x[i, j]
    return out


@numba.njit
def _running(x: Any, out: Any) -> None:
    total = ZERO
    for i in range(x.size):
        total += x[i]
        out[i] = total


@numba.njit
def _transpose(x: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[j, i]


@numba.njit
def _where(mask: Any, x: Any, y: Any, out: Any) -> None:
    for i in range(x.size):
        out[i] = x[i] if mask[i] else y[i]


BINARIES = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "minimum": lambda a, b: min(a, b),
    "maximum": lambda a, b: max(a, b),
    "pow": lambda a, b: a**b,
}
UNARIES = {
    "abs": lambda x: abs(x),
    "neg": lambda x: -x,
    "floor": lambda x: np.floor(x),
    "ceil": lambda x: np.ceil(x),
    "round": lambda x: np.rint(x),
    "sqrt": lambda x: math.sqrt(x),
    "rsqrt": lambda x: ONE / math.sqrt(x),
    "exp": lambda x: math.exp(x),
    "log": lambda x: math.log(x),
    "log2": lambda x: math.log2(x),
    "log10": lambda x: math.log10(x),
    "sin": lambda x: math.sin(x),
    "cos": lambda x: math.cos(x),
    "tan": lambda x: math.tan(x),
    "tanh": lambda x: math.tanh(x),
    "erf": lambda x: math.erf(x),
    "sigmoid": lambda x: ONE / (ONE + math.exp(-x)),
    "silu": lambda x: x / (ONE + math.exp(-x)),
    "relu": lambda x: x if x > ZERO else ZERO,
    "gelu": lambda x: HALF * x * (ONE + math.tanh(SCALE * (x + CUBE * x * x * x))),
    "gelu, erf": lambda x: HALF * x * (ONE + math.erf(x * ROOT)),
    "softplus": lambda x: max(x, ZERO) + math.log1p(math.exp(-abs(x))),
    "softsign": lambda x: x / (ONE + abs(x)),
    "elu": lambda x: x if x > ZERO else math.expm1(x),
    "leaky_relu": lambda x: x if x >= ZERO else SLOPE * x,
    "clip": lambda x: min(max(x, -ONE), ONE),
    "add, a number": lambda x: x + TWO,
    "mul, a number": lambda x: x * TWO,
    "copy": lambda x: x,
}
TOTALS = {
    "sum": lambda x, y: x,
    "dot": lambda x, y: x * y,
    "mse": lambda x, y: (x - y) * (x - y),
    "norm": lambda x, y: x * x,
    "cross_entropy": lambda x, y: -y * math.log(x),
    "binary_cross_entropy": lambda x, y: -(y * math.log(x) + (ONE - y) * math.log(ONE - x)),
}
METHODS = {
    "min": lambda x: x.min(),
    "max": lambda x: x.max(),
    "argmin": lambda x: x.argmin(),
    "argmax": lambda x: x.argmax(),
}
_COMPILED: dict[str, Any] = {}


def _compiled(name: str, make: Any, f: Any) -> Any:
    """One compiled function for all sizes."""
    if name not in _COMPILED:
        _COMPILED[name] = make(f)
    return _COMPILED[name]


def _reduced(d: Data) -> dict[str, Any]:
    x, y = d.x, d.y
    totals = {name: _compiled(f"total {name}", _total, f) for name, f in TOTALS.items()}
    n = np.float32(d.n)
    found: dict[str, Any] = {
        "mean": lambda: totals["sum"](x, x) / n,
        "norm": lambda: math.sqrt(totals["norm"](x, x)),
        "sum": lambda: totals["sum"](x, x),
        "dot": lambda: totals["dot"](x, y),
    }
    for name in ("mse", "cross_entropy", "binary_cross_entropy"):
        found[name] = lambda f=totals[name]: f(x, y) / n
    for name, method in METHODS.items():
        found[name] = lambda f=_compiled(name, numba.njit, method): f(x)
    return found


def rows(d: Data) -> dict[str, Peer]:
    calls = _reduced(d)
    for name in BINARY:
        f = _compiled(name, _binary, BINARIES[name])
        calls[name] = lambda f=f: f(d.x, d.y, d.out)
    add = _compiled("add", _binary, BINARIES["add"])
    calls["add, every other"] = lambda: add(d.x[::2], d.y[::2], d.out[::2])
    calls["add, a row"] = lambda: _add_row(d.rows, d.row, d.row_out)
    calls["add, a column"] = lambda: _add_column(d.rows, d.column, d.row_out)
    for name, function in UNARIES.items():
        f, source = _compiled(name, _unary, function), d.of(name)
        if name.startswith(("add", "mul", "copy")):
            source = d.x
        calls[name] = lambda f=f, source=source: f(source, d.out)
    cast = _compiled("cast", _unary, lambda x: np.int32(x))
    calls["cast to i32"] = lambda: cast(d.x, d.whole)
    calls["sum, axis 0"] = lambda: _sum_columns(d.rows)
    calls["sum, axis 1"] = lambda: _sum_rows(d.rows)
    calls["cumsum"] = lambda: _running(d.x, d.out)
    calls["transpose"] = lambda: _transpose(d.square, d.square_out)
    calls["where"] = lambda: _where(d.mask, d.x, d.y, d.out)
    return {name: Peer(call) for name, call in calls.items()}
