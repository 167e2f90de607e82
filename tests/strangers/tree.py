"""The tree of a random kernel, and its source text. Every expression knows its type.

Statements get the number of their line when a program is written out; the model names faults by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass
class Expr:
    type: str


@dataclass
class Lit(Expr):
    """A number; `bare` without a cast, beside a typed operand."""

    value: int | float
    bare: bool = False


@dataclass
class Var(Expr):
    name: str


@dataclass
class Bin(Expr):
    """+ - * / // % & | ^ << >>; `work` is the type in which it is computed."""

    op: str
    a: Expr
    b: Expr
    work: str


@dataclass
class Un(Expr):
    op: str  # - ~ not
    a: Expr


@dataclass
class Cmp(Expr):
    """`a < b` or a chain `a <= b < c`; `work` is the type of the comparison."""

    ops: list[str]
    operands: list[Expr]
    work: str


@dataclass
class Logic(Expr):
    op: str  # and, or
    a: Expr
    b: Expr


@dataclass
class Cond(Expr):
    condition: Expr
    a: Expr
    b: Expr


@dataclass
class Call(Expr):
    """min max select abs sqrt fma floor ceil round trunc."""

    name: str
    args: list[Expr]


@dataclass
class Power(Expr):
    a: Expr
    n: int


@dataclass
class Cast(Expr):
    a: Expr


@dataclass
class Load(Expr):
    array: str
    index: list[Expr]


@dataclass
class Size(Expr):
    """`len(a)`, or `a.shape[k]`."""

    array: str
    axis: int = -1


@dataclass
class Id(Expr):
    """get_global_id and the like; dimension -1 writes no argument."""

    name: str
    dim: int


@dataclass
class AtomicValue(Expr):
    op: str
    array: str
    index: list[Expr]
    value: Expr
    total: bool = False  # once for the launch, by the tree of docs/isa.md


@dataclass
class BlockValue(Expr):
    """block_reduce_op or block_scan_op."""

    form: str
    op: str
    a: Expr


@dataclass
class HelperCall(Expr):
    name: str
    args: list[Expr]
    arrays: list[str]


@dataclass
class Stmt:
    line: int = field(default=0, init=False)


@dataclass
class Assign(Stmt):
    """`name = e`, with a type if `declared`, or `name op= e`."""

    name: str
    value: Expr
    type: str
    declared: bool = False
    op: str = ""


@dataclass
class Swap(Stmt):
    names: list[str]
    values: list[Expr]


@dataclass
class Store(Stmt):
    array: str
    index: list[Expr]
    value: Expr
    op: str = ""


@dataclass
class AtomicDo(Stmt):
    value: AtomicValue


@dataclass
class If(Stmt):
    condition: Expr
    then: list[Stmt]
    other: list[Stmt]


@dataclass
class For(Stmt):
    name: str
    type: str
    args: list[Expr]
    body: list[Stmt]


@dataclass
class While(Stmt):
    condition: Expr
    body: list[Stmt]


@dataclass
class Jump(Stmt):
    word: str  # break, continue, return


@dataclass
class Return(Stmt):
    """Of a helper."""

    value: Expr


@dataclass
class Check(Stmt):
    condition: Expr
    text: str


@dataclass
class Barrier(Stmt):
    pass


@dataclass
class Array:
    """An array parameter, or a shared or local array with extents. `role`: in, index, limit (of
    ids, to which arrays fit), out, sum, or total (floats that a launch adds up)."""

    name: str
    type: str
    role: str
    rank: int = 0
    extents: tuple[int, ...] = ()


@dataclass
class Helper:
    name: str
    params: list[tuple[str, str]]
    arrays: list[tuple[str, str]]  # name, element type
    result: str
    body: list[Stmt]
    line: int = 0


@dataclass
class Program:
    seed: int
    kind: str
    dims: int
    block: int | None
    arrays: list[Array]
    memory: list[Array]  # shared and local ones; role is "shared" or "local"
    scalars: list[tuple[str, str]]
    helpers: list[Helper]
    body: list[Stmt]
    racy: bool = False  # asks for deterministic=False
    name: str = "k"
    risky: list[str] = field(default_factory=list)  # arrays behind a division that may be by 0


def children(statement: Stmt) -> list[list[Stmt]]:
    if isinstance(statement, If):
        return [statement.then, statement.other]
    if isinstance(statement, For | While):
        return [statement.body]
    return []


def all_bodies(body: list[Stmt]) -> Iterator[list[Stmt]]:
    yield body
    for statement in body:
        for inner in children(statement):
            yield from all_bodies(inner)


def slots(node: Any) -> Iterator[tuple[Any, Any]]:
    """Places (container, key) of all expressions below a statement or expression, outer ones first."""
    for f in fields(node):
        value = getattr(node, f.name)
        if isinstance(value, Expr):
            yield node, f.name
            yield from slots(value)
        elif isinstance(value, list):
            for k, item in enumerate(value):
                if isinstance(item, Expr):
                    yield value, k
                    yield from slots(item)


def get(place: tuple[Any, Any]) -> Expr:
    container, key = place
    value: Expr = container[key] if isinstance(container, list) else getattr(container, key)
    return value


def float_text(value: float) -> str:
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def _places(index: list[Expr]) -> str:
    return ", ".join(text(e) for e in index)


def _call_text(e: Expr) -> str | None:
    if isinstance(e, Call):
        return f"{e.name}({_places(e.args)})"
    if isinstance(e, AtomicValue):
        places = _places(e.index)
        place = f"({places})" if len(e.index) > 1 else places
        return f"atomic_{e.op}({e.array}, {place}, {text(e.value)})"
    if isinstance(e, BlockValue):
        return f"block_{e.form}_{e.op}({text(e.a)})"
    if isinstance(e, HelperCall):
        return f"{e.name}({', '.join([*e.arrays, *(text(a) for a in e.args)])})"
    if isinstance(e, Id):
        return f"{e.name}({e.dim if e.dim >= 0 else ''})"
    if isinstance(e, Cast):
        return f"{e.type}({text(e.a)})"
    if isinstance(e, Size):
        return f"len({e.array})" if e.axis < 0 else f"{e.array}.shape[{e.axis}]"
    return None


def text(e: Expr) -> str:
    """The expression as source; operators are always in parentheses."""
    if isinstance(e, Lit):
        number = float_text(e.value) if isinstance(e.value, float) else str(e.value)
        return number if e.bare else f"{e.type}({number})"
    if isinstance(e, Var):
        return e.name
    if isinstance(e, Bin | Logic):
        return f"({text(e.a)} {e.op} {text(e.b)})"
    if isinstance(e, Un):
        return f"(not {text(e.a)})" if e.op == "not" else f"({e.op}{text(e.a)})"
    if isinstance(e, Cmp):
        rest = "".join(f" {op} {text(x)}" for op, x in zip(e.ops, e.operands[1:]))
        return f"({text(e.operands[0])}{rest})"
    if isinstance(e, Cond):
        return f"({text(e.a)} if {text(e.condition)} else {text(e.b)})"
    if isinstance(e, Power):
        return f"({text(e.a)} ** {e.n})"
    if isinstance(e, Load):
        return f"{e.array}[{_places(e.index)}]"
    result = _call_text(e)
    assert result is not None, e
    return result


class Writer:
    def __init__(self, first_line: int = 1) -> None:
        self.lines: list[str] = []
        self.first = first_line

    @property
    def next(self) -> int:
        return self.first + len(self.lines)

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def _simple(self, s: Stmt) -> str:
        if isinstance(s, Assign):
            if s.op:
                return f"{s.name} {s.op}= {text(s.value)}"
            return (
                f"{s.name}: {s.type} = {text(s.value)}"
                if s.declared
                else f"{s.name} = {text(s.value)}"
            )
        if isinstance(s, Swap):
            return f"{', '.join(s.names)} = {_places(s.values)}"
        if isinstance(s, Store):
            return f"{s.array}[{_places(s.index)}] {s.op}= {text(s.value)}"
        if isinstance(s, AtomicDo):
            return text(s.value)
        if isinstance(s, Jump):
            return s.word
        if isinstance(s, Return):
            return f"return {text(s.value)}"
        if isinstance(s, Check):
            return f"assert {text(s.condition)}" + (f', "{s.text}"' if s.text else "")
        assert isinstance(s, Barrier), s
        return "barrier()"

    def block(self, depth: int, body: list[Stmt]) -> None:
        if not body:
            self.put(depth, "pass")
        for s in body:
            s.line = self.next
            if isinstance(s, If):
                self.put(depth, f"if {text(s.condition)}:")
                self.block(depth + 1, s.then)
                if s.other:
                    self.put(depth, "else:")
                    self.block(depth + 1, s.other)
            elif isinstance(s, For):
                self.put(depth, f"for {s.name} in range({_places(s.args)}):")
                self.block(depth + 1, s.body)
            elif isinstance(s, While):
                self.put(depth, f"while {text(s.condition)}:")
                self.block(depth + 1, s.body)
            else:
                self.put(depth, self._simple(s))

    def helper(self, h: Helper) -> None:
        self.put(0, "@inline")
        params = [*(name for name, _ in h.arrays), *(f"{name}: {t}" for name, t in h.params)]
        self.put(0, f"def {h.name}({', '.join(params)}) -> {h.result}:")
        self.block(1, h.body)
        self.put(0, "")

    def program(self, p: Program) -> None:
        for h in p.helpers:
            self.helper(h)
        if p.block is not None:
            self.put(0, f"@kernel(block={p.block})")
        params = []
        for a in p.arrays:
            rank = f", {a.rank}" if a.rank else ""
            params.append(f"{a.name}: DeviceArray[{a.type}{rank}]")
        params += [f"{name}: {t}" for name, t in p.scalars]
        self.put(0, f"def {p.name}({', '.join(params)}):")
        for m in p.memory:
            extents = m.extents[0] if len(m.extents) == 1 else m.extents
            self.put(1, f"{m.name} = {m.role}({m.type}, {extents})")
        self.block(1, p.body)
        self.put(0, "")


HEADER = "from hologram.lang import *\n"


def source(p: Program) -> str:
    """A whole file; sets the lines of all statements."""
    writer = Writer(HEADER.count("\n") + 1)
    writer.program(p)
    return HEADER + "\n".join(writer.lines)
