"""Compile-time values: literals, and what can be computed from them.

`BLOCK = 256` and `HALF = BLOCK // 2` at module level are folded here with Python's own arithmetic
(exact integers, f64). Sizes are bounded before they are computed, so `9 ** 9 ** 9` costs nothing.
"""

from __future__ import annotations

from hologram.frontend import names, spelling
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from hologram.frontend.scope import Scope

    class Known(Protocol):
        """Names that have a value; those of a module have a `scope`, too, for functions."""

        def __contains__(self, name: str, /) -> bool: ...
        def __getitem__(self, name: str, /) -> int | float: ...


INT_MIN = -(1 << 63)
INT_MAX = (1 << 64) - 1
MAX_BITS = 256  # of intermediate results
INFINITY = float("inf")


class FoldError(Exception):
    """Why an expression has no compile-time value."""


def fold(node: ast.expr, known: Known) -> int | float:
    """The value of a constant expression; raises FoldError."""
    try:
        value = _fold(node, known)
    except RecursionError:
        raise FoldError("it is nested too deeply") from None
    return value if isinstance(value, float) else check_range(value)


def folded(node: ast.expr, known: Known) -> int | float | None:
    """The same, or None."""
    try:
        return fold(node, known)
    except FoldError:
        return None


def check_range(value: int | float) -> int | float:
    """The value of a literal if some type of the language holds it; raises FoldError."""
    if isinstance(value, float):
        if not -INFINITY < value < INFINITY:
            raise FoldError("it is too large for f64")
    elif not INT_MIN <= value <= INT_MAX:
        raise FoldError("it does not fit in 64 bits")
    return value


def value_in_words(node: ast.expr) -> float | None:
    """`float("inf")` and its relatives, as Python has them for want of a literal; else None."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id != "float" or len(node.args) != 1 or node.keywords:
        return None
    argument = node.args[0]
    word = argument.value if isinstance(argument, ast.Constant) else None
    if not isinstance(word, str):
        return None
    sign, name = (word[:1], word[1:]) if word[:1] in ("+", "-") else ("", word)
    value = names.VALUES.get(name.lower().replace("infinity", "inf"))
    return -value if value is not None and sign == "-" else value


def _fold(node: ast.expr, known: Known) -> int | float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return check_range(node.value) if isinstance(node.value, float) else node.value
    written = value_in_words(node)
    if written is not None:
        return written
    number = spelling.character(node)
    if number is not None:
        return number
    if isinstance(node, ast.Attribute):
        dotted = dotted_name(node) or ""
        if dotted in known:
            return known[dotted]
    if isinstance(node, ast.Name):
        if node.id in known:
            return known[node.id]
        raise FoldError(f"`{node.id}` is not an earlier constant")
    if isinstance(node, ast.UnaryOp):
        return _fold_unary(node, known)
    if isinstance(node, ast.Call):
        scope: Scope | None = getattr(known, "scope", None)  # in a body they are the language's
        from hologram.frontend import constant_functions

        return constant_functions.apply(node, scope, lambda item: _fold(item, known))
    if isinstance(node, ast.BinOp):
        operation = _BINARY.get(type(node.op))
        if operation is None:
            raise FoldError("`@` is not in the language")
        return _apply(operation, _fold(node.left, known), _fold(node.right, known))
    if isinstance(node, ast.IfExp) and hasattr(known, "scope"):
        return _fold(node.body if _holds(node.test, known) else node.orelse, known)
    raise FoldError("it is not made of numbers, earlier constants and operators")


def _holds(node: ast.expr, known: Known) -> bool:
    """The condition of a choice in a constant of a module: `2 if N > 4 else 3`."""
    if isinstance(node, ast.BoolOp):
        values = [_holds(value, known) for value in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _holds(node.operand, known)
    if not isinstance(node, ast.Compare):
        return bool(_fold(node, known))
    numbers = [_fold(value, known) for value in (node.left, *node.comparators)]
    steps = zip(node.ops, numbers, numbers[1:])  # noqa: B905 (one less)
    if not all(type(operator) in _COMPARE for operator in node.ops):
        raise FoldError("it compares in a way that numbers have not")
    return all(_COMPARE[type(operator)](left, right) for operator, left, right in steps)


def _fold_unary(node: ast.UnaryOp, known: Known) -> int | float:
    value = _fold(node.operand, known)
    if isinstance(node.op, ast.USub):
        return -value
    if isinstance(node.op, ast.UAdd):
        return +value
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(value, bool) or not isinstance(value, int):
        raise FoldError("`~` needs an integer")
    return ~value


def _apply(
    operation: Callable[[int | float, int | float], object], left: int | float, right: int | float
) -> int | float:
    try:
        value = operation(left, right)
    except ZeroDivisionError:
        raise FoldError("it divides by zero") from None
    except OverflowError:
        raise FoldError("it is too large for f64") from None
    except TypeError:
        raise FoldError("bit operators need integers") from None
    if not isinstance(value, (int, float)):
        raise FoldError("it is not a real number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise FoldError("it does not fit in 64 bits")
    if isinstance(value, float) and not -INFINITY < value < INFINITY:
        finite = -INFINITY < left < INFINITY and -INFINITY < right < INFINITY
        raise FoldError(
            "it is too large for f64" if finite else "it is computed from `inf` or `nan`"
        )
    return value


def _shift_left(left: int | float, right: int | float) -> object:
    if isinstance(left, float) or isinstance(right, float):
        raise TypeError
    return left << _shift_count(right)


def _shift_right(left: int | float, right: int | float) -> object:
    if isinstance(left, float) or isinstance(right, float):
        raise TypeError
    return left >> _shift_count(right)


def _shift_count(count: int) -> int:
    if not 0 <= count <= MAX_BITS:
        raise FoldError(f"it shifts by {count}")
    return count


def _power(left: int | float, right: int | float) -> object:
    if isinstance(left, int) and isinstance(right, int) and right > MAX_BITS:
        if abs(left) > 1:
            raise FoldError("it does not fit in 64 bits")
        right = right % 2 or 2  # powers of -1, 0 and 1 depend on no more than this
    result: object = left**right
    return result


def _bits(operation: Callable[[int, int], int]) -> Callable[[int | float, int | float], object]:
    def apply(left: int | float, right: int | float) -> object:
        if isinstance(left, float) or isinstance(right, float):
            raise TypeError
        return operation(left, right)

    return apply


_COMPARE: dict[type[ast.cmpop], Callable[[int | float, int | float], bool]] = {
    ast.Lt: lambda left, right: left < right,
    ast.LtE: lambda left, right: left <= right,
    ast.Gt: lambda left, right: left > right,
    ast.GtE: lambda left, right: left >= right,
    ast.Eq: lambda left, right: left == right,
    ast.NotEq: lambda left, right: left != right,
}
_BINARY: dict[type[ast.operator], Callable[[int | float, int | float], object]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: _power,
    ast.LShift: _shift_left,
    ast.RShift: _shift_right,
    ast.BitAnd: _bits(lambda left, right: left & right),
    ast.BitOr: _bits(lambda left, right: left | right),
    ast.BitXor: _bits(lambda left, right: left ^ right),
}
