"""Calls of atomic functions (as src/frontend/check/call.cc)."""

from __future__ import annotations

import ast

from hologram.simulator.arrays import Site
from hologram.simulator.context import Expr, Symbol
from hologram.simulator.helpers import Helpers
from hologram.simulator.sums import Accesses, Update

_INTEGERS = ("i32", "u32", "i64", "u64")
_FLOATS = ("f16", "bf16", "f32", "f64")
_OF_BITS = ("and", "or", "xor")


class Atomics(Helpers):
    """Expressions with atomic functions."""

    def atomic(self, node: ast.Call, name: str, used: bool) -> Expr:
        """atomic_add(array, index, value) and its relatives, as a statement or a value."""
        op, _, first = name.removeprefix("atomic_").partition("_")  # element 0 of such an array
        count = 4 if op == "cas" else 2 if first else 3
        if len(node.args) != count:
            self.context.error(node, f"{name} takes {count} arguments, not {len(node.args)}")
        symbol = self.context.array(node.args[0])
        if symbol.space == "local":
            self.context.error(
                node,
                f"'{symbol.name}' belongs to one lane, so nothing needs to be atomic; write "
                f"{symbol.name}[i] = ...",
            )
        takes = (first,) if first else (*_INTEGERS, *(() if op in _OF_BITS else _FLOATS))
        if symbol.kind not in takes:
            listed = f"{', '.join(takes[:-1])} or {takes[-1]}" if len(takes) > 1 else takes[0]
            self.context.error(
                node.args[0],
                f"{name} takes an array of {listed}; {symbol.name} is an array of {symbol.kind}",
            )
        position = ast.copy_location(ast.Constant(0), node) if first else node.args[1]
        index = self.index(symbol, position)
        place = f"as the value of {name} on {symbol.name}, an array of {symbol.kind}"
        values = [
            self.convert_silently(self.expression(argument), symbol.kind, "use", place).node
            for argument in node.args[1 if first else 2 :]
        ]
        update = self._update(node, symbol, op, used, [] if first else [position])
        described = self.context.constant(update, node)
        method = "swap" if op == "cas" else "atomic"
        value = ast.copy_location(ast.Tuple(values, ast.Load()), node) if op == "cas" else values[0]
        call = self.context.method(symbol, method, [index, value, described], node)
        return Expr(call, symbol.kind, node)

    def _update(
        self, node: ast.Call, symbol: Symbol, op: str, used: bool, position: list[ast.expr]
    ) -> Update:
        context = self.context
        shown = ", ".join(_inner(context.text(part)) for part in position) or "0"
        line, column = node.lineno, node.col_offset + 1
        site = Site((context.source.path, line, column), f"{symbol.name}[{shown}]", [])
        site.variables = context.variables(position)
        parts = [
            part
            for whole in position
            for part in (whole.elts if isinstance(whole, ast.Tuple) else [whole])
        ]
        alike = all(part in context.alike for part in parts)
        update = Update(site, symbol.kind, op, used, alike and not context.again)
        if symbol.space == "global":
            name = symbol.origin or symbol.name
            context.program.accesses.setdefault(name, Accesses()).updates.append(update)
            context.program.updates.append(update)
        return update


def _inner(text: str) -> str:
    """The indices of a tuple without its parentheses."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
