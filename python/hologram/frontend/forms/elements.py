"""Parts of values: `p.x`, `p.xy`, `p[0]`, `W[k]`, `x[i]`, `x[i].y`, `A[i, 1:]`."""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.forms import tables, trees
from hologram.frontend.forms.base import Place, assembled
from hologram.frontend.forms.operators import Operators
from hologram.frontend.forms.records import layout_of, loaded
from hologram.frontend.forms.shapes import SWIZZLES, VECTOR_TYPES, Struct, described, vector
from hologram.frontend.forms.trees import binary, compared, number
from hologram.frontend.forms.values import Array, Parts, Slice, Table
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hologram.frontend.forms.records import Field, Layout
    from hologram.frontend.forms.values import Rows, Value


class Elements(Operators):
    """Attributes and subscripts."""

    # ---- Fields

    def field(self, value: Value, name: str, node: ast.Attribute) -> Value:
        """`value.name`"""
        if isinstance(value, Array):
            return self._of_array(value, name, node)
        parts = self.parts(value)
        if parts is None:
            return trees.rebuilt(node, value=self.one(value, node.value))
        place = parts.shape.position(name)
        if place is not None:
            return parts.items[place]
        swizzle = self._swizzle(parts, name)
        if swizzle is not None:
            return swizzle
        if parts.shape.kind == "matrix" and name == "T":
            return self.transposed(self.once(parts))
        has = ", ".join(f"`.{field}`" for field, _ in parts.shape.fields)
        if parts.shape.kind in ("tuple", "matrix"):
            has = "`[0]` and so on"
        return self.error(node, f"{described(parts.shape)} has no `.{name}`; it has {has}")

    def _swizzle(self, parts: Parts, name: str) -> Parts | None:
        size = len(parts.items)
        if parts.shape.kind != "vector" or not 2 <= len(name) <= 4:
            return None
        for letters in SWIZZLES:
            if all(letter in letters[:size] for letter in name):
                prefix = parts.shape.name.rstrip("234")
                assert prefix in VECTOR_TYPES
                items = [parts.items[letters.index(letter)] for letter in name]
                return Parts(vector(prefix, len(name)), items)
        return None

    def _of_array(self, array: Array, name: str, node: ast.Attribute) -> Value:
        if name == "size":
            sizes = [self.extent(array, k, node) for k in range(len(array.free))]
            result = sizes[0]
            for size in sizes[1:]:
                result = binary(ast.Mult(), result, size, node)
            return result
        if name == "shape":
            if array.is_whole and isinstance(array.element, str):
                return trees.rebuilt(node, value=trees.name(array.name, node))
            sizes = [self.extent(array, k, node) for k in range(len(array.free))]
            return Parts(
                Struct("tuple", "shape", [(str(k), "u32") for k in range(len(sizes))]), list(sizes)
            )
        if name == "ndim":
            return number(len(array.free), node)
        if isinstance(array.element, Struct) and array.element.position(name) is not None:
            each = f"`{self.text(node.value)}[i].{name}`"
            return self.error(node, f"`.{name}` belongs to the elements of the array; write {each}")
        return self.error(
            node, f"an array has no `.{name}` in a kernel; it has `.shape` and `.size`"
        )

    def extent(self, array: Array, place: int, at: ast.expr) -> ast.expr:
        """The size of a free dimension, by its place among them."""
        dimension = array.free[place]
        part = array.dimensions[dimension]
        assert isinstance(part, Slice)
        if part.stop is not None:
            whole = part.stop
        elif len(array.dimensions) == 1:
            whole = trees.call("len", [trees.name(array.name, at)], at)
            if isinstance(array.element, Struct):
                whole = binary(
                    ast.FloorDiv(), whole, number(layout_of(array.element).words, at), at
                )
        else:
            shape = trees.placed(ast.Attribute(trees.name(array.name, at), "shape", ast.Load()), at)
            whole = trees.placed(ast.Subscript(shape, number(dimension, at), ast.Load()), at)
        return whole if part.start is None else binary(ast.Sub(), whole, part.start, at)

    # ---- Subscripts

    def subscript(self, node: ast.Subscript) -> Value:
        """`value[position]`, read."""
        value = self.expression(node.value)
        position = node.slice
        if isinstance(value, Array):
            return self.element(value, position, node)
        given = list(position.elts) if isinstance(position, ast.Tuple) else [position]
        for item in given:
            value = self._item(value, item, node)
        return value

    def _item(self, value: Value, position: ast.expr, node: ast.Subscript) -> Value:
        if isinstance(position, ast.Slice):
            return self._rows_from(value, position, node)
        place = self.plain(position)
        if isinstance(value, Table):
            return self.row(value, place, node)
        parts = self.parts(value)
        if parts is None:
            return trees.rebuilt(node, value=self.one(value, node.value), slice=place)
        if parts.shape.kind in ("struct", "complex"):
            first = parts.shape.fields[0][0]
            self.error(node, f"{described(parts.shape)} has fields; write one, as in `.{first}`")
        known = self.known_index(place, len(parts.items), node)
        if known is not None:
            return parts.items[known]
        return self._one_of(list(parts.items), self._checked(place, len(parts.items), node), node)

    def _rows_from(self, value: Value, part: ast.Slice, node: ast.Subscript) -> Value:
        """`W[::-1]`, `W[1:]`, of a table."""
        ends = [self._end(end, node) for end in (part.lower, part.upper, part.step)]
        if not isinstance(value, Table) or ends[2] == 0:
            self._refuse_part(node)
        rows = value.rows[slice(*ends)]
        if not rows:
            self.error(node, f"`{self.text(node)}` has no rows")
        return Table(rows, self.text(node))

    def _end(self, end: ast.expr | None, node: ast.Subscript) -> int | None:
        known = None if end is None else trees.literal(self.plain(end))
        if end is not None and not isinstance(known, int):
            self._refuse_part(node)
        return known if isinstance(known, int) else None

    def _refuse_part(self, node: ast.Subscript) -> NoReturn:
        self.error(
            node,
            "a slice of a value is not in the kernel language, but of tables, with ends that are "
            "known; write its parts",
        )

    def row(self, table: Table, place: ast.expr, node: ast.expr) -> Value:
        """`W[k]`"""
        known = self.known_index(place, len(table.rows), node)
        if known is not None:
            return self.constant(table.rows[known], table.name, node)
        extents = tables.extents(table.rows)
        if extents is None:
            self.error(node, f"the rows of `{table.name}` differ in size; write a known index")
        if len(table.rows) > tables.MAX_CHOICES:
            self.error(
                node,
                f"`{table.name}` has {len(table.rows)} rows, and an index that is not known when "
                f"compiling chooses among {tables.MAX_CHOICES} at most; give the kernel a "
                f"parameter, `{table.name}: DeviceArray[f32]`, and pass it",
            )
        place = self._checked(place, len(table.rows), node)
        return self._one_of([self._as_value(row, node) for row in table.rows], place, node)

    def constant(self, row: Rows | int | float, name: str, at: ast.expr) -> Value:
        return Table(row, name) if isinstance(row, list) else number(row, at)

    def _as_value(self, row: object, at: ast.expr) -> Value:
        """A row as a tuple, so that one of several can be chosen."""
        if isinstance(row, list):
            items = [self._as_value(item, at) for item in row]
            shape = Struct(
                "tuple", "tuple", [(str(k), self.shape_of(v)) for k, v in enumerate(items)]
            )
            return Parts(shape, items)
        assert isinstance(row, (int, float))
        return number(row, at)

    def known_index(self, place: ast.expr, count: int, node: ast.expr) -> int | None:
        """The number that an index is, counted from the end if negative; an error beyond."""
        value = trees.literal(place)
        if value is None:
            try:
                value = constants.fold(place, _Constants(self))
            except constants.FoldError:
                return None
        if isinstance(value, bool) or not isinstance(value, int):
            self.error(node, "an index is an integer")
        if not -count <= value < count:
            self.error(node, f"index {value} is outside of the {count} values")
        return value % count

    def _checked(self, place: ast.expr, count: int, node: ast.expr) -> ast.expr:
        """An index that the kernel computes; one that is too large is a fault."""
        limit = self.limit(place)
        place = self.simple(place)
        if limit is not None and limit <= count:
            return place
        test = compared(number(0, node), ast.LtE(), place, node)
        test.ops.append(ast.Lt())
        test.comparators.append(number(count, node))
        self.before.append(trees.placed(ast.Assert(test, None), node))
        return place

    def limit(self, place: ast.expr) -> int | None:
        """What an index from 0 is below, as its form says."""
        if isinstance(place, ast.Name):
            return self.below.get(place.id)
        if isinstance(place, ast.BinOp):
            right = trees.literal(place.right)
            if isinstance(right, int) and not isinstance(right, bool) and right > 0:
                if isinstance(place.op, ast.Mod):
                    return right
                if isinstance(place.op, ast.BitAnd):
                    return right + 1
        return None

    def _one_of(
        self, values: list[Value], place: ast.expr, node: ast.expr, first: int = 0
    ) -> Value:
        """values[place - first], by halves."""
        if len(values) == 1:
            return values[0]
        middle = len(values) // 2
        test = compared(place, ast.Lt(), number(first + middle, node), node)
        low = self._one_of(values[:middle], place, node, first)
        high = self._one_of(values[middle:], place, node, first + middle)
        return self.choose(test, low, high, node)

    def choose(self, test: ast.expr, taken: Value, other: Value, at: ast.expr) -> Value:
        """One of two values of one shape."""
        a, b = self.parts(taken), self.parts(other)
        if a is None or b is None:
            if a is not None or b is not None:
                shapes = [described(self.shape_of(v)) for v in (taken, other)]
                self.error(at, f"one value is {shapes[0]}, the other {shapes[1]}")
            x, y = self.one(taken, at), self.one(other, at)
            known = trees.literal(x)
            if known is not None and repr(known) == repr(trees.literal(y)):
                return x
            return trees.chosen(test, x, y, at)
        if len(a.items) != len(b.items) or a.shape.kind != b.shape.kind:
            one, two = described(a.shape), described(b.shape)
            self.error(at, f"one value is {one}, the other {two}")
        pairs = zip(a.items, b.items)  # noqa: B905 (same length)
        return Parts(a.shape, [self.choose(test, x, y, at) for x, y in pairs])

    # ---- Arrays

    def element(self, array: Array, position: ast.expr, node: ast.Subscript) -> Value:
        given = list(position.elts) if isinstance(position, ast.Tuple) else [position]
        free = array.free
        if not given or len(given) > len(free):
            if len(array.dimensions) == len(free) and isinstance(array.element, str):
                return self._as_written(node, array)  # others have the words
            self.error(node, f"`{self.text(node)}` has more indices than dimensions")
        dimensions = list(array.dimensions)
        for dimension, item in zip(free, given):  # noqa: B905 (fewer)
            part = dimensions[dimension]
            assert isinstance(part, Slice)
            dimensions[dimension] = self._narrowed(part, item, array, node)
        view = Array(array.name, array.element, dimensions)
        if view.free:
            return view
        return self._load(view, node)

    def _as_written(self, node: ast.Subscript, array: Array) -> ast.expr:
        position = node.slice
        if isinstance(position, ast.Tuple):
            items = [self.plain(item) for item in position.elts]
            position = trees.rebuilt(position, elts=items)
        else:
            position = self.plain(position)
        return trees.rebuilt(node, value=trees.name(array.name, node.value), slice=position)

    def _narrowed(
        self, part: Slice, item: ast.expr, array: Array, node: ast.Subscript
    ) -> ast.expr | Slice:
        if not isinstance(item, ast.Slice):
            index = self.plain(item)
            return index if part.start is None else binary(ast.Add(), part.start, index, item)
        if item.step is not None:
            self.error(
                item.step,
                "a slice with a step is not in the kernel language; write the index, " "`a[2 * i]`",
            )
        ends: list[ast.expr | None] = []
        for end in (item.lower, item.upper):
            plain = None if end is None else self.plain(end)
            value = None if plain is None else trees.literal(plain)
            if value is not None and value < 0:
                self.error(node, "an end of a slice counts from the start; write `len(a) - 1`")
            if plain is not None and part.start is not None:
                plain = binary(ast.Add(), part.start, plain, node)
            ends.append(plain)
        start, stop = ends
        if start is not None and trees.literal(start) == 0:
            start = None
        return Slice(start or part.start, stop or part.stop)

    def kept(self, array: Array) -> Array:
        """A view whose indices are evaluated now."""
        dimensions: list[ast.expr | Slice] = []
        for part in array.dimensions:
            if isinstance(part, Slice):
                ends = [None if e is None else self.simple(e) for e in (part.start, part.stop)]
                dimensions.append(Slice(*ends))
            else:
                dimensions.append(self.simple(part))
        return Array(array.name, array.element, dimensions)

    def _load(self, view: Array, node: ast.Subscript) -> Value:
        indices = [d for d in view.dimensions if isinstance(d, ast.expr)]
        if isinstance(view.element, str):
            return self._access(view.name, indices, node)
        indices = [self.simple(index) for index in indices]
        layout = layout_of(view.element)
        leaves: list[ast.expr] = []
        for field in layout.fields:
            first = field.offset // layout.word_bytes
            words = [
                self._word(view, indices, layout.words, first + k, node)
                for k in range(field.size // layout.word_bytes)
            ]
            leaves.append(
                words[0] if not layout.mixed else self._record(field, layout, words, node)
            )
        return assembled(view.element, iter(leaves))

    def _word(
        self, view: Array, indices: list[ast.expr], size: int, k: int, node: ast.Subscript
    ) -> ast.expr:
        """Number k of the `size` that an element has."""
        if len(indices) == 1:
            return self._access(view.name, [self._place(indices[0], size, k)], node)
        return self._access(view.name, [*indices, number(k, node)], node)

    def _record(
        self, field: Field, layout: Layout, words: list[ast.expr], node: ast.expr
    ) -> ast.expr:
        load = loaded(field, layout, words, node)
        if load is words[0]:  # a word as it is
            return load
        self.of_records[id(load)] = Place(load, field, layout, words)
        return load

    def _access(self, name: str, indices: list[ast.expr], node: ast.Subscript) -> ast.expr:
        position = indices[0]
        if len(indices) > 1:
            position = trees.placed(ast.Tuple(indices, ast.Load()), node.slice)
        return trees.rebuilt(
            node, value=trees.name(name, node.value), slice=position, ctx=ast.Load()
        )

    def _place(self, index: ast.expr, size: int, k: int) -> ast.expr:
        """index * size + k; in at least 32 bits, which an index of u8 has not."""
        known = trees.literal(index)
        if isinstance(known, int):
            return number(known * size + k, index)
        factor = number(size, index)
        if not self.is_wide(index):
            factor = trees.call("u32", [factor], index)
        place = index if size == 1 else binary(ast.Mult(), index, factor, index)
        return place if k == 0 else binary(ast.Add(), place, number(k, index), index)

    def is_wide(self, node: ast.expr) -> bool:
        """Whether an index has 32 bits or more, as far as its form says."""
        if isinstance(node, ast.Name):
            return node.id in self.wide
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return any(self.is_wide(s) for s in sides) and all(
                self.is_wide(s) or trees.is_literal(s) for s in sides
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = self.scope.language_name(node.func)
            wide = (*names.IDS, "len", "u32", "u64", "i32", "i64", "int", "usize")
            return name in wide and node.func.id not in self.locals
        if not isinstance(node, ast.Subscript):
            return False
        if isinstance(node.value, ast.Name):
            array = self.env.get(node.value.id)
            element = array.element if isinstance(array, Array) else ""
            return isinstance(element, str) and element in ("i32", "u32", "i64", "u64")
        return isinstance(node.value, ast.Attribute)  # a.shape[0]


class _Constants:
    """The constants that a name stands for where no local hides it."""

    def __init__(self, walk: Elements) -> None:
        self._walk = walk

    def __contains__(self, name: str) -> bool:
        hidden = name.partition(".")[0] in self._walk.locals
        return not hidden and name in self._walk.scope.known

    def __getitem__(self, name: str) -> int | float:
        return self._walk.scope.values[name]
