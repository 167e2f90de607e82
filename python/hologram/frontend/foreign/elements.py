"""Expressions of whole arrays as loops: `x[a:b] = e`, and reductions such as `np.isnan(x).any()`.

A loop runs over the elements of the array that is stored, or of the first one that is read; others
are indexed beside it. Slices have no step here. An array that would need memory of its own, as in
`d = a - b`, is left to the compiler, which refuses it.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign.types import Elements, Types
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope

_REDUCTIONS = ("any", "all", "sum", "mean", "prod", "max", "min", "argmax", "argmin")


def spread(definition: ast.FunctionDef, known: dict[str, Type], scope: Scope) -> None:
    """In place."""
    walk = _Walk(definition, dict(known), scope)
    definition.body = walk.block(definition.body)


def copied(node: ast.expr) -> ast.expr:
    """All of a tree anew, so that each place has nodes of its own."""
    made = trees.rebuilt(node)
    for field in fields(made):
        value = getattr(made, field, None)
        if isinstance(value, list):
            setattr(made, field, [copied(v) if isinstance(v, ast.expr) else v for v in value])
        elif isinstance(value, ast.expr):
            setattr(made, field, copied(value))
    return made


class _Walk:
    def __init__(self, definition: ast.FunctionDef, known: dict[str, Type], scope: Scope) -> None:
        self.types = Types(known, scope)
        self.scope = scope
        self.fresh = trees.Fresh(trees.words(definition))
        self.before: list[ast.stmt] = []

    # ---- Statements

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in statements:
            made = self._statement(node)
            result += [*self.before, *made]
            self.before = []
        return result

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, (ast.If, ast.For, ast.While)):
            if isinstance(node, ast.If):
                node.test = self.expression(node.test)
            if isinstance(node, ast.For):
                node.iter = self.expression(node.iter)
            before, self.before = self.before, []
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            self.before = before
            return [node]
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.Assert)):
            self._in_place(node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found = self.types.of(node.value)
                if isinstance(found, Elements):
                    self.types.known[target.id] = found
            if isinstance(target, ast.Subscript) and self.rank(target):
                return self._stored(target, node.value, None, node)
        if isinstance(node, ast.AugAssign) and self.rank(node.target):
            return self._stored(node.target, node.value, node.op, node)
        return [node]

    def _stored(
        self, target: ast.expr, value: ast.expr, op: ast.operator | None, node: ast.stmt
    ) -> list[ast.stmt]:
        ends = self._ends(target)
        if ends is None or self.rank(value) > self.rank(target) or self._overlaps(target, value):
            return [node]
        counters = [self.fresh.take("_k") for _ in ends]
        place = self.element(target, counters, ends)
        if not isinstance(place, ast.Subscript):
            return [node]
        part = self.element(value, counters[len(counters) - self.rank(value) :], ends)
        stored = trees.rebuilt(place, ctx=ast.Store())
        inner: ast.stmt = trees.placed(ast.Assign([stored], part), node)
        if op is not None:
            inner = trees.placed(ast.AugAssign(stored, op, part), node)
        return [self._loops(counters, ends, inner, node)]

    def _loops(
        self,
        counters: list[str],
        ends: list[tuple[ast.expr, ast.expr]],
        inner: ast.stmt,
        at: ast.AST,
    ) -> ast.stmt:
        for counter, (low, high) in reversed(list(zip(counters, ends))):  # noqa: B905
            span = trees.call("range", [copied(low), copied(high)], at)
            inner = trees.placed(ast.For(trees.stored(counter, at), span, [inner], []), at)
        return inner

    def _overlaps(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether what is read may be what was stored before: another part of the same array."""
        name = trees.words(target) & set(self.types.known)
        stored = _written(target)
        pending: list[ast.AST] = [value]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.expr) and isinstance(self.types.of(node), Elements):
                base = node
                while isinstance(base, ast.Subscript):
                    base = base.value
                inside = isinstance(base, ast.Name) and base.id in name
                if inside and _written(node) != stored:
                    return True
                continue
            pending += [
                child
                for field in fields(node)
                for child in _listed(getattr(node, field, None))
                if isinstance(child, ast.AST)
            ]
        return False

    # ---- Expressions

    def rank(self, node: ast.AST) -> int:
        """Dimensions of an expression; 0 for numbers and for what is not known."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            found = self.types.of(node)
            return found.rank if isinstance(found, Elements) else 0
        if isinstance(node, ast.BinOp):
            return max(self.rank(node.left), self.rank(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.rank(node.operand)
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            return max(self.rank(node.left), self.rank(node.comparators[0]))
        if isinstance(node, ast.Call):
            name = self.types.function(node)
            known = name in names.FUNCTIONS or name in names.SCALARS
            if known and name != "len" and not node.keywords:
                return max([0, *map(self.rank, node.args)])
        return 0

    def element(
        self, node: ast.expr, counters: list[str], ends: list[tuple[ast.expr, ast.expr]]
    ) -> ast.expr:
        """The one at these counters, which run between `ends`."""
        rank = self.rank(node)
        if not rank:
            return copied(node)
        if isinstance(node, (ast.Name, ast.Subscript)):
            return self._indexed(node, counters[len(counters) - rank :], ends)
        made = trees.rebuilt(node)
        for field in fields(made):
            value = getattr(made, field, None)
            if isinstance(value, list):
                parts = [self.element(v, counters, ends) for v in value if isinstance(v, ast.expr)]
                setattr(made, field, parts or value)
            elif isinstance(value, ast.expr) and field != "func":
                setattr(made, field, self.element(value, counters, ends))
        return made

    def _indexed(
        self, node: ast.expr, counters: list[str], ends: list[tuple[ast.expr, ast.expr]]
    ) -> ast.expr:
        base, places = _base(node)
        own = self._ends(node) or []
        outer = ends[len(ends) - len(counters) :]
        shifted: list[ast.expr] = []
        for counter, (low, high), (start, stop) in zip(counters, outer, own):  # noqa: B905
            self._same_length((low, high), (start, stop), node)
            index: ast.expr = trees.name(counter, node)
            if _written(low) != _written(start):
                if trees.literal(low) != 0:
                    index = trees.binary(ast.Sub(), index, copied(low), node)
                if trees.literal(start) != 0:
                    index = trees.binary(ast.Add(), index, copied(start), node)
            shifted.append(index)
        found = self.types.of(base)
        count = found.rank if isinstance(found, Elements) else len(places)
        filled: list[ast.expr] = []
        for place in [*places, *[ast.Slice()] * (count - len(places))]:
            filled.append(shifted.pop(0) if isinstance(place, ast.Slice) else copied(place))
        index = filled[0] if len(filled) == 1 else trees.placed(ast.Tuple(filled, ast.Load()), node)
        return trees.placed(ast.Subscript(base, index, ast.Load()), node)

    def _same_length(
        self, one: tuple[ast.expr, ast.expr], other: tuple[ast.expr, ast.expr], at: ast.AST
    ) -> None:
        """An assertion, where the ends are not written alike."""
        if [_written(end) for end in one] == [_written(end) for end in other]:
            return
        lengths = [
            copied(high)
            if trees.literal(low) == 0
            else trees.binary(ast.Sub(), copied(high), copied(low), at)
            for low, high in (one, other)
        ]
        test = trees.compared(lengths[0], ast.Eq(), lengths[1], at)
        message = trees.placed(ast.Constant("arrays of different lengths"), at)
        self.before.append(trees.placed(ast.Assert(test, message), at))

    def _ends(self, node: ast.AST) -> list[tuple[ast.expr, ast.expr]] | None:
        """From where to where the dimensions of an array or a part of one run."""
        if not isinstance(node, (ast.Name, ast.Subscript)):
            return None
        base, places = _base(node)
        found = self.types.of(base)
        if not isinstance(base, ast.Name) or not isinstance(found, Elements):
            return None
        result: list[tuple[ast.expr, ast.expr]] = []
        for k in range(found.rank):
            place = places[k] if k < len(places) else ast.Slice()
            if not isinstance(place, ast.Slice):
                continue
            if getattr(place, "step", None) is not None:
                return None
            shape = trees.placed(ast.Attribute(base, "shape", ast.Load()), node)
            size = trees.placed(ast.Subscript(shape, trees.number(k, node), ast.Load()), node)
            low, high = getattr(place, "lower", None), getattr(place, "upper", None)
            low = trees.number(0, node) if low is None else _from_end(low, size)
            result.append((low, size if high is None else _from_end(high, size)))
        return result

    def first(self, node: ast.expr) -> ast.expr | None:
        """The array of most dimensions in an expression."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            return node if self.rank(node) else None
        best: ast.expr | None = None
        for field in fields(node):
            for child in _listed(getattr(node, field, None)):
                found = self.first(child) if isinstance(child, ast.expr) else None
                if found is not None and (best is None or self.rank(found) > self.rank(best)):
                    best = found
        return best

    def _in_place(self, node: ast.AST) -> None:
        for field in fields(node):
            value = getattr(node, field, None)
            if isinstance(value, list):
                setattr(
                    node,
                    field,
                    [self.expression(v) if isinstance(v, ast.expr) else v for v in value],
                )
            elif isinstance(value, ast.expr):
                setattr(node, field, self.expression(value))

    def expression(self, node: ast.expr) -> ast.expr:
        """With each reduction in it as a local, made by statements before."""
        self._in_place(node)
        if isinstance(node, ast.Subscript):
            return self._counted(node)
        if not isinstance(node, ast.Call) or node.keywords:
            return node
        name, array = self._reduction(node)
        if array is None or not self.rank(array):
            return node
        return self._reduced(name, array, node)

    def _counted(self, node: ast.Subscript) -> ast.expr:
        """`x[-1]` as an index from the beginning."""
        found = self.types.of(node.value)
        if not isinstance(node.value, ast.Name) or not isinstance(found, Elements):
            return node
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        made: list[ast.expr] = []
        for k, place in enumerate(places):
            shape = trees.placed(ast.Attribute(node.value, "shape", ast.Load()), node)
            size = trees.placed(ast.Subscript(shape, trees.number(k, node), ast.Load()), node)
            made.append(_from_end(place, size))
        is_tuple = isinstance(node.slice, ast.Tuple)
        inner = trees.rebuilt(node.slice, elts=made) if is_tuple else made[0]
        return trees.rebuilt(node, slice=inner)

    def _reduction(self, node: ast.Call) -> tuple[str, ast.expr | None]:
        """`np.sum(e)`, `e.sum()`, `sum(e)`, `np.linalg.norm(e)`, `np.dot(a, b)`"""
        dotted = dotted_name(node.func) or ""
        head, _, name = dotted.partition(".")
        self.scope.touch(head)
        if head not in self.types.known and "`numpy`" in self.scope.others.get(head, ""):
            if name == "linalg.norm" and len(node.args) == 1:
                return "norm", node.args[0]
            if name == "dot" and [self.rank(one) for one in node.args] == [1, 1]:
                return "sum", trees.binary(ast.Mult(), node.args[0], node.args[1], node)
            if name in _REDUCTIONS and len(node.args) == 1:
                return name, node.args[0]
        if dotted in ("any", "all", "sum", "min", "max") and len(node.args) == 1:
            return dotted, node.args[0]
        is_method = isinstance(node.func, ast.Attribute) and not node.args
        if isinstance(node.func, ast.Attribute) and is_method and node.func.attr in _REDUCTIONS:
            return node.func.attr, node.func.value
        return "", None

    def _reduced(self, name: str, array: ast.expr, at: ast.expr) -> ast.expr:
        first = self.first(array)
        ends = None if first is None else self._ends(first)
        if ends is None or (name.startswith("arg") and len(ends) != 1):
            return at
        counters = [self.fresh.take("_k") for _ in ends]
        part = self.element(array, counters, ends)
        total = self.fresh.take(f"_{name}")
        load = trees.name(total, at)
        if name in ("any", "all"):
            start: ast.expr = trees.number(name == "all", at)
            test = part if name == "any" else trees.placed(ast.UnaryOp(ast.Not(), part), at)
            then: list[ast.stmt] = [_set(total, trees.number(name == "any", at), at)]
            inner: ast.stmt = trees.placed(ast.If(test, then, []), at)
        elif name in ("sum", "mean", "norm", "prod"):
            start = trees.number(1 if name == "prod" else 0, at)
            term = trees.binary(ast.Mult(), part, copied(part), at) if name == "norm" else part
            op = ast.Mult() if name == "prod" else ast.Add()
            inner = trees.placed(ast.AugAssign(trees.stored(total, at), op, term), at)
        else:
            return self._extreme(name, part, counters, ends, at)
        self.before += [_set(total, start, at), self._loops(counters, ends, inner, at)]
        if name == "norm":
            return trees.call("sqrt", [load], at)
        if name != "mean":
            return load
        count: ast.expr | None = None
        for low, high in ends:
            span = trees.binary(ast.Sub(), copied(high), copied(low), at)
            span = copied(high) if trees.literal(low) == 0 else span
            count = span if count is None else trees.binary(ast.Mult(), count, span, at)
        assert count is not None
        return trees.binary(ast.Div(), load, count, at)

    def _extreme(
        self,
        name: str,
        part: ast.expr,
        counters: list[str],
        ends: list[tuple[ast.expr, ast.expr]],
        at: ast.expr,
    ) -> ast.expr:
        """`max`, `min`, and the place of the first one."""
        best, place = self.fresh.take(f"_{name}"), self.fresh.take("_place")
        greater = ast.Gt() if name.endswith("max") else ast.Lt()
        # The first NaN, if there is one, as NumPy and Numba have it.
        known = trees.name(best, at)
        is_nan = trees.compared(copied(part), ast.NotEq(), copied(part), at)
        first = trees.compared(known, ast.Eq(), trees.name(best, at), at)
        better = trees.compared(copied(part), greater, trees.name(best, at), at)
        test = trees.joined(ast.Or(), [better, trees.joined(ast.And(), [is_nan, first], at)], at)
        then: list[ast.stmt] = [_set(best, copied(part), at)]
        if name.startswith("arg"):
            index: ast.expr = trees.name(counters[0], at)
            low = ends[0][0]
            if trees.literal(low) != 0:
                index = trees.binary(ast.Sub(), index, copied(low), at)
            then.append(_set(place, trees.call("i64", [index], at), at))
            self.before.append(_set(place, trees.call("i64", [trees.number(0, at)], at), at))
        inner: ast.stmt = trees.placed(ast.If(test, then, []), at)
        firsts = {c: low for c, (low, _) in zip(counters, ends)}  # noqa: B905
        self.before.append(_set(best, _replaced(copied(part), firsts), at))
        self.before.append(self._loops(counters, ends, inner, at))
        return trees.name(place if name.startswith("arg") else best, at)


def _replaced(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    if isinstance(node, ast.Name) and node.id in values:
        return copied(values[node.id])
    for field in fields(node):
        value = getattr(node, field, None)
        if isinstance(value, list):
            setattr(
                node, field, [_replaced(v, values) if isinstance(v, ast.expr) else v for v in value]
            )
        elif isinstance(value, ast.expr):
            setattr(node, field, _replaced(value, values))
    return node


def _set(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return trees.assignment([trees.stored(name, at)], [value], at)


def _from_end(end: ast.expr, size: ast.expr) -> ast.expr:
    known = trees.literal(end)
    if known is None or known >= 0:
        return end
    back = trees.number(-known, end)
    return trees.binary(ast.Sub(), size, back, end)


def _base(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    if not isinstance(node, ast.Subscript):
        return node, []
    base, inner = _base(node.value)
    places = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if inner and any(isinstance(place, ast.Slice) for place in inner):
        return node.value, places  # a part of a part
    return base, [*inner, *places]


def _written(node: object) -> object:
    """A tree without its places, to compare it."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.AST):
        return node
    parts = [[_written(v) for v in _listed(getattr(node, field, None))] for field in fields(node)]
    return type(node).__name__, getattr(node, "attr", ""), repr(parts)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
