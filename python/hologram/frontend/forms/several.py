"""What goes over several values: `sum`, `any`, `all` of a tuple, a table or a generator; `in`."""

from __future__ import annotations

from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.calls import Calls
from hologram.frontend.forms.trees import number
from hologram.frontend.forms.values import Array, Parts, Table
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Value

SIDE_BY_SIDE = ("enumerate", "zip")
MAX_VALUES = 256  # of one generator, which is written out

_LOOPS = {
    "sum": "`for v in x: total += v`",
    "any": "with `found = True`",
    "all": "with `found = False`",
    "min": "`for v in x: least = min(least, v)`",
    "max": "`for v in x: most = max(most, v)`",
}


def start_of(call: ast.Call) -> ast.expr | None:
    """That of `enumerate(x, 1)` and `enumerate(x, start=1)`."""
    if len(call.args) > 1:
        return call.args[1]
    named = [k.value for k in call.keywords if k.arg == "start"]
    return (
        named[0]
        if named and isinstance(call.func, ast.Name) and call.func.id == "enumerate"
        else None
    )


class Several(Calls):
    """Expressions that go over values."""

    def of_values(self, name: str, node: ast.Call) -> Value:
        """`sum((a, b, c))`, `any(x[i] == k * k for k in range(6))`: written out, from the left."""
        values = None
        if len(node.args) == 1 and not node.keywords:
            values = self._numbers_in(node.args[0])
        if values is None:
            self.error(
                node,
                f"`{name}` takes a tuple, a table of constants, or a generator over one or over a "
                f"`range` that is known when compiling; write a loop, {_LOOPS[name]}",
            )
        if name in ("any", "all"):
            operator: ast.boolop = ast.Or() if name == "any" else ast.And()
            joined = trees.joined(operator, values, node)
            return self.expression(joined) if values else number(name == "all", node)
        if not values:
            return number(0, node) if name == "sum" else self.error(node, f"`{name}` of no values")
        if name == "sum":
            return trees.total(values, node)
        result = values[0]
        for value in values[1:]:
            result = trees.call(name, [result, value], node)
        return result

    def values_of(self, value: Value, at: ast.expr) -> list[Value] | None:
        if isinstance(value, Table):
            return [self._as_value(row, at) for row in value.rows]
        parts = self.parts(value)
        return None if parts is None else list(self.once(parts).items)

    def columns(self, name: str, call: ast.Call) -> list[Array | list[Value]]:
        """What `enumerate(W)` and `zip(x, y)` go over, each an array or values."""
        found: list[Array | list[Value]] = []
        counted = name == "enumerate"
        for argument in call.args[:1] if counted else call.args:
            value = self.expression(argument)
            items = value if isinstance(value, Array) else self.values_of(value, call)
            if items is None or (call.keywords and start_of(call) is None):
                self.error(
                    call,
                    f"`{name}` takes arrays, tuples and tables of constants in a kernel, in their "
                    "places; write a loop over `range`",
                )
            found.append(items)
        if not found or (counted and len(call.args) + len(call.keywords) > 2):
            self.error(call, f"`{name}` needs what it goes over, as in `{name}(x)`")
        return found

    def tuples(self, name: str, call: ast.Call, columns: list[Array | list[Value]]) -> list[Value]:
        """The tuples that values give, of which the shortest ends it."""
        lists = [column for column in columns if not isinstance(column, Array)]
        if name == "enumerate":
            first = start_of(call)
            start = 0 if first is None else trees.literal(self.plain(first))
            if not isinstance(start, int):
                self.error(call, "`enumerate` starts at a number that is known")
            lists.insert(0, [number(k, call) for k in range(start, start + len(lists[0]))])
        rows = [list(row) for row in zip(*lists)]  # noqa: B905 (the shortest ends it)
        return [Parts(shapes.tuple_of([self.shape_of(v) for v in row]), row) for row in rows]

    def _numbers_in(self, node: ast.expr) -> list[ast.expr] | None:
        """The numbers of what a function goes over."""
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return self._generated(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self.plain(item) for item in node.elts]
        value = self.expression(node)
        if isinstance(value, Table):
            return (
                None
                if any(isinstance(row, list) for row in value.rows)
                else [number(row, node) for row in value.rows if not isinstance(row, list)]
            )
        parts = self.parts(value)
        return None if parts is None else [self.one(item, node) for item in parts.items]

    def _generated(self, node: ast.GeneratorExp | ast.ListComp) -> list[ast.expr] | None:
        """`x[i] * k for k in range(4)`, once for each k."""
        loop = node.generators[0]
        if loop.ifs:
            self.error(
                loop.ifs[0],
                "`if` in a generator is not in the kernel language; write a loop with `if`",
            )
        rows = self._iterated(loop.iter) if len(node.generators) == 1 else None
        if rows is None:
            return None
        outer = dict(self.env)
        found = []
        try:
            for row in rows:
                if not self._name_values(loop.target, row):
                    return None
                found.append(self.plain(node.elt))
        finally:
            self.env = outer
        return found

    def _name_values(self, target: ast.expr, value: Value) -> bool:
        """The names of a generator, for one of its values; False where they do not fit."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
            return True
        parts = self.parts(value)
        if parts is None or not isinstance(target, ast.Tuple):
            return False
        pairs = list(zip(target.elts, parts.items))  # noqa: B905 (the count is tested)
        if len(target.elts) != len(parts.items):
            return False
        return all(self._name_values(item, part) for item, part in pairs)

    def _iterated(self, node: ast.expr) -> list[Value] | None:
        is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if is_range and node.func.id == "range" and "range" not in self.locals:  # type: ignore[attr-defined]
            ends = [trees.literal(self.plain(argument)) for argument in node.args]  # type: ignore[attr-defined]
            whole = [end for end in ends if isinstance(end, int)]
            if len(whole) != len(ends) or not 1 <= len(ends) <= 3 or whole[2:] == [0]:
                return None
            counted = range(*whole)
            if len(counted) > MAX_VALUES:
                return None
            return [number(k, node) for k in counted]
        if is_range and node.func.id in SIDE_BY_SIDE and node.func.id not in self.locals:  # type: ignore[attr-defined]
            columns = self.columns(node.func.id, node)  # type: ignore[attr-defined, arg-type]
            if any(isinstance(column, Array) for column in columns):
                return None
            made = self.tuples(node.func.id, node, columns)  # type: ignore[attr-defined, arg-type]
            return made if len(made) <= MAX_VALUES else None
        if isinstance(node, (ast.Name, ast.Attribute)):
            table = self.expression(node)
            if isinstance(table, Table):
                values = self.values_of(table, node)
                return values if values and len(values) <= MAX_VALUES else None
        numbers = self._numbers_in(node)
        return None if numbers is None or len(numbers) > MAX_VALUES else list(numbers)

    def within(self, node: ast.Compare) -> Value:
        """`x in (1, 3, 5)`, `x not in range(a, b)`"""
        absent = isinstance(node.ops[0], ast.NotIn)
        where = node.comparators[0]
        tested = self._in_range(node, where)
        if tested is None:
            values = None
            if not isinstance(where, (ast.GeneratorExp, ast.ListComp, ast.Dict, ast.Set)):
                values = self._contents(where)
            if values is None:
                self.error(
                    node,
                    "`in` takes a tuple, a table of constants or a `range` of two ends; write a "
                    "loop that compares",
                )
            value = self.simple(self.plain(node.left))
            equal: list[ast.expr] = [
                trees.placed(ast.Compare(value, [ast.Eq()], [other]), node) for other in values
            ]
            tested = trees.joined(ast.Or(), equal, node) if equal else number(False, node)
        return trees.placed(ast.UnaryOp(ast.Not(), tested), node) if absent else tested

    def _contents(self, node: ast.expr) -> list[ast.expr] | None:
        if isinstance(node, (ast.Tuple, ast.List, ast.Name, ast.Attribute)):
            return self._numbers_in(node)
        return None

    def _in_range(self, node: ast.Compare, where: ast.expr) -> ast.expr | None:
        called = where.func if isinstance(where, ast.Call) else None
        if not isinstance(called, ast.Name) or called.id != "range" or "range" in self.locals:
            return None
        assert isinstance(where, ast.Call)
        if not 1 <= len(where.args) <= 2 or where.keywords:
            return None
        value = self.simple(self.plain(node.left))
        ends = [self.plain(argument) for argument in where.args]
        if len(ends) == 1:
            ends.insert(0, number(0, node))
        operators: list[ast.cmpop] = [ast.LtE(), ast.Lt()]
        return trees.placed(ast.Compare(ends[0], operators, [value, ends[1]]), node)
