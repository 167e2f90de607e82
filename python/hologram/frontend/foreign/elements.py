"""Expressions of whole arrays as loops: `x[a:b] = e`, and reductions such as `np.isnan(x).any()`.

A loop runs over the elements of the array that is stored, or of the first one that is read; others
are indexed beside it. Slices have no step here. An array that would need memory of its own, as in
`d = a - b`, is left to the compiler, which refuses it.
"""

from __future__ import annotations

from hologram.frontend.foreign.parts import (
    base_of,
    copied,
    from_end,
    listed,
    replaced,
    written,
)
from hologram.frontend.foreign.reductions import Reductions
from hologram.frontend.foreign.types import Elements, Types
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.temporaries import Temporary
    from hologram.frontend.scope import Scope

_UNARY = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "abs", "floor", "ceil", "rint", "sign")


def spread(definition: ast.FunctionDef, types: Types, scope: Scope) -> list[Temporary]:
    """In place; the arrays that the function makes for itself."""
    walk = Walk(definition, types, scope)
    definition.body = walk.block(definition.body)
    return walk.temporaries.found


class Walk(Reductions):
    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in statements:
            made = self._statement(node)
            result += [*self.before, *made]
            self.before = []
        return result

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, (ast.If, ast.For, ast.While)):
            if isinstance(node, ast.If):
                node.test = self.expression(node.test)
            if isinstance(node, ast.For):
                self._over_elements(node)
                node.iter = self.expression(node.iter)
            before, self.before = self.before, []
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            self.before = before
            return [node]
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.Assert)):
            self._value = node.value if isinstance(node, ast.Assign) else None
            self._in_place(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._called(node, node.value)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            made = self.temporaries.made(node)
            if made is not None:
                return [one for statement in made for one in self._statement(statement)]
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and self.rank(node.value) == 1:
                return self._taken_apart(target, node.value, node)
            if isinstance(target, ast.Name):
                found = self.types.of(node.value)
                if isinstance(found, Elements):
                    self.types.known[target.id] = found
            if isinstance(target, ast.Subscript) and self.rank(target):
                return self.stored(target, node.value, None, node)
        if isinstance(node, ast.AugAssign) and self.rank(node.target):
            return self.stored(node.target, node.value, node.op, node)
        return [node]

    def _over_elements(self, node: ast.For) -> None:
        """`for v in x`, `for i, v in enumerate(x)`, `for a, b in zip(x, y)` of arrays of one
        dimension as a loop over a range."""
        loop, targets = node.iter, [node.target]
        arrays = [loop]
        name = dotted_name(loop.func) if isinstance(loop, ast.Call) else ""
        if isinstance(loop, ast.Call) and name in ("enumerate", "zip") and not loop.keywords:
            targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else []
            arrays = list(loop.args)
            is_full = len(targets) == len(arrays) + (name == "enumerate")
            if not is_full or (name == "enumerate" and len(arrays) != 1):
                return
        if len(arrays) == 1 and isinstance(arrays[0], ast.Subscript) and self.rank(arrays[0]) == 1:
            self._over_part(node, arrays[0], targets)
            return
        if not all(isinstance(a, ast.Name) and self.rank(a) == 1 for a in arrays):
            return
        counter = self.fresh.take("_k")
        self.types.known[counter] = "i64"
        index = trees.name(counter, node)
        values: list[ast.expr] = [index] if name == "enumerate" else []
        values += [trees.placed(ast.Subscript(a, index, ast.Load()), node) for a in arrays]
        sizes: list[ast.expr] = [trees.call("len", [copied(a)], node) for a in arrays]
        end = sizes[0] if len(sizes) == 1 else trees.call("min", sizes, node)
        first = [trees.assignment([t], [copied(v)], node) for t, v in zip(targets, values)]  # noqa: B905
        node.target, node.iter = trees.stored(counter, node), trees.call("range", [end], node)
        node.body = [*first, *node.body]

    def _over_part(self, node: ast.For, part: ast.expr, targets: list[ast.expr]) -> None:
        """`for v in x[a:b]`, `for i, v in enumerate(x[a:b])`"""
        ends = self.ends_of(part)
        if ends is None:
            return
        counter = self.fresh.take("_k")
        self.types.known[counter] = "i64"
        low, high = ends[0]
        values: list[ast.expr] = [self.element(part, [counter], ends)]
        if len(targets) == 2:
            values = [
                trees.binary(ast.Sub(), trees.name(counter, node), copied(low), node),
                *values,
            ]
        first = [trees.assignment([t], [v], node) for t, v in zip(targets, values)]  # noqa: B905
        span = [copied(low), copied(high)]
        node.target, node.iter = trees.stored(counter, node), trees.call("range", span, node)
        node.body = [*first, *node.body]

    def _called(self, node: ast.Expr, call: ast.Call) -> list[ast.stmt]:
        """`x.sort()`, `np.sqrt(x, out)`: what a call changes."""
        if isinstance(call.func, ast.Attribute) and self.rank(call.func.value) == 1:
            if call.func.attr == "sort" and not call.args and not call.keywords:
                made = self.of_library("sort", [call.func.value], call)
                return [trees.rebuilt(node, value=made)]
            if call.func.attr == "fill" and len(call.args) == 1 and not call.keywords:
                place = trees.placed(ast.Slice(), node)
                target = trees.placed(ast.Subscript(call.func.value, place, ast.Store()), node)
                return self.stored(target, call.args[0], None, node)
        named = self.types.named(call)
        if (
            named
            and len(call.args) == 2
            and not call.keywords
            and self.types.function(call) in _UNARY
        ):
            value = trees.rebuilt(call, args=call.args[:1])
            into = trees.rebuilt(call.args[1], ctx=ast.Store())
            if isinstance(into, ast.Subscript):
                return [trees.placed(ast.Assign([into], value), node)]
        return [node]

    def _taken_apart(self, target: ast.Tuple, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """`a, b = x` of an array of two elements."""
        ends = self.ends_of(value)
        if ends is None:
            return [node]
        low, high = ends[0]
        count = trees.number(len(target.elts), node)
        self.same_length((trees.number(0, node), count), (low, high), node)
        parts = [self.element(value, [self.any_counter], ends) for _ in target.elts]
        places = [
            low if k == 0 else trees.binary(ast.Add(), copied(low), trees.number(k, node), node)
            for k in range(len(parts))
        ]
        made = [
            replaced(part, {self.any_counter: place})
            for part, place in zip(parts, places)  # noqa: B905 (same length)
        ]
        before, self.before = self.before, []
        return [*before, trees.assignment(list(target.elts), made, node)]

    def stored(
        self, target: ast.expr, value: ast.expr, op: ast.operator | None, node: ast.stmt
    ) -> list[ast.stmt]:
        ends = self.ends_of(target)
        if ends is None or self.rank(value) > self.rank(target):
            return [node]
        if self._overlaps(target, value):
            return self._stored_later(target, value, op, node)
        counters = [self.fresh.take("_k") for _ in ends]
        place = self.element(target, counters, ends)
        if not isinstance(place, ast.Subscript):
            return [node]
        part = self.element(value, counters[len(counters) - self.rank(value) :], ends)
        stored = trees.rebuilt(place, ctx=ast.Store())
        inner: ast.stmt = trees.placed(ast.Assign([stored], part), node)
        if op is not None:
            inner = trees.placed(ast.AugAssign(stored, op, part), node)
        return [self.loops(counters, ends, inner, node)]

    def _stored_later(
        self, target: ast.expr, value: ast.expr, op: ast.operator | None, node: ast.stmt
    ) -> list[ast.stmt]:
        """All of the value before the first store, where it reads what is stored."""
        load = trees.rebuilt(target, ctx=ast.Load())
        own = self.temporaries.like(self.fresh.take("_value"), load)
        if own is None:
            return [node]
        whole = trees.placed(ast.Slice(), node)
        place = trees.placed(ast.Subscript(trees.name(own, node), whole, ast.Store()), node)
        before = self.stored(place, value, None, node)
        return [*before, *self.stored(target, trees.name(own, node), op, node)]

    def _overlaps(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether what is read may be what was stored before: another part of the same array."""
        base, _ = base_of(target)
        name = trees.words(base)
        stored = written(target)
        pending: list[ast.AST] = [value]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Call) and dotted_name(node.func) == "len":
                continue
            if isinstance(node, ast.Attribute) and node.attr in ("shape", "size"):
                continue
            if isinstance(node, ast.expr) and isinstance(self.types.of(node), Elements):
                base = node
                while isinstance(base, ast.Subscript):
                    base = base.value
                inside = isinstance(base, ast.Name) and base.id in name
                if inside and written(node) != stored:
                    return True
                continue
            pending += [
                child
                for field in fields(node)
                for child in listed(getattr(node, field, None))
                if isinstance(child, ast.AST)
            ]
        return False

    def _in_place(self, node: ast.AST) -> None:
        for field in fields(node):
            value = getattr(node, field, None)
            if isinstance(value, list):
                setattr(
                    node,
                    field,
                    [self.expression(v) if isinstance(v, ast.expr) else v for v in value],
                )
            elif isinstance(value, ast.expr):
                setattr(node, field, self.expression(value))

    def expression(self, node: ast.expr) -> ast.expr:
        """With each reduction in it as a local, made by statements before."""
        self._in_place(node)
        if isinstance(node, ast.Subscript):
            return self._counted(node)
        if not isinstance(node, ast.Call) or node.keywords:
            return node
        if node is not self._value and self.temporaries.is_filled(node):
            target = trees.stored(self.fresh.take("_made"), node)
            made = self.temporaries.made(trees.placed(ast.Assign([target], node), node))
            if made is not None:
                self.before += made
                return trees.name(target.id, node)
        own = self.temporaries.sorted_copy(node)
        if own is not None:
            return self._quantile(node, own)
        name, array = self._reduction(node)
        if array is None or not self.rank(array):
            return node
        return self._reduced(name, array, node)

    def _counted(self, node: ast.Subscript) -> ast.expr:
        """`x[-1]` as an index from the beginning."""
        found = self.types.of(node.value)
        if not isinstance(node.value, ast.Name) or not isinstance(found, Elements):
            return node
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        made: list[ast.expr] = []
        for k, place in enumerate(places):
            shape = trees.placed(ast.Attribute(node.value, "shape", ast.Load()), node)
            size = trees.placed(ast.Subscript(shape, trees.number(k, node), ast.Load()), node)
            made.append(from_end(place, size))
        is_tuple = isinstance(node.slice, ast.Tuple)
        inner = trees.rebuilt(node.slice, elts=made) if is_tuple else made[0]
        return trees.rebuilt(node, slice=inner)
