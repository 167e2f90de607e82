"""Operators on literals: exact integers and f64, as in Python (as src/frontend/fold.cc)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np

from hologram.simulator.types import TypeRuleError

Number = int | float
_LIMIT = 1 << 100
_TOO_LARGE = "the constant does not fit in 64 bits"

COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floor_div": operator.floordiv,
    "mod": operator.mod,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
}


def binary(op: str, symbol: str, a: Number, b: Number) -> Number:
    """The value of `a op b`; raises TypeRuleError."""
    bools = isinstance(a, bool), isinstance(b, bool)
    if all(bools) and op in ("eq", "ne"):
        return COMPARISONS[op](a, b)
    if all(bools) and op in ("bit_and", "bit_or", "bit_xor"):
        return bool(_INTEGERS[op](int(a), int(b)))
    if any(bools):
        raise TypeRuleError(f"`{symbol}` needs numbers, not bool")
    if op in ("div", "floor_div", "mod") and b == 0:
        raise TypeRuleError("division by zero")
    if op in COMPARISONS:
        return COMPARISONS[op](a, b)
    if isinstance(a, int) and isinstance(b, int) and op != "div":
        return _integers(op, a, b)
    return _floats(op, symbol, float(a), float(b))


def _integers(op: str, a: int, b: int) -> Number:
    if op == "pow":
        if a == 0 and b < 0:
            raise TypeRuleError("division by zero")
        if b < 0:
            return _finite(float(a) ** float(b))
        if abs(a) > 1 and b > 100:
            raise TypeRuleError(_TOO_LARGE)
        value = int(a**b)
    else:
        if op in ("shl", "shr") and not 0 <= b <= 63:
            raise TypeRuleError(f"the shift count {b} is not 0 to 63")
        value = _INTEGERS[op](a, b)
    if abs(value) > _LIMIT:
        raise TypeRuleError(_TOO_LARGE)
    return value


def _floats(op: str, symbol: str, a: float, b: float) -> float:
    try:
        if op == "floor_div":
            return _finite(float(np.floor(a / b)))
        if op == "mod":
            return _finite(a - b * float(np.floor(a / b)))
        if op == "pow":
            return _finite(math.pow(a, b))
    except (OverflowError, ValueError):
        raise TypeRuleError("the constant is not finite") from None
    plain = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
    if op not in plain:
        raise TypeRuleError(f"`{symbol}` needs integers")
    return _finite(plain[op](a, b))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise TypeRuleError("the constant is not finite")
    return value


def unary(op: str, a: Number) -> Number:
    """The value of `-a`, `+a` or `~a`; raises TypeRuleError."""
    if op == "inv":
        if isinstance(a, int) and not isinstance(a, bool):
            return ~a
        raise TypeRuleError("`~` needs an integer")
    if isinstance(a, bool):
        raise TypeRuleError("`-` needs a number")
    return -a if op == "neg" else a
