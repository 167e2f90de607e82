"""What the operations of hologram.ops must give, in NumPy: exact functions of long doubles where
the result is rounded, the same type where it is not."""

from __future__ import annotations

import math

import numpy as np

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


# Name: (function of the inputs, widened if they are floats; the span of inputs, None: all kinds).
POINTWISE = {
    "add": (lambda a, b: wide(a) + wide(b), None),
    "sub": (lambda a, b: wide(a) - wide(b), None),
    "mul": (lambda a, b: wide(a) * wide(b), None),
    "div": (divide, None),
    "minimum": (lambda a, b: number_first(a, b, False), None),
    "maximum": (lambda a, b: number_first(a, b, True), None),
    "pow": (lambda a, b: np.power(wide(a), wide(b)), (0, 10)),
    "abs": (np.abs, None),
    "neg": (np.negative, None),
    "relu": (lambda x: np.where(x <= 0, x.dtype.type(0), x), None),
    "floor": (np.floor, None),
    "ceil": (np.ceil, None),
    "round": (np.rint, None),
    "sqrt": (lambda x: np.sqrt(wide(x)), None),
    "rsqrt": (lambda x: 1 / np.sqrt(wide(x)), None),
    "exp": (lambda x: np.exp(wide(x)), None),
    "log": (lambda x: np.log(wide(x)), None),
    "log2": (lambda x: np.log2(wide(x)), None),
    "log10": (lambda x: np.log10(wide(x)), None),
    "sin": (lambda x: np.sin(wide(x)), (-1000, 1000)),
    "cos": (lambda x: np.cos(wide(x)), (-1000, 1000)),
    "tan": (lambda x: np.tan(wide(x)), (-1000, 1000)),
    "tanh": (lambda x: np.tanh(wide(x)), None),
    "sigmoid": (lambda x: sigmoid(wide(x)), None),
    "erf": (erf, (-6, 6)),
    "silu": (lambda x: wide(x) * sigmoid(wide(x)), (-9, 9)),
    "gelu": (lambda x: gelu(wide(x)), (-1, 8)),
    "softplus": (
        lambda x: np.maximum(wide(x), 0) + np.log1p(np.exp(-np.abs(wide(x)))),
        (-9, 9),
    ),
}
SCALAR = {
    "scalar_add": (lambda x, s: wide(x) + wide(s), (3,)),
    "scalar_mul": (lambda x, s: wide(x) * wide(s), (3,)),
    "clip": (
        lambda x, low, high: number_first(
            number_first(x, np.broadcast_to(low, x.shape), True),
            np.broadcast_to(high, x.shape),
            False,
        ),
        (2, 7),
    ),
    "elu": (lambda x, alpha: np.where(x > 0, wide(x), wide(alpha) * np.expm1(wide(x))), (1.5,)),
    "leaky_relu": (lambda x, slope: np.where(x < 0, wide(slope) * wide(x), wide(x)), (0.25,)),
}
