"""Assignments: where a value of several numbers is stored."""

from __future__ import annotations

from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.base import assembled, same_shape
from hologram.frontend.forms.expressions import Expressions
from hologram.frontend.forms.records import stored_words
from hologram.frontend.forms.shapes import Struct, described
from hologram.frontend.forms.signatures import kind_of
from hologram.frontend.forms.trees import call, number
from hologram.frontend.forms.values import (
    Array,
    Declared,
    Function,
    Nothing,
    Parts,
    Result,
    Slice,
    Table,
    Type,
    is_plain,
    whole_array,
)
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.shapes import Shape
    from hologram.frontend.forms.values import Value


class Assignments(Expressions):
    """The walker of assignments."""

    # ---- Assignments

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = self.expression(node.value)
        if len(node.targets) == 1:
            self._bind(node.targets[0], value, node)
            return []
        kept = self.snapshot(value) if self.shape_of(value) != "" else value
        if isinstance(kept, ast.expr):
            kept = self.simple(kept)
        for target in node.targets:
            self._bind(target, kept, node)
        return []

    def bind(self, target: ast.expr, value: Value, at: ast.expr) -> None:
        self._bind(target, value, at)

    def _bind(self, target: ast.expr, value: Value, at: ast.AST) -> None:
        """Assigns a value; the statements come after those that it needs."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, at)
        elif isinstance(target, ast.Name) and isinstance(value, Declared):
            self._declare(target, value, at)
        elif isinstance(target, ast.Name) and isinstance(
            value, (Array, Function, Table, Nothing, Type)
        ):
            self._name_part(target, value)
        elif not self._choose_place(target, value, at):
            if isinstance(value, ast.expr) and isinstance(target, ast.Name):
                self._note(target.id, value)
            self._emit(self.places(target, self.shape_of(value)), value, at)

    def _emit(self, targets: list[ast.expr], value: Value, at: ast.AST) -> None:
        if isinstance(value, Result):
            left = targets[0]
            if len(targets) > 1:
                left = trees.placed(ast.Tuple(targets, ast.Store()), at)
            self.before.append(trees.placed(ast.Assign([left], value.call), at))
            for target in targets:
                if isinstance(target, ast.Name) and target.id in self.waiting:
                    found = trees.name(target.id, target)
                    self._store_record(target.id, self._typed(target.id, found, at), at)
            return
        values = self.leaves(value, getattr(at, "value", None) or targets[0])
        if any(isinstance(t, ast.Name) and t.id in self.waiting for t in targets):
            self._emit_records(targets, values, at)
            return
        if _is_apart(targets, values):
            for place, one in zip(targets, values):  # noqa: B905 (same length)
                self.before.append(trees.assignment([place], [one], at))
        else:
            self.before.append(trees.assignment(targets, values, at))

    # ---- Numbers of records

    def _emit_records(self, targets: list[ast.expr], values: list[ast.expr], at: ast.AST) -> None:
        """All values first, each with the type of its field; then the stores."""
        typed: list[tuple[str, ast.expr]] = []
        others: list[tuple[ast.expr, ast.expr]] = []
        for target, value in zip(targets, values):  # noqa: B905 (same length)
            if isinstance(target, ast.Name) and target.id in self.waiting:
                typed.append((target.id, self._typed(target.id, value, at)))
            else:
                others.append((target, value))
        if others:
            left, right = [list(side) for side in zip(*others)]  # noqa: B905
            self.before.append(trees.assignment(left, right, at))
        for name, value in typed:
            self._store_record(name, value, at)

    def _typed(self, waiting: str, value: ast.expr, at: ast.AST) -> ast.expr:
        """A local of the type of the field, with a value that is to be stored."""
        scalar = self.waiting[waiting].field.scalar
        name = self.fresh.take("_field")
        target = trees.stored(name, value)
        annotation = trees.name(scalar, value)
        if scalar == "bool":  # a local has the type of its value
            self.before.append(trees.assignment([target], [call("bool", [value], value)], at))
        else:
            self.before.append(trees.placed(ast.AnnAssign(target, annotation, value, 1), at))
        return trees.name(name, value)

    def _store_record(self, waiting: str, value: ast.expr, at: ast.AST) -> None:
        place = self.waiting[waiting]
        stored = stored_words(place.field, place.layout, value, value)
        for word, bits in zip(place.words, stored):  # noqa: B905 (same length)
            target = trees.rebuilt(word, ctx=ast.Store())
            self.before.append(trees.assignment([target], [bits], at))

    def _declare(self, target: ast.Name, value: Declared, at: ast.AST) -> None:
        array = whole_array(target.id, value.element, value.rank)
        if value.count is not None:
            array = Array(target.id, value.element, [Slice(None, value.count)])
        self.env.setdefault(target.id, array)
        left: list[ast.expr] = [trees.stored(target.id, target)]
        self.before.append(trees.assignment(left, [value.call], at))

    def _note(self, name: str, value: ast.expr) -> None:
        """What is known of a local that is a number."""
        if self.is_wide(value):
            self.wide.add(name)

    def places(self, target: ast.expr, shape: Shape) -> list[ast.expr]:
        """Where a value of this shape is stored."""
        if isinstance(target, ast.Name):
            return self._local(target, shape)
        if isinstance(target, ast.Subscript):
            place = self._part(target)
        elif isinstance(target, ast.Attribute):
            place = self.expression(target)
            if isinstance(place, ast.Attribute):
                return [target]  # refused by statements.py
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(shape, Struct):
            self._count(target, len(shape.fields))
            pairs = zip(target.elts, shape.fields)  # noqa: B905 (same length)
            return [place for t, (_, s) in pairs for place in self.places(t, s)]
        else:
            return [target]
        if isinstance(place, Array):
            self.error(target, f"`{self.text(target)}` is several elements; assign one")
        if not same_shape(self.shape_of(place), shape):
            have, given = described(self.shape_of(place)), described(shape)
            self.error(target, f"`{self.text(target)}` is {have}, the value {given}")
        return [self._target(leaf, target) for leaf in self.leaves(place, target)]

    def _part(self, target: ast.Subscript) -> Value:
        return self.subscript(trees.rebuilt(target, ctx=ast.Load()))

    def _target(self, leaf: ast.expr, at: ast.expr) -> ast.expr:
        place = self.of_records.get(id(leaf))
        if place is not None:
            waiting = self.fresh.take("_record")
            self.waiting[waiting] = place
            return trees.stored(waiting, at)
        if isinstance(leaf, ast.Name):
            return trees.stored(leaf.id, at)
        if isinstance(leaf, ast.Subscript):
            return trees.rebuilt(leaf, ctx=ast.Store())
        return self.error(
            at, f"`{self.text(at)}` cannot be assigned; assign a local or an array element"
        )

    def _local(self, target: ast.Name, shape: Shape) -> list[ast.expr]:
        name = target.id
        known = self.env.get(name)
        if known is None and isinstance(shape, str):
            self.lines.setdefault(name, target.lineno)
            self.plain_locals.add(name)
            return [trees.stored(name, target)]
        if known is None and name in self.plain_locals:
            since = f" since line {self.lines[name]}" if name in self.lines else ""
            self.error(target, f"`{name}` is a number{since}, the value {described(shape)}")
        if known is None:
            assert isinstance(shape, Struct)
            self.lines[name] = target.lineno
            names = [self.fresh.take(f"{name}_{leaf}") for leaf, _ in shape.leaves()]
            known = assembled(shape, iter([trees.name(n, target) for n in names]))
            self.env[name] = known
        have = self.shape_of(known)
        if isinstance(known, Array) and isinstance(shape, str):
            return [trees.stored(name, target)]  # the compiler says what is wrong
        if not isinstance(known, Parts) or not same_shape(have, shape):
            what = described(have) if isinstance(known, Parts) else "no number"
            since = f" since line {self.lines[name]}" if name in self.lines else ""
            self.error(target, f"`{name}` is {what}{since}, the value {described(shape)}")
        return [self._target(leaf, target) for leaf in self.leaves(known, target)]

    def _name_part(self, target: ast.Name, value: Value) -> None:
        """`row = A[i]`, `f = square`: another name for something that has one."""
        name = target.id
        known = self.env.get(name)
        if name in self.plain_locals:
            self.error(target, f"`{name}` is a number elsewhere; use another name")
        if isinstance(value, Array):
            self._name_view(target, value, known)
        elif known is not None and known is not value:
            self.error(target, f"`{name}` has another value elsewhere; use another name")
        else:
            self.env[name] = value

    def _name_view(self, target: ast.Name, view: Array, known: Value | None) -> None:
        name = target.id
        if known is None:
            if view.is_whole:
                self.env[name] = view
                return
            named: list[ast.expr | Slice] = []
            for place, part in enumerate(view.dimensions):
                if isinstance(part, Slice):
                    ends = [
                        None if e is None else self._held(name, "end", e)
                        for e in (part.start, part.stop)
                    ]
                    named.append(Slice(*ends))
                else:
                    named.append(self._held(name, str(place), part))
            self.env[name] = known = Array(view.name, view.element, named)
        same = (
            isinstance(known, Array)
            and known.name == view.name
            and [_pattern(d) for d in known.dimensions] == [_pattern(d) for d in view.dimensions]
        )
        if not same:
            self.error(target, f"`{name}` is another part of an array elsewhere; use another name")
        assert isinstance(known, Array)
        pairs = zip(_indices(known), _indices(view))  # noqa: B905 (same length)
        for held, index in pairs:
            if isinstance(held, ast.Name):
                self._note(held.id, index)
                self.before.append(
                    trees.assignment([trees.stored(held.id, target)], [index], target)
                )

    def _held(self, name: str, what: str, index: ast.expr) -> ast.expr:
        return (
            index
            if trees.is_literal(index)
            else trees.name(self.fresh.take(f"{name}_{what}"), index)
        )

    def _choose_place(self, target: ast.expr, value: Value, at: ast.AST) -> bool:
        """`v[k] = e` where k is not known: each number keeps what it was or gets the value."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            return False
        parts = self.env.get(target.value.id)
        if not isinstance(parts, Parts) or parts.shape.kind not in ("vector", "tuple"):
            return False
        if isinstance(target.slice, (ast.Tuple, ast.Slice)):
            return False
        place = self.plain(target.slice)
        if self.known_index(place, len(parts.items), target) is not None:
            return False
        place = self._checked(place, len(parts.items), target)
        new = self.simple(self.one(value, target))
        for k, item in enumerate(parts.items):
            test = trees.compared(place, ast.Eq(), number(k, target), target)
            kept = trees.chosen(test, new, self.one(item, target), target)
            where = [self._target(self.one(item, target), target)]
            self.before.append(trees.assignment(where, [kept], at))
        return True

    def _count(self, target: ast.Tuple | ast.List, count: int) -> None:
        if len(target.elts) != count:
            noun = "value" if count == 1 else "values"
            self.error(target, f"{len(target.elts)} targets, but {count} {noun}")

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, at: ast.AST) -> None:
        if isinstance(value, Table):
            items: list[Value] = [self.constant(row, value.name, target) for row in value.rows]
            value = Parts(shapes.tuple_of(["" for _ in items]), items)
        if isinstance(value, ast.expr):  # a shape, or what statements.py refuses
            left: list[ast.expr] = [self.places(item, "")[0] for item in target.elts]
            whole = trees.rebuilt(target, elts=left)
            self.before.append(trees.placed(ast.Assign([whole], value), at))
            return
        if isinstance(value, Parts) and self._declares(target, value, at):
            return
        shape = self.shape_of(value)
        if not isinstance(shape, Struct):
            self.error(
                getattr(at, "value", target),
                "only a tuple, a vector or a helper's result can be taken apart; write as many "
                "values as targets, `a, b = b, a`",
            )
        self._count(target, len(shape.fields))
        if isinstance(value, Parts):
            shape = shapes.tuple_of([self.shape_of(item) for item in value.items])
            for item, part in zip(target.elts, value.items):  # noqa: B905 (same length)
                if isinstance(item, ast.Name) and isinstance(part, ast.expr):
                    self._note(item.id, part)
        self._emit(self.places(target, shape), value, at)

    def _declares(self, target: ast.Tuple | ast.List, value: Parts, at: ast.AST) -> bool:
        """`s, t = shared(f32, 4), shared(f32, 4)`, and names for parts of arrays."""
        some = any(isinstance(item, (Array, Declared, Function, Table)) for item in value.items)
        if len(value.items) != len(target.elts) or not some:
            return False
        for item, part in zip(target.elts, value.items):  # noqa: B905 (same length)
            self._bind(item, part, at)
        return True

    def _annotated(self, node: ast.AnnAssign) -> list[ast.stmt]:
        kind = kind_of(node.annotation, self.scope)
        if node.value is None or not isinstance(node.target, ast.Name):
            return [trees.rebuilt(node, annotation=kind.annotation)]
        value = self.expression(node.value)
        if isinstance(kind.shape, Struct) and kind.what == "struct":
            value = self.as_field(value, kind.shape, node.target.id, node.value)
            self._bind(node.target, value, node)
            return []
        self._local(node.target, "")
        if isinstance(kind.shape, str) and kind.shape[1:] in ("32", "64"):
            self.wide.add(node.target.id)
        plain = self.one(value, node.value)
        return [trees.rebuilt(node, annotation=kind.annotation, value=plain)]

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        old: Value
        if isinstance(target, ast.Name):
            old = self.expression(trees.name(target.id, target))
        elif isinstance(target, ast.Subscript):
            old = self._once_loaded(target)
        else:
            old = self.expression(trees.rebuilt(target, ctx=ast.Load()))
        value = self.expression(node.value)
        if not is_plain(old):
            self._values(value, node.value)
            result = self.operate(node.op, old, value, node)  # type: ignore[arg-type]
            leaves = [self._target(leaf, target) for leaf in self.leaves(old, target)]
            if not same_shape(self.shape_of(result), self.shape_of(old)):
                self.error(node, f"the result is {described(self.shape_of(result))}")
            self._emit(leaves, result, node)
            return []
        plain = self.one(value, node.value)
        assert isinstance(old, ast.expr)
        if id(old) in self.of_records:
            self._emit([self._target(old, target)], trees.binary(node.op, old, plain, node), node)
            return []
        if isinstance(old, ast.IfExp) and isinstance(target, ast.Subscript):  # v[k] += e
            bound = trees.binary(node.op, old, plain, node)
            self._bind(target, bound, node)
            return []
        if isinstance(old, (ast.Name, ast.Subscript)):
            return [trees.rebuilt(node, target=self._target(old, target), value=plain)]
        return [trees.rebuilt(node, value=plain)]

    def _values(self, value: Value, node: ast.expr) -> None:
        if not isinstance(value, (Parts, Result)):
            self.one(value, node)

    def _once_loaded(self, target: ast.Subscript) -> Value:
        """An element of which the indices are evaluated once."""
        base = self.expression(target.value)
        if isinstance(base, Array) and isinstance(base.element, str) and base.is_whole:
            return self._as_written(target, base)
        if isinstance(base, Array) and isinstance(base.element, str):
            return self.element(self.kept(base), target.slice, target)
        return self._part(target)


def _is_apart(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether no value reads what is assigned before it, so that one may follow the other."""
    for place, target in enumerate(targets):
        if not isinstance(target, ast.Name):
            return False
        if any(target.id in trees.words(value) for value in values[place + 1 :]):
            return False
    return True


def _indices(array: Array) -> list[ast.expr]:
    found: list[ast.expr | None] = []
    for part in array.dimensions:
        found += [part.start, part.stop] if isinstance(part, Slice) else [part]
    return [index for index in found if index is not None]


def _pattern(part: ast.expr | Slice) -> object:
    """Two views of one pattern differ in the values of their indices only."""
    if isinstance(part, Slice):
        return tuple(None if e is None else _pattern(e) for e in (part.start, part.stop))
    return trees.literal(part) if trees.is_literal(part) else "index"
