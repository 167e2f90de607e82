"""Reductions of whole arrays as loops: `np.isnan(x).any()`, `x.max()`, `np.median(x)`."""

from __future__ import annotations

from hologram.frontend.foreign.parts import Parts, copied, replaced, set_to
from hologram.frontend.foreign.temporaries import Temporaries
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.types import Types
    from hologram.frontend.scope import Scope

_REDUCTIONS = ("any", "all", "sum", "mean", "prod", "max", "min", "argmax", "argmin")


class Reductions(Parts):
    def __init__(self, definition: ast.FunctionDef, types: Types, scope: Scope) -> None:
        super().__init__(definition, types, scope)
        self.temporaries = Temporaries(definition, self)

    def stored(
        self, target: ast.expr, value: ast.expr, op: ast.operator | None, node: ast.stmt
    ) -> list[ast.stmt]:
        raise NotImplementedError  # in elements.py

    def loops(
        self,
        counters: list[str],
        ends: list[tuple[ast.expr, ast.expr]],
        inner: ast.stmt,
        at: ast.AST,
    ) -> ast.stmt:
        for counter, (low, high) in reversed(list(zip(counters, ends))):  # noqa: B905
            span = trees.call("range", [copied(low), copied(high)], at)
            inner = trees.placed(ast.For(trees.stored(counter, at), span, [inner], []), at)
        return inner

    def _quantile(self, node: ast.Call, own: str) -> ast.expr:
        whole = trees.placed(ast.Slice(), node)
        target = trees.placed(ast.Subscript(trees.name(own, node), whole, ast.Store()), node)
        self.before += self.stored(target, node.args[0], None, trees.placed(ast.Pass(), node))
        name = self.types.named(node).removeprefix("numpy.")
        at = node.args[1] if len(node.args) > 1 else trees.number(0.5, node)
        function = "nanquantile" if name.startswith("nan") else "quantile"
        return self.of_library(function, [trees.name(own, node), at], node)

    def _reduction(self, node: ast.Call) -> tuple[str, ast.expr | None]:
        """`np.sum(e)`, `e.sum()`, `sum(e)`, `np.linalg.norm(e)`, `np.dot(a, b)`"""
        dotted = dotted_name(node.func) or ""
        head, _, name = dotted.partition(".")
        self.scope.touch(head)
        if head not in self.types.known and "`numpy`" in self.scope.others.get(head, ""):
            if name == "linalg.norm" and len(node.args) == 1:
                return "norm", node.args[0]
            if name in ("nanmax", "nanmin") and len(node.args) == 1:
                return name, node.args[0]
            if name == "dot" and [self.rank(one) for one in node.args] == [1, 1]:
                return "sum", trees.binary(ast.Mult(), node.args[0], node.args[1], node)
            if name in _REDUCTIONS and len(node.args) == 1:
                return name, node.args[0]
        if dotted in ("any", "all", "sum", "min", "max") and len(node.args) == 1:
            return dotted, node.args[0]
        is_method = isinstance(node.func, ast.Attribute) and not node.args
        if isinstance(node.func, ast.Attribute) and is_method and node.func.attr in _REDUCTIONS:
            return node.func.attr, node.func.value
        return "", None

    def _reduced(self, name: str, array: ast.expr, at: ast.expr) -> ast.expr:
        first = self.first(array)
        ends = None if first is None else self.ends_of(first)
        if ends is None or (name.startswith("arg") and len(ends) != 1):
            return at
        counters = [self.fresh.take("_k") for _ in ends]
        part = self.element(array, counters, ends)
        total = self.fresh.take(f"_{name}")
        load = trees.name(total, at)
        start: ast.expr
        inner: ast.stmt
        if name in ("nanmax", "nanmin"):
            start = trees.number(float("nan"), at)
            old = trees.name(total, at)
            better = trees.compared(
                copied(part), ast.Gt() if name == "nanmax" else ast.Lt(), old, at
            )
            none = trees.compared(old, ast.NotEq(), trees.name(total, at), at)
            test = trees.joined(ast.Or(), [none, better], at)
            known = trees.compared(copied(part), ast.Eq(), copied(part), at)
            test = trees.joined(ast.And(), [known, test], at)
            inner = trees.placed(ast.If(test, [set_to(total, part, at)], []), at)
        elif name in ("any", "all"):
            start = trees.number(name == "all", at)
            test = part if name == "any" else trees.placed(ast.UnaryOp(ast.Not(), part), at)
            then: list[ast.stmt] = [set_to(total, trees.number(name == "any", at), at)]
            inner = trees.placed(ast.If(test, then, []), at)
        elif name in ("sum", "mean", "norm", "prod"):
            start = trees.number(1 if name == "prod" else 0, at)
            term = trees.binary(ast.Mult(), part, copied(part), at) if name == "norm" else part
            op = ast.Mult() if name == "prod" else ast.Add()
            inner = trees.placed(ast.AugAssign(trees.stored(total, at), op, term), at)
        else:
            return self._extreme(name, part, counters, ends, at)
        self.before += [set_to(total, start, at), self.loops(counters, ends, inner, at)]
        if name == "norm":
            return trees.call("sqrt", [load], at)
        if name != "mean":
            return load
        count: ast.expr | None = None
        for low, high in ends:
            span = trees.binary(ast.Sub(), copied(high), copied(low), at)
            span = copied(high) if trees.literal(low) == 0 else span
            count = span if count is None else trees.binary(ast.Mult(), count, span, at)
        assert count is not None
        return trees.binary(ast.Div(), load, count, at)

    def _extreme(
        self,
        name: str,
        part: ast.expr,
        counters: list[str],
        ends: list[tuple[ast.expr, ast.expr]],
        at: ast.expr,
    ) -> ast.expr:
        """`max`, `min`, and the place of the first one."""
        best, place = self.fresh.take(f"_{name}"), self.fresh.take("_place")
        greater = ast.Gt() if name.endswith("max") else ast.Lt()
        # The first NaN, if there is one, as NumPy and Numba have it.
        known = trees.name(best, at)
        is_nan = trees.compared(copied(part), ast.NotEq(), copied(part), at)
        first = trees.compared(known, ast.Eq(), trees.name(best, at), at)
        better = trees.compared(copied(part), greater, trees.name(best, at), at)
        test = trees.joined(ast.Or(), [better, trees.joined(ast.And(), [is_nan, first], at)], at)
        then: list[ast.stmt] = [set_to(best, copied(part), at)]
        if name.startswith("arg"):
            index: ast.expr = trees.name(counters[0], at)
            low = ends[0][0]
            if trees.literal(low) != 0:
                index = trees.binary(ast.Sub(), index, copied(low), at)
            then.append(set_to(place, trees.call("i64", [index], at), at))
            self.before.append(set_to(place, trees.call("i64", [trees.number(0, at)], at), at))
        inner: ast.stmt = trees.placed(ast.If(test, then, []), at)
        firsts = {c: low for c, (low, _) in zip(counters, ends)}  # noqa: B905
        self.before.append(set_to(best, replaced(copied(part), firsts), at))
        self.before.append(self.loops(counters, ends, inner, at))
        return trees.name(place if name.startswith("arg") else best, at)
