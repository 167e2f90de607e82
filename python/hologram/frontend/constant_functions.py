"""Functions in constants of a module: `ROOT = math.sqrt(2.0)`, `BLOCKS = math.ceil(N / 16)`.

Python's own functions compute them when compiling, as they do where the file runs as Python.
"""

from __future__ import annotations

import math

from hologram.frontend.constants import FoldError
from hologram.frontend.forms.values import Table
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hologram.frontend.scope import Scope

_BUILT_IN: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "bool": bool,
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
}
_MATH = (
    *("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos"),
    *("atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "hypot", "fabs", "floor"),
    *("ceil", "trunc", "radians", "degrees", "pow", "fmod", "copysign", "gcd", "lcm", "erf"),
    *("erfc", "gamma", "lgamma", "exp2", "cbrt", "isqrt", "ldexp"),
)
# Those of NumPy that have the bits of Python's.
_NUMPY: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "abs": abs,
    "deg2rad": math.radians,
    "float64": float,
}


def apply(
    node: ast.Call, scope: Scope | None, fold: Callable[[ast.expr], int | float]
) -> int | float:
    """The value of a call in a constant; raises FoldError."""
    written = dotted_name(node.func) or ""
    of_table = None if scope is None else _of_table(written, node, scope)
    if of_table is not None:
        return of_table
    function = None if scope is None else _function(written, scope)
    head = written.partition(".")[0]
    if scope is not None and head in ("math", "np", "numpy") and not scope.defines(head):
        raise FoldError(f"`{head}` is not imported")
    meaning = None if scope is None else scope.language_name(node.func)
    if function is None and meaning in _MATH:
        raise FoldError(f"`{meaning}` is for kernels, write math.{meaning}(...)")
    if function is None or node.keywords:
        raise FoldError("it is not made of numbers, earlier constants and operators")
    arguments = [fold(argument) for argument in node.args]
    try:
        value = function(*arguments)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
        raise FoldError(f"{written}: {error}") from None
    if not isinstance(value, (int, float)):
        raise FoldError("it is not a real number")
    if isinstance(value, float) and not math.isfinite(value):
        raise FoldError("it is too large for f64")
    return value


def _function(written: str, scope: Scope) -> Callable[..., Any] | None:
    head, _, name = written.rpartition(".")
    if not head:
        return None if _is_taken(name, scope) else _BUILT_IN.get(name)
    what = scope.others.get(head, "")
    if what == "the module `math`":
        return getattr(math, name, None) if name in _MATH else None
    if what == "the module `numpy`" and name in _MATH and name not in _NUMPY:
        raise FoldError(f"NumPy's `{name}` has other bits elsewhere, write math.{name}(...)")
    return _NUMPY.get(name) if what == "the module `numpy`" else None


def _is_taken(name: str, scope: Scope) -> bool:
    """Whether a built-in name means something else in the file."""
    return scope.defines(name) and name not in scope.aliases


def _of_table(written: str, node: ast.Call, scope: Scope) -> int | float | None:
    """`len(W)`, `sum(W)`"""
    alone = len(node.args) == 1 and not node.keywords
    if not alone or written not in ("len", "sum", "min", "max") or _is_taken(written, scope):
        return None
    name = dotted_name(node.args[0]) or ""
    scope.touch(name)
    table = scope.forms.get(name)
    if not isinstance(table, Table):
        return None
    rows = table.rows
    if written == "len":
        return len(rows)
    numbers = [row for row in rows if isinstance(row, (int, float))]
    if len(numbers) != len(rows):
        raise FoldError(f"`{written}` takes a table of one row")
    if written == "sum":
        return sum(numbers)
    return min(numbers) if written == "min" else max(numbers)
