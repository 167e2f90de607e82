"""What the operations of hologram.ops must give, in NumPy, of long doubles: the references that the
rows of operations/elementwise.py name, and the functions that these call."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "operations"))
from generator import rows

LONG = np.longdouble


def number_first(a, b, larger: bool):
    """MIN and MAX: a number before NaN, -0 below +0."""
    pick = np.fmax(a, b) if larger else np.fmin(a, b)
    if a.dtype.kind != "f":
        return pick
    zeros = (a == 0) & (b == 0)
    sign = (np.signbit(a) & np.signbit(b)) if larger else (np.signbit(a) | np.signbit(b))
    return np.where(zeros, np.where(sign, -0.0, 0.0).astype(a.dtype), pick)


def divide(a, b):
    if a.dtype.kind == "f":
        return a.astype(LONG) / b.astype(LONG)
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, b)
        up = (quotient * b != a) & ((a < 0) != (b < 0))
        return np.where(up, quotient + 1, quotient).astype(a.dtype)


def wide(x):
    return x.astype(LONG) if x.dtype.kind == "f" else x


def erf(x):
    return np.array([math.erf(v) for v in x.astype(np.float64).ravel()], LONG).reshape(x.shape)


def half_erfc(x):
    """(1 + erf(x / sqrt 2)) / 2 without cancellation."""
    flat = x.astype(np.float64).ravel()
    return np.array([math.erfc(-v * math.sqrt(0.5)) / 2 for v in flat], LONG).reshape(x.shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x * sigmoid(LONG(2) * np.sqrt(2 / LONG(math.pi)) * (x + LONG("0.044715") * x**3))


def gelu_erf(x):
    return x * half_erfc(x)


def like(number, x):
    return np.broadcast_to(number, x.shape)


def reference(row):
    """The function that a row names: of the inputs, widened if they are floats."""
    names = {**globals(), "np": np}
    function = eval(
        f"lambda {', '.join((*row.arrays, *row.scalars))}: {row.facts.reference}", names
    )
    return lambda *inputs: function(*map(wide, inputs))


ROWS = {row.name: row for row in rows.read().rows if not row.is_option}
# Name: (reference, the span of inputs, None: all kinds).
POINTWISE = {
    name: (reference(row), row.facts.span) for name, row in ROWS.items() if not row.scalars
}
# Name: (reference, the numbers, the span of inputs).
SCALAR = {
    name: (reference(row), row.facts.numbers, row.facts.span)
    for name, row in ROWS.items()
    if row.scalars
}
