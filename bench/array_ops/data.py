"""What everybody computes on, and what a row of a library is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Call = Callable[[], Any]

ROW = 100  # elements of a row, where an operation has rows
MOST_FOR_GEMM = 100_000  # elements of a matrix; beyond, one call takes seconds


@dataclass(frozen=True)
class Peer:
    """What a peer does for a row. Into an array that is there (`out=`) or a new one: that decides
    which call of ours it is compared with. `expression`: it has no one function for it."""

    call: Call
    new: bool = False
    expression: bool = False


@dataclass(frozen=True)
class Ours:
    """Our calls for a row. The fast forms are there where the operation has one. `place` is the
    array that those which write into one share with the peers."""

    out: Call
    new: Call
    place: Any = None
    fast_out: Call | None = None
    fast_new: Call | None = None


class Data:
    """Arrays of n elements of float32, with the places for results that all share."""

    def __init__(self, n: int) -> None:
        random = np.random.default_rng(1)
        self.n = n
        self.x, self.y = (random.uniform(0.1, 0.9, n).astype(np.float32) for _ in range(2))
        self.signed = self.x * 8 - 4
        self.out = np.empty_like(self.x)
        self.rows, self.row_out = self.x.reshape(-1, ROW), np.empty((n // ROW, ROW), np.float32)
        self.row, self.column = self.x[:ROW].copy(), self.x[: n // ROW].reshape(-1, 1).copy()
        self.gamma, self.beta = self.y[:ROW].copy(), self.y[-ROW:].copy()
        side = math.isqrt(n)
        self.square = self.x[: side * side].reshape(side, side)
        self.square_out = np.empty((side, side), np.float32)
        self.vector, self.vector_out = self.x[:side].copy(), np.empty(side, np.float32)
        self.whole = np.empty(n, np.int32)
        self.mask = self.x > 0.5

    def of(self, name: str) -> Any:
        """What a function of one array is computed on: logarithms and roots of what is positive."""
        return self.x if name.startswith(("log", "sqrt", "rsqrt")) else self.signed


BINARY = ("add", "sub", "mul", "div", "minimum", "maximum", "pow")
ROUNDING = ("abs", "neg", "floor", "ceil", "round", "sqrt", "rsqrt")
FUNCTIONS = ("exp", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "sigmoid", "erf", "silu")
REDUCTIONS = ("sum", "mean", "min", "max", "argmin", "argmax", "prod", "any", "all")
