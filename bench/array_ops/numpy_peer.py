"""The rows of NumPy. Where it has no function of the kind a plain expression stands for it."""

from __future__ import annotations

import math

import numpy as np

from .data import BINARY, FUNCTIONS, MOST_FOR_GEMM, REDUCTIONS, ROUNDING, Data, Peer

NAMES = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "pow": "power",
    "neg": "negative",
    "round": "rint",
}
SCALE = np.float32(math.sqrt(2 / math.pi))
ONE, TWO, HALF = np.float32(1), np.float32(2), np.float32(0.5)  # Python's would be converted


def _expressions(d: Data) -> dict[str, Peer]:
    s, x, y, out = d.signed, d.x, d.y, d.out

    def softmax() -> object:
        powers = np.exp(d.rows - d.rows.max(-1, keepdims=True))
        return np.divide(powers, powers.sum(-1, keepdims=True), out=d.row_out)

    def log_softmax() -> object:
        off = d.rows - d.rows.max(-1, keepdims=True)
        return np.subtract(off, np.log(np.exp(off).sum(-1, keepdims=True)), out=d.row_out)

    def layer_norm() -> object:
        off = d.rows - d.rows.mean(-1, keepdims=True)
        deviation = np.sqrt((off * off).mean(-1, keepdims=True) + np.float32(1e-5))
        return np.add(off / deviation * d.gamma, d.beta, out=d.row_out)

    def rms_norm() -> object:
        root = np.sqrt((d.rows * d.rows).mean(-1, keepdims=True) + np.float32(1e-5))
        return np.multiply(d.rows / root, d.gamma, out=d.row_out)

    calls = {
        "sigmoid": lambda: np.divide(ONE, ONE + np.exp(-s), out=out),
        "rsqrt": lambda: np.divide(ONE, np.sqrt(x), out=out),
        "silu": lambda: np.divide(s, ONE + np.exp(-s), out=out),
        "softplus": lambda: np.logaddexp(s, np.float32(0), out=out),
        "softsign": lambda: np.divide(s, ONE + np.abs(s), out=out),
        "elu": lambda: np.where(s > 0, s, np.expm1(s)),
        "leaky_relu": lambda: np.maximum(s, np.float32(0.01) * s, out=out),
        "gelu": lambda: np.multiply(
            HALF * s, ONE + np.tanh(SCALE * (s + np.float32(0.044715) * (s * s * s))), out=out
        ),
        "mse": lambda: np.mean(np.square(x - y)),
        "cross_entropy": lambda: -np.mean(y * np.log(x)),
        "binary_cross_entropy": lambda: -np.mean(y * np.log(x) + (ONE - y) * np.log(ONE - x)),
        "softmax, rows": softmax,
        "log_softmax, rows": log_softmax,
        "layer_norm, rows": layer_norm,
        "rms_norm, rows": rms_norm,
    }
    return {name: Peer(call, expression=True) for name, call in calls.items()}


def rows(d: Data) -> dict[str, Peer]:
    s, x, y, out = d.signed, d.x, d.y, d.out
    found = _expressions(d)

    def add(name: str, call: object, new: bool = False) -> None:
        found[name] = Peer(call, new)  # type: ignore[arg-type]

    for name in BINARY:
        add(name, lambda f=getattr(np, NAMES.get(name, name)): f(x, y, out=out))
    add("add, new array", lambda: np.add(x, y), new=True)
    add("add, a row", lambda: np.add(d.rows, d.row, out=d.row_out))
    add("add, a column", lambda: np.add(d.rows, d.column, out=d.row_out))
    add("add, a number", lambda: np.add(x, TWO, out=out))
    add("mul, a number", lambda: np.multiply(x, TWO, out=out))
    add("add, every other", lambda: np.add(x[::2], y[::2], out=out[::2]))
    for name in (*ROUNDING, *FUNCTIONS):
        if name not in found and name != "erf":
            f, source = getattr(np, NAMES.get(name, name)), d.of(name)
            add(name, lambda f=f, source=source: f(source, out=out))
    add("relu", lambda: np.maximum(s, np.float32(0), out=out))
    low, high = -ONE, ONE
    add("clip", lambda: np.clip(s, low, high, out=out))
    for name in REDUCTIONS:
        add(name, lambda f=getattr(np, name): f(x))
    for name in ("sum", "max"):
        for axis in (0, 1):
            add(f"{name}, axis {axis}", lambda f=getattr(np, name), a=axis: f(d.rows, a))
    add("norm", lambda: np.linalg.norm(x))
    add("cumsum", lambda: np.cumsum(x, out=out))
    add("dot", lambda: np.dot(x, y))
    add("transpose", lambda: np.copyto(d.square_out, d.square.T))
    add("copy", lambda: np.copyto(out, x))
    add("fill", lambda: out.fill(TWO))
    add("cast to i32", lambda: np.copyto(d.whole, x, casting="unsafe"))
    add("where", lambda: np.where(d.mask, x, y), new=True)
    add("matvec", lambda: np.matmul(d.square, d.vector, out=d.vector_out))
    if d.n <= MOST_FOR_GEMM:
        add("gemm", lambda: np.matmul(d.square, d.square, out=d.square_out))
    return found
