"""Types of locals, and the conversions that Numba makes without a word.

A local has the widest of the types that are assigned to it: `t = 0` before `t += x[i]` is f64 where
x is. What is stored in an array, or returned, is converted to the type there. A float as a
condition is compared with 0.
"""

from __future__ import annotations

from hologram.frontend import foreign
from hologram.frontend.foreign.elements import copied
from hologram.frontend.foreign.types import Elements, Types, is_float, joined
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, children, dotted_name, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Helper, Scope

MAX_ROUNDS = 8
MAX_DEPTH = 32  # of helpers in helpers
_LITERALS = ("int", "float")


def set_apart(definition: ast.FunctionDef, known: dict[str, Type]) -> None:
    """Parameters that are assigned become locals; `x = x[0]` of an array one of another name."""
    fresh = trees.Fresh(trees.words(definition))
    stored = trees.words_and_stores(ast.Module(definition.body, []))[1]
    begin: list[ast.stmt] = []
    for name in [name for name in known if name in stored]:
        other = fresh.take(name)
        body = definition.body
        first = 0
        if isinstance(known[name], Elements):
            first = next((k for k, node in enumerate(body) if _assigns(node, name)), len(body))
        if first == len(body):
            continue
        for place, node in enumerate(body[first:]):
            value = copied(node.value) if place == 0 and isinstance(node, ast.Assign) else None
            _rename(node, name, other)
            if value is not None and isinstance(known[name], Elements):
                node.value = value  # type: ignore[attr-defined]
        if not isinstance(known[name], Elements):
            at = definition
            load = trees.name(name, at)
            begin.append(trees.assignment([trees.stored(other, at)], [load], at))
    definition.body = [*begin, *definition.body]


def _assigns(node: ast.stmt, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _rename(node: ast.AST, name: str, other: str) -> None:
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Name) and one.id == name:
            one.id = other
        pending += children(one)


def convert(
    definition: ast.FunctionDef, known: dict[str, Type], result: str | None, scope: Scope
) -> Type:
    """In place; the type of what is returned."""
    walk = _Walk(known, result, scope)
    for _ in range(MAX_ROUNDS):
        before = dict(walk.types.known)
        walk.unknown.clear()
        for node in walk.statements(definition.body):
            walk.learn(node)
        if walk.types.known == before:
            break
    walk.settle(known)
    walk.block(definition.body)
    definition.body = [*walk.zeros(definition), *definition.body]
    return walk.returned


class _Walk:
    def __init__(self, known: dict[str, Type], result: str | None, scope: Scope) -> None:
        self.types = _Called(dict(known), scope, self)
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
            found = self.types.of(node.value)
            self.returned = found if self.returned is None else joined(self.returned, found)

    def _learn_pair(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            several = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            for k, one in enumerate(target.elts):
                if several:
                    self._learn_pair(one, value.elts[k])  # type: ignore[attr-defined]
                elif isinstance(one, ast.Name):
                    self.unknown.add(one.id)
        elif isinstance(target, ast.Name):
            self._add(target.id, self.types.of(value))

    def _learn_loop(self, node: ast.For) -> None:
        loop = node.iter
        name = (
            loop.func.id if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) else ""
        )
        if isinstance(loop, ast.Call) and name == "range" and isinstance(node.target, ast.Name):
            kind: Type = "int"
            for end in loop.args:
                kind = joined(kind, self.types.of(end))
            self.counters.add(node.target.id)
            self._add(node.target.id, kind)
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
        if kind is None:
            self.unknown.add(name)
        elif name not in known or isinstance(kind, Elements):
            if not isinstance(known.get(name), Elements):
                known[name] = kind
        else:
            both = joined(known[name], kind)
            if both is None:
                self.unknown.add(name)
            else:
                known[name] = both

    def settle(self, parameters: dict[str, Type]) -> None:
        """A local of literals is f64 where a parameter, an element or the result is."""
        kinds = [kind.kind if isinstance(kind, Elements) else kind for kind in parameters.values()]
        if "f64" in (*kinds, self.returned):
            for name, kind in self.types.known.items():
                if kind == "float" and name not in self.unknown:
                    self.types.known[name] = "f64"

    def zeros(self, definition: ast.FunctionDef) -> list[ast.stmt]:
        """Locals that some path may read before it assigns them: 0 at first, as Numba has it."""
        always = {
            target.id
            for node in definition.body
            for target in (node.targets if isinstance(node, ast.Assign) else [])
            if isinstance(target, ast.Name)
        }
        found: list[ast.stmt] = []
        for name, kind in self.types.known.items():
            counts = name in self.parameters or name in self.counters or name in always
            if counts or name in self.unknown or not isinstance(kind, str):
                continue
            zeros = {"bool": False, "float": 0.0}
            value = trees.number(zeros.get(kind, 0), definition)
            if kind not in ("bool", *_LITERALS):
                value = trees.call(kind, [value], definition)
            found.append(trees.assignment([trees.stored(name, definition)], [value], definition))
        return found

    # ---- Conversions

    def block(self, body: list[ast.stmt]) -> None:
        for place, node in enumerate(body):
            body[place] = self._statement(node)

    def _statement(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.Assert, ast.For)):
            made = self._converted(node)
            self._calls(made)
        else:
            made = node
        if isinstance(node, (ast.If, ast.While)):
            node.test = self._condition(node.test)
        for field in ("body", "orelse"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                self.block(inner)
        return made

    def _converted(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and several:
                if len(target.elts) == len(node.value.elts):
                    pairs = zip(target.elts, node.value.elts)  # noqa: B905 (same length)
                    node.value.elts = [self._fitting(one, value) for one, value in pairs]
            else:
                node.value = self._fitting(target, node.value)
        elif isinstance(node, ast.AugAssign):
            wanted = self._type_of_place(node.target)
            load = trees.rebuilt(node.target, ctx=ast.Load())
            value = trees.binary(node.op, copied(load), node.value, node)
            if self._cast(wanted, value) is not value:
                return trees.placed(ast.Assign([node.target], self._cast(wanted, value)), node)
        elif isinstance(node, ast.Return) and node.value is not None:
            node.value = self._cast(self.returned, node.value)
        return node

    def _fitting(self, target: ast.expr, value: ast.expr) -> ast.expr:
        return self._cast(self._type_of_place(target), value)

    def _type_of_place(self, target: ast.expr) -> Type:
        if isinstance(target, ast.Name):
            return None if target.id in self.unknown else self.types.known.get(target.id)
        return self.types.of(target) if isinstance(target, ast.Subscript) else None

    def _cast(self, wanted: Type, value: ast.expr) -> ast.expr:
        """The value in a type, where it has another one."""
        found = self.types.of(value)
        if not isinstance(wanted, str) or not isinstance(found, str):
            return value
        if wanted in (found, *_LITERALS) or (wanted == "bool" and not isinstance(found, str)):
            return value
        if wanted == "f64" and found == "float":
            value = self._widened(value)
        return trees.call(wanted, [value], value)

    def _widened(self, value: ast.expr) -> ast.expr:
        """With each integer of an array or a local as f64, so that none is rounded to f32."""
        if isinstance(value, ast.BinOp) and not isinstance(value.op, (ast.Pow, ast.FloorDiv)):
            left, right = self._widened(value.left), self._widened(value.right)
            return trees.rebuilt(value, left=left, right=right)
        kind = self.types.of(value)
        if isinstance(kind, str) and kind not in ("int", "float", "bool") and not is_float(kind):
            return trees.call("f64", [value], value)
        return value

    def _condition(self, node: ast.expr) -> ast.expr:
        holder = trees.placed(ast.Expr(node), node)
        self._calls(holder)
        node = holder.value
        if isinstance(node, ast.BoolOp):
            node.values = [self._condition(one) for one in node.values]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand)
        elif is_float(self.types.of(node)):
            return trees.compared(node, ast.NotEq(), trees.number(0, node), node)
        return node

    def _calls(self, node: ast.AST) -> None:
        """Calls in an expression: those of helpers for their types, `int(x)` and the like."""
        for field in fields(node):
            value = getattr(node, field, None)
            if field in ("body", "orelse", "targets", "target") and not isinstance(node, ast.IfExp):
                continue
            if isinstance(value, list):
                made = [self._call(v) if isinstance(v, ast.expr) else v for v in value]
                setattr(node, field, made)
            elif isinstance(value, ast.expr):
                setattr(node, field, self._call(value))

    def _call(self, node: ast.expr) -> ast.expr:
        self._calls(node)
        return self._plain(node) if isinstance(node, ast.Call) else node

    def _plain(self, node: ast.Call) -> ast.expr:
        name = self.types.function(node)
        kinds = [self.types.of(argument) for argument in node.args]
        if len(node.args) == 1 and not node.keywords:
            whole = isinstance(kinds[0], str) and not is_float(kinds[0])
            if name in ("isnan", "isinf", "isfinite") and whole:
                return trees.number(name == "isfinite", node)
            if name in ("math.ceil", "math.floor", "round"):
                inner = trees.call(name.rpartition(".")[2], node.args, node)
                return trees.call("i64", [node.args[0] if whole else inner], node)
            if name in ("int", "float"):
                return trees.call("i64" if name == "int" else "f64", node.args, node)
        dotted = dotted_name(node.func) or ""
        if dotted in ("np.round", "numpy.round") and len(node.args) == 1:
            return trees.call("round", node.args, node)
        if dotted in ("np.power", "numpy.power") and len(node.args) == 2:
            return trees.binary(ast.Pow(), node.args[0], node.args[1], node)
        helper = self.types.instance(node)
        if helper is not None:
            key = f"{helper.name}$typed"
            self.scope.helpers[key] = helper
            return trees.rebuilt(node, func=trees.name(key, node.func))
        return node


class _Called(Types):
    """With helpers, which are made for the types of their arguments."""

    def __init__(self, known: dict[str, Type], scope: Scope, walk: _Walk) -> None:
        super().__init__(known, scope)
        self._walk = walk

    def of(self, node: ast.expr) -> Type:
        if isinstance(node, ast.Call):
            helper = self.instance(node)
            if helper is not None:
                return helper.result  # type: ignore[return-value]
        return super().of(node)

    def instance(self, node: ast.Call) -> Helper | None:
        """The helper of this call for the types of its arguments, if they are known."""
        helper = self.scope.helper(node.func)
        if helper is None or helper.pristine is None or node.keywords:
            return None
        kinds = [self.of(argument) for argument in node.args]
        if any(kind is None for kind in kinds):
            return None
        key = tuple((k.kind, k.rank) if isinstance(k, Elements) else k for k in kinds)
        made = helper.typed.get(key)
        link = helper.scope.link
        if made is None and link.writing < MAX_DEPTH:
            link.writing += 1
            definition = tree_copied(helper.pristine)
            made = link.helper(definition, helper.scope)
            helper.typed[key] = made
            made.result = foreign.adopt(definition, kinds, None, helper.scope)
            link.writing -= 1
        return made


def tree_copied(definition: ast.FunctionDef) -> ast.FunctionDef:
    import copy

    return copy.deepcopy(definition)
