"""Types of locals, and the conversions that Numba makes without a word.

A local has the widest of the types that are assigned to it: `t = 0` before `t += x[i]` is f64 where
x is. What is stored in an array, or returned, is converted to the type there. A float as a
condition is compared with 0.
"""

from __future__ import annotations

from hologram.frontend.foreign import library, plain
from hologram.frontend.foreign.called import Called
from hologram.frontend.foreign.lowering import Lowering
from hologram.frontend.foreign.parts import copied
from hologram.frontend.foreign.types import Elements, is_integer, joined, settled
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name, walked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope

MAX_ROUNDS = 8


def learned(definition: ast.FunctionDef, known: dict[str, Type], scope: Scope) -> Called:
    """Types with those of the locals that are numbers."""
    walk = _Walk(known, "", scope)
    _learn(walk, definition)
    for name in walk.unknown - set(known):
        walk.types.known.pop(name, None)
    for name, kind in list(walk.types.known.items()):
        if name not in known and not isinstance(kind, str):
            del walk.types.known[name]
    return walk.types


def _learn(walk: _Walk, definition: ast.FunctionDef) -> None:
    for _ in range(MAX_ROUNDS):
        before = dict(walk.types.known)
        walk.unknown.clear()
        for node in walk.statements(definition.body):
            walk.learn(node)
        if walk.types.known == before:
            return


def convert(
    definition: ast.FunctionDef, known: dict[str, Type], result: str | None, scope: Scope
) -> Type:
    """In place; the type of what is returned."""
    _, _, narrow = (result or "").partition(":")
    walk = _Walk(known, None if narrow else result, scope)
    _learn(walk, definition)
    if narrow and is_integer(walk.returned):
        walk.returned = narrow  # "int:i16": if it is an integer, of this type
    if not library.is_access(definition, scope):
        walk.find_accesses(definition)
    walk.block(definition.body)
    last = definition.body[-1]
    ends = plain.always_ends(definition.body) and not plain.returns(definition.body)
    if isinstance(walk.returned, str) and walk.returned and ends:
        zero = walk.lowering.language(walk.returned, [trees.number(0, last)], last)
        definition.body.append(trees.placed(ast.Return(zero), last))  # behind a fault
    definition.body = [*walk.zeros(definition), *definition.body]
    return walk.returned


class _Walk:
    def __init__(self, known: dict[str, Type], result: str | None, scope: Scope) -> None:
        self.types = Called(dict(known), scope)
        self.lowering = Lowering(self.types, scope)
        self.parameters = set(known)
        self.scope = scope
        self.returned: Type = result
        self._is_told = result is not None
        self.unknown: set[str] = set()  # locals that are assigned what has no known type
        self.counters: set[str] = set()

    def statements(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for node in body:
            yield node
            for field in ("body", "orelse"):
                inner = getattr(node, field, None)
                if isinstance(inner, list):
                    yield from self.statements(inner)

    # ---- What is known of the locals

    def learn(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._learn_pair(target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            load = trees.name(node.target.id, node)
            self._add(node.target.id, self.types.of(trees.binary(node.op, load, node.value, node)))
        elif isinstance(node, ast.For):
            self._learn_loop(node)
        elif isinstance(node, ast.Return) and node.value is not None and not self._is_told:
            found = settled(self.types.of(node.value))
            self.returned = found if self.returned is None else joined(self.returned, found)

    def _learn_pair(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            several = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            kinds = self.types.of(value)
            known = isinstance(kinds, tuple) and len(kinds) == len(target.elts)
            for k, one in enumerate(target.elts):
                if several:
                    self._learn_pair(one, value.elts[k])  # type: ignore[attr-defined]
                elif isinstance(one, ast.Name):
                    self._add(one.id, kinds[k] if known else None)  # type: ignore[index]
        elif isinstance(target, ast.Name):
            self._add(target.id, self.types.of(value))

    def _learn_loop(self, node: ast.For) -> None:
        loop = node.iter
        name = (
            loop.func.id if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) else ""
        )
        if isinstance(loop, ast.Call) and name == "range" and isinstance(node.target, ast.Name):
            self.counters.add(node.target.id)
            self._add(node.target.id, "i64")
            return
        columns = [loop]
        targets = [node.target]
        if isinstance(loop, ast.Call) and name in ("zip", "enumerate"):
            columns = [*([trees.number(0, node)] if name == "enumerate" else []), *loop.args]
            targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else []
        for target, column in zip(targets, columns):  # noqa: B905 (fewer)
            if isinstance(target, ast.Name):
                found = self.types.of(column)
                kind = found.kind if isinstance(found, Elements) and found.rank == 1 else None
                if isinstance(found, Elements) and found.rank > 1:
                    self._add(target.id, Elements(found.kind, found.rank - 1))
                    continue
                self._add(target.id, "u32" if found == "int" else kind)

    def _add(self, name: str, kind: Type) -> None:
        known = self.types.known
        kind = settled(kind)
        if kind is None:
            self.unknown.add(name)
        elif name not in known or isinstance(kind, (Elements, tuple)):
            if not isinstance(known.get(name), Elements):
                known[name] = kind
        else:
            both = joined(known[name], kind)
            if both is None:
                self.unknown.add(name)
            else:
                known[name] = both

    def find_accesses(self, definition: ast.FunctionDef) -> None:
        """Counters and locals that are made of lengths and literals."""
        self.lowering.are_guarded = True
        ends: dict[str, list[ast.expr]] = {}
        stores: dict[str, int] = {}  # but by loops
        assigned: dict[str, int] = {}
        for node in walked(definition):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stores[node.id] = stores.get(node.id, 0) + 1
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                stores[node.target.id] = stores.get(node.target.id, 0) - 1
                is_range = (
                    isinstance(node.iter, ast.Call) and dotted_name(node.iter.func) == "range"
                )
                known = (
                    node.iter.args if isinstance(node.iter, ast.Call) and is_range else [node.iter]
                )
                data = [end for end in known if trees.literal(end) is None]
                ends.setdefault(node.target.id, []).extend(data)
                if is_range:
                    least = self.lowering.least
                    least[node.target.id] = min(_least(known), least.get(node.target.id, 1 << 31))
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                ends.setdefault(node.targets[0].id, []).append(node.value)
                assigned[node.targets[0].id] = assigned.get(node.targets[0].id, 0) + 1
        simple = self.lowering.simple
        for _ in range(MAX_ROUNDS):
            found = {
                name
                for name, values in ends.items()
                if stores.get(name, 0) == assigned.get(name, 0) < 2
                and all(self.lowering.is_plain_index(one) for one in values)
            }
            if found <= simple:
                break
            simple |= found

    def zeros(self, definition: ast.FunctionDef) -> list[ast.stmt]:
        """Locals that some path may read before it assigns them: 0 at first, as Numba has it."""
        always = {
            target.id
            for node in definition.body
            for target in (node.targets if isinstance(node, ast.Assign) else [])
            if isinstance(target, ast.Name)
        }
        behind = _read_behind(definition, self.counters)
        found: list[ast.stmt] = []
        for name, kind in self.types.known.items():
            counts = name in self.parameters or name in always
            if counts or name in self.unknown or not isinstance(kind, str):
                continue
            if name in self.counters and kind == "i64" and name not in behind:
                continue
            value = trees.number({"bool": False}.get(kind, 0), definition)
            if kind != "bool":
                value = self.lowering.language(kind, [value], definition)
            found.append(trees.assignment([trees.stored(name, definition)], [value], definition))
        return found

    # ---- Conversions

    def block(self, body: list[ast.stmt]) -> None:
        for place, node in enumerate(body):
            body[place] = self._statement(node)

    def _statement(self, node: ast.stmt) -> ast.stmt:
        made = self._converted(node)
        for field in ("body", "orelse"):
            inner = getattr(made, field, None)
            if isinstance(inner, list):
                self.block(inner)
        return made

    def _converted(self, node: ast.stmt) -> ast.stmt:
        lowering = self.lowering
        if isinstance(node, ast.Assign):
            return self._assigned(node)
        if isinstance(node, ast.AugAssign):
            wanted = self._type_of_place(node.target)
            load = trees.rebuilt(node.target, ctx=ast.Load())
            value = trees.binary(node.op, copied(load), node.value, node)
            found = self.types.of(value)
            made = None
            if lowering.is_guarded(node.target):
                made = lowering.stored(node.target, lowering.cast(wanted, value), node)
            if made is not None:
                return made
            if wanted == found and wanted == settled(self.types.of(node.value)):
                target = lowering.place(node.target)
                return trees.rebuilt(node, target=target, value=lowering.cast(wanted, node.value))
            if not isinstance(wanted, str) or not isinstance(found, str):
                return trees.rebuilt(node, value=lowering.expression(node.value))
            target = lowering.place(node.target)
            return trees.placed(ast.Assign([target], lowering.cast(wanted, value)), node)
        if isinstance(node, ast.Return) and node.value is not None:
            wanted = self.returned
            if isinstance(wanted, tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(wanted, node.value.elts)  # noqa: B905 (same length)
                parts = [lowering.cast(kind, one) for kind, one in pairs]
                return trees.rebuilt(node, value=trees.rebuilt(node.value, elts=parts))
            return trees.rebuilt(node, value=lowering.cast(wanted, node.value))
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            return trees.rebuilt(node, test=lowering.condition(node.test))
        if isinstance(node, ast.Expr):
            return trees.rebuilt(node, value=lowering.expression(node.value))
        if isinstance(node, ast.For):
            return self._loop(node)
        return node

    def _assigned(self, node: ast.Assign) -> ast.stmt:
        lowering = self.lowering
        targets = [lowering.place(one) for one in node.targets]
        if len(node.targets) > 1:
            kinds = {self._type_of_place(one) for one in node.targets}
            wanted = kinds.pop() if len(kinds) == 1 else None
            return trees.rebuilt(node, targets=targets, value=lowering.cast(wanted, node.value))
        target = node.targets[0]
        if lowering.is_guarded(target):
            value = lowering.cast(self._type_of_place(target), node.value)
            made = lowering.stored(target, value, node)
            if made is not None:
                return made
        several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        if several and len(target.elts) == len(node.value.elts):  # type: ignore[attr-defined]
            pairs = zip(target.elts, node.value.elts)  # type: ignore[attr-defined]  # noqa: B905
            parts = [lowering.cast(self._type_of_place(one), value) for one, value in pairs]
            return trees.rebuilt(node, targets=targets, value=trees.rebuilt(node.value, elts=parts))
        value = lowering.cast(self._type_of_place(target), node.value)
        return trees.rebuilt(node, targets=targets, value=value)

    def _loop(self, node: ast.For) -> ast.stmt:
        """The ends of a range are integers of 64 bits; a float is cut to one."""
        loop = node.iter
        is_range = isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name)
        if not isinstance(loop, ast.Call) or not is_range or loop.func.id != "range":  # type: ignore[attr-defined]
            return trees.rebuilt(node, iter=self.lowering.expression(loop))
        ends = list(loop.args)
        made = [
            one if isinstance(trees.literal(one), int) else self.lowering.cast("i64", one)
            for one in ends
        ]
        if len(made) > 2 and trees.literal(ends[2]) is None:
            return trees.rebuilt(node, iter=trees.rebuilt(loop, args=made))
        first = made[0]
        if trees.is_literal(first):
            made[0] = self.lowering.language("i64", [first], first)
        return trees.rebuilt(node, iter=trees.rebuilt(loop, args=made))

    def _type_of_place(self, target: ast.expr) -> Type:
        if isinstance(target, ast.Name):
            return None if target.id in self.unknown else self.types.known.get(target.id)
        return self.types.of(target) if isinstance(target, ast.Subscript) else None


def _read_behind(definition: ast.FunctionDef, counters: set[str]) -> set[str]:
    """Counters that are read, or assigned, outside of their loops."""
    outside: dict[str, int] = {}
    for node in walked(definition):
        if isinstance(node, ast.Name) and node.id in counters:
            outside[node.id] = outside.get(node.id, 0) + 1
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            name = node.target.id
            inner = [one for part in node.body for one in walked(part)]
            inside = sum(isinstance(one, ast.Name) and one.id == name for one in inner)
            nested = sum(isinstance(o, ast.For) and _is_named(o.target, name) for o in inner)
            outside[name] = outside.get(name, 0) - (0 if nested else inside) - 1
    return {name for name, count in outside.items() if count > 0}


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _least(ends: list[ast.expr]) -> int:
    """The least number of a range, where it is a literal; 0 else."""
    numbers = [trees.literal(end) for end in ends]
    step = numbers[2] if len(numbers) > 2 else 1
    first = numbers[0] if len(numbers) > 1 else 0
    if isinstance(step, int) and step < 0:
        first = numbers[1] + 1 if isinstance(numbers[1], int) else 0
    return first if isinstance(first, int) else 0
