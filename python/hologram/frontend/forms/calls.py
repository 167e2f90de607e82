"""Calls: of helpers, of structs, of functions of vectors, and those with more or fewer arguments
than the language has."""

from __future__ import annotations

from hologram.frontend import hints, names
from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.base import NOTHING, assembled
from hologram.frontend.forms.elements import Elements
from hologram.frontend.forms.records import layout_of
from hologram.frontend.forms.shapes import BUILT_IN, Struct, described
from hologram.frontend.forms.signatures import form_of, kind_of, struct_of
from hologram.frontend.forms.trees import binary, call, compared, number
from hologram.frontend.forms.values import (
    Array,
    Declared,
    Function,
    Made,
    Parts,
    Result,
    Table,
    Type,
)
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hologram.frontend.forms.values import Value
    from hologram.frontend.scope import Helper

_VECTORS = {  # how many there are, and of which kind
    "dot": ("vector", 2), "cross": ("vector", 2), "length": ("vector", 1),
    "normalize": ("vector", 1), "distance": ("vector", 2), "reflect": ("vector", 2),
    "transpose": ("matrix", 1), "determinant": ("matrix", 1), "inverse": ("matrix", 1),
    "outer": ("vector", 2), "conj": ("complex", 1),
}  # fmt: skip
_ATOMIC_UPDATES = ("atomic_add", "atomic_min", "atomic_max")
# On the bits of a number, whatever its type; on those of signed integers too.
_OF_ALL_BITS = ("atomic_exchange", "atomic_cas")
_OF_SIGNED_BITS = (*_OF_ALL_BITS, "atomic_add", "atomic_and", "atomic_or", "atomic_xor")
_ATOMICS = (*_OF_SIGNED_BITS, "atomic_min", "atomic_max")


class Calls(Elements):
    """Expressions with calls."""

    def call(self, node: ast.Call) -> Value:
        target = node.func
        dotted = dotted_name(target) or ""
        head = dotted.partition(".")[0]
        if head in self.env and isinstance(target, ast.Name):
            function = self.env[head]
            if isinstance(function, Function):
                return self._of_function(function, node)
        if head not in self.locals:
            helper = self.scope.helper(target)
            if helper is not None:
                return self.helper_call(helper, node)
            struct = struct_of(target, self.scope)
            if struct is not None:
                return self._construct(struct, node)
            name = self.scope.language_name(target)
            if name is not None and isinstance(target, ast.Attribute) and self._is_free(dotted):
                target = trees.name(name, target)
                node = trees.rebuilt(node, func=target)
            if name is not None and isinstance(target, ast.Name):
                return self._of_language(name, node)
        if isinstance(target, ast.Attribute) and target.attr in ("conjugate", "copy"):
            value = self.parts(self.expression(target.value))
            if value is not None and not node.args:
                return self._conjugate(value, node) if target.attr == "conjugate" else value
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self._refuse_method(target, target.value)
        return self._rebuilt(node)

    def _refuse_method(self, target: ast.Attribute, owner: ast.Name) -> None:
        """`p.area()` of a value of several numbers; other systems' methods have their hints."""
        if target.attr in names.FORM_FUNCTIONS or not isinstance(self.env.get(owner.id), Parts):
            return
        hint = hints.function(target.attr)
        if hint is None:
            hint = f"an `@inline` function, `{target.attr}({owner.id})`"
        self.error(target, f"a value has no methods in a kernel; write {hint}")

    def _is_free(self, dotted: str) -> bool:
        """Whether `math.sqrt` may be written `sqrt`, which has no other meaning here."""
        name = self.scope.aliases.get(dotted, "")
        scope = self.scope
        taken = (self.locals, scope.others, scope.helpers, scope.kernels, scope.values)
        return name != "" and not any(name in table for table in taken)

    def of_values(self, name: str, node: ast.Call) -> Value:
        raise NotImplementedError  # in several.py

    def helper_call(self, helper: Helper, node: ast.Call) -> Value:
        raise NotImplementedError  # in instances.py

    def _of_function(self, function: Function, node: ast.Call) -> Value:
        if function.helper is not None:
            return self.helper_call(function.helper, node)
        plain = trees.rebuilt(node, func=trees.name(function.name, node.func))
        return self._of_language(function.name, plain)

    def _rebuilt(self, node: ast.Call) -> ast.expr:
        """With plain arguments; what else is wrong is for expressions.py to say."""
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        hint = hints.function(function)
        first = node.args[0] if node.args else None
        takes_function = function in ("map", "filter") and not self.scope.defines(function)
        if hint is not None and (isinstance(first, ast.Tuple) or takes_function):
            self.error(node.func, f"undefined function '{function}'; write {hint}")
        arguments: list[ast.expr] = []
        for number_, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                arguments.append(argument)
            elif isinstance(argument, ast.Tuple) and number_ == 1:
                items = [self.plain(item) for item in argument.elts]
                arguments.append(trees.rebuilt(argument, elts=items))
            else:
                arguments.append(self.plain(argument))
        keywords = [trees.rebuilt(k, value=self.plain(k.value)) for k in node.keywords]
        return trees.rebuilt(node, args=arguments, keywords=keywords)

    # ---- Structs

    def _construct(self, struct: Struct, node: ast.Call) -> Value:
        """`Ray(o, d)`, `vec3(x, y, z)`, `vec3(0.0)`, `vec3(p.xy, z)`: each number is cast."""
        values = [self.expression(argument) for argument in node.args]
        if struct.kind in ("vector", "matrix"):
            return self._of_numbers(struct, values, node)
        if struct.kind == "complex" and len(values) == 1:
            return self._complex_of(struct, values[0], node)
        places: list[Value | None] = [None] * len(struct.fields)
        if len(values) > len(places):
            self._wrong_count(struct, len(values), node)
        places[: len(values)] = values
        for keyword in node.keywords:
            names_ = [field for field, _ in struct.fields]
            if keyword.arg not in names_:
                self.error(
                    keyword,
                    f"{described(struct)} has no field `{keyword.arg}`; it has "
                    f"{', '.join(names_)}",
                )
            place = names_.index(keyword.arg)
            if places[place] is not None:
                self.error(keyword, f"`{keyword.arg}` is given twice")
            places[place] = self.expression(keyword.value)
        items: list[Value] = []
        for (field, shape), found in zip(struct.fields, places):  # noqa: B905 (same length)
            value = found
            if value is None and field in struct.defaults:
                value = number(struct.defaults[field], node)
            if value is None:
                self._wrong_count(struct, len(values), node)
            items.append(self.as_field(value, shape, f"{struct.name}.{field}", node))
        return Parts(struct, items)

    def _wrong_count(self, struct: Struct, count: int, node: ast.Call) -> NoReturn:
        fields = ", ".join(field for field, _ in struct.fields)
        self.error(node, f"{struct.name} has the fields {fields}; {count} are given")

    def as_field(self, value: Value, shape: shapes.Shape, what: str, node: ast.expr) -> Value:
        """A value for a field: a number is cast, a struct has that shape."""
        parts = self.parts(value)
        if isinstance(shape, str):
            if parts is not None:
                self.error(node, f"`{what}` is a number, not {described(parts.shape)}")
            plain = self.one(value, node)
            return call(shape, [plain], plain) if shape else plain
        fits = parts is not None and parts.shape.key == shape.key
        if parts is None or not (
            fits or (parts.shape.kind == "tuple" and len(parts.items) == len(shape.fields))
        ):
            written = described(self.shape_of(value))
            self.error(node, f"`{what}` is {described(shape)}, not {written}")
        if fits:
            return parts
        pairs = zip(shape.fields, parts.items)  # noqa: B905 (same length)
        return Parts(shape, [self.as_field(v, s, f"{what}.{f}", node) for (f, s), v in pairs])

    def _of_numbers(self, struct: Struct, values: list[Value], node: ast.Call) -> Parts:
        """Numbers and vectors one after another; one number for all of a vector."""
        if node.keywords:
            self.error(node.keywords[0], f"{struct.name} takes its numbers in their order")
        values = [part for value in values for part in self._rows_in(value, node)]
        leaves = [leaf for value in values for leaf in self.leaves(value, node)]
        scalar = struct.scalar or ""
        if len(leaves) == 1 and struct.kind == "vector":
            leaves = [self.simple(leaves[0])] * struct.size
        if len(leaves) != struct.size:
            some = "" if struct.kind == "matrix" else " or one"
            self.error(
                node, f"{struct.name} is made of {struct.size} numbers{some}, not {len(leaves)}"
            )
        return assembled(struct, iter([call(scalar, [leaf], leaf) for leaf in leaves]))

    def _rows_in(self, value: Value, node: ast.expr) -> list[Value]:
        """The numbers of a table, one after another."""
        if not isinstance(value, Table):
            return [value]
        rows = [self.constant(row, value.name, node) for row in value.rows]
        return [part for row in rows for part in self._rows_in(row, node)]

    def _complex_of(self, struct: Struct, value: Value, node: ast.Call) -> Parts:
        parts = self.parts(value)
        scalar = struct.scalar or ""
        if parts is not None and parts.shape.kind == "complex":
            leaves = self.leaves(parts, node)
            return Parts(struct, [call(scalar, [leaf], leaf) for leaf in leaves])
        real = self.one(value, node)
        return Parts(struct, [call(scalar, [real], real), call(scalar, [number(0.0, node)], node)])

    # ---- Functions of the language

    def _of_language(self, name: str, node: ast.Call) -> Value:
        if name in _VECTORS:
            return self._of_vectors(name, node)
        bounded = any(keyword.arg == "most" for keyword in node.keywords)
        if name in ("shared", "local") and (len(node.args) == 2 or bounded):
            return self._declared(node)
        several = (ast.Tuple, ast.List, ast.Name, ast.GeneratorExp, ast.ListComp)
        one = len(node.args) == 1 and not node.keywords and isinstance(node.args[0], several)
        if name in ("sum", "any", "all") or (name in ("min", "max") and one):
            return self.of_values(name, node)
        if name in ("len", "divmod", "min", "max", "complex", "tuple"):
            return getattr(self, f"_call_{name}")(node)  # type: ignore[no-any-return]
        if name in _ATOMICS and node.args and self._is_element(node.args[0]):
            return self._atomic_of_field(name, node)
        if name in _ATOMIC_UPDATES and node.args:
            return self._atomic(node)
        if (
            name in names.MATH
            and node.args
            and not any(isinstance(argument, ast.Starred) for argument in node.args)
        ):
            return self._mathematics(name, node)
        return self._rebuilt(node)

    def _mathematics(self, name: str, node: ast.Call) -> Value:
        values = [self.expression(argument) for argument in node.args]
        parts = [p for p in map(self.parts, values) if p is not None]
        if not parts:
            plain = [self.one(v, a) for v, a in zip(values, node.args)]  # noqa: B905 (same)
            keywords = [trees.rebuilt(k, value=self.plain(k.value)) for k in node.keywords]
            return trees.rebuilt(node, args=plain, keywords=keywords)
        kind = parts[0].shape.kind
        if kind == "complex" and name in ("abs", "exp") and len(values) == 1:
            return self._complex_function(name, parts[0], node)
        if kind == "vector" or (kind == "struct" and name == "select"):
            if name == "select":
                test = self.simple(self.one(values[0], node))
                return self.elementwise(
                    [test, *values[1:]], node, lambda row: self._apply(node, row)
                )
            return self.elementwise(values, node, lambda row: self._apply(node, row))
        return self.error(
            node, f"`{name}` takes numbers and vectors, not {described(parts[0].shape)}"
        )

    def _apply(self, node: ast.Call, row: list[ast.expr]) -> ast.expr:
        keywords = [trees.rebuilt(k, value=self.plain(k.value)) for k in node.keywords]
        return trees.rebuilt(node, args=list(row), keywords=keywords)

    def _complex_function(self, name: str, z: Parts, node: ast.Call) -> Value:
        z = self.both(z)
        real, imag = self.leaves(z, node)
        if name == "abs":
            squares = [binary(ast.Mult(), part, part, node) for part in (real, imag)]
            return call("sqrt", [binary(ast.Add(), squares[0], squares[1], node)], node)
        size = self.twice(call("exp", [real], node))
        items: list[Value] = [
            binary(ast.Mult(), size, call(part, [imag], node), node) for part in ("cos", "sin")
        ]
        return Parts(z.shape, items)

    def _conjugate(self, z: Parts, node: ast.expr) -> Parts:
        if z.shape.kind != "complex":
            self.error(node, f"{described(z.shape)} has no conjugate")
        minus = trees.placed(ast.UnaryOp(ast.USub(), z.items[1]), node)  # type: ignore[arg-type]
        return Parts(z.shape, [z.items[0], minus])

    def _of_vectors(self, name: str, node: ast.Call) -> Value:
        kind, count = _VECTORS[name]
        values = [self.parts(self.expression(argument)) for argument in node.args]
        found = [v for v in values if v is not None and v.shape.kind == kind]
        if len(found) != len(values) or len(values) != count or node.keywords:
            noun = {"matrix": "matrices", "complex": "complex numbers"}.get(kind, "vectors")
            one = {"matrix": "a matrix", "complex": "a complex number"}.get(kind, "a vector")
            self.error(node, f"`{name}` takes {one if count == 1 else f'two {noun}'}")
        if count == 2 and len(found[0].items) != len(found[1].items):
            self._match(found[0], found[1], node)
        return getattr(self, f"_vector_{name}")(found, node)  # type: ignore[no-any-return]

    def _vector_dot(self, v: list[Parts], at: ast.expr) -> Value:
        return self.dot(self.once(v[0]), self.once(v[1]), at)

    def _vector_cross(self, v: list[Parts], at: ast.expr) -> Value:
        if len(v[0].items) != 3:
            self.error(at, "`cross` takes two vectors of three numbers")
        return self.cross(v[0], v[1], at)

    def _vector_length(self, v: list[Parts], at: ast.expr) -> Value:
        return self.length(v[0], at)

    def _vector_normalize(self, v: list[Parts], at: ast.expr) -> Value:
        return self.normalized(v[0], at)

    def _vector_distance(self, v: list[Parts], at: ast.expr) -> Value:
        difference = self.operate(ast.Sub(), v[0], v[1], at)
        assert isinstance(difference, Parts)
        return self.length(difference, at)

    def _vector_reflect(self, v: list[Parts], at: ast.expr) -> Value:
        incoming, normal = self.once(v[0]), self.once(v[1])
        double = binary(ast.Mult(), number(2.0, at), self.dot(normal, incoming, at), at)
        along = self.operate(ast.Mult(), normal, self.simple(double), at)
        return self.operate(ast.Sub(), incoming, along, at)

    def _vector_outer(self, v: list[Parts], at: ast.expr) -> Value:
        a, b = self.once(v[0]), self.once(v[1])
        prefix = "dmat" if "dvec" in (a.shape.name[:4], b.shape.name[:4]) else "mat"
        rows: list[Value] = [self.operate(ast.Mult(), b, item, at) for item in a.items]
        return Parts(BUILT_IN[f"{prefix}{len(a.items)}"], rows)

    def _vector_transpose(self, v: list[Parts], at: ast.expr) -> Value:
        return self.transposed(self.once(v[0]))

    def _vector_determinant(self, v: list[Parts], at: ast.expr) -> Value:
        return self.determinant(v[0], at)

    def _vector_inverse(self, v: list[Parts], at: ast.expr) -> Value:
        return self.inverse(v[0], at)

    def _vector_conj(self, v: list[Parts], at: ast.expr) -> Value:
        return self._conjugate(v[0], at)

    # ---- Others

    def _call_len(self, node: ast.Call) -> Value:
        if len(node.args) != 1 or node.keywords:
            return self._rebuilt(node)
        value = self.expression(node.args[0])
        if isinstance(value, Table):
            return number(len(value.rows), node)
        if isinstance(value, (Parts, Result)):
            return number(len(value.shape.fields), node)
        if isinstance(value, Array):
            return self.extent(value, 0, node)
        return self._rebuilt(node)

    def _call_divmod(self, node: ast.Call) -> Value:
        if len(node.args) != 2 or node.keywords:
            self.error(node, "divmod takes two numbers, `divmod(a, b)`")
        a, b = (self.simple(self.plain(argument)) for argument in node.args)
        items: list[Value] = [binary(ast.FloorDiv(), a, b, node), binary(ast.Mod(), a, b, node)]
        return Parts(shapes.tuple_of(["", ""]), items)

    def _call_min(self, node: ast.Call) -> Value:
        """Of two or more, from the left."""
        if len(node.args) < 3 or node.keywords or not isinstance(node.func, ast.Name):
            return self._mathematics(node.func.id, node) if node.args else node  # type: ignore[attr-defined]
        first, *rest = node.args
        for other in rest:
            first = trees.rebuilt(node, args=[first, other])
        return self.expression(first)

    _call_max = _call_min

    def _call_tuple(self, node: ast.Call) -> Value:
        value = self.expression(node.args[0]) if len(node.args) == 1 else NOTHING
        parts = self.parts(value)
        if parts is None:
            return self._rebuilt(node)
        return Parts(shapes.tuple_of([self.shape_of(item) for item in parts.items]), parts.items)

    def _call_complex(self, node: ast.Call) -> Value:
        self.error(node, "write `complex64(a, b)` or `complex128(a, b)`, which has a type")

    def _declared(self, node: ast.Call) -> Value:
        """`local(vec3, 16)`: as many numbers; the statement makes the array of it."""
        if node.keywords:
            return self._bounded(node)
        element = struct_of(node.args[0], self.scope)
        extents = node.args[1]
        rank = len(extents.elts) if isinstance(extents, ast.Tuple) else 1
        if element is None:
            return Declared(self._rebuilt(node), "", rank)
        layout = layout_of(element)
        count = number(layout.words, extents)
        if isinstance(extents, ast.Tuple) and len(extents.elts) > 1:
            items = [*(self.plain(item) for item in extents.elts), count]
            size: ast.expr = trees.rebuilt(extents, elts=items)
        else:
            size = binary(ast.Mult(), self.plain(extents), count, extents)
        call = trees.rebuilt(node, args=[trees.name(layout.word, node.args[0]), size])
        return Declared(call, element, rank)

    def _bounded(self, node: ast.Call) -> Value:
        """`shared(f32, n, most=256)`: memory for 256 elements, of which a launch uses n."""
        keyword, *others = node.keywords
        one = len(node.args) == 2 and not isinstance(node.args[1], ast.Tuple)
        if keyword.arg != "most" or others or not one:
            self.error(
                node,
                "an array whose size comes with the launch has one size, and the most that it may "
                f"be: {self.text(node.func)}(f32, n, most=256)",
            )
        extents = node.args[1]
        if isinstance(keyword.value, ast.Name) and self._is_of_launch(keyword.value.id):
            self.error(
                keyword.value,
                "`most=` is known when compiling: a number, a constant or a constexpr parameter, "
                f"not `{keyword.value.id}`",
            )
        count = self.simple(self.plain(extents), "size")
        kind = self._type_of_parameter(extents)
        if kind in ("f16", "bf16", "f32", "f64"):
            written = self.text(extents)
            self.error(extents, f"a size is an integer, not {kind}; write u32({written})")
        most = trees.rebuilt(node, args=[node.args[0], keyword.value], keywords=[])
        declared = self._declared(most)
        assert isinstance(declared, Declared)
        fits = compared(count, ast.LtE(), self.plain(keyword.value), node)
        self._demand(fits, "more elements than it has room for", node)
        if kind not in ("u8", "u16", "u32", "u64"):
            below = compared(number(0, node), ast.LtE(), count, node)
            self._demand(below, "fewer elements than none", node)
        return Declared(declared.call, declared.element, 1, count)

    def _atomic(self, node: ast.Call) -> Value:
        """An update of an array of vectors is one of each number."""
        array = self.expression(node.args[0])
        if not isinstance(array, Array) or (isinstance(array.element, str) and array.is_whole):
            return self._rebuilt(node)
        if len(node.args) != 3:
            self.error(node, "an atomic takes an array, an index and a value")
        position = node.args[1]
        target = trees.placed(ast.Subscript(node.args[0], position, ast.Load()), node)
        places = self.leaves(self.element(array, position, target), node)
        values = self.leaves(self.expression(node.args[2]), node)
        if len(places) != len(values):
            self.error(node, f"{len(places)} numbers are updated by {len(values)}")
        calls: list[ast.expr] = []
        for place, value in zip(places, values):  # noqa: B905 (same length)
            if not isinstance(place, ast.Subscript) or id(place) in self.of_records:
                assert isinstance(array.element, Struct)
                first = layout_of(array.element).fields[0].name
                self.error(
                    node,
                    "an atomic updates numbers of one type; write one of them, as in "
                    f"`{self.text(node.func)}({array.name}[i].{first}, ...)`",
                )
            calls.append(trees.rebuilt(node, args=[place.value, place.slice, value]))
        for update in calls[:-1]:
            self.before.append(trees.placed(ast.Expr(update), node))
        return calls[-1]

    def _is_of_launch(self, name: str) -> bool:
        """Whether a local or a parameter may differ from launch to launch."""
        annotation = self.annotations.get(name)
        if annotation is None:
            return name in self.locals
        return self.scope.language_name(annotation) != "constexpr"

    def _type_of_parameter(self, node: ast.expr) -> str:
        """That of a scalar parameter which a name is; else empty."""
        annotation = self.annotations.get(node.id) if isinstance(node, ast.Name) else None
        shape = "" if annotation is None else kind_of(annotation, self.scope).shape
        return shape if isinstance(shape, str) else ""

    def _demand(self, test: ast.expr, words: str, node: ast.Call) -> None:
        message = trees.placed(ast.Constant(words), node)
        self.before.append(trees.placed(ast.Assert(test, message), node))

    def _is_element(self, node: ast.expr) -> bool:
        """Whether `p[i].mass` is a part of an array of values of several numbers."""
        inside = node
        while isinstance(inside, (ast.Attribute, ast.Subscript)):
            inside = inside.value
        array = self.env.get(inside.id) if isinstance(inside, ast.Name) else None
        indexed = node is not inside and not isinstance(node.value, ast.Name)  # type: ignore[attr-defined]
        return indexed and isinstance(array, Array) and isinstance(array.element, Struct)

    def _atomic_of_field(self, name: str, node: ast.Call) -> Value:
        """`atomic_add(p[i].mass, 1.0)`; of records on the word that holds the number."""
        leaf = self.one(self.expression(node.args[0]), node.args[0])
        values = [self.plain(argument) for argument in node.args[1:]]
        place = self.of_records.get(id(leaf))
        if place is None:
            assert isinstance(leaf, ast.Subscript)
            return trees.rebuilt(node, args=[leaf.value, leaf.slice, *values])
        word = place.words[0]
        scalar, bits = place.field.scalar, place.layout.word
        allowed = _OF_SIGNED_BITS if scalar in ("i32", "i64") else _OF_ALL_BITS
        if len(place.words) != 1 or bits not in ("u32", "u64") or name not in allowed:
            self.error(
                node,
                f"{name} of {scalar} among fields of other types is not in the kernel language; "
                f"give `.{place.field.name}` an array of its own",
            )
        assert isinstance(word, ast.Subscript)
        words = [self._bits_of(value, scalar, bits) for value in values]
        update = trees.rebuilt(node, args=[word.value, word.slice, *words])
        return trees.call("bitcast", [trees.name(scalar, node), update], node)

    def _bits_of(self, value: ast.expr, scalar: str, bits: str) -> ast.expr:
        """Those of a value that is passed for a number of a type."""
        typed = self.fresh.take("_field")
        target = trees.stored(typed, value)
        annotation = trees.name(scalar, value)
        self.before.append(trees.placed(ast.AnnAssign(target, annotation, value, 1), value))
        return trees.call("bitcast", [trees.name(bits, value), trees.name(typed, value)], value)

    def struct_named(self, node: ast.expr) -> Value | None:
        struct = struct_of(node, self.scope)
        if struct is not None:
            return Type(struct)
        found = form_of(node, self.scope)
        if isinstance(found, Made):
            return self._made(found, node)
        return found if isinstance(found, Table) else None

    def _made(self, made: Made, node: ast.expr) -> Value:
        """A constant of several numbers, as if its call stood here."""
        if made.struct is None and isinstance(made.arguments[0], complex):
            return self.expression(trees.placed(ast.Constant(made.arguments[0]), node))
        arguments = [self._constant_argument(item, node) for item in made.arguments]
        keywords = [
            trees.placed(ast.keyword(field, self._constant_argument(item, node)), node)
            for field, item in made.keywords.items()
        ]
        if made.struct is None:
            return self.expression(trees.placed(ast.Tuple(arguments, ast.Load()), node))
        call = trees.placed(ast.Call(node, arguments, keywords), node)
        return self._construct(made.struct, call)

    def _constant_argument(self, item: object, node: ast.expr) -> ast.expr:
        """A number, or a name for another constant of several."""
        if isinstance(item, (int, float)):
            return number(item, node)
        name = self.fresh.take("_constant")
        self.env[name] = self._made(item, node) if isinstance(item, Made) else item  # type: ignore[assignment]
        return trees.name(name, node)
