"""The types of the kernel language and the rules between them (as src/frontend/types.cc).

A type is its name. Two more are for expressions made of literals, which take the type of what
stands beside them: SOFT_INT and SOFT_FLOAT.
"""

from __future__ import annotations

import math

from hologram.simulator import conversions, number_rules

BOOL = "bool"
SOFT_INT = "an integer literal"
SOFT_FLOAT = "a float literal"

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = (*INTEGERS, *FLOATS)
BITS = {name: 16 if name == "bf16" else int(name[1:]) for name in NUMBERS}
ELEMENT_BITS = {**BITS, BOOL: 8}


class TypeRuleError(Exception):
    """A rule of the language is broken; the text says which, and what to write instead."""


def is_soft(kind: str) -> bool:
    return kind in (SOFT_INT, SOFT_FLOAT)


def is_integer(kind: str) -> bool:
    return kind in INTEGERS or kind == SOFT_INT


def is_float(kind: str) -> bool:
    return kind in FLOATS or kind == SOFT_FLOAT


def hardened(kind: str) -> str:
    """The type of an expression that nothing else decides."""
    return {SOFT_INT: "i32", SOFT_FLOAT: "f32"}.get(kind, kind)


def shown(kind: str) -> str:
    return hardened(kind)


def limits(kind: str) -> tuple[int, int]:
    """The smallest and the largest value of an integer type."""
    bits = BITS[kind]
    if kind in SIGNED:
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def rule(a: str, b: str) -> tuple[str | None, bool]:
    """The type of `a op b`, None where there is none, and whether NumPy computes in a wider one."""
    return _meaning(number_rules.OPERATORS[_ROWS.get(a, a)][_ROWS.get(b, b)])


def quotient(a: str, b: str) -> str:
    """The type of `a / b` of two integers."""
    return _meaning(number_rules.QUOTIENT[_ROWS.get(a, a)][_ROWS.get(b, b)])[0] or ""


def _meaning(cell: str) -> tuple[str | None, bool]:
    kind = cell.rstrip("!")
    return (None if cell == "-" else _LITERALS.get(kind, kind)), cell.endswith("!")


_LITERALS = {"int": SOFT_INT, "float": SOFT_FLOAT}
_ROWS = {kind: row for row, kind in _LITERALS.items()}


def promote(a: str, b: str) -> str | None:
    """The common type of two numbers; None for u64 with a signed type."""
    return rule(a, b)[0]


def converts_silently(source: str, target: str) -> bool:
    """True if every value of one is a value of the other, within integers or within floats."""
    if source == target:
        return True
    if source in INTEGERS and target in INTEGERS:
        low, high = limits(source)
        least, most = limits(target)
        return least <= low and high <= most
    return source in FLOATS and target in FLOATS and BITS[source] < BITS[target]


def fits(value: int | float, kind: str) -> bool:
    """True if the type holds a literal: integers exactly, floats rounded but not to infinity.
    Infinities and NaN are literals of every float type."""
    if isinstance(value, bool):
        return False
    if kind in INTEGERS:
        low, high = limits(kind)
        return isinstance(value, int) and low <= value <= high
    if not math.isfinite(value):
        return True
    rounded = conversions.rounded(float(value), kind)
    if not math.isfinite(rounded):
        return False
    return isinstance(value, float) or int(rounded) == value


def cast_literal(value: int | float, kind: str) -> int | float | None:
    """The value of a cast of a literal: saturates, NaN gives 0. None where a number would round to
    infinity."""
    if kind in FLOATS:
        rounded = conversions.rounded(float(value), kind)
        return rounded if math.isfinite(rounded) or not math.isfinite(value) else None
    low, high = limits(kind)
    if value != value:
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


def literal_text(value: int | float) -> str:
    return repr(value)
