"""The types of shifts, as src/frontend/check/shift.cc has them.

Operands of `x << k` have the type that the operators' table gives, but where that is neither of
both or none, as of u32 and i32, it is the type of x. `1 << k` has the type of k until it meets an
integer type as wide, which it takes then, as a literal does.
"""

from __future__ import annotations

from hologram.simulator import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.simulator.context import Expr
    from hologram.simulator.expressions import Expressions

    As = Callable[[str], Expr]  # the value as one of an integer type

_SHIFTS = ("shl", "shr")
_KEEP = ("add", "sub", "mul", "bit_and", "bit_or", "bit_xor")


def keeps_left(op: str, left: str, right: str) -> bool:
    """Whether a shift has the type of its left operand, which the table does not give."""
    if op not in _SHIFTS or left not in types.INTEGERS or right not in types.INTEGERS:
        return False
    return types.promote(left, right) not in (left, right)


def follows(
    op: str,
    operands: tuple[Expr, Expr],
    apply: Callable[[Expr, Expr, str], Expr],
    translator: Expressions,
) -> As | None:
    """The result of an operator as the integer type that it meets, if it takes that of others."""
    left, right = operands
    first = left.follows or _of_literal(left, translator)
    if first is None:
        return None
    if op == "shl" and left.follows is None and right.kind in types.INTEGERS:
        return lambda kind: apply(first(kind), right, kind)
    second = right.follows or _of_literal(right, translator)
    if op not in _KEEP or second is None or (left.follows is None and right.follows is None):
        return None
    return lambda kind: apply(first(kind), second(kind), kind)


def met(value: Expr, kind: str) -> Expr:
    """A value beside one of this type."""
    if value.follows is None or kind == value.kind or kind not in types.INTEGERS:
        return value
    if types.BITS[kind] < types.BITS[value.kind]:
        return value
    try:
        result = value.follows(kind)
    except _CannotError:
        return value
    result.follows = value.follows
    return result


class _CannotError(Exception):
    """A literal does not fit."""


def _of_literal(value: Expr, translator: Expressions) -> As | None:
    if value.const is None or value.kind != types.SOFT_INT:
        return None
    const, at = value.const, value.at

    def as_type(kind: str) -> Expr:
        if not types.fits(const, kind):
            raise _CannotError
        return translator.typed_literal(const, kind, at)

    return as_type
