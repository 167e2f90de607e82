"""One element of an expression of whole arrays, and from where to where its dimensions run."""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign import library
from hologram.frontend.foreign.made import Made
from hologram.frontend.foreign.types import Elements, Types
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Scope


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


class Parts:
    def __init__(self, definition: ast.FunctionDef, types: Types, scope: Scope) -> None:
        self.types = types
        self.scope = scope
        self.fresh = trees.Fresh(trees.words(definition))
        self.before: list[ast.stmt] = []
        self._value: ast.expr | None = None  # what the statement assigns
        self.any_counter = self.fresh.take("_any")
        types.known[self.any_counter] = "i64"
        self.made = Made(self)

    def library(self, name: str, at: ast.AST) -> ast.expr:
        """A function of the library, to be called."""
        key = f"{name}$library"
        self.scope.helpers[key] = library.function(name, self.scope.link)
        return trees.name(key, at)

    def of_library(self, name: str, given: list[ast.expr], at: ast.AST) -> ast.expr:
        function = self.library(name, at)
        return trees.placed(ast.Call(function, [copied(one) for one in given], []), at)

    def rank(self, node: ast.AST) -> int:
        """Dimensions of an expression; 0 for numbers and for what is not known."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            found = self.types.of(node)
            return found.rank if isinstance(found, Elements) and not found.is_single else 0
        if isinstance(node, (ast.BinOp, ast.Call)):
            made = self.made.rank(node)
            if made is not None:
                return made
        if isinstance(node, ast.BinOp):
            return max(self.rank(node.left), self.rank(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.rank(node.operand)
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            return max(self.rank(node.left), self.rank(node.comparators[0]))
        if isinstance(node, ast.Call):
            name = self.types.function(node)
            known = name in names.FUNCTIONS or name in names.SCALARS or name == "rint"
            known = known or self.types.named(node) in library.NAMES
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
        if isinstance(node, (ast.BinOp, ast.Call)) and self.made.rank(node) is not None:
            length = self.made.length(node)
            low, high = ends[-1]
            if length is not None:
                self.same_length((low, high), (trees.number(0, node), length), node)
            index: ast.expr = trees.name(counters[-1], node)
            if trees.literal(low) != 0:
                index = trees.binary(ast.Sub(), index, copied(low), node)
            return copied(
                self.made.element(node, index, lambda one: self.element(one, counters, ends))
            )
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
        base, places = base_of(node)
        own = self.ends_of(node) or []
        outer = ends[len(ends) - len(counters) :]
        shifted: list[ast.expr] = []
        for counter, (low, high), (start, stop) in zip(counters, outer, own):  # noqa: B905
            self.same_length((low, high), (start, stop), node)
            index: ast.expr = trees.name(counter, node)
            if written(low) != written(start):
                if trees.literal(low) != 0:
                    index = trees.binary(ast.Sub(), index, copied(low), node)
                if trees.literal(start) != 0:
                    index = trees.binary(ast.Add(), index, copied(start), node)
            shifted.append(index)
        found = self.types.of(base)
        count = found.rank if isinstance(found, Elements) else len(places)
        filled: list[ast.expr] = []
        for k, place in enumerate([*places, *[ast.Slice()] * (count - len(places))]):
            if not isinstance(place, ast.Slice):
                filled.append(copied(place))
                continue
            own_index = shifted.pop(0)
            if is_reversed(place):
                shape = trees.placed(ast.Attribute(base, "shape", ast.Load()), node)
                size = trees.placed(ast.Subscript(shape, trees.number(k, node), ast.Load()), node)
                last = trees.binary(ast.Sub(), size, trees.number(1, node), node)
                own_index = trees.binary(ast.Sub(), last, own_index, node)
            filled.append(own_index)
        index = filled[0] if len(filled) == 1 else trees.placed(ast.Tuple(filled, ast.Load()), node)
        return trees.placed(ast.Subscript(base, index, ast.Load()), node)

    def same_length(
        self, one: tuple[ast.expr, ast.expr], other: tuple[ast.expr, ast.expr], at: ast.AST
    ) -> None:
        """An assertion, where the ends are not written alike."""
        if [written(end) for end in one] == [written(end) for end in other]:
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

    def ends_of(self, node: ast.AST) -> list[tuple[ast.expr, ast.expr]] | None:
        """From where to where the dimensions of an array or a part of one run."""
        if not isinstance(node, (ast.Name, ast.Subscript)):
            return None
        base, places = base_of(node)
        found = self.types.of(base)
        if not isinstance(base, ast.Name) or not isinstance(found, Elements):
            return None
        result: list[tuple[ast.expr, ast.expr]] = []
        for k in range(found.rank):
            place = places[k] if k < len(places) else ast.Slice()
            if not isinstance(place, ast.Slice):
                continue
            if getattr(place, "step", None) is not None and not is_reversed(place):
                return None
            shape = trees.placed(ast.Attribute(base, "shape", ast.Load()), node)
            size = trees.placed(ast.Subscript(shape, trees.number(k, node), ast.Load()), node)
            low, high = getattr(place, "lower", None), getattr(place, "upper", None)
            low = trees.number(0, node) if low is None else from_end(low, size)
            result.append((low, size if high is None else from_end(high, size)))
        return result

    def first(self, node: ast.expr) -> ast.expr | None:
        """The array of most dimensions in an expression."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            return node if self.rank(node) else None
        best: ast.expr | None = None
        named = self.types.named(node) if isinstance(node, ast.Call) else ""
        if named in ("numpy.searchsorted", "numpy.interp"):
            return self.first(node.args[named == "numpy.searchsorted"])  # type: ignore[attr-defined]
        for field in fields(node):
            for child in listed(getattr(node, field, None)):
                found = self.first(child) if isinstance(child, ast.expr) else None
                if found is not None and (best is None or self.rank(found) > self.rank(best)):
                    best = found
        return best


def replaced(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    if isinstance(node, ast.Name) and node.id in values:
        return copied(values[node.id])
    for field in fields(node):
        value = getattr(node, field, None)
        if isinstance(value, list):
            setattr(
                node, field, [replaced(v, values) if isinstance(v, ast.expr) else v for v in value]
            )
        elif isinstance(value, ast.expr):
            setattr(node, field, replaced(value, values))
    return node


def set_to(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return trees.assignment([trees.stored(name, at)], [value], at)


def from_end(end: ast.expr, size: ast.expr) -> ast.expr:
    known = trees.literal(end)
    if known is None and isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub):
        below = trees.compared(copied(end), ast.Lt(), trees.number(0, end), end)
        back = trees.binary(ast.Sub(), size, copied(end.operand), end)
        return trees.chosen(below, back, copied(end), end)
    if known is None or known >= 0:
        return end
    back = trees.number(-known, end)
    return trees.binary(ast.Sub(), size, back, end)


def base_of(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    if not isinstance(node, ast.Subscript):
        return node, []
    base, inner = base_of(node.value)
    places = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if inner and any(isinstance(place, ast.Slice) for place in inner):
        return node.value, places  # a part of a part
    return base, [*inner, *places]


def written(node: object) -> object:
    """A tree without its places, to compare it."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.AST):
        return node
    parts = [[written(v) for v in listed(getattr(node, field, None))] for field in fields(node)]
    return type(node).__name__, getattr(node, "attr", ""), repr(parts)


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def is_reversed(place: ast.expr) -> bool:
    """`x[::-1]`"""
    is_slice = isinstance(place, ast.Slice) and place.step is not None
    if not isinstance(place, ast.Slice) or not is_slice or trees.literal(place.step) != -1:  # type: ignore[arg-type]
        return False
    return place.lower is None and place.upper is None
