"""Random kernels: `generate(seed)` gives the same Program for the same seed.

A kernel has one of some shapes (one element a lane, grid-stride loop, block with shared memory, two
or three dimensions, scatters) so that the verifier proves most of its stores; what stands in it is
random.
"""

from __future__ import annotations

import random

from strangers import tree, values
from strangers.expressions import REDUCTIONS, Expressions, Scope
from strangers.launches import RANKS
from strangers.tree import Expr, Stmt

_KINDS = (
    *(("flat", 40), ("stride", 8), ("block", 16), ("grid2", 8)),
    *(("grid3", 4), ("split", 6), ("scatter", 9), ("plane", 5), ("tile", 5)),
)
# Those whose lanes may have a limit that only data says.
LIMITED = ("flat", "stride", "block", "grid2", "grid3", "plane", "scatter")
_ATOMIC = ("i32", "u32", "i64", "u64")
_ATOMIC_OPS = ("add", "min", "max", "and", "or", "xor")
_FLOAT_OPS = ("add", "add", "add", "min", "max", "exchange")


class Generator(Expressions):
    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(f"strangers {seed}"))
        self.seed = seed
        self.count = 0
        self.outputs: list[tree.Array] = []
        self.sums: list[tree.Array] = []
        self.totals: list[tree.Array] = []
        self.may_return = False
        self.behind: list[str] = []
        self.apart: list[tree.Array] = []  # read by `risky` alone, so that nothing faults before
        self.wanted: list[tuple[str, str]] = []
        self.sum_ops: dict[str, str] = {}
        # Decided apart, so that the rest of a program is what its seed always gave.
        self.limits_rng = random.Random(f"limits {seed}")
        self.limit: tree.Array | None = None

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    # Declarations.

    def declare(self, kind: str) -> None:
        rng = self.rng
        rank = RANKS.get(kind, 0)
        for k in range(rng.choice((1, 2, 2, 3))):
            ranked = rank if rank and self.chance(0.6) else 0
            self.arrays.append(tree.Array(f"a{k}", self.array_type(), "in", ranked))
        if self.chance(0.45):
            type_ = rng.choice(("u32", "i32", "u8", "u16", "i64"))
            self.arrays.append(tree.Array("idx", type_, "index"))
        for k in range(rng.choice((1, 1, 1, 2))):
            out = tree.Array(f"o{k}", self.array_type(), "out", rank)
            self.outputs.append(out)
        if self.chance(0.3) or kind == "scatter":
            self.sums.append(tree.Array("sums", rng.choice(_ATOMIC), "sum"))
            self.sum_ops["sums"] = rng.choice(_ATOMIC_OPS)
        if self.chance(0.2):
            self.sums.append(tree.Array("spots", rng.choice(("f32", "f32", "f64", "f16")), "sum"))
            self.sum_ops["spots"] = "add"
        if self.chance(0.07):
            self.totals.append(tree.Array("total", rng.choice(("f32", "f32", "f64")), "total"))
        if self.chance(0.35):
            self.apart.append(tree.Array("r", self.array_type(), "in"))
        self.scalars = [("n", "u32")] if rank == 0 else []
        if kind == "plane":
            self.scalars += [("w", "u32"), ("h", "u32")]
        for k in range(rng.choice((0, 1, 2, 3, 3))):
            type_ = rng.choice(("u32", "u32", "u32", "i32", "f32", "f64", "u8", "i64", "i8"))
            self.scalars.append((f"s{k}", type_))
        self.own = self.outputs

    def make_helper(self) -> tree.Helper:
        rng = self.rng
        name = f"helper{len(self.helpers)}"
        params = [(f"p{k}", self.any_type()) for k in range(rng.choice((1, 2, 2, 3)))]
        arrays = []
        plain = [a for a in self.arrays if not a.rank]
        if plain and self.chance(0.35):
            arrays = [("q", rng.choice(plain).type)]
        result = rng.choice([t for _, t in params]) if self.chance(0.5) else self.any_type()
        kept = self.arrays, self.own, self.helpers, self.sums, self.racy, self.dims, self.memory
        kept_place, self.place = self.place, []
        self.arrays = [tree.Array(n, t, "in") for n, t in arrays]
        self.own, self.helpers, self.sums, self.racy, self.dims, self.memory = (
            [],
            [],
            [],
            False,
            1,
            [],
        )
        scope = Scope(dict(params))
        scope.frozen |= set(scope.names)
        body: list[Stmt] = []
        for _ in range(rng.choice((0, 1, 2))):
            self.statement(body, scope, 1)
        if self.chance(0.4):
            early = tree.Return(self.returned(result, scope))
            body.append(tree.If(self.condition(scope, 1), [early], []))
        body.append(tree.Return(self.returned(result, scope)))
        self.arrays, self.own, self.helpers, self.sums, self.racy, self.dims, self.memory = kept
        self.place = kept_place
        return tree.Helper(name, params, arrays, result, body)

    def returned(self, type_: str, scope: Scope) -> Expr:
        return self.typed(self.expr(type_, scope, 2))

    # Statements.

    def statements(self, scope: Scope, count: int, depth: int) -> list[Stmt]:
        body: list[Stmt] = []
        for _ in range(count):
            self.statement(body, scope, depth)
        return body

    def statement(self, body: list[Stmt], scope: Scope, depth: int) -> None:
        roll = self.rng.random()
        if depth > 0 and roll < 0.17:
            self.branch(body, scope, depth)
        elif depth > 0 and roll < 0.27:
            self.loop(body, scope, depth)
        elif depth > 0 and roll < 0.31:
            self.while_loop(body, scope, depth)
        elif roll < 0.345:
            self.risky(body, scope)
        elif roll < 0.385 and scope.loop and not scope.uniform:
            word = self.rng.choice(("break", "continue"))
            if self.may_return and self.chance(0.2):
                word = "return"
            body.append(tree.If(self.condition(scope, 1), [tree.Jump(word)], []))
        elif roll < 0.40 and self.may_return and not scope.uniform:
            body.append(tree.If(self.condition(scope, 1), [tree.Jump("return")], []))
        elif roll < 0.48 and self.outputs and self.place:
            self.store(body, scope)
        elif roll < 0.53 and self.memory:
            m = self.rng.choice(self.memory)
            value = self.typed(self.expr(m.type, scope, 2))
            op = self.rng.choice(("", "", "+"))
            body.append(tree.Store(m.name, self.index(m, scope, 2), value, op))
        elif roll < 0.58 and self.sums:
            self.atomic(body, scope)
        elif roll < 0.60:
            text = self.rng.choice(("", "bound"))
            a = tree.Cmp(
                "bool",
                ["!="],
                [self.typed(self.expr("u32", scope, 2)), tree.Lit("u32", 77, True)],
                "u32",
            )
            body.append(tree.Check(a if self.chance(0.93) else self.condition(scope, 1), text))
        elif roll < 0.80:
            self.change(body, scope)
        else:
            self.define(body, scope)

    def same_everywhere(self) -> Expr:
        """A u32 that all lanes share, and that is known only while they run, or at the launch."""
        arrays = [a for a in self.arrays if not a.rank and a.name != "q"]
        scalars = [n for n, t in self.scalars if t == "u32"]
        e: Expr = self.literal("u32")
        if arrays and self.chance(0.8):
            a = self.rng.choice([x for x in arrays if values.is_integer(x.type)] or arrays)
            e = tree.Load(a.type, a.name, [tree.Lit("u32", 0, True)])
        elif scalars:
            e = tree.Var("u32", self.rng.choice(scalars))
        if scalars and self.chance(0.15):
            other = tree.Var("u32", self.rng.choice(scalars))
            e = tree.Bin("u32", self.rng.choice("+^*"), self.as_u32(e), other, "u32")
        return self.typed(e) if e.type == "u32" else tree.Cast("u32", e)

    def risky(self, body: list[Stmt], scope: Scope) -> None:
        """A division by what all lanes share, in some of the lanes, and behind it an access whose
        index is in range only because of the division."""
        rng = self.rng
        arrays = [a for a in self.arrays if not a.rank and a.name != "q"]
        if not scope.lane or not arrays or not self.place:
            return self.define(body, scope)
        a = rng.choice(self.sums if self.sums and self.chance(0.3) else arrays)
        if self.apart and self.chance(0.75):
            a = self.apart[0]
        self.behind.append(a.name)
        divisor: Expr = tree.Size("u32", a.name)
        scalars = [n for n, t in self.scalars if t == "u32" and n in scope.names]
        if scalars and self.chance(0.4):
            divisor = tree.Var("u32", rng.choice(scalars))
        x = self.same_everywhere()
        op = "%" if self.chance(0.85) else "//"
        index: Expr = tree.Bin("u32", op, x, divisor, "u32")
        if len(scalars) > 1 and self.chance(0.4):
            factor, offset = (tree.Var("u32", n) for n in rng.sample(scalars, 2))
            index = tree.Bin("u32", "*", index, factor, "u32")
            index = tree.Bin("u32", "+", index, offset, "u32")
        inner = scope.inner()
        inner.uniform = False
        then: list[Stmt] = []
        if self.chance(0.3):
            # The division alone; the access is behind it, in the same lanes.
            name = self.fresh()
            then.append(tree.Assign(name, index, "u32"))
            inner.names[name] = "u32"
            index = tree.Var("u32", name)
        if a.role == "sum" and not self.racy:
            value = self.typed(self.leaf(a.type, inner, -1))
            then.append(
                tree.AtomicDo(
                    tree.AtomicValue(a.type, self.sum_ops[a.name], a.name, [index], value)
                )
            )
        else:
            names = [n for n in self.names_of(a.type, scope) if n not in scope.frozen]
            target = rng.choice(names) if names else self.fresh()
            if not names:
                body.append(tree.Assign(target, self.literal(a.type), a.type))
                scope.names[target] = inner.names[target] = a.type
            self.wanted.append((target, a.type))
            then.append(tree.Assign(target, tree.Load(a.type, a.name, [index]), a.type))
        if self.chance(0.4):
            then += self.statements(inner, 1, 0)
        condition = self.lane_condition(scope) if self.chance(0.8) else self.condition(scope, 1)
        body.append(tree.If(condition, then, []))
        return None

    def define(self, body: list[Stmt], scope: Scope, depth: int = 2) -> None:
        type_ = "bool" if self.chance(0.06) else self.any_type()
        name = self.fresh()
        value = self.expr(type_, scope, depth)
        declared = self.chance(0.4) and type_ != "bool"
        body.append(tree.Assign(name, value if declared else self.typed(value), type_, declared))
        scope.names[name] = type_

    def change(self, body: list[Stmt], scope: Scope) -> None:
        names = [n for n in scope.names if n not in scope.frozen]
        if not names:
            self.define(body, scope)
            return
        name = self.rng.choice(names)
        type_ = scope.names[name]
        same = [n for n in names if scope.names[n] == type_ and n != name]
        if same and self.chance(0.15):
            other = self.rng.choice(same)
            body.append(
                tree.Swap(
                    [name, other], [tree.Var(type_, other), self.typed(self.expr(type_, scope, 2))]
                )
            )
            return
        op = ""
        value = self.typed(self.expr(type_, scope, 2))
        if type_ != "bool" and self.chance(0.5):
            op = self.rng.choice(
                "+-*" if values.is_float(type_) else ("+", "-", "*", "^", "&", "//", "%")
            )
            if op in ("//", "%"):
                value = self.divisor(type_, scope)
        body.append(tree.Assign(name, value, type_, False, op))

    def branch(self, body: list[Stmt], scope: Scope, depth: int) -> None:
        condition = self.condition(scope, 2)
        inner = scope.inner()
        inner.uniform = False
        then = self.statements(inner, self.rng.choice((1, 2, 2, 3)), depth - 1)
        other: list[Stmt] = []
        if self.chance(0.4):
            inner = scope.inner()
            inner.uniform = False
            other = self.statements(inner, self.rng.choice((1, 2)), depth - 1)
        body.append(tree.If(condition, then, other))

    def range_args(self, scope: Scope, type_: str) -> list[Expr]:
        rng = self.rng

        def bare(value: int) -> tree.Lit:
            return tree.Lit(type_, value, True)

        few = tree.Bin(
            type_, "%", self.typed(self.expr(type_, scope, 1)), bare(rng.choice((3, 5, 9))), type_
        )
        limit: Expr = few if self.chance(0.5) else tree.Lit(type_, rng.choice((0, 1, 2, 3, 4, 8)))
        roll = rng.random()
        if roll < 0.5:
            return [limit]
        start: Expr = tree.Lit(type_, rng.choice((0, 1, 2)))
        if roll < 0.7:
            return [start, limit]
        if values.is_signed(type_) and roll < 0.88:
            down = tree.Lit(type_, rng.choice((-1, -1, -2, -3)), True)
            return [limit, tree.Lit(type_, rng.choice((0, -1, -2))), down]
        if roll < 0.94 or values.is_signed(type_):
            return [start, limit, bare(rng.choice((1, 2, 3)))]
        names = self.names_of(type_, scope)
        return [start, limit, tree.Var(type_, rng.choice(names)) if names else bare(4)]

    def loop(self, body: list[Stmt], scope: Scope, depth: int) -> None:
        type_ = self.rng.choice(("u32", "u32", "i32", "i32", "i64", "u8"))
        name = self.fresh()
        args = self.range_args(scope, type_)
        inner = scope.inner()
        inner.names[name] = type_
        inner.frozen.add(name)
        inner.loop += 1
        inner.uniform = False
        body.append(
            tree.For(
                name, type_, args, self.statements(inner, self.rng.choice((1, 2, 3)), depth - 1)
            )
        )

    def while_loop(self, body: list[Stmt], scope: Scope, depth: int) -> None:
        name = self.fresh()
        body.append(tree.Assign(name, tree.Lit("u32", 0, True), "u32", True))
        scope.names[name] = "u32"
        scope.frozen.add(name)
        count = tree.Var("u32", name)
        enough = tree.Cmp(
            "bool", ["<"], [count, tree.Lit("u32", self.rng.choice((2, 3, 6)), True)], "u32"
        )
        condition: Expr = enough
        if self.chance(0.7):
            pair = [condition, self.condition(scope, 1)]
            if self.chance(0.5):
                pair.reverse()
            condition = tree.Logic("bool", "and", pair[0], pair[1])
        inner = scope.inner()
        inner.loop += 1
        inner.uniform = False
        up = tree.Assign(name, tree.Lit("u32", 1, True), "u32", False, "+")
        rest = self.statements(inner, self.rng.choice((1, 2)), depth - 1)
        body.append(tree.While(condition, [up, *rest]))

    def store(self, body: list[Stmt], scope: Scope) -> None:
        out = self.rng.choice(self.outputs)
        value = self.typed(self.expr(out.type, scope, 2))
        if self.racy and self.chance(0.5):
            body.append(tree.Store(out.name, self.index(out, scope, 2), value))
            return
        op = self.rng.choice("+-*") if self.chance(0.2) else ""
        place = self.place
        if self.chance(0.01) and not out.rank:
            place = [tree.Bin("u32", "+", self.place[0], tree.Lit("u32", 1, True), "u32")]
        body.append(tree.Store(out.name, list(place), value, op))

    def atomic(self, body: list[Stmt], scope: Scope) -> None:
        a = self.rng.choice(self.sums)
        op = self.rng.choice((*_ATOMIC_OPS, "exchange")) if self.racy else self.sum_ops[a.name]
        if values.is_float(a.type):
            op = self.rng.choice(_FLOAT_OPS)
        value = self.typed(self.expr(a.type, scope, 2))
        index = self.flat_index(a, scope, 2)
        e = tree.AtomicValue(a.type, op, a.name, [index], value)
        if self.racy and self.chance(0.5):
            name = self.fresh()
            body.append(tree.Assign(name, e, a.type))
            scope.names[name] = a.type
        else:
            body.append(tree.AtomicDo(e))

    # Whole kernels.

    def final_stores(self, body: list[Stmt], scope: Scope) -> None:
        for total in self.totals:
            value = self.typed(self.expr(total.type, scope, 2))
            add = tree.AtomicDo(
                tree.AtomicValue(
                    total.type, "add", total.name, [tree.Lit("u32", 0, True)], value, True
                )
            )
            body.append(tree.If(self.condition(scope, 1), [add], []) if self.chance(0.4) else add)
        for spots in self.sums:
            if values.is_float(spots.type):
                # So that it is no sum of the launch, wherever else it is added to.
                value = self.typed(self.expr(spots.type, scope, 1))
                index = self.flat_index(spots, scope, 2)
                most = tree.AtomicValue(spots.type, "max", spots.name, [index], value)
                body.append(tree.If(self.condition(scope, 1), [tree.AtomicDo(most)], []))
        for out in self.outputs:
            value = self.typed(self.expr(out.type, scope, 2))
            same = [n for n, t in scope.names.items() if t == out.type and n not in scope.frozen]
            wanted = [tree.Var(t, n) for n, t in self.wanted if n in scope.names]
            if wanted and self.chance(0.7):
                value = self.rng.choice(wanted)
                value = value if value.type == out.type else tree.Cast(out.type, value)
            elif same and self.chance(0.7):
                value = tree.Var(out.type, self.rng.choice(same))
            body.append(tree.Store(out.name, list(self.place), value, ""))

    def inside(self, scope: Scope, depth: int = 2) -> list[Stmt]:
        """Small on the whole: compiling takes most of the time, and mistakes are found by variety."""
        body: list[Stmt] = []
        for _ in range(self.rng.choice((1, 1, 2))):
            self.define(body, scope, 2)
        count = self.rng.choice((0, 0, 1, 1, 1, 2, 4))
        if self.apart:
            self.risky(body, scope)
        body += self.statements(scope, count, depth + (count == 4))
        self.final_stores(body, scope)
        return body

    def limited(self, conditions: list[Expr], ids: list[Expr]) -> list[Expr]:
        """With data as a limit of ids: arrays may be shorter than the proofs want, which only know
        `n` and the grid. Such a launch takes the checked form of the kernel."""
        if self.limit is None:
            return conditions
        inside: list[Expr] = []
        for k, e in enumerate(ids):
            data = tree.Load("u32", self.limit.name, [tree.Lit("u32", k, True)])
            inside.append(tree.Cmp("bool", ["<"], [e, data], "u32"))
        return inside if self.limits_rng.random() < 0.3 else [*conditions, *inside]

    def guard(self, conditions: list[Expr], scope: Scope) -> list[Stmt]:
        """The kernel's work behind its guard: an if, an early return, or none at all."""
        condition: Expr = conditions[0]
        for c in conditions[1:]:
            condition = tree.Logic("bool", "and", condition, c)
        roll = self.rng.random()
        if roll < 0.62:
            return [tree.If(condition, self.inside(scope), [])]
        if roll < 0.94:
            leave = tree.If(tree.Un("bool", "not", condition), [tree.Jump("return")], [])
            return [leave, *self.inside(scope)]
        return self.inside(scope)

    def lane(self, name: str, value: Expr, scope: Scope) -> Stmt:
        scope.names[name] = "u32"
        scope.frozen.add(name)
        return tree.Assign(name, value, "u32")

    def flat(self, scope: Scope) -> list[Stmt]:
        body: list[Stmt] = [self.lane("i", tree.Id("u32", "get_global_id", -1), scope)]
        scope.lane = "i"
        i = tree.Var("u32", "i")
        self.place = [i]
        if self.chance(0.15):
            body += self.statements(scope, 1, 1)
        roll = self.rng.random()
        limit: Expr = tree.Var("u32", "n")
        if roll < 0.2:
            limit = tree.Size("u32", self.outputs[0].name)
        elif roll < 0.25:
            limit = tree.Size("u32", self.arrays[0].name)
        conditions: list[Expr] = [tree.Cmp("bool", ["<"], [i, limit], "u32")]
        if self.chance(0.1):
            conditions.insert(0, tree.Cmp("bool", [">"], [i, tree.Lit("u32", 0, True)], "u32"))
        return body + self.guard(self.limited(conditions, [i]), scope)

    def stride(self, scope: Scope) -> list[Stmt]:
        i, n = tree.Var("u32", "i"), tree.Var("u32", "n")
        gid, dim = tree.Id("u32", "get_global_id", -1), tree.Id("u32", "get_block_dim", -1)
        step = tree.Bin("u32", "*", tree.Id("u32", "get_grid_dim", -1), dim, "u32")
        self.place = [i]
        inner = scope.inner()
        inner.names["i"], inner.lane, inner.uniform, inner.loop = "u32", "i", False, 1
        inner.frozen.add("i")
        inside = self.inside(inner, 2)
        limits = self.limited([], [i])
        if limits:
            inside = [tree.If(limits[0], inside, [])]
        return [tree.For("i", "u32", [gid, n, step], inside)]

    def plane(self, scope: Scope) -> list[Stmt]:
        """Two dimensions on flat arrays: out[j * w + i]."""
        names = ("i", "j")
        body = [
            self.lane(m, tree.Id("u32", "get_global_id", k), scope) for k, m in enumerate(names)
        ]
        scope.lane = "i"
        i, j, w, h = (tree.Var("u32", m) for m in ("i", "j", "w", "h"))
        row = tree.Bin("u32", "*", j, w, "u32")
        self.place = [tree.Bin("u32", "+", row, i, "u32")]
        inside: list[Expr] = [
            tree.Cmp("bool", ["<"], [i, w], "u32"),
            tree.Cmp("bool", ["<"], [j, h], "u32"),
        ]
        return body + self.guard(self.limited(inside, [i, j]), scope)

    def grid(self, scope: Scope, dims: int) -> list[Stmt]:
        """Ranked arrays; the last axis is the first dimension of the launch."""
        names = ("i", "j", "k")[:dims]
        body = [
            self.lane(m, tree.Id("u32", "get_global_id", d), scope) for d, m in enumerate(names)
        ]
        scope.lane = "i"
        out = self.outputs[0]
        self.place = [tree.Var("u32", m) for m in reversed(names)]
        conditions: list[Expr] = []
        for axis, e in enumerate(self.place):
            conditions.append(tree.Cmp("bool", ["<"], [e, tree.Size("u32", out.name, axis)], "u32"))
        return body + self.guard(self.limited(conditions, self.place), scope)

    def split(self, scope: Scope) -> list[Stmt]:
        """One dimension that comes apart into rows and columns."""
        out = self.outputs[0].name
        rows, columns = tree.Size("u32", out, 0), tree.Size("u32", out, 1)
        t = tree.Var("u32", "t")
        body: list[Stmt] = [self.lane("t", tree.Id("u32", "get_global_id", -1), scope)]
        all_ = tree.Bin("u32", "*", rows, columns, "u32")
        i = self.lane("i", tree.Bin("u32", "//", t, columns, "u32"), scope)
        j = self.lane("j", tree.Bin("u32", "%", t, columns, "u32"), scope)
        scope.lane = "j"
        self.place = [tree.Var("u32", "i"), tree.Var("u32", "j")]
        inner = [i, j, *self.inside(scope)]
        return [*body, tree.If(tree.Cmp("bool", ["<"], [t, all_], "u32"), inner, [])]

    def generate(self) -> tree.Program:
        rng = self.rng
        kinds, weights = zip(*_KINDS)
        kind = rng.choices(kinds, weights)[0]
        self.dims = {"grid2": 2, "plane": 2, "tile": 2, "grid3": 3}.get(kind, 1)
        self.declare(kind)
        if kind in LIMITED and self.limits_rng.random() < 0.35:
            self.limit = tree.Array("lim", "u32", "limit")
        for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
            self.helpers.append(self.make_helper())
        self.racy = kind == "scatter"
        memory: list[tree.Array] = []
        if self.chance(0.25):
            extents = (rng.choice((2, 4, 8, 7)),) if self.chance(0.7) else (2, 3)
            local = tree.Array("loc", self.any_type(), "local", 0, extents)
            memory.append(local)
            self.memory.append(local)
        scope = Scope(dict(self.scalars))
        scope.frozen |= set(scope.names)
        self.may_return = kind not in ("block", "tile")
        block: int | None = None
        if kind == "block":
            from strangers.blocks import block_kernel

            block = rng.choice((4, 8, 16, 32, 32, 33, 64))
            body = block_kernel(self, scope, block, memory)
        elif kind == "tile":
            from strangers.blocks import tile_kernel

            body = tile_kernel(self, scope, memory)
        elif kind in ("grid2", "grid3"):
            body = self.grid(scope, self.dims)
        elif kind == "split":
            body = self.split(scope)
        elif kind == "plane":
            body = self.plane(scope)
        elif kind == "stride":
            body = self.stride(scope)
        else:
            body = self.flat(scope)
        if block is None and self.chance(0.3):
            block = rng.choice((8, 32, 64))
        arrays = [*self.arrays, *self.apart, *self.outputs, *self.sums, *self.totals]
        arrays += [self.limit] if self.limit else []
        program = tree.Program(
            *(self.seed, kind, self.dims, block, arrays, memory),
            *(self.scalars, self.helpers, body, self.racy),
        )
        program.risky = self.behind
        return program


def generate(seed: int) -> tree.Program:
    return Generator(seed).generate()


__all__ = ["REDUCTIONS", "Generator", "generate"]
