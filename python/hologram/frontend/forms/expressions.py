"""All other expressions."""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.base import NOTHING, assembled
from hologram.frontend.forms.several import Several
from hologram.frontend.forms.shapes import BUILT_IN
from hologram.frontend.forms.signatures import form_of
from hologram.frontend.forms.trees import number
from hologram.frontend.forms.values import Function, Made, Nothing, Parts, RefusedError, is_plain
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hologram.frontend.forms.values import Value


class Expressions(Several):
    """The walker of expressions."""

    def expression(self, node: ast.expr) -> Value:
        handler = _HANDLERS.get(type(node))
        return node if handler is None else handler(self, node)

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.env:
            return self.env[name]
        if name in self.locals:
            if name in self.poisoned:
                raise RefusedError
            return trees.rebuilt(node)
        helper = self.scope.helper(node)
        if helper is not None:
            return Function(helper, name)
        if name in self.scope.values:
            return node
        found = self.struct_named(node)
        if found is not None:
            return found
        meaning = self.scope.language_name(node)
        if meaning in names.MATH:
            return Function(None, meaning)
        return node

    def _attribute(self, node: ast.Attribute) -> Value:
        dotted = dotted_name(node) or ""
        if dotted.partition(".")[0] in self.poisoned:
            raise RefusedError
        if dotted and dotted.partition(".")[0] not in self.locals:
            self.scope.touch(dotted)
            helper = self.scope.helper(node)
            if helper is not None:
                return Function(helper, dotted)
            found = self.struct_named(node)
            if found is None and self._of_constant(node.value):
                return self.field(self.expression(node.value), node.attr, node)
            return node if found is None else found
        if dotted.partition(".")[0] in self.env or not dotted:
            value = self.expression(node.value)
            if not isinstance(value, ast.Name):
                return self.field(value, node.attr, node)
        return node

    def _of_constant(self, node: ast.expr) -> bool:
        """Whether it names a constant of several numbers, or a part of one."""
        inner = isinstance(node, ast.Attribute) and self._of_constant(node.value)
        return inner or isinstance(form_of(node, self.scope), Made)

    def _subscript(self, node: ast.Subscript) -> Value:
        return self.subscript(node)

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.expression(node.left), self.expression(node.right)
        if is_plain(left) and is_plain(right):
            plain = trees.rebuilt(node, left=left, right=right)
            return plain if trees.is_literal(node.right) else _without_sign(plain)
        if self.shape_of(left) == "":
            left = self.one(left, node.left)
        if self.shape_of(right) == "":
            right = self.one(right, node.right)
        if isinstance(left, ast.expr) and isinstance(right, ast.expr):
            return trees.rebuilt(node, left=left, right=right)
        return self.operate(node.op, left, right, node)

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.expression(node.operand)
        if is_plain(value):
            known = trees.literal(value) if isinstance(node.op, ast.Not) else None  # type: ignore[arg-type]
            if isinstance(known, bool):
                return number(not known, node)
            return trees.rebuilt(node, operand=value)
        parts = self.parts(value)
        if parts is None or not parts.shape.is_arithmetic or isinstance(node.op, ast.Not):
            what = shapes.described(self.shape_of(value))
            self.error(node, f"this operator takes a number or a vector, not {what}")
        return self.elementwise([parts], node, lambda row: trees.rebuilt(node, operand=row[0]))

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self._is(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self.within(node)
        values = [self.expression(item) for item in (node.left, *node.comparators)]
        if all(map(is_plain, values)):
            return trees.rebuilt(node, left=values[0], comparators=values[1:])
        if len(values) == 2 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            if any(isinstance(value, Nothing) for value in values):
                self.error(node, "write `is None`")
            return self.equal(node.ops[0], values[0], values[1], node)
        for value, item in zip(values, (node.left, *node.comparators)):  # noqa: B905 (same)
            self.one(value, item)
        return node

    def _is(self, node: ast.Compare) -> Value:
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        for none, other in ((left, right), (right, left)):
            if isinstance(none, Nothing):
                same = isinstance(other, Nothing)
                return number(same == isinstance(node.ops[0], ast.Is), node)
        return node

    def _bool(self, node: ast.BoolOp) -> Value:
        """The right side is evaluated only where it is needed, with all that comes before it."""
        stop = isinstance(node.op, ast.Or)
        values: list[ast.expr] = []
        for place, item in enumerate(node.values):
            before, value = self.aside(lambda item=item: self.plain(item))  # type: ignore[misc]
            known = trees.literal(value)
            if isinstance(known, bool):
                if known is stop:
                    return trees.joined(node.op, [*values, value], node)
                continue
            if before and not values:
                self.before += before
            elif before:
                rest = trees.rebuilt(node, values=node.values[place:])
                return self._if_needed(node, values, rest)
            values.append(value)
        return trees.joined(node.op, values, node) if values else number(not stop, node)

    def _if_needed(self, node: ast.BoolOp, values: list[ast.expr], rest: ast.BoolOp) -> ast.expr:
        result = self.fresh.take("_test")
        first = trees.joined(node.op, values, node)
        self.before.append(trees.assignment([trees.stored(result, node)], [first], node))
        items = rest.values
        inner: ast.expr = items[0] if len(items) == 1 else rest
        before, value = self.aside(lambda: self.plain(inner))
        before.append(trees.assignment([trees.stored(result, node)], [value], node))
        test: ast.expr = trees.name(result, node)
        if isinstance(node.op, ast.Or):
            test = trees.placed(ast.UnaryOp(ast.Not(), test), node)
        self.before.append(trees.placed(ast.If(test, before, []), node))
        return trees.name(result, node)

    def _conditional(self, node: ast.IfExp) -> Value:
        test = self.plain(node.test)
        known = trees.literal(test)
        if isinstance(known, bool):
            return self.expression(node.body if known else node.orelse)
        sides = [self.aside(lambda n=n: self._side(n)) for n in (node.body, node.orelse)]  # type: ignore[misc]
        (first, taken), (second, other) = sides
        if not first and not second:
            if is_plain(taken) and is_plain(other):
                return trees.rebuilt(node, test=test, body=taken, orelse=other)
            return self.choose(self.simple(test), taken, other, node)
        a, b = self.leaves(taken, node), self.leaves(other, node)
        if len(a) != len(b):
            self.choose(test, taken, other, node)
        held = [self.fresh.take("_value") for _ in a]
        for side, leaves in ((first, a), (second, b)):
            targets: list[ast.expr] = [trees.stored(name, node) for name in held]
            side.append(trees.assignment(targets, leaves, node))
        self.before.append(trees.placed(ast.If(test, first, second), node))
        parts = self.parts(taken)
        kept = iter([trees.name(name, node) for name in held])
        if parts is None:
            return next(kept)
        return assembled(parts.shape, kept)

    def _side(self, node: ast.expr) -> Value:
        value = self.expression(node)
        parts = self.parts(value)
        return value if parts is None else parts

    def _tuple(self, node: ast.Tuple) -> Value:
        items = [self.expression(item) for item in node.elts]
        return Parts(shapes.tuple_of([self.shape_of(item) for item in items]), items)

    def _constant(self, node: ast.Constant) -> Value:
        if node.value is None:
            return NOTHING
        if isinstance(node.value, complex):
            items: list[Value] = [number(node.value.real, node), number(node.value.imag, node)]
            return Parts(BUILT_IN["complex64"], items)
        return node

    def _lambda(self, node: ast.Lambda) -> Value:
        """A function of its parameters alone, as an argument."""
        around = (trees.words(node.body) - {a.arg for a in node.args.args}) & self.locals
        if around:
            name = min(around)
            self.error(
                node,
                f"a lambda sees its parameters and constants only, not `{name}`; give "
                "it a parameter",
            )
        return Function(self.scope.link.anonymous(node, self.scope), "lambda")

    def _named(self, node: ast.NamedExpr) -> Value:
        """`(y := f(x))`: an assignment before the statement, and the local."""
        target = node.target
        self._refuse_earlier(target)
        value = self.expression(node.value)
        self.bind(target, value, node)
        return self.expression(trees.name(target.id, node))

    def _refuse_earlier(self, target: ast.Name) -> None:
        """`y + (y := x)` reads y before, and the assignment comes before the statement."""
        pending: list[ast.AST] = [] if self.statement is None else [self.statement]
        here = (target.lineno, target.col_offset)
        while pending:
            node = pending.pop()
            same = isinstance(node, ast.Name) and node.id == target.id and node is not target
            if same and isinstance(node.ctx, ast.Load) and _place(node) < here:  # type: ignore[attr-defined]
                self.error(
                    node,  # type: ignore[arg-type]
                    f"`{target.id}` is read before `:=` assigns it in one statement; assign it on "
                    "a line of its own",
                )
            pending += children(node)

    def bind(self, target: ast.expr, value: Value, at: ast.expr) -> None:
        raise NotImplementedError  # in body.py

    def _joined(self, node: ast.JoinedStr) -> Value:
        pieces: list[ast.expr] = []
        for piece in node.values:
            if isinstance(piece, ast.FormattedValue):
                pieces += self.shown(self.expression(piece.value), piece)
            else:
                pieces.append(piece)
        return trees.rebuilt(node, values=pieces)

    def shown(self, value: Value, piece: ast.FormattedValue) -> list[ast.expr]:
        """A value in a text: `vec3(1.0, 2.0, 3.0)`."""
        parts = self.parts(value)
        if parts is None:
            return [trees.rebuilt(piece, value=self.one(value, piece.value))]
        if piece.format_spec is not None:
            self.error(piece.value, "a value of several numbers has no format; write each number")
        opening = "(" if parts.shape.kind == "tuple" else f"{parts.shape.name}("
        pieces: list[ast.expr] = [trees.placed(ast.Constant(opening), piece)]
        for place, ((field, _), item) in enumerate(zip(parts.shape.fields, parts.items)):  # noqa: B905
            label = f"{field}=" if parts.shape.kind == "struct" else ""
            separator = (", " if place else "") + label
            if separator:
                pieces.append(trees.placed(ast.Constant(separator), piece))
            pieces += self.shown(item, piece)
        return [*pieces, trees.placed(ast.Constant(")"), piece)]


def _without_sign(node: ast.BinOp) -> ast.BinOp:
    """`y + dy` is `y - 1` where dy is -1 of a table: so it is for unsigned y, too."""
    turned: ast.operator | None = None
    if isinstance(node.op, (ast.Add, ast.Sub)):
        turned = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    value = trees.literal(node.right)
    if turned is None or not isinstance(value, int) or not -(1 << 31) < value < 0:
        return node
    return trees.rebuilt(node, op=turned, right=number(-value, node.right))


def _place(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


_HANDLERS: dict[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._bool,
    ast.IfExp: Expressions._conditional,
    ast.Tuple: Expressions._tuple,
    ast.Constant: Expressions._constant,
    ast.NamedExpr: Expressions._named,
    ast.Lambda: Expressions._lambda,
    ast.JoinedStr: Expressions._joined,
    ast.Call: Expressions.call,
}
