"""Arrays that exist element by element, without memory.

They are `np.arange(n)`, `np.linspace(a, b, n)`, `m @ v`, `np.searchsorted(x, values)`,
`np.interp(values, x, y)`, and what a `numba.stencil` gives.
"""

from __future__ import annotations

from hologram.frontend.foreign import plain
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.parts import Parts
    from hologram.frontend.scope import Helper

_CONSTANT = {"numpy.ones": 1.0, "numpy.zeros": 0.0}
_BY_VALUES = {"numpy.searchsorted": 1, "numpy.interp": 0}  # the argument whose shape the result has


class Made:
    def __init__(self, walk: Parts) -> None:
        self._walk = walk
        self._types = walk.types

    def rank(self, node: ast.expr) -> int | None:
        """None for what is no such array."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self._walk.rank(node.left) + self._walk.rank(node.right) - 2
        if not isinstance(node, ast.Call):
            return None
        if self._stencil(node) is not None:
            return 1
        named = self._types.named(node)
        if named == "numpy.dot" and len(node.args) == 2 and not node.keywords:
            ranks = [self._walk.rank(one) for one in node.args]
            return sum(ranks) - 2 if ranks in ([2, 1], [1, 2]) else None
        if named == "numpy.arange" and not node.keywords and 0 < len(node.args) < 4:
            return 1
        if named == "numpy.linspace" and not node.keywords and len(node.args) == 3:
            return 1
        if named in _CONSTANT and len(node.args) == 1 and not node.keywords:
            return 1
        if named in _BY_VALUES and len(node.args) > _BY_VALUES[named]:
            by = _BY_VALUES[named]
            return self._walk.rank(node.args[by]) if self._walk.rank(node.args[1 - by]) else None
        return None

    def factors(self, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """Of a product of a matrix and a vector."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return node.left, node.right
        is_dot = isinstance(node, ast.Call) and self._types.named(node) == "numpy.dot"
        if isinstance(node, ast.Call) and is_dot and self.rank(node) == 1:
            return node.args[0], node.args[1]
        return None

    def length(self, node: ast.expr) -> ast.expr | None:
        """Of one of these that has no array of its length in it."""
        if not isinstance(node, ast.Call):
            return None
        named = self._types.named(node)
        if named in _CONSTANT:
            return node.args[0]
        if named == "numpy.linspace":
            return node.args[2]
        if named == "numpy.arange" and len(node.args) == 1:
            return node.args[0]
        if named == "numpy.arange":
            whole = len(node.args) == 2 or trees.literal(node.args[2]) == 1
            return trees.binary(ast.Sub(), node.args[1], node.args[0], node) if whole else None
        return None

    def element(self, node: ast.expr, index: ast.expr, part: object) -> ast.expr:
        """The one at an index. `part` gives that of an expression in the node."""
        element = part
        if isinstance(node, ast.BinOp):
            return self._product(node.left, node.right, index, node)
        assert isinstance(node, ast.Call)
        named = self._types.named(node)
        if self._stencil(node) is not None:
            return self._of_stencil(node, index)
        if named == "numpy.dot":
            return self._product(node.args[0], node.args[1], index, node)
        if named in _CONSTANT:
            return trees.number(_CONSTANT[named], node)
        if named == "numpy.arange":
            if len(node.args) == 1:
                return index
            step = index
            if len(node.args) > 2:
                step = trees.binary(ast.Mult(), index, node.args[2], node)
            return trees.binary(ast.Add(), node.args[0], step, node)
        if named == "numpy.linspace":
            return self._walk.of_library("linspace", [*node.args, index], node)
        by = _BY_VALUES[named]
        values = element(node.args[by])  # type: ignore[operator]
        if named == "numpy.interp":
            return self._walk.of_library("interp", [values, *node.args[1:]], node)
        side = next((one.value for one in node.keywords if one.arg == "side"), None)
        side = node.args[2] if side is None and len(node.args) > 2 else side
        text = side.value if isinstance(side, ast.Constant) else "left" if side is None else ""
        if text not in ("left", "right"):
            return node
        return self._walk.of_library(f"searchsorted_{text}", [node.args[0], values], node)

    def _product(
        self, left: ast.expr, right: ast.expr, index: ast.expr, node: ast.expr
    ) -> ast.expr:
        if self._walk.rank(left) == 2:
            row = trees.placed(ast.Subscript(left, index, ast.Load()), node)
            return self._walk.of_library("dot", [row, right], node)
        return self._walk.of_library("dot_column", [left, right, index], node)

    def _stencil(self, node: ast.Call) -> Helper | None:
        helper = self._walk.scope.helper(node.func)
        is_one = helper is not None and helper.border is not None and bool(node.args)
        return helper if is_one and self._walk.rank(node.args[0]) == 1 else None

    def _of_stencil(self, node: ast.Call, index: ast.expr) -> ast.expr:
        """Its function at an index; the border has one value."""
        helper = self._stencil(node)
        assert helper is not None and helper.pristine is not None and helper.border is not None
        low, high, border = helper.border
        first = trees.number(-low, node)
        size = trees.placed(ast.Attribute(node.args[0], "size", ast.Load()), node)
        last = trees.binary(ast.Sub(), size, trees.number(max(high, 0), node), node)
        inside = trees.joined(
            ast.And(),
            [
                trees.compared(index, ast.GtE(), first, node),
                trees.compared(index, ast.Lt(), last, node),
            ],
            node,
        )
        made = trees.placed(ast.Call(node.func, [*node.args, index], []), node)
        return trees.chosen(inside, made, trees.number(border, node), node)


def relative(definition: ast.FunctionDef) -> tuple[int, int] | None:
    """A function of `numba.stencil`, in place: with an index behind its parameters, to which those
    of its arrays are relative. The least and the greatest of them; None if one is not a literal."""
    names = [one.arg for one in definition.args.args]
    index = trees.Fresh(trees.words(definition)).take("_index")
    places: list[int | None] = []

    def moved(node: ast.expr) -> ast.expr:
        is_array = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        if not isinstance(node, ast.Subscript) or not is_array or node.value.id not in names:  # type: ignore[attr-defined]
            return node
        place = trees.literal(node.slice)
        places.append(place if isinstance(place, int) else None)
        load = trees.name(index, node)
        if not isinstance(place, int) or place == 0:
            return trees.rebuilt(node, slice=load)
        by = trees.number(abs(place), node)
        op: ast.operator = ast.Add() if place > 0 else ast.Sub()
        return trees.rebuilt(node, slice=trees.binary(op, load, by, node))

    plain.mapped(definition, moved)
    if not places or any(place is None for place in places):
        return None
    low, high = min(0, *[p or 0 for p in places]), max(0, *[p or 0 for p in places])
    definition.args.args.append(trees.placed(ast.arg(index, None), definition))
    return low, high
