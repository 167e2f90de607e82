"""Expressions with the conversions that Numba makes without a word, written out as casts.

`x32 * i` of f32 and i64 is f64 there, an integer is as wide as 64 bits in a sum, `min` of floats
keeps its first argument where the other is NaN, a float as a condition is compared with 0.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign.types import (
    Elements,
    is_complex,
    is_float,
    is_integer,
    joined,
    of_operator,
    settled,
)
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hologram.frontend.foreign.called import Called
    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope

_TESTS = ("isnan", "isinf", "isfinite")
_ROUNDED = {"math.ceil": "ceil", "math.floor": "floor", "round": "round", "rint": "round"}


class Lowering:
    """Of the expressions of one function, when the types of its locals are known."""

    def __init__(self, types: Called, scope: Scope) -> None:
        self.types = types
        self.scope = scope
        self.are_guarded = False  # elements at an index which data decide
        self.simple: set[str] = set()  # counters of ranges whose ends no data decide
        self.least: dict[str, int] = {}  # of counters

    # ---- Types

    def cast(self, wanted: Type, node: ast.expr) -> ast.expr:
        """Lowered, and in a type, where it has another one."""
        return self.converted(wanted, self.types.of(node), self.expression(node), node)

    def converted(self, wanted: Type, found: Type, made: ast.expr, at: ast.expr) -> ast.expr:
        if (
            not isinstance(wanted, str)
            or not isinstance(found, str)
            or wanted in (found, "int", "float")
        ):
            return made
        if is_complex(found) and not is_complex(wanted):
            return made  # which the compiler refuses
        if found == "float" and is_integer(wanted):
            made = self.language("f64", [made], at)
        if wanted == "bool" and found != "bool":
            zero = trees.number(0.0 if is_float(found) else 0, at)
            return trees.compared(made, ast.NotEq(), zero, at)
        return self.language(wanted, [made], at)

    def language(self, function: str, arguments: list[ast.expr], at: ast.AST) -> ast.expr:
        """A call of a function of the language, whatever its name means in the file."""
        key = f"{function}$language"
        self.scope.aliases[key] = function
        return trees.call(key, arguments, at)

    def _typed(self, kind: Type, node: ast.expr) -> ast.expr:
        """As an operand beside one of this type: a literal needs no cast beside its like."""
        found = self.types.of(node)
        fits = found == "int" or (found == "float" and is_float(kind))
        if (
            fits
            and isinstance(kind, str)
            and kind not in ("int", "float")
            and trees.is_literal(node)
        ):
            return node if not is_complex(kind) else self.converted(kind, found, node, node)
        return self.cast(kind, node)

    # ---- Expressions

    def expression(self, node: ast.expr) -> ast.expr:
        handler = _HANDLERS.get(type(node))
        made: ast.expr = self._inside(node) if handler is None else handler(self, node)
        return made

    def condition(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            return trees.rebuilt(node, values=[self.condition(one) for one in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return trees.rebuilt(node, operand=self.condition(node.operand))
        found = self.types.of(node)
        if is_float(found) and not isinstance(node, ast.Constant):
            return trees.compared(
                self.cast("f64", node), ast.NotEq(), trees.number(0.0, node), node
            )
        return self.expression(node)

    def _inside(self, node: ast.expr) -> ast.expr:
        made = trees.rebuilt(node)
        for field in fields(made):
            value = getattr(made, field, None)
            if isinstance(value, list):
                parts = [self.expression(v) if isinstance(v, ast.expr) else v for v in value]
                setattr(made, field, parts)
            elif isinstance(value, ast.expr) and field != "func":
                setattr(made, field, self.expression(value))
        return made

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self.language("i64", [node], node)
        table = self.types.of_table(node)
        if isinstance(table, str):
            return self.language(table, [self._inside(node)], node)
        if isinstance(self.types.of(node.value), tuple):
            return trees.rebuilt(node, value=self.expression(node.value))
        if self.is_guarded(node) and isinstance(node.ctx, ast.Load):
            assert isinstance(node.value, ast.Name)
            kinds = [self.types.of(node.value), "i64"]
            given = [node.value, self.cast("i64", node.slice)]
            return self.types.written(self.types.library("at"), kinds, given, node)
        found = self.types.of(node.value)
        if isinstance(found, Elements) and found.rank > 1 and self.are_guarded:
            places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            made = [self._from_end(node.value, k, place) for k, place in enumerate(places)]
            is_tuple = isinstance(node.slice, ast.Tuple)
            return trees.rebuilt(
                node, slice=trees.rebuilt(node.slice, elts=made) if is_tuple else made[0]
            )
        return self._inside(node)

    def _from_end(self, array: ast.expr, axis: int, place: ast.expr) -> ast.expr:
        """An index that may be below 0, which counts from the end then."""
        if isinstance(place, ast.Slice):
            return self._inside(place)
        made = self.expression(place)
        if self.is_plain_index(place) or not is_integer(self.types.of(place)):
            return made
        shape = trees.placed(ast.Attribute(array, "shape", ast.Load()), place)
        size = trees.placed(ast.Subscript(shape, trees.number(axis, place), ast.Load()), place)
        wide = self.language("i64", [size], place)
        below = trees.compared(made, ast.Lt(), trees.number(0, place), place)
        return trees.chosen(below, trees.binary(ast.Add(), made, wide, place), made, place)

    def is_guarded(self, node: ast.expr) -> bool:
        """An element of an array at an index which data decide, or which may be below 0: no proof
        keeps it in the array of the call, so a condition does. Below 0 it counts from the end."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        found = self.types.of(node.value)
        if not isinstance(found, Elements) or found.rank != 1 or found.is_single:
            return False
        is_index = is_integer(self.types.of(node.slice)) and self.are_guarded
        return is_index and not self.is_plain_index(node.slice)

    def is_plain_index(self, node: ast.expr) -> bool:
        """Made of counters, lengths and literals, and not below 0."""
        if isinstance(node, ast.Name):
            is_known = node.id in self.simple or self.types.known.get(node.id) is None
            return is_known and self.least.get(node.id, 0) >= 0
        if isinstance(node, ast.BinOp):
            left, right = node.left, node.right
            by = trees.literal(right)
            if isinstance(node.op, ast.Sub) or (isinstance(by, int) and by < 0):
                least = self.least.get(left.id) if isinstance(left, ast.Name) else None
                if least is not None:
                    return self.is_plain_index(left) and isinstance(by, int) and abs(by) <= least
                return self._is_length(left) and self.is_plain_index(right)
            is_known = isinstance(node.op, (ast.Add, ast.Mult))
            return is_known and self.is_plain_index(left) and self.is_plain_index(right)
        known = trees.literal(node)
        return self._is_length(node) or (isinstance(known, int) and known >= 0)

    def _is_length(self, node: ast.expr) -> bool:
        """`len(x)`, `x.shape[0]`, a local that is one, and these less a literal."""
        if isinstance(node, ast.Name):
            return node.id in self.simple and node.id not in self.least
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return self._is_length(node.left) and trees.literal(node.right) is not None
        if isinstance(node, ast.Call):
            return self.types.function(node) == "len"
        inner = node.value if isinstance(node, ast.Subscript) else node
        return isinstance(inner, ast.Attribute) and inner.attr in ("shape", "size")

    def stored(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> ast.stmt | None:
        """A store at an index which data decide, of a value that is lowered."""
        if not self.is_guarded(target) or not isinstance(target, ast.Subscript):
            return None
        kind = self.types.of(target.value)
        assert isinstance(kind, Elements)
        assert isinstance(target.value, ast.Name)
        array = trees.name(target.value.id, target)
        given = [array, self.cast("i64", target.slice), value]
        made = self.types.written(
            self.types.library("put"), [kind, "i64", kind.kind], given, target
        )
        return trees.placed(ast.Expr(made), at)

    def place(self, node: ast.expr) -> ast.expr:
        """A target; its indices are expressions."""
        if isinstance(node, ast.Subscript):
            return self._inside(node)
        if isinstance(node, ast.Tuple):
            return trees.rebuilt(node, elts=[self.place(one) for one in node.elts])
        return node

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        base = self.types.of(node.value)
        if isinstance(base, Elements) and node.attr == "size":
            return self.language("i64", [node], node)
        if isinstance(base, Elements) and node.attr == "ndim":
            return trees.number(base.rank, node)
        return node if base is None else trees.rebuilt(node, value=self.expression(node.value))

    def _binary(self, node: ast.BinOp) -> ast.expr:
        left, right = self.types.of(node.left), self.types.of(node.right)
        found = self.types.of(node)
        if not isinstance(found, str) or (trees.is_literal(node) and found in ("int", "float")):
            return self._inside(node)
        common: Type = found
        if isinstance(node.op, ast.Pow):
            return self._power(node, left, right)
        if isinstance(node.op, ast.Div):
            common = "f64" if found in ("float", "f64") else found
        if isinstance(node.op, (ast.LShift, ast.RShift)):
            by = (
                node.right
                if trees.literal(node.right) is not None
                else self.cast("i64", node.right)
            )
            return trees.rebuilt(node, left=self.cast(common, node.left), right=by)
        one, other = self._typed(common, node.left), self._typed(common, node.right)
        if trees.is_literal(one) and trees.is_literal(other) and common != "bool":
            one = self.converted(settled(common), "", one, node.left)
        return trees.rebuilt(node, left=one, right=other)

    def _power(self, node: ast.BinOp, left: Type, right: Type) -> ast.expr:
        base = settled(of_operator(left, left))
        number = trees.literal(node.right)
        if isinstance(number, int):
            return trees.rebuilt(node, left=self.cast(base, node.left))
        if is_integer(left) and is_integer(right):
            function = self.types.library("power")
            given = [self.cast("i64", node.left), self.cast("i64", node.right)]
            return self.types.written(function, ["i64", "i64"], given, node)
        common = settled(self.types.of(node))
        made = [self.cast(common, node.left), self.cast(common, node.right)]
        if is_complex(common):
            return trees.rebuilt(node, left=made[0], right=made[1])
        return self.language("pow", made, node)

    def _unary(self, node: ast.UnaryOp) -> ast.expr:
        found = self.types.of(node.operand)
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        if trees.literal(node) is not None:
            return node
        if isinstance(node.op, ast.Invert) and found == "bool":
            return trees.placed(ast.UnaryOp(ast.Not(), self.expression(node.operand)), node)
        return trees.rebuilt(node, operand=self.cast(self.types.of(node), node.operand))

    def _compare(self, node: ast.Compare) -> ast.expr:
        if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            return self._inside(node)
        parts = [node.left, *node.comparators]
        kinds = [self.types.of(one) for one in parts]
        common = kinds[0]
        for kind in kinds[1:]:
            common = joined(common, kind)
        if common is None:
            return self._inside(node)
        made = [self._typed(settled(common), one) for one in parts]
        if all(trees.is_literal(one) for one in made):
            made[0] = self.converted(settled(common), "", made[0], node)
        return trees.rebuilt(node, left=made[0], comparators=made[1:])

    def _truth(self, node: ast.BoolOp) -> ast.expr:
        return self.condition(node)

    def _choice(self, node: ast.IfExp) -> ast.expr:
        common = settled(self.types.of(node))
        one, other = self.cast(common, node.body), self.cast(common, node.orelse)
        return trees.rebuilt(node, test=self.condition(node.test), body=one, orelse=other)

    def _call(self, node: ast.Call) -> ast.expr:
        if node.keywords and self.scope.helper(node.func) is None:
            return self._inside(node)
        helper = self.types.instance(node)
        if helper is not None:
            return self.types.called(helper, node, self)
        name = self.types.function(node)
        kinds = [self.types.of(argument) for argument in node.args]
        if len(node.args) == 1:
            made = self._of_one(name, kinds[0], node)
            if made is not None:
                return made
        if name == "len" and isinstance(kinds[0], Elements):
            return self.language("i64", [node], node)
        if not kinds or any(not isinstance(kind, str) for kind in kinds):
            return self._inside(node)
        if name in ("min", "max") and len(kinds) > 1:
            return self._extreme(name, node)
        found = settled(self.types.of(node))
        if name == "pow" and len(node.args) == 2:
            return self._binary(
                trees.placed(ast.BinOp(node.args[0], ast.Pow(), node.args[1]), node)
            )
        if found is None or not (name in names.MATH or name in names.FUNCTIONS):
            return self._inside(node)
        made_args = [self.cast(found, one) for one in node.args]
        if name == "select":
            made_args[0] = self.condition(node.args[0])
        return self.language(name, made_args, node)

    def _of_one(self, name: str, kind: Type, node: ast.Call) -> ast.expr | None:
        argument = node.args[0]
        if (
            name == "float"
            and isinstance(argument, ast.Constant)
            and isinstance(argument.value, str)
        ):
            return self.language("f64", [node], node)  # "nan"
        whole = is_integer(kind) or kind == "bool"
        if name in _TESTS and whole:
            return trees.number(name == "isfinite", node)
        if name in _TESTS and is_complex(kind):
            parts = [
                trees.placed(ast.Attribute(argument, part, ast.Load()), node)
                for part in ("real", "imag")
            ]
            made = [self.expression(trees.rebuilt(node, args=[part])) for part in parts]
            return trees.joined(ast.And() if name == "isfinite" else ast.Or(), made, node)
        if name in _TESTS and isinstance(kind, str):
            return self.language(name, [self.cast(settled(kind), argument)], node)
        if name in ("int", "float") and isinstance(kind, str):
            return self.cast("i64" if name == "int" else "f64", argument)
        if name in names.SCALARS and isinstance(kind, str):
            return self.cast(name, argument)
        if name in _ROUNDED and isinstance(kind, str):
            inner = self.cast("f64" if whole or kind == "float" else kind, argument)
            inner = self.language(_ROUNDED[name], [inner], node)
            return inner if name == "rint" else self.language("i64", [inner], node)
        if name == "abs" and (is_integer(kind) or is_complex(kind)):
            return self.language("abs", [self.cast(settled(kind), argument)], node)
        if name == "sign" and whole:
            return self.types.written(
                self.types.library("sign"), ["i64"], [self.cast("i64", argument)], node
            )
        return None

    def _extreme(self, name: str, node: ast.Call) -> ast.expr:
        """Of two or more numbers: integers by the language, floats as Python compares them."""
        common = settled(self.types.of(node))
        made = [self._typed(common, one) for one in node.args]
        if is_integer(common) or common == "bool":
            if all(trees.is_literal(one) for one in made):
                made[0] = self.converted(common, "", made[0], node)
            return trees.rebuilt(self.language(name, made, node))
        of_numpy = self.types.named(node).startswith("numpy.")
        function = self.types.library(f"{name}{'imum' if of_numpy else ''}")
        result = self.converted(common, "", made[0], node) if trees.is_literal(made[0]) else made[0]
        for one in made[1:]:
            other = self.converted(common, "", one, node) if trees.is_literal(one) else one
            result = self.types.written(function, [common, common], [result, other], node)
        return result


_HANDLERS: dict[type[ast.expr], Any] = {
    ast.Subscript: Lowering._subscript,
    ast.Attribute: Lowering._attribute,
    ast.BinOp: Lowering._binary,
    ast.UnaryOp: Lowering._unary,
    ast.Compare: Lowering._compare,
    ast.BoolOp: Lowering._truth,
    ast.IfExp: Lowering._choice,
    ast.Call: Lowering._call,
}
