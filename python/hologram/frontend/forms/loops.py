"""Loops: over a `range`, over values, which are written out, and over the elements of arrays."""

from __future__ import annotations

from hologram.frontend.forms import trees
from hologram.frontend.forms.assignments import Assignments
from hologram.frontend.forms.several import SIDE_BY_SIDE, start_of
from hologram.frontend.forms.trees import number
from hologram.frontend.forms.values import Array
from hologram.frontend.syntax_tree import ast, stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Value

MAX_UNROLLED = 4096  # statements of loops over values in one function


class Loops(Assignments):
    """The walker of `for`."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        raise NotImplementedError  # in body.py

    def filled(self, statements: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
        raise NotImplementedError  # in body.py

    def loop(self, node: ast.For) -> list[ast.stmt]:
        loop = node.iter
        name = (
            loop.func.id if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) else ""
        )
        known = name not in self.locals and self.scope.helper(ast.Name(name, ast.Load())) is None
        if isinstance(loop, ast.Call) and known and name in SIDE_BY_SIDE:
            columns = self.columns(name, loop)
            if any(isinstance(column, Array) for column in columns):
                return self._over_arrays(name, columns, node)
            return self._over(self.tuples(name, loop, columns), node)
        if isinstance(loop, ast.Call) and name == "range":
            given = [a if isinstance(a, ast.Starred) else self.plain(a) for a in loop.args]
            if isinstance(node.target, ast.Name):
                self.places(node.target, "")
                if all(self.is_wide(a) or trees.is_literal(a) for a in given):
                    self.wide.add(node.target.id)
            if isinstance(node.target, ast.Name):
                self._count_below(node.target.id, given, node.body)
            body = self.filled(node.body, node)
            if isinstance(node.target, ast.Name):
                self.below.pop(node.target.id, None)  # behind the loop it may be assigned
            counted = trees.rebuilt(loop, args=given)
            return [trees.rebuilt(node, iter=counted, body=body)]
        backwards = isinstance(loop, ast.Call) and known and name == "reversed"
        if isinstance(loop, ast.Call) and backwards:
            inner = loop.args[0] if len(loop.args) == 1 and not loop.keywords else loop
            backwards = not isinstance(inner, ast.Call)  # else of a range
            loop = inner if backwards else loop
        if isinstance(loop, ast.List):
            loop = trees.placed(ast.Tuple(loop.elts, ast.Load()), loop)
        value = self.expression(loop)
        if isinstance(value, Array) and isinstance(node.target, (ast.Name, ast.Tuple)):
            return self._over_array(value, loop, node, backwards)
        rows = self.values_of(value, loop)
        if rows is None:
            plain = value if isinstance(value, ast.expr) else node.iter
            return [trees.rebuilt(node, iter=plain, body=self.filled(node.body, node))]
        return self._over(rows[::-1] if backwards else rows, node)

    def _count_below(self, counter: str, given: list[ast.expr], body: list[ast.stmt]) -> None:
        """Bounds of a counter, for indices of tables and vectors."""
        self.below.pop(counter, None)
        ends = [trees.literal(argument) for argument in given]
        first, last = (0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        if not isinstance(first, int) or not isinstance(last, int) or first < 0:
            return
        if len(ends) < 3 and counter not in stores(body):
            self.below[counter] = last

    def _over(self, rows: list[Value], node: ast.For) -> list[ast.stmt]:
        """The body once for each value, which is a constant in it, or a local if it is assigned."""
        if node.orelse:
            return [trees.rebuilt(node, iter=trees.call("range", [number(1, node)], node))]
        result: list[ast.stmt] = []
        once = _Once(self.fresh, node)
        for value in [self.snapshot(row) for row in rows]:
            self._set_constant(node.target, value, node)
            result += [*self.before, *self.block(once.body())]
            self.before.clear()
            self.unrolled += len(node.body)
            if self.unrolled > MAX_UNROLLED:
                self.error(
                    node,
                    f"a loop over values is written out, to at most {MAX_UNROLLED} "
                    "statements; write a loop over `range`",
                )
        return result

    def _set_constant(self, target: ast.expr, value: Value, node: ast.For) -> None:
        if isinstance(target, ast.Tuple):
            parts = self.parts(value)
            if parts is None:
                self.error(target, "one value cannot be taken apart")
            self._count(target, len(parts.items))
            for item, part in zip(target.elts, parts.items):  # noqa: B905 (same length)
                self._set_constant(item, part, node)
        elif isinstance(target, ast.Name) and target.id not in stores(node.body):
            if target.id in self.plain_locals:
                self.error(target, f"`{target.id}` is a number elsewhere; use another name")
            self.env[target.id] = value
        else:
            self._bind(target, value, node)

    def _over_array(
        self, array: Array, written: ast.expr, node: ast.For, backwards: bool
    ) -> list[ast.stmt]:
        """`for v in x`, `for v in reversed(x)`: by its index."""
        counter = self._counter()
        stop, before = self._element_at(array, written, node.target, counter, node)
        return [self._counted(counter, stop, before, node, backwards)]

    def _over_arrays(
        self, name: str, columns: list[Array | list[Value]], node: ast.For
    ) -> list[ast.stmt]:
        """`for i, v in enumerate(x)`, `for a, b in zip(x, y)`: by their index."""
        assert isinstance(node.iter, ast.Call)
        arguments = node.iter.args[: len(columns)]
        targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else []
        counts = len(columns) + (name == "enumerate")
        if len(targets) != counts:
            self.error(node.target, f"`{name}` gives {counts} values here; write as many names")
        if not all(isinstance(column, Array) for column in columns):
            self.error(
                node.iter, f"`{name}` takes arrays or tables, not both; write a loop over `range`"
            )
        counter = self._counter()
        stops: list[ast.expr] = []
        before: list[ast.stmt] = []
        if name == "enumerate":
            first = targets.pop(0)
            index: ast.expr = trees.name(counter, first)
            start = start_of(node.iter)
            if start is not None:
                index = trees.binary(ast.Add(), index, self.plain(start), node)
            before += self.aside(lambda: self._bind(first, index, node))[0]
        for array, written, target in zip(columns, arguments, targets):  # noqa: B905 (same length)
            assert isinstance(array, Array)
            stop, made = self._element_at(array, written, target, counter, node)
            stops.append(stop)
            before += made
        stop = stops[0]
        for other in stops[1:]:
            stop = trees.call("min", [stop, other], node.iter)
        return [self._counted(counter, stop, before, node)]

    def _counter(self) -> str:
        counter = self.fresh.take("_index")
        self.wide.add(counter)
        return counter

    def _element_at(
        self, array: Array, written: ast.expr, target: ast.expr, counter: str, node: ast.For
    ) -> tuple[ast.expr, list[ast.stmt]]:
        """How many there are, and what gives the target the one at the counter."""
        array = self.kept(array)
        stop = self.extent(array, 0, written)
        index = trees.name(counter, node)
        at = trees.placed(ast.Subscript(written, index, ast.Load()), written)
        before, _ = self.aside(lambda: self._bind(target, self.element(array, index, at), node))
        return stop, before

    def _counted(
        self,
        counter: str,
        stop: ast.expr,
        before: list[ast.stmt],
        node: ast.For,
        backwards: bool = False,
    ) -> ast.stmt:
        counted = trees.call("range", [stop], node.iter)
        if backwards:
            counted = trees.call("reversed", [counted], node.iter)
        body = [*before, *self.block(node.body)]
        return trees.rebuilt(node, target=trees.stored(counter, node), iter=counted, body=body)


class _Once:
    """The body of a loop over values as often as it is written out. `continue` ends a loop of one
    round around it, and `break` leaves out those that follow, too."""

    def __init__(self, fresh: trees.Fresh, node: ast.For) -> None:
        self._node = node
        self._counter = fresh.take("_once") if _leaves(node.body, (ast.Break, ast.Continue)) else ""
        self._left = fresh.take("_left") if _leaves(node.body, (ast.Break,)) else ""
        self._first = True

    def body(self) -> list[ast.stmt]:
        node, first = self._node, self._first
        self._first = False
        if not self._counter:
            return node.body
        once = trees.call("range", [number(1, node)], node)
        body = self._marked(node.body)
        loop: ast.stmt = trees.rebuilt(
            node, target=trees.stored(self._counter, node), iter=once, body=body
        )
        if not self._left:
            return [loop]
        if first:
            return [self._set(False, node), loop]
        goes_on = trees.placed(ast.UnaryOp(ast.Not(), trees.name(self._left, node)), node)
        return [trees.placed(ast.If(goes_on, [loop], []), node)]

    def _set(self, value: bool, at: ast.stmt) -> ast.stmt:
        return trees.assignment([trees.stored(self._left, at)], [number(value, at)], at)

    def _marked(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in body:
            if isinstance(node, ast.Break):
                result.append(self._set(True, node))
            if isinstance(node, ast.If):
                inner, rest = self._marked(node.body), self._marked(node.orelse)
                result.append(trees.rebuilt(node, body=inner, orelse=rest))
            else:
                result.append(node)
        return result


def _leaves(body: list[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    return any(
        isinstance(node, kinds)
        or (isinstance(node, ast.If) and _leaves([*node.body, *node.orelse], kinds))
        for node in body
    )
