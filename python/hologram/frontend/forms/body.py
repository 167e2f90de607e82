"""Statements of one function."""

from __future__ import annotations

from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.assignments import Assignments
from hologram.frontend.forms.base import stores
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.trees import number
from hologram.frontend.forms.values import (
    Array,
    Parts,
    RefusedError,
    Result,
    Table,
)
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hologram.frontend.forms.values import Value
    from hologram.frontend.scope import Helper

_LEAVE = (ast.Return, ast.Break, ast.Continue)
MAX_UNROLLED = 4096  # statements of loops over values in one function


_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.Assert)


def stores_elements(helper: Helper, above: tuple[Helper, ...] = ()) -> bool:
    """Whether a helper, or one that it calls, stores into an array or updates one."""
    pending: list[ast.AST] = list(helper.original.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.Call):
            name = helper.scope.language_name(node.func) or ""
            if name.startswith("atomic_") or name == "barrier":
                return True
            inner = helper.scope.helper(node.func)
            known = inner is None or inner is helper or inner in above
            if inner is not None and not known and stores_elements(inner, (*above, helper)):
                return True
        pending += children(node)
    return False


class Body(Assignments):
    """The walker of statements."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in statements:
            try:
                before, made = self.aside(lambda node=node: self._statement(node))  # type: ignore[misc]
                result += [*before, *made]
                if isinstance(node, ast.If) and made and isinstance(made[-1], _LEAVE):
                    break  # the side of an `if` that is known: nothing comes behind it
            except RefusedError:
                self.poisoned |= {n for n in stores([node]) if n not in self.env}
        return result

    def _filled(self, statements: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
        return self.block(statements) or [trees.placed(ast.Pass(), at)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            return [node]
        outer, self.statement = self.statement, node
        moved = self.moved
        try:
            result: list[ast.stmt] = handler(self, node)
            if self.moved > moved and isinstance(node, _SIMPLE):
                self._refuse_effects(node)
            return result
        finally:
            self.statement = outer

    def _refuse_effects(self, node: ast.stmt) -> None:
        """Where a part of a statement was put before the rest, no call in it may store."""
        value = getattr(node, "value", None)
        pending: list[ast.AST] = [node]
        while pending:
            piece = pending.pop()
            helper = self.scope.helper(piece.func) if isinstance(piece, ast.Call) else None
            if helper is not None and piece is not value and stores_elements(helper):
                assert isinstance(piece, ast.Call)
                self.error(
                    piece,
                    f"`{self.text(piece.func)}` stores into an array; assign its result to a local "
                    "before this statement",
                )
            pending += children(piece)

    # ---- Control flow

    def _if(self, node: ast.If) -> list[ast.stmt]:
        if not node.orelse and _names_later(node.test):
            assert isinstance(node.test, ast.BoolOp)
            inner = node.body  # what is named on the right of `and` is known inside
            for value in reversed(node.test.values):
                inner = [trees.rebuilt(node, test=value, body=inner)]
            return self._statement(inner[0])
        test = self.plain(node.test)
        known = trees.literal(test)
        if isinstance(known, bool) and not isinstance(node.test, ast.Constant):
            return self.block(node.body if known else node.orelse)
        body = self._filled(node.body, node)
        rest = self._filled(node.orelse, node) if node.orelse else []
        return [trees.rebuilt(node, test=test, body=body, orelse=rest)]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        if _names_later(node.test):
            assert isinstance(node.test, ast.BoolOp)
            leaves: list[ast.stmt] = []
            for value in node.test.values:
                stop = trees.placed(ast.UnaryOp(ast.Not(), value), value)
                out = trees.placed(ast.Break(), node)
                leaves.append(trees.placed(ast.If(stop, [out], []), node))
            endless = trees.placed(ast.Constant(True), node.test)
            return self._while(trees.rebuilt(node, test=endless, body=[*leaves, *node.body]))
        before, test = self.aside(lambda: self.plain(node.test))
        if not before:
            return [trees.rebuilt(node, test=test, body=self._filled(node.body, node))]
        stop = trees.placed(ast.UnaryOp(ast.Not(), test), node.test)
        leave = trees.placed(ast.If(stop, [trees.placed(ast.Break(), node)], []), node)
        body = [*before, leave, *self.block(node.body)]
        always = trees.placed(ast.Constant(True), node.test)
        return [trees.rebuilt(node, test=always, body=body)]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        loop = node.iter
        name = (
            loop.func.id if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) else ""
        )
        known = name not in self.locals and self.scope.helper(ast.Name(name, ast.Load())) is None
        if isinstance(loop, ast.Call) and known and name in ("enumerate", "zip"):
            return self._over(self._rows(name, loop), node)
        if isinstance(loop, ast.Call) and name == "range":
            given = [a if isinstance(a, ast.Starred) else self.plain(a) for a in loop.args]
            if isinstance(node.target, ast.Name):
                self.places(node.target, "")
                if all(self.is_wide(a) or trees.is_literal(a) for a in given):
                    self.wide.add(node.target.id)
            if isinstance(node.target, ast.Name):
                self._count_below(node.target.id, given, node.body)
            body = self._filled(node.body, node)
            if isinstance(node.target, ast.Name):
                self.below.pop(node.target.id, None)  # behind the loop it may be assigned
            counted = trees.rebuilt(loop, args=given)
            return [trees.rebuilt(node, iter=counted, body=body)]
        if isinstance(loop, ast.List):
            loop = trees.placed(ast.Tuple(loop.elts, ast.Load()), loop)
        value = self.expression(loop)
        if isinstance(value, Array) and isinstance(node.target, (ast.Name, ast.Tuple)):
            return self._over_array(value, node)
        rows = self._values_of(value, loop)
        if rows is None:
            plain = value if isinstance(value, ast.expr) else node.iter
            return [trees.rebuilt(node, iter=plain, body=self._filled(node.body, node))]
        return self._over(rows, node)

    def _count_below(self, counter: str, given: list[ast.expr], body: list[ast.stmt]) -> None:
        """Bounds of a counter, for indices of tables and vectors."""
        self.below.pop(counter, None)
        ends = [trees.literal(argument) for argument in given]
        first, last = (0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        if not isinstance(first, int) or not isinstance(last, int) or first < 0:
            return
        if len(ends) < 3 and counter not in stores(body):
            self.below[counter] = last

    def _values_of(self, value: Value, at: ast.expr) -> list[Value] | None:
        if isinstance(value, Table):
            return [self._as_value(row, at) for row in value.rows]
        parts = self.parts(value)
        return None if parts is None else list(self.once(parts).items)

    def _rows(self, name: str, call: ast.Call) -> list[Value]:
        """`enumerate(W)`, `zip(W, V)`"""
        columns = []
        for argument in call.args:
            items = self._values_of(self.expression(argument), call)
            if items is None or call.keywords:
                self.error(
                    call,
                    f"`{name}` takes tuples and tables of constants in a kernel; "
                    "write a loop over `range`",
                )
            columns.append(items)
        if name == "enumerate":
            count = len(columns[0]) if columns else 0
            columns.insert(0, [number(k, call) for k in range(count)])
        rows = [list(row) for row in zip(*columns)]  # noqa: B905 (the shortest ends it)
        return [Parts(shapes.tuple_of([self.shape_of(v) for v in row]), row) for row in rows]

    def _over(self, rows: list[Value], node: ast.For) -> list[ast.stmt]:
        """The body once for each value, which is a constant in it, or a local if it is assigned."""
        if _leaves_loop(node.body):
            self.error(
                node,
                "`break` and `continue` in a loop over values are not in the kernel "
                "language; write a loop over `range`",
            )
        if node.orelse:
            return [trees.rebuilt(node, iter=trees.call("range", [number(1, node)], node))]
        result: list[ast.stmt] = []
        for value in [self.snapshot(row) for row in rows]:
            self._set_constant(node.target, value, node)
            result += [*self.before, *self.block(node.body)]
            self.before.clear()
            self.unrolled += len(node.body)
            if self.unrolled > MAX_UNROLLED:
                self.error(
                    node,
                    f"a loop over values is written out, to at most {MAX_UNROLLED} "
                    "statements; write a loop over `range`",
                )
        return result

    def _set_constant(self, target: ast.expr, value: Value, node: ast.For) -> None:
        if isinstance(target, ast.Tuple):
            parts = self.parts(value)
            if parts is None:
                self.error(target, "one value cannot be taken apart")
            self._count(target, len(parts.items))
            for item, part in zip(target.elts, parts.items):  # noqa: B905 (same length)
                self._set_constant(item, part, node)
        elif isinstance(target, ast.Name) and target.id not in stores(node.body):
            if target.id in self.plain_locals:
                self.error(target, f"`{target.id}` is a number elsewhere; use another name")
            self.env[target.id] = value
        else:
            self._bind(target, value, node)

    def _over_array(self, array: Array, node: ast.For) -> list[ast.stmt]:
        """`for v in x`: by its index."""
        array = self.kept(array)
        counter = self.fresh.take("_index")
        self.wide.add(counter)
        stop = self.extent(array, 0, node.iter)
        at = trees.placed(
            ast.Subscript(node.iter, trees.name(counter, node), ast.Load()), node.iter
        )
        before, _ = self.aside(
            lambda: self._bind(
                node.target, self.element(array, trees.name(counter, node), at), node
            )
        )
        counted = trees.call("range", [stop], node.iter)
        body = [*before, *self.block(node.body)]
        return [trees.rebuilt(node, target=trees.stored(counter, node), iter=counted, body=body)]

    # ---- The rest

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        returned = self.returned
        if node.value is None or not self.is_helper:
            plain = None if node.value is None else self.plain(node.value)
            return [trees.rebuilt(node, value=plain)]
        value = self.expression(node.value)
        if not returned.known:
            returned.known, returned.shape = True, self.shape_of(value)
        elif isinstance(returned.shape, Struct):
            value = self.as_field(value, returned.shape, "the result", node.value)
        elif self.shape_of(value) != "":
            self.one(value, node.value)
        leaves = self.leaves(value, node.value)
        whole = leaves[0]
        if len(leaves) > 1:
            whole = trees.placed(ast.Tuple(leaves, ast.Load()), node.value)
        return [trees.rebuilt(node, value=whole)]

    def _expression(self, node: ast.Expr) -> list[ast.stmt]:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return []  # a comment
        named = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
        if named and value.func.id == "print" and "print" not in self.locals:  # type: ignore[attr-defined]
            return [trees.rebuilt(node, value=self._print(value))]  # type: ignore[arg-type]
        if isinstance(value, ast.NamedExpr) or not isinstance(value, ast.Call):
            result = self.expression(value)
            return (
                [node]
                if isinstance(result, ast.expr) and result is value
                else [trees.rebuilt(node, value=self.one(result, value))]
            )
        result = self.expression(value)
        if isinstance(result, Result):
            return [trees.rebuilt(node, value=result.call)]
        plain = self.one(result, value)
        if named and _is_update(value.func.id, plain):  # type: ignore[attr-defined]
            plain = plain.args[1]  # type: ignore[attr-defined]
        return [trees.rebuilt(node, value=plain)]

    def _print(self, call: ast.Call) -> ast.Call:
        arguments: list[ast.expr] = []
        for argument in call.args:
            value = self.expression(argument)
            parts = self.parts(value)
            if parts is None:
                arguments.append(self.one(value, argument))
            else:
                piece = trees.placed(ast.FormattedValue(argument, -1, None), argument)
                pieces = self.shown(parts, piece)
                arguments.append(trees.placed(ast.JoinedStr(pieces), argument))
        return trees.rebuilt(call, args=arguments)

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        message = node.msg
        if isinstance(message, ast.JoinedStr):
            message = self.plain(message)
        return [trees.rebuilt(node, test=self.plain(node.test), msg=message)]


def _names_later(test: ast.expr) -> bool:
    """`a and (y := b) > c`"""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return False
    pending: list[ast.AST] = list(test.values[1:])
    while pending:
        node = pending.pop()
        if isinstance(node, ast.NamedExpr):
            return True
        pending += children(node)
    return False


def _leaves_loop(body: list[ast.stmt]) -> bool:
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, ast.If) and _leaves_loop([*node.body, *node.orelse]):
            return True
    return False


def _is_update(written: str, call: ast.expr) -> bool:
    """`bitcast(i32, atomic_add(words, 3, x))`, where nobody asks for the value."""
    cast = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    return cast and call.func.id == "bitcast" and written.startswith("atomic_")  # type: ignore[attr-defined]


_HANDLERS: dict[type[ast.stmt], Callable[[Body, Any], list[ast.stmt]]] = {
    ast.Assign: Body._assign,
    ast.AnnAssign: Body._annotated,
    ast.AugAssign: Body._augmented,
    ast.If: Body._if,
    ast.While: Body._while,
    ast.For: Body._for,
    ast.Return: Body._return,
    ast.Expr: Body._expression,
    ast.Assert: Body._assert,
}
