"""What the walk over one function knows, and how a value comes apart into numbers."""

from __future__ import annotations

from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.values import (
    Array,
    Declared,
    Function,
    Nothing,
    Parts,
    RefusedError,
    Result,
    Table,
    Type,
)
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn, TypeVar

    from hologram.frontend.forms.records import Field, Layout
    from hologram.frontend.forms.shapes import Shape
    from hologram.frontend.forms.values import Value
    from hologram.frontend.scope import Scope

    T = TypeVar("T")


class Place:
    """A number of a record: its field, and the words of the array that hold it."""

    def __init__(self, load: ast.expr, field: Field, layout: Layout, words: list[ast.expr]) -> None:
        self.load = load
        self.field = field
        self.layout = layout
        self.words = words


class Returned:
    """What a function returns, by its first `return` or its annotation."""

    def __init__(self) -> None:
        self.known = False
        self.shape: Shape | None = None  # None: nothing


class Base:
    """The state of the walk."""

    def __init__(self, function: ast.FunctionDef, scope: Scope, parameters: set[str]) -> None:
        self.scope = scope
        words, assigned = trees.words_and_stores(function)
        self.locals = parameters | assigned
        self.fresh = trees.Fresh(words)
        self.env: dict[str, Value] = {}  # vectors, structs and the like, by name
        self.lines: dict[str, int] = {}
        self.poisoned: set[str] = set()  # their assignment was refused
        self.plain_locals: set[str] = set(parameters)
        arguments = (*function.args.posonlyargs, *function.args.args)
        self.annotations = {argument.arg: argument.annotation for argument in arguments}
        self.wide: set[str] = set()  # locals of at least 32 bits, whose product with 4 is too
        self.below: dict[str, int] = {}  # counters from 0 up to a known number, without it
        self.moved = 0  # expressions that were put before their statement
        self.statement: ast.stmt | None = None  # that in hand
        self.before: list[ast.stmt] = []  # statements that come before the one in hand
        self.returned = Returned()
        self.is_helper = False
        self.unrolled = 0  # statements so far
        # Numbers of records, by the id of the expression that loads them (kept alive here).
        self.of_records: dict[int, Place] = {}
        self.waiting: dict[str, Place] = {}  # by the name that is assigned in its place

    # ---- Errors

    def error(self, node: ast.expr | ast.stmt | ast.keyword, message: str) -> NoReturn:
        self.scope.diagnostics.error(node, message)
        raise RefusedError

    def text(self, node: ast.expr) -> str:
        shown = self.scope.source.segment(node)
        return shown if len(shown) <= 40 else shown[:37] + "..."

    # ---- Numbers

    def expression(self, node: ast.expr) -> Value:
        raise NotImplementedError  # in expressions.py

    def is_wide(self, node: ast.expr) -> bool:
        raise NotImplementedError  # in elements.py

    def plain(self, node: ast.expr) -> ast.expr:
        """An expression that is one number, or the name of an array."""
        return self.one(self.expression(node), node)

    def one(self, value: Value, node: ast.expr) -> ast.expr:
        if isinstance(value, ast.expr):
            return value
        if isinstance(value, Array) and value.is_whole and isinstance(value.element, str):
            return trees.name(value.name, node)
        written = self.text(node)
        return self.error(node, f"`{written}` is {self._what(value, written)}")

    def _what(self, value: Value, written: str) -> str:
        if isinstance(value, (Parts, Result)):
            shape = value.shape
            first = shape.fields[0][0]
            field = f"[{first}]" if shape.kind in ("tuple", "matrix") else f".{first}"
            return f"{shapes.described(shape)}; write one of its values, as in `{written}{field}`"
        if isinstance(value, Array):
            return f"an array; write one element, as in `{written}[i]`"
        if isinstance(value, Table):
            return f"a table of constants; write one of them, as in `{written}[0]`"
        if isinstance(value, Function):
            what = "function" if value.helper is None else "helper"
            return f"a {what}; call it, `{written}(...)`"
        if isinstance(value, Declared):
            return "an array; give it a name, `t = local(f32, 16)`"
        if isinstance(value, Type):
            return f"a type; write `{written}(...)`"
        return "`None`; use a number"

    def leaves(self, value: Value, node: ast.expr) -> list[ast.expr]:
        """All numbers of a value."""
        parts = self.parts(value)
        if parts is None:
            return [self.one(value, node)]
        return [leaf for item in parts.items for leaf in self.leaves(item, node)]

    def parts(self, value: Value) -> Parts | None:
        """The value taken apart; the result of a call goes into locals."""
        if not isinstance(value, Result):
            return value if isinstance(value, Parts) else None
        names = [self.fresh.take(f"_{leaf}") for leaf, _ in value.shape.leaves()]
        self.moved += 1
        targets: list[ast.expr] = [trees.stored(name, value.call) for name in names]
        left = targets[0]
        if len(targets) > 1:
            left = trees.placed(ast.Tuple(targets, ast.Store()), value.call)
        self.before.append(trees.placed(ast.Assign([left], value.call), value.call))
        return assembled(value.shape, iter([trees.name(name, value.call) for name in names]))

    def shape_of(self, value: Value) -> Shape:
        return value.shape if isinstance(value, (Parts, Result)) else ""

    # ---- Values that are used more than once

    def simple(self, node: ast.expr, called: str = "_value") -> ast.expr:
        """A number that may be written twice: a name or a literal, else a local with its value."""
        if isinstance(node, ast.Name) or trees.is_literal(node):
            return node
        return self.copied(node, called)

    def copied(self, node: ast.expr, called: str = "_value") -> ast.expr:
        """A local with the value that an expression has now; faults show what it is called."""
        self.moved += not isinstance(node, ast.Name)
        name = self.fresh.take(called)
        if self.is_wide(node):
            self.wide.add(name)
        self.before.append(trees.assignment([trees.stored(name, node)], [node], node))
        return trees.name(name, node)

    def once(self, parts: Parts) -> Parts:
        items: list[Value] = []
        for item in parts.items:
            inner = self.parts(item)
            if inner is not None:
                items.append(self.once(inner))
            else:  # a number, or another name for an array, a function, a table
                items.append(self.simple(item) if isinstance(item, ast.expr) else item)
        return Parts(parts.shape, items)

    def twice(self, node: ast.expr) -> ast.expr:
        """A number that one expression has twice, and nothing is assigned in between."""
        return node if trees.may_repeat(node) else self.simple(node)

    def both(self, z: Parts) -> Parts:
        """The same of a complex number."""
        return Parts(z.shape, [self.twice(part) for part in z.items if isinstance(part, ast.expr)])

    def snapshot(self, value: Value) -> Value:
        """The numbers as they are now, whatever is assigned later."""
        parts = self.parts(value)
        if parts is None:
            is_name = isinstance(value, ast.expr) and not trees.is_literal(value)
            return self.copied(value) if is_name else value  # type: ignore[arg-type]
        return Parts(parts.shape, [self.snapshot(item) for item in parts.items])

    def aside(self, work: Callable[[], T]) -> tuple[list[ast.stmt], T]:
        """The result, and the statements that it needs before it."""
        outer, self.before = self.before, []
        try:
            result = work()
            return self.before, result
        finally:
            self.before = outer


def assembled(shape: Struct, leaves: Iterator[ast.expr]) -> Parts:
    """The opposite of `leaves`."""
    items: list[Value] = []
    for _, inner in shape.fields:
        items.append(next(leaves) if isinstance(inner, str) else assembled(inner, leaves))
    return Parts(shape, items)


def same_shape(a: Shape, b: Shape) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    return a.key == b.key


NOTHING = Nothing()
