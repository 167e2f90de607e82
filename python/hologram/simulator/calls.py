"""Calls: ids, casts, mathematics, reductions, scans; helpers.py and atomics.py have the others."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import Any

from hologram import lang_library
from hologram.frontend import constants, names
from hologram.simulator import random, types, widening, wrapping
from hologram.simulator.blocks import Meeting
from hologram.simulator.context import Expr
from hologram.simulator.library import LibraryCalls
from hologram.simulator.scalars import OPS

_IDS = {
    "get_global_id": "global_id",
    "get_local_id": "local_id",
    "get_block_id": "block_id",
    "get_block_dim": "block_dim",
    "get_grid_dim": "grid_dim",
}
_PLAIN = ("sqrt", "floor", "ceil", "trunc", "round")  # of one float, defined by IEEE
_PAIRS = ("pow", "atan2")
_NO_FAST = ("rsqrt", "tan")
_COMBINATIONS = ("add", "min", "max", "mul", "and", "or", "xor")


class Calls(LibraryCalls):
    """Expressions with calls."""

    def _call(self, node: ast.Call) -> Expr:
        if self.context.scope.helper(node.func) is not None:
            return self._helper_value(node)
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        value = constants.value_in_words(node)
        if value is not None:
            return self.literal(value, node)
        name = self.context.scope.aliases.get(name, name)
        name = self.context.scalar_type(names.canonical_scalar(name) or name)
        if name in names.RANDOM:
            return self._library_value(node, name)
        found = self._of_library(node, name)
        if found is not None:
            return found
        if name in types.NUMBERS:
            return self._cast(node, name)
        if name == "bool":
            return self._bool_cast(node)
        if name in _IDS:
            return self._id(node, name)
        if name == "len":
            return self._len(node)
        if name.startswith("atomic_"):
            return self.atomic(node, name, used=True)
        for combining in ("block_reduce_", "block_scan_", "warp_reduce_", "warp_scan_"):
            if name.startswith(combining):
                return self._combine(node, combining, name.removeprefix(combining))
        if name in ("barrier", "shared", "local"):
            hint = "a statement" if name == "barrier" else f"written name = {name}(f32, 256)"
            self.context.error(node, f"{name}(...) is no value; it is {hint}")
        return self._of_mathematics(node, name)

    def _of_mathematics(self, node: ast.Call, name: str) -> Expr:
        single = name not in names.MATH and name.removesuffix("f") in names.MATH
        plain = name.removesuffix("f") if single else name
        if plain not in names.MATH:
            self.context.error(node, f"undefined function '{name}'")
        result = self._mathematics(node, plain)
        if single:
            result.wider = None
        if single and result.kind != "f32" and plain != "select":
            self.context.error(
                node, f"{name} takes f32, not {types.shown(result.kind)}; write {plain}(...)"
            )
        return result

    def _len(self, node: ast.Call) -> Expr:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
            self.context.error(node, "len takes the name of an array")
        return self.extent(self.context.array(node.args[0]), "shape", 0, node)

    def _library_value(self, node: ast.Call, name: str) -> Expr:
        code, kinds = self.library(node, name)
        if len(kinds) != 1:
            hint = f"{len(kinds)} values; assign them, as in a, b = {name}(...)"
            self.context.error(node, f"`{name}` returns {hint}")
        return Expr(code, kinds[0], node)

    def library(self, node: ast.Call, name: str) -> tuple[ast.expr, list[str]]:
        """The call of a helper that the language brings along, and the types of what it returns."""
        function, kinds = random.FUNCTIONS[name]
        passed = []
        for value, parameter in zip(
            self._arguments(node, 3), ("seed", "index", "stream"), strict=True
        ):
            place = f"as parameter '{parameter}' of `{name}`, of type u64"
            passed.append(self.convert_silently(value, "u64", "pass", place).node)
        return self.context.call(name, function, passed, node), kinds

    def _fast(self, node: ast.Call, name: str) -> bool:
        for keyword in node.keywords:
            if keyword.arg != "fast" or name in _NO_FAST or f"{name}" not in names.KEYWORDS:
                self.context.error(node, f"`{name}` has no keyword argument `{keyword.arg}=`")
            value = self.expression(keyword.value)
            if not isinstance(value.const, bool):
                self.context.error(keyword.value, "`fast=` is True or False, known at compile time")
            return value.const
        return False

    # ---- Ids and casts

    def _id(self, node: ast.Call, name: str) -> Expr:
        dimension: Any = 0
        if node.args:
            dimension = self._arguments(node, 1)[0].const
        if isinstance(dimension, bool) or dimension not in (0, 1, 2):
            self.context.error(node, f"the dimension of {name} is 0, 1 or 2, known at compile time")
        program = self.context.program
        if name == "get_grid_dim":
            program.uses_grid = True
        elif name == "get_block_dim":
            program.uses_block = True
        else:
            # Functions of warps ask for the number of a lane in a block of any shape.
            if os.path.dirname(self.context.source.path) != lang_library.__path__[0]:
                program.highest_dimension = max(program.highest_dimension, dimension)
            program.knows_block = program.knows_block or name != "get_global_id"
        ids = ast.Attribute(self.context.lane(node), _IDS[name], ast.Load())
        element = ast.Subscript(ids, ast.Constant(dimension), ast.Load())
        return Expr(ast.copy_location(element, node), "u32", node)

    def _cast(self, node: ast.Call, kind: str) -> Expr:
        value = self._arguments(node, 1)[0]
        if value.folds:
            assert value.const is not None
            cast = types.cast_literal(value.const, kind)
            if cast is None:
                shown = types.literal_text(value.const)
                self.context.error(node.args[0], f"literal {shown} does not fit {kind}")
            result = self.typed_literal(cast, kind, node)
            result.cast = True
            return result
        result = self._cast_value(self.harden(value), kind, node)
        result.cast = True
        return result

    def _cast_value(self, value: Expr, kind: str, node: ast.Call) -> Expr:
        if value.wider is not None and kind == "f64":
            value = value.wider()
        if value.kind == kind:
            return Expr(value.node, kind, value.at, value.const, product=value.product)
        if value.kind in types.FLOATS and types.converts_silently(value.kind, kind):
            self.widened(value, kind, cast=True)
        if value.kind in types.INTEGERS and kind in types.INTEGERS:
            return self.saturated(value, kind, node)
        return self.converted(value, kind)

    def saturated(self, value: Expr, kind: str, at: ast.expr) -> Expr:
        low, high = types.limits(kind)

        def run(number: int) -> int:
            return min(max(number, low), high)

        return Expr(self.context.call(f"saturate_{kind}", run, [value.node], at), kind, at)

    def _bool_cast(self, node: ast.Call) -> Expr:
        if len(node.args) == 1 and isinstance(node.args[0], ast.BoolOp):
            return self.truth(node.args[0], "bool(x) needs")
        value = self._arguments(node, 1)[0]
        if value.kind == types.BOOL:
            return value
        if not types.is_integer(value.kind):
            self.context.error(
                node, f"bool(x) needs an integer, not {types.shown(value.kind)}; write x != 0.0"
            )
        return self.not_zero(value, node)

    # ---- Mathematics

    def _mathematics(self, node: ast.Call, name: str) -> Expr:
        fast = self._fast(node, name)
        if name == "select":
            return self._select(node)
        if name == "abs":
            return self._abs(node)
        if name in ("min", "max"):
            a, b = self._arguments(node, 2)
            if name == "max":
                wrapping.refuse_bound(node, a, b, self.context)
                wrapping.refuse_bound(node, b, a, self.context)
            a, b, _ = self.unify(a, b, node, name)

            def build(first: Expr, second: Expr) -> Expr:
                operands = [first.node, second.node]
                code = self.context.operation(first.kind, name, operands, node)
                return Expr(code, first.kind, node)

            return self.chosen(a, b, build)
        count = 3 if name == "fma" else 2 if name in _PAIRS else 1
        return self._function(node, name, fast, self._floats(name, self._arguments(node, count)))

    def _function(self, node: ast.Call, name: str, fast: bool, operands: list[Expr]) -> Expr:
        """REQUIRES: operands of one float type."""
        kind, codes = operands[0].kind, [operand.node for operand in operands]
        if name == "fma" or name in _PLAIN:
            code = self.context.operation(kind, name, codes, node)
        else:
            code = self.context.function(name, kind, fast, codes, node)
        result = Expr(code, kind, node)
        result.origin = widening.computed([operand.origin for operand in operands])
        wider = [operand.wider for operand in operands if operand.wider is not None]
        if len(wider) == len(operands):
            result.wider = lambda: self._function(node, name, fast, [make() for make in wider])
        return result

    def _floats(self, name: str, values: list[Expr]) -> list[Expr]:
        """One type for all: literals follow the others, alone they are f32."""
        kind = ""
        for value in values:
            self.require_number(value, name)
            if types.is_soft(value.kind):
                continue
            if value.kind not in types.FLOATS:
                instead = "x ** y" if name == "pow" else "f32(...)"
                self.context.error(
                    value.at, f"{name} takes a float, not {value.kind}; write {instead}"
                )
            kind = types.promote(kind, value.kind) or "" if kind else value.kind
        kind = kind or "f32"
        return [self.convert(value, kind) for value in values]

    def _abs(self, node: ast.Call) -> Expr:
        value = self._arguments(node, 1)[0]
        self.require_number(value, "abs")
        value = self.harden(value)
        return value if value.kind in types.UNSIGNED else self.one("abs", value, node)

    def _select(self, node: ast.Call) -> Expr:
        if len(node.args) != 3:
            self.context.error(node, f"select takes 3 arguments, not {len(node.args)}")
        test = self.truth(node.args[0], "the first argument of select is")
        taken, other = (self.expression(argument) for argument in node.args[1:])

        def build(a: Expr, b: Expr) -> Expr:
            chosen = self.context.call("select", _select, [test.node, a.node, b.node], node)
            return Expr(chosen, a.kind, node)

        return self.choice(taken, other, node, "select", build)

    def _known_power(self, left: Expr, right: Expr, at: ast.expr) -> Expr | None:
        """x ** n with a known n: products by squaring, from the highest bit of n down."""
        n = right.const
        if not isinstance(n, int) or isinstance(n, bool) or left.kind not in types.NUMBERS:
            return None
        kind = left.kind
        if kind in types.FLOATS:
            if not -16 <= n <= 16:
                return None
        elif n < 0:
            self.context.error(right.at, "an integer to a negative power is no integer")
        elif n > 255:
            self.context.error(right.at, "an integer to a power above 255; write f64(...) ** n")
        if n == 0:
            make = self.default_literal if left.wider is not None else self.typed_literal
            return make(1, kind, at)
        return left if n == 1 else self._product(left, n, at)

    def _product(self, base: Expr, n: int, at: ast.expr) -> Expr:
        kind = base.kind
        power = self.context.call(f"{kind}_power_{n}", _power(kind, n), [base.node], at)
        result = Expr(power, kind, at)
        result.origin = widening.computed([base.origin])
        wider = base.wider
        if wider is not None:
            result.wider = lambda: self._product(wider(), n, at)
        return result

    # ---- Memory and blocks

    def _combine(self, node: ast.Call, prefix: str, op: str) -> Expr:
        if op not in _COMBINATIONS:
            self.context.error(node, f"undefined function '{prefix}{op}'")
        value = self._arguments(node, 1)[0]
        self.require_number(value, f"{prefix}{op}")
        value = self.harden(value)
        if op in ("and", "or", "xor") and value.kind not in types.INTEGERS:
            self.context.error(node.args[0], f"{prefix}{op} takes integers, not {value.kind}")
        place = (self.context.source.path, node.lineno, node.col_offset + 1)
        kind = value.kind

        def meet(number: Any) -> Meeting:
            return Meeting(place, op, kind, number, prefix.removesuffix("_"))

        name = f"meet_{len(self.context.program.names)}"
        message = self.context.call(name, meet, [value.node], node)
        result = Expr(self.context.wait(message, node), kind, node)
        result.origin = widening.computed([value.origin])
        return result


def _select(condition: bool, taken: Any, other: Any) -> Any:
    return taken if condition else other


def _power(kind: str, n: int) -> Callable[[Any], Any]:
    ops = OPS[kind]

    def run(base: Any) -> Any:
        power = base
        for digit in f"{abs(n):b}"[1:]:
            power = ops.mul(power, power)
            if digit == "1":
                power = ops.mul(power, base)
        return ops.div(ops.make(1.0), power) if n < 0 else power

    return run
