"""Arrays that a function makes for itself, `t = np.zeros(len(x))`, as parameters behind its own.

The length is one of those of the arrays that it is given, or a literal: a call gets such memory
from what calls it (ufuncs.py). The statement that makes the array fills it instead. Any other
length would be memory without a bound, and is left to the compiler, which refuses it.
"""

from __future__ import annotations

from hologram.frontend.foreign import plain
from hologram.frontend.foreign.types import Elements, Types, settled
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name, walked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.parts import Parts
    from hologram.frontend.foreign.types import Type

MOST_ELEMENTS = 4096  # of a literal length
# Functions of the library that fill their last argument.
_FILLED = {"numpy.cumsum": "cumsum", "numpy.argsort": "argsort", "numpy.sort": "sorted"}
_LIKE = ("numpy.zeros_like", "numpy.ones_like", "numpy.empty_like", "numpy.full_like")
_SAME = ("numpy.array", "numpy.asarray", "numpy.ascontiguousarray")
_SORTED = ("numpy.nanquantile", "numpy.quantile", "numpy.median", "numpy.nanmedian")


class Temporary:
    """Its length is a dimension of the layout, by its name, or a number."""

    def __init__(self, name: str, kind: str, of: str | int) -> None:
        self.name = name
        self.kind = kind
        self.of = of


class Temporaries:
    """Those of one function, found as its statements are walked."""

    def __init__(self, definition: ast.FunctionDef, walk: Parts) -> None:
        self.found: list[Temporary] = []
        self._walk = walk
        self._types: Types = walk.types
        self._own: dict[str, str | int] = {}  # of arrays with a length of this kind
        parameters = [*definition.args.posonlyargs, *definition.args.args]
        for one in parameters:
            kind = walk.types.known.get(one.arg)
            if isinstance(kind, Elements) and len(kind.cores) == 1:
                self._own[one.arg] = kind.cores[0]
        self._lengths = self._named_lengths(definition)

    def _named_lengths(self, definition: ast.FunctionDef) -> dict[str, ast.expr]:
        """Locals that are assigned once, what a length is."""
        count: dict[str, int] = {}
        values: dict[str, ast.expr] = {}
        for node in walked(definition):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                count[node.id] = count.get(node.id, 0) + 1
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                values[node.targets[0].id] = node.value
        return {name: value for name, value in values.items() if count.get(name) == 1}

    def _dimension(self, node: ast.expr, depth: int = 4) -> str | int | None:
        known = trees.literal(node)
        if isinstance(known, int):
            return known if 0 < known <= MOST_ELEMENTS else None
        if isinstance(node, ast.Name) and node.id in self._lengths and depth:
            return self._dimension(self._lengths[node.id], depth - 1)
        axis = 0
        array: ast.expr | None = None
        if isinstance(node, ast.Call) and dotted_name(node.func) in ("len", "int") and node.args:
            if dotted_name(node.func) == "int":
                return self._dimension(node.args[0], depth)
            array = node.args[0]
        elif isinstance(node, ast.Attribute) and node.attr == "size":
            array = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            place = trees.literal(node.slice)
            if node.value.attr == "shape" and isinstance(place, int) and place >= 0:
                array, axis = node.value.value, place
        if not isinstance(array, ast.Name):
            return None
        found = self._types.known.get(array.id)
        if array.id in self._own:
            return self._own[array.id]
        inside = isinstance(found, Elements) and axis < len(found.cores)
        return found.cores[axis] if isinstance(found, Elements) and inside else None

    def _of_array(self, node: ast.expr) -> str | int | None:
        """The dimension of the first array in an expression, which is all of it."""
        product = self._walk.made.factors(node)
        if product is not None:
            left, right = product
            matrix, axis = (left, 0) if self._walk.rank(left) == 2 else (right, 1)
            kind = self._types.of(matrix)
            known = isinstance(kind, Elements) and len(kind.cores) == 2
            return kind.cores[axis] if isinstance(kind, Elements) and known else None
        if isinstance(node, ast.BinOp):
            one = self._of_array(node.left) if self._walk.rank(node.left) else None
            return self._of_array(node.right) if one is None else one
        first = self._walk.first(node)
        while isinstance(first, ast.Subscript) and _is_whole(first):
            first = first.value
        if isinstance(first, ast.Subscript) and isinstance(first.value, ast.Name):
            found = self._types.known.get(first.value.id)
            fixed = not isinstance(first.slice, (ast.Slice, ast.Tuple))
            if fixed and isinstance(found, Elements) and len(found.cores) == 2:
                return found.cores[1]
        return self._own.get(first.id) if isinstance(first, ast.Name) else None

    # ---- Statements

    def made(self, node: ast.Assign) -> list[ast.stmt] | None:
        """What fills the array, where the statement makes one."""
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Name):
            return None
        allocated = plain.allocated(node.value, self._types)
        if allocated is not None:
            length, own, value = allocated
            of = length if isinstance(length, int) else self._dimension(length)
            return self._filled(target, own, of, value, node)
        if isinstance(node.value, ast.Call):
            made = self._of_call(target, node.value, node)
            if made is not None:
                return made
        if self._walk.rank(node.value) != 1 or isinstance(node.value, (ast.Name, ast.Subscript)):
            return None
        kind = self._kind(node.value)
        return self._filled(target, kind, self._of_array(node.value), node.value, node)

    def _of_call(self, target: ast.Name, call: ast.Call, node: ast.Assign) -> list[ast.stmt] | None:
        named = self._types.named(call)
        if isinstance(call.func, ast.Attribute) and self._walk.rank(call.func.value) == 1:
            array = call.func.value
            if call.func.attr == "copy" and not call.args:
                return self._filled(target, self._kind(array), self._of_array(array), array, node)
            if call.func.attr == "astype" and len(call.args) == 1:
                own = plain.type_of(call.args[0], self._types)
                return self._filled(target, own, self._of_array(array), array, node)
        if not call.args:
            return None
        array = call.args[0]
        single = self._types.of(array)
        if named in _LIKE and isinstance(single, Elements) and single.is_single:
            number = trees.number(int(named == "numpy.ones_like"), call)
            value = call.args[1] if named == "numpy.full_like" else number
            return None if call.keywords else self._filled(target, single.kind, 1, value, node)
        if self._walk.rank(array) != 1:
            return None
        kind: Type = self._kind(array)
        dtype = next((one.value for one in call.keywords if one.arg == "dtype"), None)
        if dtype is not None:
            kind = plain.type_of(dtype, self._types)
        if any(one.arg != "dtype" for one in call.keywords):
            return None
        of = self._of_array(array)
        if named in _LIKE:
            value = trees.number(int(named == "numpy.ones_like"), call)
            if named == "numpy.full_like":
                value = call.args[1]
            return self._filled(target, kind, of, value, node)
        if named in _SAME and len(call.args) == 1:
            return self._filled(target, kind, of, array, node)
        if named in _FILLED and len(call.args) == 1 and isinstance(array, ast.Name):
            kind = "i64" if named == "numpy.argsort" else kind
            if not self._known(target.id, kind, of):
                return None
            given: list[ast.expr] = [array, trees.name(target.id, call)]
            function = self._walk.library(_FILLED[named], call)
            return [trees.placed(ast.Expr(trees.placed(ast.Call(function, given, []), call)), node)]
        return None

    def is_filled(self, node: ast.Call) -> bool:
        """`np.cumsum(x)` and the like."""
        return self._types.named(node) in _FILLED and self._walk.rank(node.args[0]) == 1

    def _filled(
        self,
        target: ast.Name,
        kind: Type,
        of: str | int | None,
        value: ast.expr,
        node: ast.stmt,
    ) -> list[ast.stmt] | None:
        if not self._known(target.id, kind, of):
            return None
        whole = trees.placed(ast.Slice(), node)
        place = trees.placed(ast.Subscript(trees.name(target.id, node), whole, ast.Store()), node)
        return [trees.placed(ast.Assign([place], value), node)]

    def _known(self, name: str, kind: Type, of: str | int | None) -> bool:
        """Whether the name is such an array now; it is the same one wherever it is made."""
        if of is None or not isinstance(kind, str):
            return False
        before = next((one for one in self.found if one.name == name), None)
        if before is not None:
            return (before.kind, before.of) == (kind, of)
        if name in self._types.known:
            return False
        self.found.append(Temporary(name, kind, of))
        self._own[name] = of
        self._types.known[name] = Elements(kind, 1, cores=(str(of),))
        return True

    def _kind(self, node: ast.expr) -> Type:
        """The type of the elements of an expression."""
        zero = [(trees.number(0, node), trees.number(1, node))]
        before = list(self._walk.before)
        part = self._walk.element(node, [self._walk.any_counter], zero)
        self._walk.before = before
        return settled(self._types.of(part))

    def like(self, name: str, array: ast.expr) -> str | None:
        """An array like all of another one: its name."""
        known = self._walk.rank(array) == 1 and self._known(
            name, self._kind(array), self._of_array(array)
        )
        return name if known else None

    def sorted_copy(self, node: ast.Call) -> str | None:
        """An array for `np.quantile(x, q)` and the like to sort: its name."""
        if self._types.named(node) not in _SORTED or self._walk.rank(node.args[0]) != 1:
            return None
        name = self._walk.fresh.take("_sorted")
        known = self._known(name, self._kind(node.args[0]), self._of_array(node.args[0]))
        return name if known else None


def _is_whole(node: ast.Subscript) -> bool:
    place = node.slice
    return isinstance(place, ast.Slice) and place.lower is place.upper is place.step is None
