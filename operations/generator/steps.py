"""The function of an operation as steps of a circuit (docs/sigmatics.md), in the order in which its
kernel has them, so that hg.fuse and C++ expressions have the bits of the kernel.

A step has a word of the circuit language, a kind of result and sources. Kinds: "t", the type of the
elements; "w", the type to compute in; "c", a condition. Sources: numbers of steps, names of
parameters, or literals as floats or ints. Two words are of no circuit: "wide" is x * f32(1.0), and
"cast" a conversion to the kind of the step. A word that ends in "*" has a form with "_fast".
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from generator.rows import ELEMENTWISE, Elementwise, Row, RowError
from hologram.frontend import names as language

OPERATORS = {
    ast.Add: "merge:add",
    ast.Sub: "merge:sub",
    ast.Mult: "merge:mul",
    ast.Div: "split:div",
}
COMPARISONS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


class Literal(NamedTuple):
    """A number as the function has it: an int is one of any type."""

    value: float


class Value(NamedTuple):
    """What an expression is: a source and its kind, which a literal takes from its partner."""

    source: int | str | Literal
    kind: str


class Step(NamedTuple):
    word: str
    kind: str
    sources: tuple[int | str | Literal, ...]


class _Steps:
    def __init__(self, file: Elementwise, row: Row) -> None:
        self.file, self.row = file, row
        self.steps: list[Step] = []
        self.names = {name: Value(name, "t") for name in (*row.arrays, *row.scalars)}

    def fail(self, node: ast.AST) -> RowError:
        line = getattr(node, "lineno", self.row.function.lineno)
        return RowError(
            f"{ELEMENTWISE}:{line}: error: `{self.row.name}`: `{ast.unparse(node)}` has no step of "
            "a circuit; an operation is made of assignments, expressions and functions of `lang`"
        )

    def add(self, word: str, kind: str, *sources: Value) -> Value:
        self.steps.append(Step(word, kind, tuple(source.source for source in sources)))
        return Value(len(self.steps) - 1, kind)

    def alike(self, *values: Value) -> tuple[str, list[Value]]:
        """The kind of an operation on these, and the values cast to it."""
        kinds = {value.kind for value in values if not isinstance(value.source, Literal)}
        kind = "w" if "w" in kinds else "t"
        return kind, [
            self.add("cast", kind, value)
            if value.kind != kind and not isinstance(value.source, Literal)
            else value
            for value in values
        ]

    def of(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return Value(Literal(node.value), "t")
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            kind, both = self.alike(self.of(node.left), self.of(node.right))
            return self.add(OPERATORS[type(node.op)], kind, *both)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.of(node.operand)
            if isinstance(value.source, Literal):
                return Value(Literal(-value.source.value), "t")
            return self.add("merge:neg", value.kind, value)
        if isinstance(node, ast.IfExp):
            condition = self.condition(node.test)
            kind, both = self.alike(self.of(node.body), self.of(node.orelse))
            return self.add("merge:select", kind, condition, *both)
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.fail(node)

    def name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.file.constants:
            return self.of(self.file.constants[node.id].value)
        raise self.fail(node)

    def condition(self, node: ast.expr) -> Value:
        if (
            not isinstance(node, ast.Compare)
            or len(node.ops) != 1
            or type(node.ops[0]) not in COMPARISONS
        ):
            raise self.fail(node)
        _, both = self.alike(self.of(node.left), self.of(node.comparators[0]))
        return self.add(f"merge:{COMPARISONS[type(node.ops[0])]}", "c", *both)

    def call(self, node: ast.Call) -> Value:
        called = ast.unparse(node.func)
        if node.keywords or not (called == "wide" or called.startswith("lang.")):
            raise self.fail(node)
        if called == "wide":
            return self.add("wide", "w", self.of(node.args[0]))
        name = called.removeprefix("lang.")
        kind, values = self.alike(*(self.of(argument) for argument in node.args))
        fast = "*" if self.row.facts.fast and "fast" in language.KEYWORDS.get(name, ()) else ""
        return self.add(f"merge:{name}{fast}", kind, *values)

    def function(self) -> Value:
        *first, last = self.row.function.body
        for statement in first:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
                raise self.fail(statement)
            self.names[target.id] = self.of(statement.value)
        if not isinstance(last, ast.Return) or last.value is None:
            raise self.fail(last)
        return self.of(last.value)


def steps_of(file: Elementwise, row: Row) -> tuple[Step, ...]:
    """The steps of an operation; the last gives the result."""
    made = _Steps(file, row)
    result = made.function()
    if result.kind == "w":
        result = made.add("cast", "t", result)
    if result.source != len(made.steps) - 1:
        raise made.fail(row.function.body[-1])
    return tuple(made.steps)
