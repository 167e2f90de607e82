"""Statements of one function."""

from __future__ import annotations

from hologram.frontend.forms import trees
from hologram.frontend.forms.loops import Loops
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.values import (
    RefusedError,
    Result,
)
from hologram.frontend.syntax_tree import ast, children, stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hologram.frontend.scope import Helper

_LEAVE = (ast.Return, ast.Break, ast.Continue)

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


class Body(Loops):
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

    def filled(self, statements: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
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
        body = self.filled(node.body, node)
        rest = self.filled(node.orelse, node) if node.orelse else []
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
            return [trees.rebuilt(node, test=test, body=self.filled(node.body, node))]
        stop = trees.placed(ast.UnaryOp(ast.Not(), test), node.test)
        leave = trees.placed(ast.If(stop, [trees.placed(ast.Break(), node)], []), node)
        body = [*before, leave, *self.block(node.body)]
        always = trees.placed(ast.Constant(True), node.test)
        return [trees.rebuilt(node, test=always, body=body)]

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
    ast.For: Body.loop,
    ast.Return: Body._return,
    ast.Expr: Body._expression,
    ast.Assert: Body._assert,
}
