"""What all lanes of a launch compute alike, and what a lane does at most once.

An addition of floats at such an index and outside of loops is a sum over the launch (sums.py). The
rules are those of src/verify/launch_sums.cc, by the syntax tree instead of the instructions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hologram.simulator import types
from hologram.simulator.context import Context, Expr

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_CALLS = ("min", "max", "get_block_dim", "get_grid_dim", "len", *types.NUMBERS)


def note(context: Context, node: ast.expr, value: Expr) -> None:
    """Remembers an expression whose parts have been noted before, if lanes compute it alike."""
    if value.const is not None or _is_alike(context, node, value):
        context.alike.add(node)


def _is_alike(context: Context, node: ast.expr, value: Expr) -> bool:
    alike = context.alike
    if isinstance(node, ast.Name):
        symbol = context.symbols[node.id]
        return not symbol.is_array and (symbol.space == "parameter" or symbol.alike)
    if isinstance(node, ast.BinOp):
        return {node.left, node.right} <= alike and _is_simple(node, value)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.UAdd) and node.operand in alike
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute)  # a.shape[k]
    if not isinstance(node, ast.Call):
        return False
    if context.scope.helper(node.func) is not None:
        return node in alike  # as helpers.py found
    if not isinstance(node.func, ast.Name):
        return False
    name = node.func.id
    name = context.scope.aliases.get(name, name)
    if name == "len":
        return True
    return name in _CALLS and all(argument in alike for argument in node.args)


def _is_simple(node: ast.BinOp, value: Expr) -> bool:
    """One of the few instructions that are followed."""
    if isinstance(node.op, _OPERATORS):
        return True
    if isinstance(node.op, ast.Div):
        return True
    if isinstance(node.op, ast.Pow):
        return value.kind in types.INTEGERS  # products
    if value.kind in types.UNSIGNED:
        return True
    # To round down takes a comparison, but for a shift.
    divisor = node.right.value if isinstance(node.right, ast.Constant) else 0
    power = isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0
    return power and value.kind in types.SIGNED


def assigned(body: Sequence[ast.stmt]) -> set[str]:
    """The locals that statements assign."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


class Flow:
    """Whether a lane that is at a statement may come there again, by what may follow it."""

    def __init__(self, falls: bool, breaks: bool, continues: bool, returns: bool) -> None:
        self.falls = falls  # the end of the statements that are looked at is in a loop
        self.breaks = breaks
        self.continues = continues
        self.returns = returns

    def at(self, rest: Sequence[ast.stmt]) -> bool:
        """`rest` comes before that end."""
        ways = outcomes(rest)
        return (
            (self.falls and "next" in ways)
            or (self.breaks and "break" in ways)
            or (self.continues and "continue" in ways)
            or (self.returns and "return" in ways)
        )

    def inside(self, again: bool) -> Flow:
        """That of the blocks of an `if`, which may come again."""
        return Flow(again, self.breaks, self.continues, self.returns)

    def of_loop(self, again: bool) -> Flow:
        return Flow(True, again, True, self.returns)


def outcomes(body: Sequence[ast.stmt]) -> set[str]:
    """How statements may end: "next", "break", "continue", "return"."""
    ways: set[str] = set()
    for statement in body:
        own = _outcomes_of(statement)
        ways |= own - {"next"}
        if "next" not in own:
            return ways
    return ways | {"next"}


def _outcomes_of(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Return):
        return {"return"}
    if isinstance(statement, ast.Break):
        return {"break"}
    if isinstance(statement, ast.Continue):
        return {"continue"}
    if isinstance(statement, ast.If):
        return outcomes(statement.body) | outcomes(statement.orelse)
    if isinstance(statement, (ast.For, ast.While)):
        inner = outcomes(statement.body)
        test = statement.test if isinstance(statement, ast.While) else None
        endless = isinstance(test, ast.Constant) and test.value is True
        ends = not endless or "break" in inner
        return (inner & {"return"}) | ({"next"} if ends else set())
    return {"next"}
