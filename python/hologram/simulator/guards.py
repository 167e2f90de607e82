"""What conditions around an expression say of unsigned locals: how large they are at least (as
src/frontend/check/guards.cc)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from hologram.simulator import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.simulator.context import Context

_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_LEAVE = (ast.Return, ast.Break, ast.Continue)


class Guards:
    """Facts of one function; a name may have several."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._least: list[tuple[str, int]] = []

    def is_at_least(self, node: ast.expr, value: int) -> bool:
        name = self._unsigned(node)
        return any(known == name and least >= value for known, least in self._least)

    @contextmanager
    def scope(self, condition: ast.expr | None = None, holds: bool = True) -> Iterator[None]:
        """Facts that are learnt inside end with it; the condition is one."""
        count = len(self._least)
        if condition is not None:
            self.learn(condition, holds)
        yield
        del self._least[count:]

    def learn(self, condition: ast.expr, holds: bool) -> None:
        if isinstance(condition, ast.BoolOp):
            if isinstance(condition.op, ast.And) == holds:
                for value in condition.values:
                    self.learn(value, holds)
        elif isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
            self.learn(condition.operand, not holds)
        elif isinstance(condition, ast.Compare):
            self._learn_comparison(condition, holds)
        elif holds and self._unsigned(condition):
            self._add(condition, 1)

    def learn_behind(self, node: ast.If) -> None:
        """What holds behind an `if` of which one side leaves."""
        if node.body and isinstance(node.body[-1], _LEAVE):
            self.learn(node.test, False)
        if node.orelse and isinstance(node.orelse[-1], _LEAVE):
            self.learn(node.test, True)

    def learn_counter(self, name: str, start: int | float | None, step: int | float | None) -> None:
        if isinstance(start, int) and isinstance(step, int) and step > 0:
            self._least.append((name, start))

    def forget(self, names: set[str]) -> None:
        self._least = [(name, 0 if name in names else value) for name, value in self._least]

    def _learn_comparison(self, node: ast.Compare, holds: bool) -> None:
        if len(node.ops) > 1 and not holds:
            return
        operands = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, operands, operands[1:]):  # noqa: B905 (one less)
            kind = type(op) if holds else _NEGATED.get(type(op), type(op))
            if self._number(left) is not None:
                kind, left, right = _TURNED.get(kind, kind), right, left  # noqa: PLW2901
            value = self._number(right)
            if value is None:
                continue
            if kind is ast.Gt:
                self._add(left, value + 1)
            elif kind in (ast.GtE, ast.Eq):
                self._add(left, value)
            elif kind is ast.NotEq and value == 0:
                self._add(left, 1)

    def _add(self, node: ast.expr, value: int) -> None:
        name = self._unsigned(node)
        if name:
            self._least.append((name, value))

    def _unsigned(self, node: ast.expr) -> str:
        symbol = self._context.symbols.get(node.id) if isinstance(node, ast.Name) else None
        is_number = symbol is not None and not symbol.is_array and symbol.const is None
        return symbol.name if is_number and symbol.kind in types.UNSIGNED else ""  # type: ignore[union-attr]

    def _number(self, node: ast.expr) -> int | None:
        value: object = None
        if isinstance(node, ast.Constant):
            value = node.value
        elif isinstance(node, ast.Name):
            symbol = self._context.symbols.get(node.id)
            value = symbol.const if symbol else self._context.scope.values.get(node.id)
        return value if isinstance(value, int) and not isinstance(value, bool) else None
