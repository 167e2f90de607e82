"""What the translation of one function knows: its names and their types, and how code is made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeGuard, TypeVar

from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.scope import Scope
from hologram.simulator import mathematics, types
from hologram.simulator.arrays import Lane, Site
from hologram.simulator.errors import KernelError
from hologram.simulator.guards import Guards
from hologram.simulator.scalars import OPS
from hologram.simulator.sums import Accesses, Update
from hologram.simulator.widening import Origin, Widenings, stated

T = TypeVar("T")
# Of the names that a translated function uses beside its own: no kernel can have such a name.
PREFIX = "_hg."


@dataclass
class Symbol:
    """A name of the function."""

    name: str
    kind: str
    is_array: bool = False
    space: str = "scalar"  # scalar, local; of arrays: global, shared, local
    const: int | float | None = None  # a parameter whose argument is known
    line: int = 0
    rank: int = 1  # of an array
    extents: tuple[int, ...] = ()  # of a shared or local array
    origin: str = ""  # of an array in a helper: the kernel's parameter
    alike: bool = False  # a local that has one value in all lanes of a launch now
    stated: bool = True  # the kernel wrote its type
    by_default: bool = False  # a literal that a helper was passed, f32 for want of another type
    made: int = 0  # what a local that is a float may be made of: widening.py
    values: tuple[int, int] | None = None  # the least and the largest, of a counter


@dataclass
class Choice:
    """Two literals of which one is taken when the kernel runs."""

    values: tuple[Expr, Expr]
    build: Callable[[Expr, Expr], Expr]


@dataclass
class Expr:
    """An expression: the code that computes it, its type and what is known of it."""

    node: ast.expr
    kind: str
    at: Any  # the syntax node that it comes from
    const: int | float | None = None
    choice: Choice | None = None
    product: tuple[ast.expr, ast.expr] | None = None  # a float product: what contract= fuses
    origin: Origin = stated  # what a float may be made of
    # The same in f64, of what is f32 only because nothing gave it another type.
    wider: Callable[[], Expr] | None = None
    # The same as another integer: `1 << k`, of the type of k until it meets another.
    follows: Callable[[str], Expr] | None = None
    cast: bool = False  # the kernel wrote its type
    mixed: ast.expr | None = None  # the i32 that made it an i64, beside a u32
    values: tuple[int, int] | None = None  # the least and the largest, where both are known

    @property
    def folds(self) -> bool:
        """True for a literal that has no type yet."""
        return self.const is not None and (types.is_soft(self.kind) or self.kind == types.BOOL)


@dataclass
class Program:
    """All functions of one kernel for one choice of types, and what they refer to."""

    lane: Lane
    contract: bool = False
    names: dict[str, Any] = field(default_factory=dict)  # of the translated functions
    functions: list[tuple[str, ast.stmt]] = field(default_factory=list)  # with their files
    titles: dict[str, str] = field(default_factory=dict)  # name of a function -> that in the source
    calling: list[str] = field(default_factory=list)  # helpers
    written: set[str] = field(default_factory=set)  # arrays of the launch, by argument
    # Arrays whose elements are all different, and the error where one is written.
    unique: dict[str, Callable[[], NoReturn]] = field(default_factory=dict)
    uses_grid: bool = False  # the size of the launch
    uses_block: bool = False  # that of a block
    highest_dimension: int = 0  # of the ids
    knows_block: bool = False  # its lanes know their blocks
    accesses: dict[str, Accesses] = field(default_factory=dict)  # to arrays of the launch
    updates: list[Update] = field(default_factory=list)  # all atomic calls, in their order
    widenings: Widenings = field(default_factory=Widenings)
    order_matters: str = ""  # why the order of lanes does, as an error

    def bind(self, name: str, value: object) -> str:
        bound = PREFIX + name
        self.names.setdefault(bound, value)
        return bound


def _only_counters(body: list[ast.stmt]) -> set[str]:
    """The names that are used only in loops that count in them, none of these in another: what
    such a loop leaves in its counter is never read."""
    counters: set[str] = set()
    others: set[str] = set()

    def visit(node: ast.AST, around: frozenset[str]) -> None:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            name = node.target.id
            visit(node.iter, around)
            (others if name in around else counters).add(name)
            for piece in node.body:
                visit(piece, around | {name})
            return
        if isinstance(node, ast.Name) and (
            isinstance(node.ctx, ast.Store) or node.id not in around
        ):
            others.add(node.id)
        for child in ast.iter_child_nodes(node):
            visit(child, around)

    for piece in body:
        visit(piece, frozenset())
    return counters - others


class Context:
    """One function."""

    def __init__(self, program: Program, definition: ast.FunctionDef, scope: Scope) -> None:
        self.program = program
        self.source = scope.source
        self.scope = scope
        self.contract = program.contract
        names = [n for piece in definition.body for n in ast.walk(piece) if isinstance(n, ast.Name)]
        self.assigned = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        self.read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
        branches = [n for piece in definition.body for n in ast.walk(piece) if _branches(n)]
        self.first_branch = min(((n.lineno, n.col_offset) for n in branches), default=(1 << 32, 0))
        self.only_counters = _only_counters(definition.body)
        self.symbols: dict[str, Symbol] = {}
        self.type_variables: dict[str, str] = {}
        self.depth = 0
        self.meets = False  # it has barriers: it becomes a generator
        self.helper: Returns | None = None
        self.alike: set[ast.AST] = set()  # expressions that all lanes of a launch compute alike
        self.known: dict[ast.expr, bool] = {}  # conditions that are
        self.counters: dict[str, tuple[int, int]] = {}  # what is known of those of loops around
        self.guards = Guards(self)
        self.again = False  # a lane may come more than once to the statement

    # ---- Errors

    def error(self, node: ast.AST, message: str) -> NoReturn:
        diagnostics = Diagnostics(self.source)
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        diagnostics.error_at(line, column + 1, message)
        raise KernelError(diagnostics.render().rstrip("\n"))

    def checked(self, node: ast.AST, compute: Callable[[], T]) -> T:
        try:
            return compute()
        except types.TypeRuleError as error:
            self.error(node, str(error))

    def text(self, node: ast.AST) -> str:
        if isinstance(node, ast.AugAssign):
            op = self.source.segment(node)  # type: ignore[arg-type]
            return op.replace("=", "", 1) if op.count("=") == 1 else op
        return self.source.segment(node)  # type: ignore[arg-type]

    # ---- Names

    def array(self, node: ast.expr) -> Symbol:
        if not isinstance(node, ast.Name):
            self.error(node, "an array is written with its name")
        symbol = self.symbols.get(node.id)
        if symbol is None:
            self.error(node, f"undefined name '{node.id}'")
        if not symbol.is_array:
            self.error(node, f"'{node.id}' is a scalar and has no elements; write {node.id}")
        return symbol

    def scalar_type(self, name: str) -> str:
        """A type as written in the JSON: a scalar type or a type variable."""
        return self.type_variables.get(name, name)

    # ---- Code

    def name(self, bound: str, at: ast.AST) -> ast.expr:
        return _placed(ast.Name(bound, ast.Load()), at)

    def constant(self, value: Any, at: ast.AST) -> ast.expr:
        if isinstance(value, (bool, int)):
            return _placed(ast.Constant(value), at)
        names = self.program.names
        return self.name(self.program.bind(f"constant_{len(names)}", value), at)

    def site(self, at: ast.AST, text: str, roots: Sequence[ast.AST]) -> ast.expr:
        """An argument that tells a fault where it is; the variables are those of the roots."""
        line, column = getattr(at, "lineno", 1), getattr(at, "col_offset", 0)
        site = Site((self.source.path, line, column + 1), text, self.variables(roots))
        site.unguarded = (line, column) < self.first_branch
        return self.name(self.program.bind(f"site_{len(self.program.names)}", site), at)

    def variables(self, roots: Sequence[ast.AST]) -> list[str]:
        """The scalars that are named there."""
        variables = []
        for node in (node for root in roots for node in ast.walk(root)):
            if isinstance(node, ast.Name) and node.id not in variables:
                symbol = self.symbols.get(node.id)
                if symbol is not None and not symbol.is_array:
                    variables.append(node.id)
        return variables[:8]

    def call(
        self, name: str, function: Callable[..., Any], arguments: list[ast.expr], at: ast.AST
    ) -> ast.expr:
        target = self.name(self.program.bind(name, function), at)
        return _placed(ast.Call(target, arguments, []), at)

    def operation(self, kind: str, op: str, arguments: list[ast.expr], at: ast.AST) -> ast.expr:
        return self.call(f"{kind}_{op}", getattr(OPS[kind], op), arguments, at)

    def function(
        self, name: str, kind: str, fast: bool, arguments: list[ast.expr], at: ast.AST
    ) -> ast.expr:
        """A function of the instruction set."""
        bound = f"{kind}_{name}{'_fast' if fast else ''}"
        return self.call(bound, mathematics.function(name, kind, fast), arguments, at)

    def method(
        self, symbol: Symbol, method: str, arguments: list[ast.expr], at: ast.AST
    ) -> ast.expr:
        if symbol.space == "global":
            name = symbol.origin or symbol.name
            if method != "load":
                self.program.written.add(name)
            if method in ("load", "store"):
                self.program.accesses.setdefault(name, Accesses()).others += 1
        function = _placed(ast.Attribute(self.name(symbol.name, at), method, ast.Load()), at)
        return _placed(ast.Call(function, arguments, []), at)

    def lane(self, at: ast.AST) -> ast.expr:
        return self.name(self.program.bind("lane", self.program.lane), at)

    def wait(self, message: ast.expr, at: ast.AST) -> ast.expr:
        """The lane stops until all others of its block are here; the answer is the value."""
        self.meets = True
        return _placed(ast.Yield(message), at)

    def soft_choice(
        self, taken: Expr, other: Expr, at: ast.expr, build: Callable[[Expr, Expr], Expr]
    ) -> Expr:
        floats = types.SOFT_FLOAT in (taken.kind, other.kind)
        kind = types.SOFT_FLOAT if floats else types.SOFT_INT
        return Expr(at, kind, at, choice=Choice((taken, other), build))


def _branches(node: ast.AST) -> TypeGuard[ast.stmt | ast.expr]:
    return isinstance(node, (ast.If, ast.While, ast.For, ast.IfExp, ast.BoolOp))


@dataclass
class Returns:
    """What a helper returns: declared, or by its first `return`."""

    name: str
    kinds: list[str] = field(default_factory=list)
    known: bool = False
    alike: list[bool] = field(default_factory=list)  # of the values of its only `return`
    count: int = 0  # of its `return` statements
    results: list[Symbol] = field(default_factory=list)  # what its float values are made of


NodeT = TypeVar("NodeT", bound=ast.AST)


def _placed(node: NodeT, at: ast.AST) -> NodeT:
    return ast.copy_location(node, at)
