"""Exact conversions between numbers: everything that rounds does it here, once, half to even.

Values in kernels are Python integers, NumPy floats and BFloat16. A computed NaN is the canonical
one; moving a value keeps its bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Value = Any  # int, bool, numpy.float16, numpy.float32, numpy.float64 or BFloat16

# Significant bits, smallest and largest exponent.
_FORMATS = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
}


class BFloat16:
    """A number of 16 bits with the exponents of f32, which NumPy does not have. Immutable."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def wide(self) -> Any:
        """The same value in f32; a NaN keeps its bits."""
        return np.array(self.bits << 16, np.uint32).view(np.float32)[()]

    def __float__(self) -> float:
        return float(self.wide())

    def __int__(self) -> int:
        return int(float(self))

    def __repr__(self) -> str:
        return f"bf16({float(self)!r})"

    def __str__(self) -> str:
        """The shortest decimal number that is rounded to it, as NumPy writes its types."""
        value = float(self)
        if value == 0 or not math.isfinite(value):
            return str(value)
        for digits in range(6):
            short = float(f"{value:.{digits}e}")
            if rounded(short, "bf16") == value:
                break
        if 1e-4 <= abs(value) < 1e16:
            return str(np.format_float_positional(short, trim="0"))
        return str(np.format_float_scientific(short, trim="-", exp_digits=2))

    def __hash__(self) -> int:
        return hash(float(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BFloat16) and float(self) == float(other)

    def __lt__(self, other: BFloat16) -> bool:
        return float(self) < float(other)

    def __le__(self, other: BFloat16) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: BFloat16) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: BFloat16) -> bool:
        return float(self) >= float(other)


CANONICAL_NAN: dict[str, Value] = {
    "f16": np.array(0x7E00, np.uint16).view(np.float16)[()],
    "bf16": BFloat16(0x7FC0),
    "f32": np.array(0x7FC00000, np.uint32).view(np.float32)[()],
    "f64": np.array(0x7FF8000000000000, np.uint64).view(np.float64)[()],
}
_NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_BITS = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}


def bits_of(value: Value, kind: str) -> int:
    """The bit pattern of a float."""
    if kind == "bf16":
        return int(value.bits)
    return int(np.array(value, _NUMPY[kind]).view(_BITS[kind]))


def from_bits(bits: int, kind: str) -> Value:
    if kind == "bf16":
        return BFloat16(bits)
    return np.array(bits, _BITS[kind]).view(_NUMPY[kind])[()]


def round_ratio(numerator: int, denominator: int, kind: str) -> float:
    """numerator / denominator, rounded once to the type; an f64 that holds it. Denominator > 0."""
    if numerator == 0:
        return 0.0
    precision, least, most = _FORMATS[kind]
    sign, magnitude = (-1.0, -numerator) if numerator < 0 else (1.0, numerator)
    exponent = magnitude.bit_length() - denominator.bit_length()
    if exponent >= 0:
        below = magnitude < denominator << exponent
    else:
        below = magnitude << -exponent < denominator
    exponent -= below  # 2 ** exponent <= magnitude / denominator < 2 ** (exponent + 1)
    unit = max(exponent, least) - (precision - 1)
    if unit >= 0:
        denominator <<= unit
    else:
        magnitude <<= -unit
    whole, rest = divmod(magnitude, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and whole & 1):
        whole += 1
    if whole.bit_length() + unit - 1 > most:
        return sign * math.inf
    return sign * math.ldexp(whole, unit)


def rounded(value: float, kind: str) -> float:
    """An f64 rounded to a float type."""
    if kind == "f64" or value == 0 or not math.isfinite(value):
        return value
    return round_ratio(*value.as_integer_ratio(), kind)


def make_float(value: float, kind: str) -> Value:
    """A value of the type from an f64 that the type holds exactly; NaN gives the canonical one."""
    if value != value:
        return CANONICAL_NAN[kind]
    if kind == "bf16":
        return BFloat16(int(np.array(value, np.float32).view(np.uint32)) >> 16)
    return _NUMPY[kind](value)


def cast(value: Value, source: str, target: str) -> Value:
    """A value of one type as another: rounds once, saturates, and NaN gives 0."""
    if target == source:
        return value
    if target in _FORMATS:
        return _to_float(value, source, target)
    low, high = _limits(target)
    if source in _FORMATS:
        number = float(value)
        if number != number:
            return 0
        if math.isinf(number):
            return high if number > 0 else low
        return min(max(math.trunc(number), low), high)
    return min(max(int(value), low), high)


def _to_float(value: Value, source: str, target: str) -> Value:
    if source in _FORMATS:
        return make_float(rounded(float(value), target), target)
    return make_float(round_ratio(int(value), 1, target), target)


def _limits(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
