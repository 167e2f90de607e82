"""Types of expressions, as the language has them, where they are known: None else.

A type is a scalar's name, "int" or "float" for literals and what is computed of them alone, or an
Elements for an array.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from hologram.frontend.scope import Scope

_FLOATS = ("f16", "f32", "f64")
_TESTS = ("isnan", "isinf", "isfinite")
_SAME = ("abs", "min", "max", "clamp", "sign", "floor", "ceil", "trunc", "round")


class Elements:
    """The type of an array."""

    def __init__(self, kind: str, rank: int) -> None:
        self.kind = kind
        self.rank = rank


if TYPE_CHECKING:
    Type = Union[str, Elements, None]  # noqa: UP007 (3.10 reads it)


def is_float(kind: Type) -> bool:
    return kind in (*_FLOATS, "float")


def joined(a: Type, b: Type) -> Type:
    """Of `a + b`, as the table of docs/language.md has it; also that of a local of both."""
    if not isinstance(a, str) or not isinstance(b, str):
        return None
    if a == b or b in ("bool", ""):
        return a
    if a in ("bool", "int") and (a == "bool" or b != "bool"):
        return b
    if b == "int":
        return a
    if "f64" in (a, b):
        return "f64"
    if a in _FLOATS and b in _FLOATS:
        return max(a, b)
    if is_float(a) or is_float(b):
        one, other = (a, b) if is_float(a) else (b, a)
        if other == "float":
            return one
        if one == "float" and other in _FLOATS:
            return other
        if other in _FLOATS or one == "float":
            return "f64" if other in ("i64", "u64") else "float"
        return "float"
    return _of_integers(a, b)


def _of_integers(a: str, b: str) -> Type:
    if a[0] == b[0]:
        return a if int(a[1:]) > int(b[1:]) else b
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    bits = int(unsigned[1:])
    if int(signed[1:]) > bits:
        return signed
    return None if bits == 64 else f"i{2 * bits}"


class Types:
    """Of expressions in one function, as far as the locals are known."""

    def __init__(self, known: dict[str, Type], scope: Scope) -> None:
        self.known = known
        self.scope = scope

    def of(self, node: ast.expr) -> Type:
        handler = _HANDLERS.get(type(node))
        found: Type = None if handler is None else handler(self, node)
        return found

    def function(self, node: ast.Call) -> str:
        """The function of the language that is called."""
        dotted = dotted_name(node.func)
        if dotted is None or dotted.partition(".")[0] in self.known:
            return ""
        if dotted in ("math.ceil", "math.floor", "round", "int", "float"):
            return dotted
        if self.scope.helper(node.func) is not None:
            return ""
        return self.scope.language_name(node.func) or dotted

    def _constant(self, node: ast.Constant) -> Type:
        kinds = {bool: "bool", int: "int", float: "float"}
        return kinds.get(type(node.value))

    def _name(self, node: ast.Name) -> Type:
        if node.id in self.known:
            return self.known[node.id]
        return self._of_module(node)

    def _of_module(self, node: ast.expr) -> Type:
        dotted = dotted_name(node) or ""
        self.scope.touch(dotted)
        value = self.scope.values.get(dotted)
        return None if value is None else "float" if isinstance(value, float) else "int"

    def _attribute(self, node: ast.Attribute) -> Type:
        if isinstance(self.of(node.value), Elements):
            return "u32" if node.attr == "size" else None
        return self._of_module(node)

    def _subscript(self, node: ast.Subscript) -> Type:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return "u32"
        base = self.of(node.value)
        if not isinstance(base, Elements):
            return None
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        fixed = [p for p in places if not isinstance(p, ast.Slice)]
        if any(isinstance(self.of(place), Elements) for place in fixed):
            return None
        rest = base.rank - len(fixed)
        return base.kind if rest == 0 else Elements(base.kind, rest) if rest > 0 else None

    def _binary(self, node: ast.BinOp) -> Type:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.Div) and not is_float(left) and not is_float(right):
            wide = "i64" in (left, right) or "u64" in (left, right)
            known = isinstance(left, str) and isinstance(right, str)
            return None if not known else "f64" if wide else "float"
        if isinstance(node.op, (ast.LShift, ast.RShift)):
            return left
        if isinstance(node.op, ast.Pow) and right == "int":
            return left
        return joined(left, right)

    def _unary(self, node: ast.UnaryOp) -> Type:
        return "bool" if isinstance(node.op, ast.Not) else self.of(node.operand)

    def _choice(self, node: ast.IfExp) -> Type:
        return joined(self.of(node.body), self.of(node.orelse))

    def _truth(self, node: ast.expr) -> Type:
        return "bool"

    def _call(self, node: ast.Call) -> Type:
        name = self.function(node)
        given = [self.of(argument) for argument in node.args]
        if name in names.SCALARS:
            return name
        if name in ("int", "math.ceil", "math.floor", "round"):
            return "i64"
        if name == "float":
            return "f64"
        if name == "len":
            return "u32"
        if name in _TESTS:
            return "bool"
        if not given or any(not isinstance(kind, str) for kind in given):
            return None
        if name in _SAME or name in names.MATH or name in names.FUNCTIONS:
            parts = given[1:] if name == "select" else given
            found: Type = parts[0] if parts else None
            for kind in parts[1:]:
                found = joined(found, kind)
            if name in _SAME or name == "select" or is_float(found):
                return found
            return "f64" if found in ("i64", "u64") else "float"
        return None


_HANDLERS: dict[type[ast.expr], Any] = {
    ast.Constant: Types._constant,
    ast.Name: Types._name,
    ast.Attribute: Types._attribute,
    ast.Subscript: Types._subscript,
    ast.BinOp: Types._binary,
    ast.UnaryOp: Types._unary,
    ast.IfExp: Types._choice,
    ast.Compare: Types._truth,
    ast.BoolOp: Types._truth,
    ast.Call: Types._call,
}
