"""Arithmetic of the kernel language in plain Python: integers that wrap, casts that saturate, IEEE
floats of 16, 32 and 64 bits as their bits, canonical NaNs. Written from docs/language.md and
docs/isa.md; shares nothing with the tree.

A value of an integer type is an int, a bool is a bool, and a float is an int too: its bits. So
payloads and signs of NaNs live as long as nobody computes with them.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from fractions import Fraction

INTEGERS = {
    **{f"i{bits}": (bits, True) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (bits, False) for bits in (8, 16, 32, 64)},
}
FLOATS = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23), "f64": (64, 52)}  # bits, fraction
SIZE = {name: bits // 8 for name, (bits, _) in {**INTEGERS, **FLOATS}.items()}
CANONICAL = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}

_UNPACK = {"f16": struct.Struct("<e").unpack, "f32": struct.Struct("<f").unpack}
_PACK = {
    "f16": struct.Struct("<H").pack,
    "f32": struct.Struct("<I").pack,
    "f64": struct.Struct("<Q").pack,
}
_TO_DOUBLE = struct.Struct("<d").unpack
_FROM_DOUBLE = struct.Struct("<d").pack
_TO_U64 = struct.Struct("<Q").unpack
_FROM_F32 = struct.Struct("<f").pack
_TO_U32 = struct.Struct("<I").unpack


def is_integer(type_: str) -> bool:
    return type_ in INTEGERS


def is_float(type_: str) -> bool:
    return type_ in FLOATS


def is_signed(type_: str) -> bool:
    return type_ in INTEGERS and INTEGERS[type_][1]


def limits(type_: str) -> tuple[int, int]:
    bits, signed = INTEGERS[type_]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def wrap(type_: str, x: int) -> int:
    bits, signed = INTEGERS[type_]
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def saturate(type_: str, x: int) -> int:
    low, high = limits(type_)
    return low if x < low else high if x > high else x


def promote(a: str, b: str) -> str | None:
    """The type of an operation on two types; None if the language asks for a cast."""
    if a == b:
        return a
    if is_float(a) and is_float(b):
        if {a, b} == {"f16", "bf16"}:
            return "f32"
        return a if FLOATS[a][0] > FLOATS[b][0] else b
    if is_float(a) or is_float(b):
        return a if is_float(a) else b
    low = min(limits(a)[0], limits(b)[0])
    high = max(limits(a)[1], limits(b)[1])
    names = [t for t in INTEGERS if limits(t)[0] <= low and limits(t)[1] >= high]
    return min(names, key=lambda t: INTEGERS[t][0]) if names else None


def to_float(type_: str, bits: int) -> float:
    """The number that the bits are; a Python float holds every one of all four types."""
    if type_ == "bf16":
        return float(_UNPACK["f32"](_PACK["f32"](bits << 16))[0])
    if type_ == "f64":
        return float(_TO_DOUBLE(_PACK["f64"](bits))[0])
    return float(_UNPACK[type_](_PACK[type_](bits))[0])


def _round_exactly(type_: str, x: Fraction, negative_zero: bool = False) -> int:
    """The nearest value of a type, ties to even, from an exact number."""
    width, fraction = FLOATS[type_]
    sign = 1 << (width - 1)
    if x == 0:
        return sign if negative_zero else 0
    exponents = width - 1 - fraction
    bias = (1 << (exponents - 1)) - 1
    negative, x = x < 0, abs(x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent > x:
        exponent -= 1
    quantum = max(exponent, 1 - bias) - fraction  # the exponent of the last place
    scaled = x / Fraction(2) ** quantum
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    # A carry into the next exponent comes out right, as does the step into the normal numbers.
    bits = whole + ((quantum + fraction + bias - 1) << fraction)
    infinity = ((1 << exponents) - 1) << fraction
    return (sign if negative else 0) | min(bits, infinity)


def from_float(type_: str, x: float) -> int:
    """The nearest value of a type to a Python float."""
    if x != x:
        return CANONICAL[type_]
    if type_ == "f64":
        return int(_TO_U64(_FROM_DOUBLE(x))[0])
    if type_ == "f32":
        try:
            return int(_TO_U32(_FROM_F32(x))[0])
        except OverflowError:
            return 0xFF800000 if x < 0 else 0x7F800000
    if math.isinf(x):
        width, fraction = FLOATS[type_]
        infinity = ((1 << (width - 1 - fraction)) - 1) << fraction
        return infinity | (1 << (width - 1) if x < 0 else 0)
    return _round_exactly(type_, Fraction(x), math.copysign(1.0, x) < 0)


def from_int(type_: str, x: int) -> int:
    """An integer as a float, rounded once."""
    if abs(x) < 1 << 53:
        return from_float(type_, float(x))
    return _round_exactly(type_, Fraction(x))


def is_nan(type_: str, bits: int) -> bool:
    width, fraction = FLOATS[type_]
    infinity = ((1 << (width - 1 - fraction)) - 1) << fraction
    return (bits & ((1 << (width - 1)) - 1)) > infinity


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a != a or a == 0.0 or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _rounded(name: str, x: float) -> float:
    if math.isinf(x) or x != x or x == 0.0:
        return x
    if name == "floor":
        result = float(math.floor(x))
    elif name == "ceil":
        result = float(math.ceil(x))
    else:
        result = float(math.trunc(x) if name == "trunc" else round(x))
    return math.copysign(0.0, x) if result == 0.0 else result


def float_binary(type_: str, op: str, a: int, b: int) -> int:
    """+ - * / // % of two floats of one type. The intermediate result of a Python float is exact
    enough for a second rounding: it has more than twice the places of f32 and of the 16-bit types."""
    x, y = to_float(type_, a), to_float(type_, b)
    if op == "+":
        return from_float(type_, x + y)
    if op == "-":
        return from_float(type_, x - y)
    if op == "*":
        return from_float(type_, x * y)
    if op == "/":
        return from_float(type_, _divide(x, y))
    quotient = float_unary(type_, "floor", from_float(type_, _divide(x, y)))
    if op == "//":
        return quotient
    product = float_binary(type_, "*", b, quotient)
    return float_binary(type_, "-", a, product)


def float_unary(type_: str, name: str, a: int) -> int:
    top = 1 << (FLOATS[type_][0] - 1)
    if name == "neg":
        return a ^ top
    if name == "abs":
        return a & ~top
    x = to_float(type_, a)
    if name == "sqrt":
        if x != x or x < 0.0:
            return CANONICAL[type_]
        return from_float(type_, math.sqrt(x))
    return from_float(type_, _rounded(name, x))


def fma(type_: str, a: int, b: int, c: int) -> int:
    x, y, z = to_float(type_, a), to_float(type_, b), to_float(type_, c)
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        if math.isfinite(x) and math.isfinite(y):
            return from_float(type_, z)
        return from_float(type_, x * y + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact != 0:
        return _round_exactly(type_, exact)
    # Zeros: that of the sum of the product, with its sign, and c; +0 where two numbers cancel.
    negative = math.copysign(1.0, x) * math.copysign(1.0, y) < 0
    if z == 0.0 and (x == 0.0 or y == 0.0):
        return _round_exactly(type_, exact, negative and math.copysign(1.0, z) < 0)
    return 0


def float_min_max(type_: str, name: str, a: int, b: int) -> int:
    """A number beats NaN, and -0 is less than +0."""
    if is_nan(type_, a):
        return CANONICAL[type_] if is_nan(type_, b) else b
    if is_nan(type_, b):
        return a
    x, y = to_float(type_, a), to_float(type_, b)
    if x == y:
        # Equal, so the same bits but for zeros: the set sign bit is the smaller one.
        return max(a, b) if name == "min" else min(a, b)
    return a if (x < y) == (name == "min") else b


def cast(to: str, from_: str, x: int) -> int:
    if to == "bool":
        return is_nan(from_, x) or to_float(from_, x) != 0.0 if is_float(from_) else x != 0
    if from_ == "bool":
        return from_float(to, float(x)) if is_float(to) else int(x)
    if to == from_:
        return x
    if is_float(to):
        if is_float(from_):
            return from_float(to, to_float(from_, x))
        return from_int(to, x)
    if is_integer(from_):
        return saturate(to, x)
    value = to_float(from_, x)
    if value != value:
        return 0
    if math.isinf(value):
        return limits(to)[1 if value > 0 else 0]
    return saturate(to, math.trunc(value))


def combine(type_: str, op: str, a: int, b: int) -> int:
    """One step of a reduction, a scan or an atomic."""
    if op in ("min", "max"):
        if is_float(type_):
            return float_min_max(type_, op, a, b)
        return min(a, b) if op == "min" else max(a, b)
    if op == "exchange":
        return b
    if is_float(type_):
        return float_binary(type_, {"add": "+", "mul": "*"}[op], a, b)
    return wrap(type_, _INTEGER_STEPS[op](a, b))


_INTEGER_STEPS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


def neutral(type_: str, op: str) -> int:
    """What a lane that is not there counts as in a reduction of a block."""
    if is_float(type_):
        if op == "add":
            return from_float(type_, -0.0)
        return from_float(type_, 1.0) if op == "mul" else CANONICAL[type_]
    low, high = limits(type_)
    return {"add": 0, "mul": 1, "min": high, "max": low, "and": wrap(type_, -1), "or": 0, "xor": 0}[
        op
    ]
