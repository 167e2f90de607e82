"""Small pieces of syntax trees, each at the place of the one that it stands for; fresh names."""

from __future__ import annotations

from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    N = TypeVar("N", bound=ast.AST)


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def placed(node: N, at: ast.AST) -> N:
    try:
        node.lineno, node.col_offset = at.lineno, at.col_offset  # type: ignore[attr-defined]
        node.end_lineno, node.end_col_offset = at.end_lineno, at.end_col_offset  # type: ignore[attr-defined]
    except AttributeError:  # what has no place
        for field in _PLACE:
            setattr(node, field, getattr(at, field, None))
    return node


def rebuilt(node: N, **fields: object) -> N:
    """A copy with other fields."""
    made = type(node)(*[getattr(node, field, None) for field in node._fields])
    for field, value in fields.items():
        setattr(made, field, value)
    return placed(made, node)


def name(written: str, at: ast.AST) -> ast.Name:
    return placed(ast.Name(written, ast.Load()), at)


def stored(written: str, at: ast.AST) -> ast.Name:
    return placed(ast.Name(written, ast.Store()), at)


def number(value: int | float | bool, at: ast.AST) -> ast.expr:
    """A literal; Python's tree has no negative ones, and none for infinities."""
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return call("float", [placed(ast.Constant(repr(value)), at)], at)
    if not isinstance(value, bool) and (value < 0 or (value == 0 and repr(value)[0] == "-")):
        return placed(ast.UnaryOp(ast.USub(), placed(ast.Constant(-value), at)), at)
    return placed(ast.Constant(value), at)


def call(function: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    return placed(ast.Call(name(function, at), arguments, []), at)


def binary(operator: ast.operator, left: ast.expr, right: ast.expr, at: ast.AST) -> ast.expr:
    return placed(ast.BinOp(left, operator, right), at)


def total(terms: list[ast.expr], at: ast.AST) -> ast.expr:
    """Their sum, from the left."""
    result = terms[0]
    for term in terms[1:]:
        result = binary(ast.Add(), result, term, at)
    return result


def chosen(test: ast.expr, taken: ast.expr, other: ast.expr, at: ast.AST) -> ast.expr:
    return placed(ast.IfExp(test, taken, other), at)


def compared(left: ast.expr, op: ast.cmpop, right: ast.expr, at: ast.AST) -> ast.Compare:
    return placed(ast.Compare(left, [op], [right]), at)


def joined(op: ast.boolop, values: list[ast.expr], at: ast.AST) -> ast.expr:
    return values[0] if len(values) == 1 else placed(ast.BoolOp(op, values), at)


def assignment(targets: list[ast.expr], values: list[ast.expr], at: ast.AST) -> ast.stmt:
    """All values come before the first is assigned."""
    if len(targets) == 1:
        return placed(ast.Assign([targets[0]], values[0]), at)
    left = placed(ast.Tuple(targets, ast.Store()), at)
    return placed(ast.Assign([left], placed(ast.Tuple(values, ast.Load()), at)), at)


def literal(node: ast.expr) -> int | float | None:
    """The value of a number with or without a sign."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand)
        return None if value is None or isinstance(value, bool) else -value
    return None


def is_literal(node: ast.expr) -> bool:
    """Made of literals and operators alone: it has no type of its own yet."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    return isinstance(node, ast.BinOp) and is_literal(node.left) and is_literal(node.right)


MAX_REPEATED = 16  # nodes


_REPEATED = (ast.Name, ast.BinOp, ast.UnaryOp)


def may_repeat(node: ast.expr) -> bool:
    """A small expression with a literal that a local would give a type too early: `0.5 * k`, or
    the `exp` of such."""
    pending: list[ast.AST] = [node]
    count, literals = 0, 0
    while pending:
        piece = pending.pop()
        if isinstance(piece, ast.Constant):
            literals += isinstance(piece.value, float)
        elif isinstance(piece, ast.Attribute):
            literals += piece.attr != "shape"  # math.pi
        elif isinstance(piece, ast.Call):
            if not isinstance(piece.func, ast.Name) or piece.func.id != "exp" or piece.keywords:
                return False
        elif not isinstance(piece, _REPEATED):
            return False
        count += isinstance(piece, ast.expr)
        pending += children(piece)
    return literals > 0 and count <= MAX_REPEATED


def words(function: ast.AST) -> set[str]:
    """All names in a function."""
    return words_and_stores(function)[0]


def words_and_stores(function: ast.AST) -> tuple[set[str], set[str]]:
    """All names in a function, and those that it assigns."""
    found: set[str] = set()
    stored: set[str] = set()
    pending = [function]
    while pending:
        node = pending.pop()
        if node.__class__ is ast.Name:
            found.add(node.id)  # type: ignore[attr-defined]
            if node.ctx.__class__ is ast.Store:  # type: ignore[attr-defined]
                stored.add(node.id)  # type: ignore[attr-defined]
            continue
        if node.__class__ is ast.arg:
            found.add(node.arg)  # type: ignore[attr-defined]
        pending += children(node)
    return found, stored


class Fresh:
    """Names that a function does not use yet."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def take(self, wanted: str) -> str:
        found, count = wanted, 1
        while found in self._taken:
            count += 1
            found = f"{wanted}_{count}"
        self._taken.add(found)
        return found
