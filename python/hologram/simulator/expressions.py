"""Expressions of a kernel -> Python expressions with their types.

The rules are those of src/frontend/check/expression.cc: each operand gets its type here, so what
runs later is an operation on values that have it. The first error ends the translation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hologram.frontend.expressions import _BINARY, _COMPARE, _UNARY
from hologram.simulator import conversions, fold, shifts, types, uniform, widening, wrapping
from hologram.simulator.arrays import divide
from hologram.simulator.context import Context, Expr

# fmt: off
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floor_div": "//", "mod": "%", "pow": "**",
    "bit_and": "&", "bit_or": "|", "bit_xor": "^", "shl": "<<", "shr": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}
# fmt: on
_BITWISE = ("bit_and", "bit_or", "bit_xor", "shl", "shr")
_OF_BOOLS: dict[str, Callable[[Any, Any], Any]] = {
    "bit_and": lambda a, b: a and b,
    "bit_or": lambda a, b: a or b,
    "bit_xor": lambda a, b: a != b,
}


def _without_power(base: int | float | None, count: str) -> str:
    """What to write for `2 ** k`, `(-1) ** k`, `a ** k` of integers."""
    if " " in count:
        count = f"({count})"
    known = {2: f"1 << {count}", -1: f"(-1 if {count} & 1 else 1)"}
    return "f32(x) ** y" if base is None else known.get(int(base), "f32(x) ** y")


def _mixed(left: Expr, right: Expr) -> ast.expr | None:
    """The i32 beside a u32, here or in one of the two."""
    found: ast.expr | None = right.mixed if left.mixed is None else left.mixed
    for one, other in ((left, right), (right, left)):
        if one.kind == "i32" and other.kind == "u32":
            found = one.at
    return found


class Expressions:
    """The translator of expressions; elements.py and calls.py add theirs."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def expression(self, node: ast.expr) -> Expr:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            word = type(node).__name__
            self.context.error(node, f"`{word}` cannot run as Python yet; compile the kernel")
        value: Expr = handler(self, node)
        uniform.note(self.context, node, value)
        return value

    # ---- Conversions

    def literal(self, value: int | float, at: ast.expr) -> Expr:
        kind = types.SOFT_INT
        if isinstance(value, bool):
            kind = types.BOOL
        elif isinstance(value, float):
            kind = types.SOFT_FLOAT
        return Expr(self.context.constant(value, at), kind, at, const=value)

    def typed_literal(self, value: int | float, kind: str, at: ast.expr) -> Expr:
        held: Any = value
        if kind in types.INTEGERS:
            held = int(value)
        else:
            held = conversions.make_float(conversions.rounded(float(value), kind), kind)
        return Expr(self.context.constant(held, at), kind, at, const=value)

    def default_literal(self, value: int | float, kind: str, at: ast.expr) -> Expr:
        """A literal with the type that is wanted here: where that is f32, f64 is possible."""
        result = self.typed_literal(value, kind, at)
        if kind in types.FLOATS:
            result.origin = widening.of_literal(value, kind)
        if kind == "f32":
            result.wider = lambda: self.typed_literal(value, "f64", at)
        return result

    def convert(self, value: Expr, kind: str) -> Expr:
        """A number as a number of another type that can take it."""
        if value.kind == kind:
            return value
        if value.choice is not None and types.is_soft(value.kind):
            taken, other = (self.convert(item, kind) for item in value.choice.values)
            return self.chosen(taken, other, value.choice.build)
        if value.const is not None and types.is_soft(value.kind):
            if not types.fits(value.const, kind):
                sign = isinstance(value.const, int) and value.const < 0 and kind in types.UNSIGNED
                hint = "; cast what stands beside it, as in i64(...)" if sign else ""
                shown = types.literal_text(value.const)
                self.context.error(value.at, f"literal {shown} does not fit {kind}{hint}")
            return self.default_literal(value.const, kind, value.at)
        if value.wider is not None and kind == "f64":
            return value.wider()
        result = self.converted(value, kind)
        if kind not in types.FLOATS:
            result.values = value.values
        elif value.kind in types.INTEGERS:
            result.origin = widening.of_integer(value.kind, kind)
            if kind == "f32":
                result.wider = lambda: self.converted(value, "f64")
        else:
            self.widened(value, kind)
            result.origin = value.origin
        return result

    def widened(self, value: Expr, kind: str, cast: bool = False) -> None:
        """Notes that a float becomes a wider one, which is refused if it was rounded before."""
        at, context = value.at, self.context

        def refuse() -> None:
            shown = context.text(at)
            context.error(
                at,
                f"cannot widen {shown} to {kind}: literals or integers in it are rounded to "
                f"{value.kind}; write {kind}(...) around them, or {value.kind}(...) to mean that",
            )

        context.program.widenings.widen(value.origin, cast, refuse)

    def chosen(self, taken: Expr, other: Expr, build: Callable[[Expr, Expr], Expr]) -> Expr:
        """One of two values of one type."""
        result = build(taken, other)
        result.origin = widening.chosen(taken.origin, other.origin)
        first, second = taken.wider, other.wider
        if first is not None and second is not None:
            result.wider = lambda: build(first(), second())
        return result

    def converted(self, value: Expr, kind: str) -> Expr:
        """A value of one type computed as another."""
        source = types.hardened(value.kind)
        if source == types.BOOL:
            source = "u8"
            value = Expr(self.context.call("int", int, [value.node], value.at), "u8", value.at)
        if source in types.INTEGERS and types.converts_silently(source, kind):
            return Expr(value.node, kind, value.at)

        def run(number: Any) -> Any:
            return conversions.cast(number, source, kind)

        name = f"cast_{source}_{kind}"
        return Expr(self.context.call(name, run, [value.node], value.at), kind, value.at)

    def harden(self, value: Expr) -> Expr:
        return self.convert(value, types.hardened(value.kind))

    def convert_silently(self, value: Expr, kind: str, action: str, place: str) -> Expr:
        """For assignments: only where every value is kept."""
        if value.kind == types.BOOL and kind == types.BOOL:
            return value
        value = shifts.met(value, kind)
        message = f"cannot {action} {types.shown(value.kind)} {place}"
        if kind == types.BOOL:
            self.context.error(value.at, f"{message}; write a comparison, as in x != 0")
        rounds = types.is_float(value.kind) and kind in types.INTEGERS
        soft = types.is_soft(value.kind) and not rounds
        if not soft and not types.converts_silently(value.kind, kind):
            if value.mixed is not None and kind == "u32":  # to cast the whole would saturate
                written = self.context.text(value.mixed)
                self.context.error(value.at, f"{message}; `{written}` is i32, write u32({written})")
            self.context.error(value.at, f"{message}; write {kind}(...)")
        return self.convert(value, kind)

    def require_number(self, value: Expr, what: str, other: str = "") -> None:
        """`other` is the type of the other operand, which a bool is to be cast to."""
        if value.kind == types.BOOL:
            cast = "i32" if other in ("", types.BOOL) else types.hardened(other)
            self.context.error(
                value.at,
                f"{what} needs numbers, not bool; write {cast}({self.context.text(value.at)})",
            )

    def unify(self, a: Expr, b: Expr, at: ast.expr, what: str) -> tuple[Expr, Expr, str]:
        self.require_number(a, what, b.kind)
        self.require_number(b, what, a.kind)
        a, b = shifts.met(a, b.kind), shifts.met(b, a.kind)
        common, _ = types.rule(a.kind, b.kind)
        if common is None and "u64" in (a.kind, b.kind):
            other = b if a.kind == "u64" else a
            common = "u64" if other.values is not None and other.values[0] >= 0 else None
        common = types.hardened(common) if common is not None else None
        if common is None:
            self.context.error(
                at,
                f"{what} of {types.shown(a.kind)} and {types.shown(b.kind)} has no common type; "
                "cast one, as in i64(...) or u64(...)",
            )
        return self.convert(a, common), self.convert(b, common), common

    def condition(self, node: ast.expr) -> Expr:
        return self.truth(node, "a condition is")

    def truth(self, node: ast.expr, what: str) -> Expr:
        """A bool, or an integer, which is true where it is not 0."""
        if isinstance(node, ast.BoolOp):
            value = self._logic(node, True)
            uniform.note(self.context, node, value)
            return value
        value = self.expression(node)
        if value.kind == types.BOOL:
            return value
        if not types.is_integer(value.kind):
            self.context.error(
                node,
                f"{what} a bool or an integer, not {types.shown(value.kind)}; write a comparison, "
                f"as in {self.context.text(node)} != 0.0",
            )
        return self.not_zero(value, node)

    def not_zero(self, value: Expr, at: ast.expr) -> Expr:
        if value.const is not None:
            return self.literal(value.const != 0, at)
        tested = self.context.call("bool", bool, [self.harden(value).node], at)
        return Expr(tested, types.BOOL, at)

    # ---- Names and literals

    def _name(self, node: ast.Name) -> Expr:
        symbol = self.context.symbols.get(node.id)
        if symbol is None:
            return self._other_name(node)
        if symbol.is_array:
            self.context.error(node, f"'{node.id}' is an array; write an element, {node.id}[i]")
        if symbol.const is not None:
            if types.is_soft(symbol.kind) or symbol.kind == types.BOOL:
                return self.literal(symbol.const, node)
            if symbol.by_default:
                return self.default_literal(symbol.const, symbol.kind, node)
            return self.typed_literal(symbol.const, symbol.kind, node)
        name = ast.copy_location(ast.Name(symbol.name, ast.Load()), node)
        result = Expr(name, symbol.kind, node)
        result.values = self.context.counters.get(node.id, symbol.values)
        if not symbol.stated:
            result.origin = widening.of_local(symbol)
        return result

    def _other_name(self, node: ast.Name) -> Expr:
        name = node.id
        if name in self.context.assigned:
            self.context.error(node, f"local '{name}' is read before it is assigned")
        self.context.scope.touch(name)
        if name not in self.context.scope.values:
            self.context.error(node, f"undefined name '{name}'")
        return self.literal(self.context.scope.values[name], node)

    def _attribute(self, node: ast.Attribute) -> Expr:
        """`math.inf`, `helpers.TWO_PI`: no other attribute passes the front end."""
        name = ast.unparse(node)
        self.context.scope.touch(name)
        return self.literal(self.context.scope.values[name], node)

    def _constant(self, node: ast.Constant) -> Expr:
        assert isinstance(node.value, (int, float))
        return self.literal(node.value, node)

    # ---- Operators

    def _binary(self, node: ast.BinOp) -> Expr:
        left, right = self.expression(node.left), self.expression(node.right)
        return self.operator(_BINARY[type(node.op)], left, right, node)

    def operator(self, op: str, left: Expr, right: Expr, at: ast.expr) -> Expr:
        """`left op right` for every operator but comparisons."""
        if left.folds and right.folds:
            a, b = left.const, right.const
            assert a is not None and b is not None
            value = self.context.checked(at, lambda: fold.binary(op, _SYMBOLS[op], a, b))
            return self.literal(value, at)
        if left.kind == right.kind == types.BOOL and op in ("bit_and", "bit_or", "bit_xor"):
            both = self.context.call(f"bool_{op}", _OF_BOOLS[op], [left.node, right.node], at)
            return Expr(both, types.BOOL, at)
        what = f"`{_SYMBOLS[op]}`"
        if op in ("add", "sub", "mul"):
            left, right = self._counted(left, right), self._counted(right, left)
        self.require_number(left, what, right.kind)
        self.require_number(right, what, left.kind)
        if op == "pow":
            power = self._known_power(left, right, at)
            if power is not None:
                return power
            if types.is_integer(left.kind) and types.is_integer(right.kind):
                without = _without_power(left.const, self.context.text(right.at))
                words = f"{what} of integers needs a power known at compile time; write {without}"
                self.context.error(at, words)
        if op == "mod":
            wrapping.refuse_remainder(left, right, at, self.context)
        integers = types.is_integer(left.kind) and types.is_integer(right.kind)
        if op in ("floor_div", "mod") and integers and right.const == 0:
            self.context.error(at, "division by zero")
        if op == "div" and integers:
            return self._divide_integers(left, right, at)
        mixed, given = _mixed(left, right), (left, right)
        if shifts.keeps_left(op, left.kind, right.kind):
            kind = left.kind
        else:
            left, right, kind = self.unify(left, right, at, what)
        if op in _BITWISE and kind in types.FLOATS:
            self.context.error(at, f"{what} needs integers, not {kind}")
        if op in ("shl", "shr") and right.const is not None:
            bits = types.BITS[kind]
            if not 0 <= right.const < bits:
                self.context.error(
                    right.at,
                    f"the shift count {right.const} is not 0 to {bits - 1}, the bits of {kind}",
                )
        result = self._apply(op, left, right, kind, at)
        result.mixed = mixed if kind == "i64" else None
        apply = lambda a, b, kind: self._apply(op, a, b, kind, at)  # noqa: E731
        result.follows = shifts.follows(op, given, apply, self)
        return result

    def _counted(self, value: Expr, other: Expr) -> Expr:
        """A bool beside a number with a type, or an integer, is the 0 or 1 of that type."""
        if value.kind != types.BOOL or other.kind in (types.BOOL, types.SOFT_FLOAT):
            return value
        kind = types.hardened(other.kind)
        if value.const is not None:
            return self.typed_literal(int(value.const), kind, value.at)
        result = self.converted(value, kind)
        result.origin = other.origin
        if other.wider is not None:  # 0 and 1 are so in f64, too
            result.wider = lambda: self.converted(value, "f64")
        return result

    def _known_power(self, left: Expr, right: Expr, at: ast.expr) -> Expr | None:
        """Whether the language has powers with a known exponent as products; see calls.py."""
        return None

    def _apply(self, op: str, left: Expr, right: Expr, kind: str, at: ast.expr) -> Expr:
        result = self._operation(op, left, right, kind, at)
        if kind in types.FLOATS:
            result.origin = widening.computed([left.origin, right.origin])
            first, second = left.wider, right.wider
            if first is not None and second is not None:
                result.wider = lambda: self._apply(op, first(), second(), "f64", at)
        else:
            result.values = _values(op, _known(left), _known(right), kind)
        return result

    def _operation(self, op: str, left: Expr, right: Expr, kind: str, at: ast.expr) -> Expr:
        context = self.context
        if op in ("floor_div", "mod") and kind in types.INTEGERS:
            site = context.site(at, context.text(at), [at])
            name = f"{kind}_{op}"
            node = context.call(name, divide(kind, op), [left.node, right.node, site], at)
            return Expr(node, kind, at)
        if op == "pow":
            return Expr(context.function("pow", kind, False, [left.node, right.node], at), kind, at)
        if op in ("add", "sub") and context.contract and kind in types.FLOATS:
            fused = self._contracted(op, left, right, kind, at)
            if fused is not None:
                return fused
        node = context.operation(kind, op, [left.node, right.node], at)
        result = Expr(node, kind, at)
        if op == "mul" and kind in types.FLOATS:
            result.product = (left.node, right.node)
        return result

    def _contracted(self, op: str, left: Expr, right: Expr, kind: str, at: ast.expr) -> Expr | None:
        """contract=True: a product that is an operand of + or - is fused; of two, the left one."""
        product, other = (left, right) if left.product is not None else (right, left)
        if product.product is None:
            return None
        a, b = product.product
        addend = other.node
        if op == "sub":
            if product is left:
                addend = self.context.operation(kind, "neg", [addend], at)
            else:
                a = self.context.operation(kind, "neg", [a], at)
        return Expr(self.context.operation(kind, "fma", [a, b, addend], at), kind, at)

    def _divide_integers(self, left: Expr, right: Expr, at: ast.expr) -> Expr:
        kind = types.quotient(left.kind, right.kind)
        operands = []
        for value in (left, right):
            soft = value.const is not None and types.is_soft(value.kind)
            if soft and value.const is not None:
                operand = self.convert(self.literal(float(value.const), value.at), kind)
            else:
                operand = self.convert(self.harden(value), kind)
            operands.append(operand)
        return self._apply("div", operands[0], operands[1], kind, at)

    def _unary(self, node: ast.UnaryOp) -> Expr:
        op = _UNARY[type(node.op)]
        if op == "not":
            return self._inverted(self.truth(node.operand, "`not` needs"), node)
        value = self.expression(node.operand)
        if op == "inv" and value.kind == types.BOOL:
            return self._inverted(value, node)
        if value.folds:
            assert value.const is not None
            known = value.const
            return self.literal(self.context.checked(node, lambda: fold.unary(op, known)), node)
        sign = {"neg": "`-`", "pos": "`+`", "inv": "`~`"}[op]
        self.require_number(value, sign)
        value = self.harden(value)
        if op == "inv" and not types.is_integer(value.kind):
            self.context.error(node, f"`~` needs an integer, not {value.kind}")
        if op == "pos":
            return value
        result, as_type = self.one(op, value, node), value.follows
        if as_type is not None:
            result.follows = lambda kind: self.one(op, as_type(kind), node)
        return result

    def _inverted(self, value: Expr, node: ast.UnaryOp) -> Expr:
        if value.const is not None:
            return self.literal(not value.const, node)
        inverted = ast.copy_location(ast.UnaryOp(ast.Not(), value.node), node)
        return Expr(inverted, types.BOOL, node)

    def one(self, op: str, value: Expr, at: ast.expr) -> Expr:
        """An exact operation on one number: neg, inv, abs."""
        result = Expr(self.context.operation(value.kind, op, [value.node], at), value.kind, at)
        result.origin = value.origin
        wider = value.wider
        if wider is not None:
            result.wider = lambda: self.one(op, wider(), at)
        return result

    def _bool(self, node: ast.BoolOp) -> Expr:
        return self._logic(node, False)

    def _logic(self, node: ast.BoolOp, is_condition: bool) -> Expr:
        """`and`, `or`: of integers only where they are a condition."""
        word = "`and`" if isinstance(node.op, ast.And) else "`or`"
        values = []
        with self.context.guards.scope():
            for item in node.values:
                values.append(self._operand_of_logic(item, word, is_condition))
                self.context.guards.learn(item, isinstance(node.op, ast.And))
        return Expr(ast.copy_location(ast.BoolOp(node.op, values), node), types.BOOL, node)

    def _operand_of_logic(self, item: ast.expr, word: str, is_condition: bool) -> ast.expr:
        if is_condition:
            return self.truth(item, f"{word} needs").node
        value = self.expression(item)
        if value.kind != types.BOOL:
            self.context.error(
                item,
                f"the value of {word} needs bools, not {types.shown(value.kind)}; write a "
                f"comparison, as in {self.context.text(item)} != 0",
            )
        return value.node

    def _compare(self, node: ast.Compare) -> Expr:
        operands = [self.expression(item) for item in (node.left, *node.comparators)]
        ops = [_COMPARE[type(op)] for op in node.ops]
        if len(operands) == 2 and operands[0].folds and operands[1].folds:
            a, b = operands[0].const, operands[1].const
            assert a is not None and b is not None
            op = ops[0]
            value = self.context.checked(node, lambda: fold.binary(op, _SYMBOLS[op], a, b))
            return self.literal(value, node)
        # Each pair has one type; a later pair may widen what an earlier one shares.
        order = [*range(len(ops)), *reversed(range(len(ops)))]
        for i in order:
            pair = self._comparable(ops[i], operands[i], operands[i + 1], node)
            operands[i], operands[i + 1] = pair
        compared = ast.Compare(
            operands[0].node, node.ops, [operand.node for operand in operands[1:]]
        )
        ast.copy_location(compared, node)
        return Expr(self.context.call("bool", bool, [compared], node), types.BOOL, node)

    def _comparable(self, op: str, a: Expr, b: Expr, at: ast.expr) -> tuple[Expr, Expr]:
        if op in ("eq", "ne") and a.kind == b.kind == types.BOOL:
            return a, b
        if types.is_soft(a.kind) and types.is_soft(b.kind):
            kind = "f32" if types.SOFT_FLOAT in (a.kind, b.kind) else "i32"
            return self.convert(a, kind), self.convert(b, kind)
        wrapping.refuse_comparison(op, a, b, self.context)
        return self.unify(a, b, at, f"`{_SYMBOLS[op]}`")[:2]

    def _conditional(self, node: ast.IfExp) -> Expr:
        test = self.condition(node.test).node

        def build(taken: Expr, other: Expr) -> Expr:
            chosen = ast.copy_location(ast.IfExp(test, taken.node, other.node), node)
            return Expr(chosen, taken.kind, node)

        with self.context.guards.scope(node.test):
            taken = self.expression(node.body)
        with self.context.guards.scope(node.test, holds=False):
            other = self.expression(node.orelse)
        return self.choice(taken, other, node, "a conditional expression", build)

    def choice(
        self,
        taken: Expr,
        other: Expr,
        at: ast.expr,
        what: str,
        build: Callable[[Expr, Expr], Expr],
    ) -> Expr:
        """One of two values, which get one type."""
        if taken.kind == other.kind == types.BOOL:
            return build(taken, other)
        if types.BOOL in (taken.kind, other.kind):
            self.context.error(
                at,
                f"the two values of {what} are {types.shown(taken.kind)} and "
                f"{types.shown(other.kind)}; cast one",
            )
        if types.is_soft(taken.kind) and types.is_soft(other.kind):
            return self.context.soft_choice(taken, other, at, build)
        taken, other, _ = self.unify(taken, other, at, what)
        return self.chosen(taken, other, build)

    def _subscript(self, node: ast.Subscript) -> Expr:
        raise NotImplementedError  # in elements.py

    def _call(self, node: ast.Call) -> Expr:
        raise NotImplementedError  # in calls.py


Values = tuple[int, int] | None  # the least and the largest


def _known(value: Expr) -> Values:
    if isinstance(value.const, int):
        return value.const, value.const
    return value.values


def _values(op: str, a: Values, b: Values, kind: str) -> Values:
    """Of an operation on integers whose values are known, unless it may wrap."""
    if a is None or b is None:
        return None
    if op == "add":
        least, most = a[0] + b[0], a[1] + b[1]
    elif op == "sub":
        least, most = a[0] - b[1], a[1] - b[0]
    elif op == "mul":
        products = [x * y for x in a for y in b]
        least, most = min(products), max(products)
    else:
        return None
    low, high = types.limits(kind)
    return (least, most) if low <= least and most <= high else None


_HANDLERS: dict[type[ast.expr], Callable[[Expressions, Any], Expr]] = {
    ast.Name: Expressions._name,
    ast.Constant: Expressions._constant,
    ast.Attribute: Expressions._attribute,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: lambda self, node: self._subscript(node),
    ast.Call: lambda self, node: self._call(node),
}
