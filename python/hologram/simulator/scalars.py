"""What the operators compute: one class of functions for integers, one for floats.

Operands have the type already. Integers wrap; floats round to nearest even, once for each
operation, and a NaN that is computed is the canonical one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hologram.simulator.conversions import (
    CANONICAL_NAN,
    BFloat16,
    Value,
    bits_of,
    from_bits,
    make_float,
    round_ratio,
    rounded,
)
from hologram.simulator.types import BITS, FLOATS, INTEGERS, SIGNED, limits


class ZeroDivisorError(Exception):
    """An integer was divided by zero; arrays.py gives it a place."""


class IntegerOps:
    """The operations of one integer type on Python integers."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.low, self.high = limits(kind)
        self._bits = BITS[kind]
        self._mask = (1 << self._bits) - 1
        self._sign = 1 << (self._bits - 1) if kind in SIGNED else 0
        # Neutral values of block reductions, by operation.
        self.neutral = {"add": 0, "mul": 1, "min": self.high, "max": self.low}
        self.neutral.update({"and": self.wrap(-1), "or": 0, "xor": 0})

    def wrap(self, value: int) -> int:
        return ((value + self._sign) & self._mask) - self._sign

    def add(self, a: int, b: int) -> int:
        return self.wrap(a + b)

    def sub(self, a: int, b: int) -> int:
        return self.wrap(a - b)

    def mul(self, a: int, b: int) -> int:
        return self.wrap(a * b)

    def floor_div(self, a: int, b: int) -> int:
        if b == 0:
            raise ZeroDivisorError
        return self.wrap(a // b)

    def mod(self, a: int, b: int) -> int:
        if b == 0:
            raise ZeroDivisorError
        return a % b

    def bit_and(self, a: int, b: int) -> int:
        return a & b

    def bit_or(self, a: int, b: int) -> int:
        return a | b

    def bit_xor(self, a: int, b: int) -> int:
        return a ^ b

    def shl(self, a: int, b: int) -> int:
        return self.wrap(a << (b & (self._bits - 1)))

    def shr(self, a: int, b: int) -> int:
        return a >> (b & (self._bits - 1))

    def neg(self, a: int) -> int:
        return self.wrap(-a)

    def inv(self, a: int) -> int:
        return self.wrap(~a)

    def abs(self, a: int) -> int:
        return self.wrap(abs(a))

    def min(self, a: int, b: int) -> int:
        return min(a, b)

    def max(self, a: int, b: int) -> int:
        return max(a, b)

    def power(self, a: int, exponent: int) -> int:
        return self.wrap(pow(a, exponent, 1 << self._bits))


class FloatOps:
    """The operations of f16, f32 or f64 on NumPy's floats; NumPy's warnings are off in a launch."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.nan = CANONICAL_NAN[kind]
        self.neutral = {"add": self.make(-0.0), "mul": self.make(1.0)}
        self.neutral.update({"min": self.nan, "max": self.nan})

    def make(self, value: float) -> Value:
        return make_float(value, self.kind)

    def _canonical(self, value: Value) -> Value:
        return value if value == value else self.nan

    def add(self, a: Value, b: Value) -> Value:
        return self._canonical(a + b)

    def sub(self, a: Value, b: Value) -> Value:
        return self._canonical(a - b)

    def mul(self, a: Value, b: Value) -> Value:
        return self._canonical(a * b)

    def div(self, a: Value, b: Value) -> Value:
        return self._canonical(a / b)

    def floor_div(self, a: Value, b: Value) -> Value:
        return self.floor(self.div(a, b))

    def mod(self, a: Value, b: Value) -> Value:
        return self.sub(a, self.mul(b, self.floor(self.div(a, b))))

    def neg(self, a: Value) -> Value:
        return from_bits(bits_of(a, self.kind) ^ 1 << (BITS[self.kind] - 1), self.kind)

    def abs(self, a: Value) -> Value:
        return from_bits(bits_of(a, self.kind) & ~(1 << (BITS[self.kind] - 1)), self.kind)

    def min(self, a: Value, b: Value) -> Value:
        """A number beats NaN, and -0 < +0."""
        if a == b:
            return a if math.copysign(1.0, float(a)) < 0 else b
        if a != a:
            return self._canonical(b)
        return a if b != b or a < b else b

    def max(self, a: Value, b: Value) -> Value:
        if a == b:
            return b if math.copysign(1.0, float(a)) < 0 else a
        if a != a:
            return self._canonical(b)
        return a if b != b or a > b else b

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        return self.make(_fused(float(a), float(b), float(c), self.kind))

    def sqrt(self, a: Value) -> Value:
        number = float(a)
        if number < 0 or number != number:
            return self.nan
        return self.make(rounded(math.sqrt(number), self.kind))

    def floor(self, a: Value) -> Value:
        return self._whole(float(a), math.floor)

    def ceil(self, a: Value) -> Value:
        return self._whole(float(a), math.ceil)

    def trunc(self, a: Value) -> Value:
        return self._whole(float(a), math.trunc)

    def round(self, a: Value) -> Value:
        return self._whole(float(a), round)

    def _whole(self, number: float, to_int: Any) -> Value:
        if not math.isfinite(number):
            return self.make(number)
        return self.make(math.copysign(float(to_int(number)), number))


class BFloat16Ops(FloatOps):
    """Those of bf16: computed in f32 and rounded once more."""

    def __init__(self) -> None:
        super().__init__("bf16")

    def _narrow(self, value: Any) -> Value:
        if value != value:
            return self.nan
        bits = int(np.array(value, np.float32).view(np.uint32))
        return BFloat16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)

    def add(self, a: Value, b: Value) -> Value:
        return self._narrow(a.wide() + b.wide())

    def sub(self, a: Value, b: Value) -> Value:
        return self._narrow(a.wide() - b.wide())

    def mul(self, a: Value, b: Value) -> Value:
        return self._narrow(a.wide() * b.wide())

    def div(self, a: Value, b: Value) -> Value:
        return self._narrow(a.wide() / b.wide())


def _fused(a: float, b: float, c: float, kind: str) -> float:
    """a * b + c rounded once."""
    if a != a or b != b or c != c:
        return math.nan
    if math.isinf(a) or math.isinf(b):
        if a == 0 or b == 0:
            return math.nan
        product = math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))
        return math.nan if math.isinf(c) and c != product else product
    if math.isinf(c):
        return c
    ratios = [x.as_integer_ratio() for x in (a, b, c)]
    (an, ad), (bn, bd), (cn, cd) = ratios
    numerator = an * bn * cd + cn * ad * bd
    if numerator != 0:
        return round_ratio(numerator, ad * bd * cd, kind)
    if a == 0 or b == 0 or c == 0:  # zeros: their signs count
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        return math.copysign(0.0, sign) + c
    return 0.0


OPS: dict[str, Any] = {kind: IntegerOps(kind) for kind in INTEGERS}
OPS.update({kind: BFloat16Ops() if kind == "bf16" else FloatOps(kind) for kind in FLOATS})
