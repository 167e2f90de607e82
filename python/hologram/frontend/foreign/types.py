"""Types of expressions, as Numba has them, where they are known: None else.

A type is a scalar's name, "int" or "float" for literals and what is computed of them alone, an
Elements for an array, or a tuple of types for what a helper returns several of.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms import tables, trees
from hologram.frontend.forms.values import Table
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from hologram.frontend.scope import Scope

_FLOATS = ("f16", "f32", "f64")
_LITERALS = {"int": "i64", "float": "f64"}
_SHORT = ("i8", "i16", "u8", "u16", "bool")  # whose values f32 holds
_NARROW_COMPLEX = {"complex64", "f32", "f16", *_SHORT}
_SMALL_SIGNED = ("i8", "i16", "i32")
_SMALL_UNSIGNED = ("u8", "u16", "u32")
_TESTS = ("isnan", "isinf", "isfinite")
_SAME = ("abs", "min", "max", "clamp", "sign")
_OF_NUMPY = {
    "numpy.minimum": "min",
    "numpy.maximum": "max",
    "numpy.power": "pow",
    "numpy.abs": "abs",
}
_MORE = ("floor", "ceil", "trunc", "rint")


class Elements:
    """The type of an array."""

    def __init__(
        self, kind: str, rank: int, *, cores: tuple[str, ...] = (), is_single: bool = False
    ) -> None:
        self.kind = kind
        self.rank = rank
        self.cores = cores  # names of its dimensions, where a layout has them
        self.is_single = is_single  # of no dimensions: one element, which the name alone means


if TYPE_CHECKING:
    Type = Union[str, Elements, "tuple[Type, ...]", None]


def is_float(kind: Type) -> bool:
    return kind in (*_FLOATS, "float")


def joined(a: Type, b: Type) -> Type:
    """Of a local that is assigned both, of `a if c else b` and of comparisons. A literal is i64 or
    f64 beside what has a type."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(joined(one, other) for one, other in zip(a, b))  # noqa: B905 (same length)
    if not isinstance(a, str) or not isinstance(b, str):
        return None
    if b in (a, ""):
        return a
    if {a, b} == {"int", "float"}:
        return "float"
    a, b = _LITERALS.get(a, a), _LITERALS.get(b, b)
    if a == "bool" or b == "bool":
        return b if a == "bool" else a
    if is_complex(a) or is_complex(b):
        return "complex64" if {a, b} <= _NARROW_COMPLEX else "complex128"
    if is_float(a) or is_float(b):
        narrow = all(one in _FLOATS[:2] or one in _SHORT for one in (a, b))
        return "f64" if not narrow else "f16" if a == b == "f16" else "f32"
    return _of_integers(a, b)


def of_operator(a: Type, b: Type) -> Type:
    """Of `a + b`, as Numba has it: integers have 64 bits at least."""
    found = joined(a, b)
    if found == "bool" or (isinstance(found, str) and found in _SMALL_SIGNED):
        return "i64"
    return "u64" if isinstance(found, str) and found in _SMALL_UNSIGNED else found


def settled(kind: Type) -> Type:
    """That of a local: of a literal i64 or f64."""
    return _LITERALS.get(kind, kind) if isinstance(kind, str) else kind


def is_integer(kind: Type) -> bool:
    return isinstance(kind, str) and (
        kind == "int" or (kind[:1] in ("i", "u") and kind[1:].isdigit())
    )


def is_complex(kind: Type) -> bool:
    return kind in ("complex64", "complex128")


def _of_integers(a: str, b: str) -> Type:
    if a[0] == b[0]:
        return a if int(a[1:]) > int(b[1:]) else b
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    bits = int(unsigned[1:])
    if int(signed[1:]) > bits:
        return signed
    return "f64" if bits == 64 else f"i{2 * bits}"


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
        """The function of the language that is called, or one of Python's that has another type."""
        dotted = dotted_name(node.func)
        if dotted is None or dotted.partition(".")[0] in self.known:
            return ""
        if self.scope.helper(node.func) is not None:
            return ""
        named = self.named(node)
        if named in ("math.ceil", "math.floor") or dotted in ("round", "int", "float"):
            return named or dotted
        if named in ("numpy.rint", "numpy.round", "numpy.around"):
            return "rint"
        if named in _OF_NUMPY:
            return _OF_NUMPY[named]
        return self.scope.language_name(node.func) or dotted

    def named(self, node: ast.Call) -> str:
        """`numpy.floor`, whatever the file calls it; "" for what is none of NumPy's or math's."""
        dotted = dotted_name(node.func) or ""
        if dotted.partition(".")[0] in self.known:
            return ""
        self.scope.touch(dotted)
        return self.scope.named.get(dotted, "")

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
        if value is None:
            return None
        return "bool" if isinstance(value, bool) else "float" if isinstance(value, float) else "int"

    def _attribute(self, node: ast.Attribute) -> Type:
        base = self.of(node.value)
        if isinstance(base, Elements):
            return "i64" if node.attr in ("size", "ndim") else None
        if is_complex(base) and node.attr in ("real", "imag"):
            return "f32" if base == "complex64" else "f64"
        return self._of_module(node)

    def _subscript(self, node: ast.Subscript) -> Type:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return "i64"
        table = self.of_table(node)
        if table is not None:
            return table
        base = self.of(node.value)
        if isinstance(base, tuple):
            place = trees.literal(node.slice)
            inside = isinstance(place, int) and -len(base) <= place < len(base)
            return base[place] if inside else None  # type: ignore[index]
        if not isinstance(base, Elements):
            return None
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        fixed = [p for p in places if not isinstance(p, ast.Slice)]
        if any(isinstance(self.of(place), Elements) for place in fixed):
            return None
        rest = base.rank - len(fixed)
        return base.kind if rest == 0 else Elements(base.kind, rest) if rest > 0 else None

    def of_table(self, node: ast.Subscript) -> Type:
        """Of a number in a table of the module."""
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        base = node.value
        while isinstance(base, ast.Subscript):
            inner = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            base, places = base.value, [*inner, *places]
        dotted = dotted_name(base) or ""
        if not dotted or dotted.partition(".")[0] in self.known:
            return None
        self.scope.touch(dotted)
        table = self.scope.forms.get(dotted)
        if not isinstance(table, Table) or len(tables.extents(table.rows) or ()) != len(places):
            return None
        numbers = table.rows
        while numbers and isinstance(numbers[0], list):
            numbers = [number for row in numbers if isinstance(row, list) for number in row]
        return "f64" if any(isinstance(number, float) for number in numbers) else "i64"

    def _binary(self, node: ast.BinOp) -> Type:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.Div):
            found = joined(left, right)
            if found is None or is_float(found) or is_complex(found):
                return found
            return "float" if found == "int" else "f64"
        if isinstance(node.op, (ast.LShift, ast.RShift)):
            return of_operator(left, left)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and left == right == "bool":
            return "bool"
        if isinstance(node.op, ast.Pow) and is_integer(right):
            if is_integer(left) or trees.literal(node.right) is not None:
                return of_operator(left, left)
            return joined(left, "f64") if right in ("i64", "u64") else of_operator(left, right)
        return of_operator(left, right)

    def _unary(self, node: ast.UnaryOp) -> Type:
        found = self.of(node.operand)
        if isinstance(node.op, ast.Not):
            return "bool"
        if isinstance(node.op, ast.USub) and is_integer(found) and found != "int":
            return "i64"
        if isinstance(node.op, ast.Invert) and found != "bool":
            return of_operator(found, found)
        return found

    def _choice(self, node: ast.IfExp) -> Type:
        return joined(self.of(node.body), self.of(node.orelse))

    def _tuple(self, node: ast.Tuple) -> Type:
        return tuple(settled(self.of(one)) for one in node.elts)

    def _truth(self, node: ast.expr) -> Type:
        return "bool"

    def _call(self, node: ast.Call) -> Type:
        name = self.function(node)
        given = [self.of(argument) for argument in node.args]
        if name in names.SCALARS or name in ("complex64", "complex128"):
            return name
        if name in ("int", "math.ceil", "math.floor", "round", "len", "ord"):
            return "i64"
        if name == "float":
            return "f64"
        if name in _TESTS or name == "bool":
            return "bool"
        if not given or any(not isinstance(kind, str) for kind in given):
            return None
        if name in _SAME or name in names.MATH or name in names.FUNCTIONS or name in _MORE:
            parts = given[1:] if name == "select" else given
            found: Type = parts[0] if parts else None
            for kind in parts[1:]:
                found = joined(found, kind)
            if name == "abs" and is_complex(found):
                return "f32" if found == "complex64" else "f64"
            if name in _SAME or name == "select" or is_float(found) or is_complex(found):
                return found
            return "float" if found in ("int", "float") else "f64"
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
    ast.Tuple: Types._tuple,
}
