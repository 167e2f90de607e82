"""Random expressions of a type, over the names that are in scope.

Most indices are in range and most divisors are not zero, and some are neither: faults have to
happen, in lanes that differ from their neighbours, with loads and stores behind them.
"""

from __future__ import annotations

import random

from strangers import tree, values
from strangers.tree import Expr

COMMON = ("u32", "i32", "f32", "u32", "i32", "f32", "f64", "i64", "u8", "u64", "i8", "i16", "u16")
RARE = ("f16", "bf16")
REDUCTIONS = ("add", "min", "max", "mul", "and", "or", "xor")
_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 10.0, 100.0, 0.125, 1000.0)


class Scope:
    """What an expression may name. `lane` is the variable that tells lanes apart, if in range."""

    def __init__(self, names: dict[str, str], lane: str = "") -> None:
        self.names = dict(names)
        self.lane = lane
        self.frozen: set[str] = set()  # may not be assigned: parameters, counters of loops
        self.loop = 0  # depth of loops in which break and continue may stand
        self.uniform = True  # no condition around this differs between lanes

    def inner(self) -> Scope:
        scope = Scope(self.names, self.lane)
        scope.frozen, scope.loop, scope.uniform = set(self.frozen), self.loop, self.uniform
        return scope


class Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.arrays: list[tree.Array] = []  # that may be read at any index
        self.own: list[tree.Array] = []  # that may be read at the lane's own index
        self.memory: list[tree.Array] = []  # local arrays
        self.helpers: list[tree.Helper] = []
        self.scalars: list[tuple[str, str]] = []
        self.place: list[Expr] = []  # where an output is the lane's own
        self.racy = False
        self.dims = 1

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def any_type(self) -> str:
        return self.rng.choice(RARE if self.chance(0.03) else COMMON)

    def array_type(self) -> str:
        """NumPy has no bf16, so no parameter is of it."""
        type_ = self.any_type()
        return "f16" if type_ == "bf16" else type_

    # Leaves.

    def literal(self, type_: str, bare: bool = False) -> tree.Lit:
        if type_ == "bool":
            return tree.Lit(type_, self.chance(0.5), True)
        if values.is_float(type_):
            return tree.Lit(type_, self.rng.choice(_FLOATS), bare)
        low, high = values.limits(type_)
        value = self.rng.choice(
            (0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 100, -1, -3, high, low, high // 3)
        )
        return tree.Lit(type_, values.saturate(type_, value), bare)

    def names_of(self, type_: str, scope: Scope) -> list[str]:
        return [name for name, t in scope.names.items() if t == type_]

    def id(self) -> tree.Id:
        names = ("get_global_id", "get_local_id", "get_block_id", "get_block_dim", "get_grid_dim")
        dim = (
            self.rng.randrange(self.dims) if self.dims > 1 else self.rng.choice((-1, -1, -1, 0, 1))
        )
        return tree.Id("u32", self.rng.choice(names), dim)

    def size(self) -> tree.Expr:
        candidates = [a for a in self.arrays + self.own if not a.extents]
        if not candidates:
            return self.literal("u32")
        a = self.rng.choice(candidates)
        axis = self.rng.randrange(a.rank) if a.rank and self.chance(0.7) else -1
        return tree.Size("u32", a.name, axis)

    def leaf(self, type_: str, scope: Scope, depth: int = 0) -> Expr:
        names = self.names_of(type_, scope)
        if names and self.chance(0.65):
            return tree.Var(type_, self.rng.choice(names))
        if type_ == "u32" and self.chance(0.3):
            return self.id() if self.chance(0.5) else self.size()
        if depth >= 0 and type_ != "bool" and self.chance(0.5):
            load = self.load(type_, scope, depth)
            if load is not None:
                return load
        if type_ != "bool" and self.chance(0.7):
            return self.converted_leaf(type_, scope, depth)
        return self.literal(type_)

    def converted_leaf(self, type_: str, scope: Scope, depth: int) -> Expr:
        """Data of another type rather than a number: numbers alone are computed when compiling."""
        if depth >= 0 and self.arrays and self.chance(0.5):
            a = self.rng.choice(self.arrays)
            e: Expr = tree.Load(a.type, a.name, self.index(a, scope, depth))
        else:
            names = [n for n, t in scope.names.items() if t != type_]
            if not names:
                return self.literal(type_)
            name = self.rng.choice(names)
            e = tree.Var(scope.names[name], name)
        return e if e.type == type_ else tree.Cast(type_, e)

    # Loads.

    def lane_index(self, scope: Scope) -> Expr | None:
        return tree.Var("u32", scope.lane) if scope.lane else None

    def load(self, type_: str, scope: Scope, depth: int) -> Expr | None:
        found = [a for a in self.arrays + self.memory if a.type == type_]
        own = [a for a in self.own if a.type == type_]
        if own and scope.lane and not self.racy and self.chance(0.3):
            if self.place:
                return tree.Load(type_, self.rng.choice(own).name, list(self.place))
        if self.racy:
            found += own
        if not found:
            return None
        a = self.rng.choice(found)
        return tree.Load(type_, a.name, self.index(a, scope, depth))

    def index(self, a: tree.Array, scope: Scope, depth: int) -> list[Expr]:
        if a.extents:
            return [self.index_within(extent, scope, depth) for extent in a.extents]
        if a.rank:
            return [self.ranked_place(a, axis, scope, depth) for axis in range(a.rank)]
        return [self.flat_index(a, scope, depth)]

    def ranked_place(self, a: tree.Array, axis: int, scope: Scope, depth: int) -> Expr:
        extent = tree.Size("u32", a.name, axis)
        if self.chance(0.02):
            return self.expr("u32", scope, depth - 2)
        return tree.Bin("u32", "%", self.expr("u32", scope, depth - 2), extent, "u32")

    def index_within(self, extent: int, scope: Scope, depth: int) -> Expr:
        """An index of an array whose extent is known, mostly in range."""
        roll = self.rng.random()
        if roll < 0.25:
            return tree.Lit("u32", self.rng.randrange(extent), True)
        e = self.expr("u32", scope, depth - 2)
        if roll < 0.75:
            return tree.Bin("u32", "%", e, tree.Lit("u32", extent, True), "u32")
        if roll < 0.985:
            bits = (1 << (extent.bit_length() - 1)) - 1
            return tree.Bin("u32", "&", e, tree.Lit("u32", bits, True), "u32")
        return e

    def flat_index(self, a: tree.Array, scope: Scope, depth: int) -> Expr:
        rng, lane = self.rng, self.lane_index(scope)
        roll = rng.random()
        if lane is not None and roll < 0.40 and a.role != "sum":
            if roll < 0.28:
                return lane
            # A neighbour; where there is none, another element or a fault.
            op, k = rng.choice("+-"), tree.Lit("u32", rng.choice((1, 1, 2, 5)), True)
            place = tree.Bin("u32", op, lane, k, "u32")
            if self.chance(0.97):
                size = tree.Size("u32", a.name)
                if op == "-":
                    inside = tree.Cmp("bool", [">="], [lane, k], "u32")
                else:
                    inside = tree.Cmp("bool", ["<"], [place, size], "u32")
                return tree.Cond("u32", inside, place, lane)
            return place
        type_ = rng.choice(("u32", "u32", "u32", "i32", "i32", "u8", "i64", "u16", "i16"))
        e = self.expr(type_, scope, depth - 1)
        size = tree.Size("u32", a.name)
        if roll < 0.62:
            work = values.promote(type_, "u32") or "u32"
            return tree.Bin(work, "%", e, size, work)
        if roll < 0.68:
            return tree.Call("u32", "min", [self.expr("u32", scope, depth - 1), self.last(a)])
        if roll < 0.69:
            return self.affine(scope, depth)
        if roll < 0.74:
            small = tree.Bin("u32", "//", self.as_u32(e), self.divisor("u32", scope), "u32")
            return small if self.chance(0.1) else tree.Call("u32", "min", [small, self.last(a)])
        if roll < 0.84:
            return tree.Lit("u32", rng.choice((0,) * 15 + (1, 2, 3)), True)
        if roll < 0.93:
            gathered = [x for x in self.arrays if x.role == "index"]
            if gathered:
                source = rng.choice(gathered)
                chosen: Expr = (
                    lane
                    if lane is not None and self.chance(0.6)
                    else self.wrapped(source, scope, depth)
                )
                return tree.Load(source.type, source.name, [chosen])
        if roll < 0.985:
            limit = tree.Call("u32", "max", [tree.Size("u32", a.name), tree.Lit("u32", 1, True)])
            return tree.Bin("u32", "%", self.as_u32(e), limit, "u32")
        if roll < 0.997 and a.role == "in":
            limit = tree.Call("u32", "min", [self.leaf("u32", scope, -1), size])
            return tree.Bin("u32", "%", self.as_u32(e), limit, "u32")
        return e

    def last(self, a: tree.Array) -> Expr:
        """The last index; a huge one if there is none."""
        return tree.Bin("u32", "-", tree.Size("u32", a.name), tree.Lit("u32", 1, True), "u32")

    def wrapped(self, a: tree.Array, scope: Scope, depth: int) -> Expr:
        return tree.Bin(
            "u32", "%", self.expr("u32", scope, depth - 1), tree.Size("u32", a.name), "u32"
        )

    def as_u32(self, e: Expr) -> Expr:
        return e if e.type == "u32" else tree.Cast("u32", e)

    def affine(self, scope: Scope, depth: int) -> Expr:
        """(x % d) * w + off of scalars of the launch, which may be 0 or huge."""
        u = [n for n, t in self.scalars if t == "u32" and n in scope.names]

        def pick() -> Expr:
            return tree.Var("u32", self.rng.choice(u)) if u else self.literal("u32")

        op = self.rng.choice(("%", "%", "//"))
        e: Expr = tree.Bin("u32", op, self.expr("u32", scope, depth - 2), pick(), "u32")
        if self.chance(0.4):
            e = tree.Bin("u32", "*", e, pick(), "u32")
        return tree.Bin("u32", "+", e, pick(), "u32") if self.chance(0.4) else e

    # Operators.

    def divisor(self, type_: str, scope: Scope) -> Expr:
        roll = self.rng.random()
        if roll < 0.62:
            value = self.rng.choice((1, 2, 3, 4, 5, 7, 8, 10, 16, 100))
            if values.is_signed(type_) and self.chance(0.2):
                value = -value
            return tree.Lit(type_, value, self.chance(0.7))
        e = self.leaf(type_, scope, -1)
        if isinstance(e, tree.Lit):
            return tree.Lit(type_, e.value or 3, False)
        if roll < 0.83:
            return tree.Bin(type_, "|", e, tree.Lit(type_, 1, True), type_)
        if roll < 0.985:
            return tree.Call(type_, "max", [e, tree.Lit(type_, 1, True)])
        return e

    def expr(self, type_: str, scope: Scope, depth: int) -> Expr:
        if type_ == "bool":
            return self.condition(scope, depth)
        if depth <= 0 or self.chance(0.2):
            return self.leaf(type_, scope, depth)
        roll = self.rng.random()
        if roll < 0.10:
            return self.cast(type_, scope, depth)
        if roll < 0.17:
            a, b = self.expr(type_, scope, depth - 1), self.expr(type_, scope, depth - 1)
            return tree.Cond(type_, self.condition(scope, depth - 1), a, b)
        if roll < 0.25:
            name = self.rng.choice(("min", "max", "select"))
            args = [self.expr(type_, scope, depth - 1) for _ in range(2)]
            if name == "select":
                args.insert(0, self.condition(scope, depth - 1))
            return tree.Call(type_, name, args)
        if roll < 0.30:
            call = self.helper_call(type_, scope, depth)
            if call is not None:
                return call
        if roll < 0.36:
            mixed = self.mixed(type_, scope, depth)
            if mixed is not None:
                return mixed
        return self.operation(type_, scope, depth)

    def cast(self, type_: str, scope: Scope, depth: int) -> Expr:
        source = "bool" if self.chance(0.12) else self.any_type()
        if source == type_:
            return self.leaf(type_, scope, depth)
        return tree.Cast(type_, self.typed(self.expr(source, scope, depth - 1)))

    def typed(self, e: Expr) -> Expr:
        """A literal has a type of its own only under a cast."""
        return tree.Lit(e.type, e.value) if isinstance(e, tree.Lit) and e.type != "bool" else e

    def mixed(self, type_: str, scope: Scope, depth: int) -> Expr | None:
        """Operands of two types that meet in this one."""
        a, b = self.any_type(), self.any_type()
        if a == b or values.promote(a, b) != type_:
            return None
        op = self.rng.choice("+-*")
        x, y = (
            self.typed(self.expr(a, scope, depth - 1)),
            self.typed(self.expr(b, scope, depth - 1)),
        )
        return tree.Bin(type_, op, x, y, type_)

    def operation(self, type_: str, scope: Scope, depth: int) -> Expr:
        a = self.expr(type_, scope, depth - 1)
        if values.is_float(type_):
            return self.float_operation(type_, a, scope, depth)
        roll = self.rng.random()
        if roll < 0.20:
            op = self.rng.choice(("//", "%"))
            return tree.Bin(type_, op, a, self.divisor(type_, scope), type_)
        if roll < 0.30:
            # A literal beyond the bits is refused; a variable is taken modulo them.
            bits = values.INTEGERS[type_][0]
            count = tree.Lit(type_, self.rng.choice((1, 2, 3, 7, bits // 2, bits - 1)), True)
            b = count if self.chance(0.6) else self.leaf(type_, scope, -1)
            b = count if isinstance(b, tree.Lit) else b
            return tree.Bin(type_, self.rng.choice(("<<", ">>")), a, b, type_)
        if roll < 0.36:
            if values.is_signed(type_) and self.chance(0.6):
                return tree.Call(type_, "abs", [a]) if self.chance(0.5) else tree.Un(type_, "-", a)
            return tree.Un(type_, "~", a)
        if roll < 0.39:
            return tree.Power(type_, a, self.rng.choice((2, 3, 4)))
        op = self.rng.choice(("+", "+", "-", "*", "*", "&", "|", "^"))
        b = self.expr(type_, scope, depth - 1)
        if isinstance(b, tree.Lit) and not isinstance(a, tree.Lit):
            b = tree.Lit(b.type, b.value, self.chance(0.6))
        return tree.Bin(type_, op, a, b, type_)

    def float_operation(self, type_: str, a: Expr, scope: Scope, depth: int) -> Expr:
        roll = self.rng.random()
        if roll < 0.22:
            name = self.rng.choice(("abs", "sqrt", "floor", "ceil", "round", "trunc"))
            return tree.Call(type_, name, [a])
        if roll < 0.27:
            return tree.Un(type_, "-", a)
        if roll < 0.35:
            b, c = self.expr(type_, scope, depth - 1), self.expr(type_, scope, depth - 1)
            return tree.Call(type_, "fma", [a, b, c])
        if roll < 0.39:
            return tree.Power(type_, a, self.rng.choice((2, 3, 4, -1, -2)))
        op = self.rng.choice(("+", "+", "-", "*", "*", "/", "/", "//", "%"))
        b = self.expr(type_, scope, depth - 1)
        return tree.Bin(type_, op, self.typed(a), self.typed(b), type_)

    def helper_call(self, type_: str, scope: Scope, depth: int) -> Expr | None:
        fitting = [h for h in self.helpers if h.result == type_]
        if not fitting:
            return None
        helper = self.rng.choice(fitting)
        arrays = []
        for _, element in helper.arrays:
            candidates = [a.name for a in self.arrays if a.type == element and not a.rank]
            if not candidates:
                return None
            arrays.append(self.rng.choice(candidates))
        args = [self.typed(self.expr(t, scope, depth - 1)) for _, t in helper.params]
        return tree.HelperCall(type_, helper.name, args, arrays)

    def condition(self, scope: Scope, depth: int) -> Expr:
        roll = self.rng.random()
        if depth > 0 and roll < 0.18:
            a, b = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            return tree.Logic("bool", self.rng.choice(("and", "or")), a, b)
        if depth > 0 and roll < 0.24:
            return tree.Un("bool", "not", self.condition(scope, depth - 1))
        if roll < 0.28:
            type_ = self.rng.choice(("u32", "i32", "u8", "i64", "i16"))
            return tree.Cast("bool", self.typed(self.expr(type_, scope, depth - 1)))
        if scope.lane and roll < 0.50:
            return self.lane_condition(scope)
        type_ = self.any_type()
        ops = ["<", "<=", ">", ">=", "==", "!="]
        a = self.typed(self.expr(type_, scope, depth - 1))
        b = self.typed(self.expr(type_, scope, depth - 1))
        if roll > 0.92:
            c = self.typed(self.expr(type_, scope, depth - 1))
            return tree.Cmp(
                "bool", [self.rng.choice(ops[:2]), self.rng.choice(ops[:2])], [a, b, c], type_
            )
        return tree.Cmp("bool", [self.rng.choice(ops)], [a, b], type_)

    def lane_condition(self, scope: Scope) -> Expr:
        """One that parts lanes of a chunk: one lane, every k-th, the first ones."""
        lane = tree.Var("u32", scope.lane)
        k = tree.Lit("u32", self.rng.choice((1, 2, 3, 5, 7, 8, 16, 20)), True)
        roll = self.rng.random()
        if roll < 0.35:
            return tree.Cmp("bool", ["=="], [lane, k], "u32")
        if roll < 0.7:
            rest = tree.Bin("u32", "%", lane, k, "u32")
            zero = tree.Lit("u32", self.rng.choice((0, 0, 1)), True)
            return tree.Cmp("bool", ["=="], [rest, zero], "u32")
        return tree.Cmp("bool", [self.rng.choice(("<", ">"))], [lane, k], "u32")
