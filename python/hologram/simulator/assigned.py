"""Which locals are assigned on every path, as src/frontend/check/definite_assignment.cc has it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hologram.simulator.context import Context
from hologram.simulator.debugging import is_debugging


class _State:
    def __init__(self, assigned: set[str], reachable: bool = True) -> None:
        self.assigned = assigned
        self.reachable = reachable

    def copy(self, reachable: bool = True) -> _State:
        return _State(set(self.assigned), reachable and self.reachable)

    def join(self, other: _State) -> None:
        """What holds on both paths; one that cannot be taken holds everything."""
        if not other.reachable:
            return
        self.assigned = self.assigned & other.assigned if self.reachable else set(other.assigned)
        self.reachable = True


class Walk:
    """One walk is enough: a loop starts from what was assigned before it; its end adds to that."""

    def __init__(self, context: Context, parameters: set[str]) -> None:
        self._context = context
        symbols = context.symbols.values()
        self._locals = {s.name for s in symbols if s.space == "local" and not s.is_array}
        self._state = _State(set(parameters))
        self._breaks: list[_State] = []

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Raises KernelError; whether the end can be reached."""
        for statement in statements:
            self._statement(statement)
        return self._state.reachable

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.While):
            known = self._context.known.get(node.test)
            self._read(node.test)
            self._loop(node.body, set(), known is True)
        elif isinstance(node, ast.For):
            self._read(node.iter)
            self._loop(node.body, _stores(node.target), False)
        elif isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            if isinstance(node, ast.Return) and node.value is not None:
                self._read(node.value)
            if isinstance(node, ast.Break):
                self._breaks[-1].join(self._state)
            self._state.reachable = False
        elif not is_debugging(node) or _is_print(node):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self._name(node.target)
            self._read(node)
            self._state.assigned |= _stores(node)

    def _if(self, node: ast.If) -> None:
        known = self._context.known.get(node.test)
        if known is not None:
            self.body(node.body if known else node.orelse)
            return
        self._read(node.test)
        before = self._state.copy()
        self.body(node.body)
        after, self._state = self._state, before
        self.body(node.orelse)
        self._state.join(after)

    def _loop(self, body: Sequence[ast.stmt], counter: set[str], endless: bool) -> None:
        self._breaks.append(self._state.copy(not endless))
        self._state.assigned |= counter
        self.body(body)
        self._state = self._breaks.pop()

    def _read(self, node: ast.AST) -> None:
        for child in _inside(node):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                self._name(child)

    def _name(self, node: ast.Name) -> None:
        state = self._state
        if node.id in self._locals and state.reachable and node.id not in state.assigned:
            self._context.error(
                node,
                f"local '{node.id}' may be read before it is assigned; assign it on every path",
            )


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """In the order of the text."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _inside(child)


def _stores(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}


def _is_print(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) == "print"
