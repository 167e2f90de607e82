"""From the tree of a kernel to a Python function that the model runs once for each lane.

The text is not the kernel's source: every operation is written out with its type, by the rules of
docs/language.md, in terms of values.py and machine.py.
"""

from __future__ import annotations

from strangers import tree, values
from strangers.tree import Expr, Stmt


def _wrapped(type_: str, code: str) -> str:
    bits, signed = values.INTEGERS[type_]
    mask = (1 << bits) - 1
    if not signed:
        return f"(({code}) & {mask})"
    half = 1 << (bits - 1)
    return f"((({code}) + {half} & {mask}) - {half})"


def constant(type_: str, value: int | float) -> str:
    if type_ == "bool":
        return repr(bool(value))
    if values.is_float(type_):
        return repr(values.from_float(type_, float(value)))
    return repr(value)


def _names(e: Expr) -> set[str]:
    found = {e.name} if isinstance(e, tree.Var) else set()
    for place in tree.slots(e):
        inner = tree.get(place)
        if isinstance(inner, tree.Var):
            found.add(inner.name)
    return found


_SEEN = (tree.Load, tree.AtomicValue, tree.HelperCall, tree.BlockValue)


def live_names(program: tree.Program) -> set[str]:
    """The variables of the kernel on which something else than variables depends."""
    live: set[str] = set()
    needs: dict[str, set[str]] = {}
    for body in tree.all_bodies(program.body):
        for s in body:
            for place in tree.slots(s):
                inner = tree.get(place)
                if isinstance(inner, _SEEN) or (isinstance(inner, tree.Bin) and inner.op in "//%"):
                    live |= _names(inner)  # it may fault, or others see it
            if isinstance(s, tree.Assign):
                needs.setdefault(s.name, set()).update(_names(s.value))
                continue
            if isinstance(s, tree.Swap):
                for name, value in zip(s.names, s.values):
                    needs.setdefault(name, set()).update(_names(value))
                continue
            for place in tree.slots(s):
                live |= _names(tree.get(place))
    pending = list(live)
    while pending:
        for name in needs.get(pending.pop(), set()) - live:
            live.add(name)
            pending.append(name)
    return live


def unordered(program: tree.Program) -> set[str]:
    """The float arrays whose atomic updates have no defined order: an old value is used, or an
    array of the launch is also accessed in another way."""
    live = live_names(program)
    types = {a.name: a.type for a in [*program.arrays, *program.memory]}
    updated, other = set(), set()
    for body in tree.all_bodies(program.body):
        for s in body:
            if isinstance(s, tree.Store):
                other.add(s.array)
            if isinstance(s, tree.Assign) and s.name in live:
                if isinstance(s.value, tree.AtomicValue):
                    other.add(s.value.array)
            for place in tree.slots(s):
                inner = tree.get(place)
                if isinstance(inner, tree.AtomicValue):
                    updated.add(inner.array)
                if isinstance(inner, tree.Load):
                    other.add(inner.array)
                if isinstance(inner, tree.HelperCall):
                    other |= set(inner.arrays)
    other -= {m.name for m in program.memory}  # may be accessed between other barriers
    return {name for name in updated & other if values.is_float(types[name])}


class Translator:
    def __init__(self, program: tree.Program) -> None:
        self.program = program
        self.line = 0
        self.loops = 0  # around the statement
        self.live = live_names(program)
        self.unordered = unordered(program)
        self.out: list[str] = []
        self.ranks = {a.name: a.rank for a in program.arrays}
        self.types = {a.name: a.type for a in [*program.arrays, *program.memory]}
        for memory in program.memory:
            self.ranks[memory.name] = len(memory.extents) if len(memory.extents) > 1 else 0

    def put(self, depth: int, line: str) -> None:
        self.out.append("  " * depth + line)

    def converted(self, to: str, e: Expr) -> str:
        """The value of an expression where a type is expected that can hold it."""
        code = self.expr(e)
        if to == e.type or (values.is_integer(to) and values.is_integer(e.type)):
            return code
        return f"cast({to!r}, {e.type!r}, {code})"

    def place(self, array: str, index: list[Expr]) -> str:
        codes = [self.expr(e) for e in index]
        if len(codes) == 1:
            return codes[0]
        return f"A_{array}.place({', '.join(codes)})"

    def expr(self, e: Expr) -> str:
        method = getattr(self, "_" + type(e).__name__.lower())
        return str(method(e))

    def _lit(self, e: tree.Lit) -> str:
        return constant(e.type, e.value)

    def _var(self, e: tree.Var) -> str:
        return "v_" + e.name

    def _bin(self, e: tree.Bin) -> str:
        work = e.work
        if e.op in ("<<", ">>"):
            bits = values.INTEGERS[work][0]
            shifted = f"({self.expr(e.a)}) {e.op} ({self.expr(e.b)}) % {bits}"
            return _wrapped(work, shifted)
        a, b = self.converted(work, e.a), self.converted(work, e.b)
        if values.is_float(work):
            return f"float_binary({work!r}, {e.op!r}, {a}, {b})"
        if e.op in ("//", "%"):
            return f"divide({work!r}, {e.op!r}, {a}, {b}, {self.line})"
        return _wrapped(work, f"({a}) {e.op} ({b})")

    def _un(self, e: tree.Un) -> str:
        a = self.expr(e.a)
        if e.op == "not":
            return f"(not {a})"
        if values.is_float(e.type):
            return f"float_unary({e.type!r}, 'neg', {a})"
        return _wrapped(e.type, f"{e.op}({a})")

    def _cmp(self, e: tree.Cmp) -> str:
        codes = [self.converted(e.work, x) for x in e.operands]
        if values.is_float(e.work):
            codes = [f"to_float({e.work!r}, {code})" for code in codes]
        return "(" + codes[0] + "".join(f" {op} {c}" for op, c in zip(e.ops, codes[1:])) + ")"

    def _logic(self, e: tree.Logic) -> str:
        return f"({self.expr(e.a)} {e.op} {self.expr(e.b)})"

    def _cond(self, e: tree.Cond) -> str:
        a, b = self.converted(e.type, e.a), self.converted(e.type, e.b)
        return f"({a} if {self.expr(e.condition)} else {b})"

    def _call(self, e: tree.Call) -> str:
        if e.name == "select":
            # The condition comes last, as docs/language.md says.
            args = [*(self.converted(e.type, a) for a in e.args[1:]), self.expr(e.args[0])]
            return f"select({', '.join(args)})"
        args = [self.converted(e.type, a) for a in e.args]
        if e.name in ("min", "max"):
            if values.is_float(e.type):
                return f"float_min_max({e.type!r}, {e.name!r}, {', '.join(args)})"
            return f"{e.name}({', '.join(args)})"
        if e.name == "fma":
            return f"fma({e.type!r}, {', '.join(args)})"
        if e.name == "abs" and values.is_integer(e.type):
            return _wrapped(e.type, f"abs({args[0]})")
        return f"float_unary({e.type!r}, {e.name!r}, {args[0]})"

    def _power(self, e: tree.Power) -> str:
        """x ** 3 is (x * x) * x, x ** 4 is (x * x) * (x * x), x ** -2 is 1 / (x * x)."""
        if values.is_integer(e.type):
            return _wrapped(e.type, f"({self.expr(e.a)}) ** {e.n}")
        return f"power({e.type!r}, {self.expr(e.a)}, {e.n})"

    def _cast(self, e: tree.Cast) -> str:
        return f"cast({e.type!r}, {e.a.type!r}, {self.expr(e.a)})"

    def _load(self, e: tree.Load) -> str:
        return f"A_{e.array}.load({self.place(e.array, e.index)}, {self.line})"

    def _size(self, e: tree.Size) -> str:
        return f"A_{e.array}.shape[{max(e.axis, 0)}]"

    def _id(self, e: tree.Id) -> str:
        return f"L.{e.name}[{max(e.dim, 0)}]"

    def _atomicvalue(self, e: tree.AtomicValue, used: bool = True) -> str:
        place, value = self.place(e.array, e.index), self.converted(self.types[e.array], e.value)
        if e.total:
            return f"A_{e.array}.total({place}, {value}, {self.line}, {self.loops > 0})"
        used = used or e.array in self.unordered
        return f"A_{e.array}.atomic({e.op!r}, {place}, {value}, {self.line}, {used})"

    def _blockvalue(self, e: tree.BlockValue) -> str:
        return f"(yield ({e.form!r}, {e.op!r}, {e.type!r}, {self.expr(e.a)}))"

    def _helpercall(self, e: tree.HelperCall) -> str:
        helper = next(h for h in self.program.helpers if h.name == e.name)
        args = [self.converted(t, a) for (_, t), a in zip(helper.params, e.args)]
        return f"h_{e.name}({', '.join(['L', *('A_' + a for a in e.arrays), *args])})"

    def block(self, depth: int, body: list[Stmt]) -> None:
        if not body:
            self.put(depth, "pass")
        for s in body:
            self.line = s.line
            self.statement(depth, s)

    def loop(self, depth: int, body: list[Stmt]) -> None:
        self.loops += 1
        self.block(depth, body)
        self.loops -= 1

    def statement(self, depth: int, s: Stmt) -> None:
        getattr(self, "_do_" + type(s).__name__.lower())(depth, s)

    def _do_assign(self, depth: int, s: tree.Assign) -> None:
        value: Expr = s.value
        if isinstance(value, tree.AtomicValue) and s.name not in self.live:
            # Nobody reads the old value, so the order of the lanes cannot be seen by it.
            self.put(depth, f"v_{s.name} = {self._atomicvalue(value, used=False)}")
            return
        if s.op:
            variable = tree.Var(s.type, s.name)
            value = tree.Bin(s.type, s.op, variable, s.value, s.type)
        self.put(depth, f"v_{s.name} = {self.converted(s.type, value)}")

    def _do_swap(self, depth: int, s: tree.Swap) -> None:
        names = ", ".join("v_" + n for n in s.names)
        self.put(depth, f"{names} = {', '.join(self.expr(v) for v in s.values)}")

    def _do_store(self, depth: int, s: tree.Store) -> None:
        type_ = self.types[s.array]
        if s.op:
            self.put(depth, f"t_place = {self.place(s.array, s.index)}")
            old = tree.Var(type_, "$old")
            self.put(depth, f"t_old = A_{s.array}.load(t_place, {self.line})")
            code = self.converted(type_, tree.Bin(type_, s.op, old, s.value, type_))
            self.put(depth, f"t_value = {code.replace('v_$old', 't_old')}")
            self.put(depth, f"A_{s.array}.store(t_place, t_value, {self.line})")
            return
        self.put(depth, f"t_value = {self.converted(type_, s.value)}")
        place = self.place(s.array, s.index)
        self.put(depth, f"A_{s.array}.store({place}, t_value, {self.line})")

    def _do_atomicdo(self, depth: int, s: tree.AtomicDo) -> None:
        self.put(depth, self._atomicvalue(s.value, used=False))

    def _do_if(self, depth: int, s: tree.If) -> None:
        self.put(depth, f"if {self.expr(s.condition)}:")
        self.block(depth + 1, s.then)
        if s.other:
            self.put(depth, "else:")
            self.block(depth + 1, s.other)

    def _do_for(self, depth: int, s: tree.For) -> None:
        args = ", ".join(self.expr(a) for a in s.args)
        self.put(depth, f"for v_{s.name} in counted(L, {self.line}, {args}):")
        self.loop(depth + 1, s.body)

    def _do_while(self, depth: int, s: tree.While) -> None:
        self.put(depth, f"while {self.expr(s.condition)}:")
        self.put(depth + 1, "tick(L)")
        self.loop(depth + 1, s.body)

    def _do_jump(self, depth: int, s: tree.Jump) -> None:
        self.put(depth, s.word)

    def _do_return(self, depth: int, s: tree.Return) -> None:
        helper = next(
            h for h in self.program.helpers if any(s in b for b in tree.all_bodies(h.body))
        )
        self.put(depth, f"return {self.converted(helper.result, s.value)}")

    def _do_check(self, depth: int, s: tree.Check) -> None:
        self.put(depth, f"if not {self.expr(s.condition)}: failed({self.line})")

    def _do_barrier(self, depth: int, s: tree.Barrier) -> None:
        self.put(depth, "yield None")


def translate(program: tree.Program) -> str:
    """The text of `kernel(L, A, S, M)`: a lane, arrays, scalars and the arrays of the block."""
    t = Translator(program)
    for helper in program.helpers:
        for name, type_ in helper.arrays:
            t.types[name], t.ranks[name] = type_, 0
        arguments = [
            "L",
            *("A_" + n for n, _ in helper.arrays),
            *("v_" + n for n, _ in helper.params),
        ]
        t.put(0, f"def h_{helper.name}({', '.join(arguments)}):")
        t.block(1, helper.body)
    t.put(0, "def kernel(L, A, S, M):")
    for array in program.arrays:
        t.put(1, f"A_{array.name} = A[{array.name!r}]")
    for memory in program.memory:
        where = f"M[{memory.name!r}]" if memory.role == "shared" else f"L.local({memory.name!r})"
        t.put(1, f"A_{memory.name} = {where}")
    for name, _ in program.scalars:
        t.put(1, f"v_{name} = S[{name!r}]")
    t.block(1, program.body)
    t.put(1, "if 0: yield")
    return "\n".join(t.out) + "\n"
