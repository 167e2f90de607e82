"""Elements of arrays: `a[i]`, `a[i, j]`, and their shapes (as src/frontend/check/shape.cc)."""

from __future__ import annotations

import ast
import math

from hologram.simulator import types
from hologram.simulator.context import Expr, Symbol
from hologram.simulator.expressions import Expressions


class Elements(Expressions):
    """Expressions with arrays."""

    def element(self, node: ast.Subscript) -> tuple[Symbol, ast.expr, ast.expr]:
        """The array, its index as an expression and the site of an access."""
        symbol = self.context.array(node.value)
        index = self.index(symbol, node.slice)
        return symbol, index, self.context.site(node, self.context.text(node), [node.slice])

    def index(self, symbol: Symbol, position: ast.expr) -> ast.expr:
        """The number of an element; a[i, j] is a[i * stride + j], row by row."""
        nodes = position.elts if isinstance(position, ast.Tuple) else [position]
        values = [self._one_index(node) for node in nodes]
        if len(values) != symbol.rank:
            names = ", ".join("ijkl"[: symbol.rank])
            noun = "dimension" if symbol.rank == 1 else "dimensions"
            self.context.error(
                position,
                f"'{symbol.name}' has {symbol.rank} {noun}; write {symbol.name}[{names}]",
            )
        total: Expr | None = None
        for dimension, value in enumerate(values):
            known = value.const if value.folds else None
            last = dimension + 1 == len(values)
            if known == 0 and not (last and total is None):
                continue  # the first row
            term = value
            if not last:
                stride = self.extent(symbol, "steps", dimension, position)
                term = stride if known == 1 else self.operator("mul", value, stride, position)
            total = term if total is None else self.operator("add", total, term, position)
        assert total is not None
        if total.const is not None and types.is_soft(total.kind):
            return self.convert(total, "u32" if types.fits(total.const, "u32") else "u64").node
        return self.harden(total).node

    def _one_index(self, node: ast.expr) -> Expr:
        value = self.expression(node)
        if not types.is_integer(value.kind):
            hint = "" if value.kind == types.BOOL else "; write u32(...)"
            self.context.error(node, f"an index is an integer, not {types.shown(value.kind)}{hint}")
        if value.const is not None and value.const < 0:
            shown = types.literal_text(value.const)
            self.context.error(
                node,
                f"index {shown} is negative; an index counts from the start, and the last one is "
                "len(a) - 1",
            )
        return value

    def extent(self, symbol: Symbol, what: str, dimension: int, at: ast.expr) -> Expr:
        """`shape` or `steps` of an array in one dimension."""
        if symbol.space != "global":
            first = dimension if what == "shape" else dimension + 1
            behind = symbol.extents[first : first + 1 if what == "shape" else None]
            return self.literal(math.prod(behind), at)
        of_array = ast.Attribute(self.context.name(symbol.name, at), what, ast.Load())
        value = ast.Subscript(of_array, ast.Constant(dimension), ast.Load())
        return Expr(ast.copy_location(value, at), "u32", at)

    def shape(self, node: ast.Attribute) -> list[Expr]:
        """All extents of `a.shape`."""
        symbol = self.context.array(node.value)
        return [self.extent(symbol, "shape", d, node) for d in range(symbol.rank)]

    def _subscript(self, node: ast.Subscript) -> Expr:
        if isinstance(node.value, ast.Attribute):  # a.shape[k]
            extents = self.shape(node.value)
            dimension = self.expression(node.slice).const
            if not isinstance(dimension, int) or not -len(extents) <= dimension < len(extents):
                self.context.error(
                    node.slice,
                    f"in shape[k] k is 0 to {len(extents) - 1}, known at compile time",
                )
            return extents[dimension]
        symbol, index, site = self.element(node)
        return Expr(self.context.method(symbol, "load", [index, site], node), symbol.kind, node)
