"""Operators and functions of vectors, matrices and complex numbers, number by number."""

from __future__ import annotations

from hologram.frontend import unsupported
from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.base import Base, same_shape
from hologram.frontend.forms.shapes import BUILT_IN, Struct
from hologram.frontend.forms.trees import binary, call, number, total
from hologram.frontend.forms.values import Parts
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Value

_RANKS = ("ivec", "uvec", "vec", "dvec", "mat", "dmat", "complex64", "complex128")
MAX_POWER = 8


def wider(a: Struct, b: Struct) -> Struct:
    """Of two that differ in the type of their numbers."""
    return max(
        a,
        b,
        key=lambda shape: _RANKS.index(
            shape.name.rstrip("234") if shape.kind != "complex" else shape.name
        ),
    )


class Operators(Base):
    """Expressions of several numbers."""

    def operate(self, op: ast.operator, left: Value, right: Value, at: ast.expr) -> Value:
        """A binary operator of which one operand is no plain number."""
        a, b = self.parts(left), self.parts(right)
        if a is None and b is None:  # names of arrays, which others refuse
            return binary(op, self.one(left, at), self.one(right, at), at)
        for side in (a, b):
            if side is not None and not side.shape.is_arithmetic:
                what = shapes.described(side.shape)
                self.error(at, f"operators take numbers and vectors, not {what}; write its values")
        if isinstance(op, ast.MatMult):
            return self._product(a, b, at)
        if (a and a.shape.kind == "complex") or (b and b.shape.kind == "complex"):
            return self._complex(op, self._pair(a, left, at), self._pair(b, right, at), at, b)
        if a is not None and b is not None:
            if a.shape.kind == "matrix" and not isinstance(op, (ast.Add, ast.Sub)):
                self.error(at, "the product of matrices is written `a @ b`")
            self._match(a, b, at)
        matrix = (a and a.shape.kind == "matrix") or (b and b.shape.kind == "matrix")
        if matrix and not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            self.error(
                at, "matrices have the operators `+`, `-`, `@`, and `*` and `/` with numbers"
            )
        result = self.elementwise([left, right], at, lambda pair: binary(op, pair[0], pair[1], at))
        if isinstance(op, ast.Div) and result.shape.name[0] in "iu":
            result.shape = BUILT_IN["vec" + result.shape.name[4:]]
        return result

    def _match(self, a: Parts, b: Parts, at: ast.expr) -> None:
        if len(a.items) != len(b.items) or a.shape.kind != b.shape.kind:
            one, other = shapes.described(a.shape), shapes.described(b.shape)
            self.error(at, f"{one} and {other} do not fit together")

    def elementwise(self, values: list[Value], at: ast.expr, build) -> Parts:  # type: ignore[no-untyped-def]
        """`build` for the numbers of each place; plain numbers are those of all places."""
        sides = [self.parts(value) for value in values]
        structs = [side for side in sides if side is not None]
        for other in structs[1:]:
            self._match(structs[0], other, at)
        shape = structs[0].shape
        for other in structs[1:]:
            shape = wider(shape, other.shape)
        plain = [
            None if side is not None else self.simple(self.one(value, at))
            for side, value in zip(sides, values)  # noqa: B905 (same length)
        ]
        items: list[Value] = []
        for k in range(len(shape.fields)):
            row: list[Value] = [
                side.items[k] if side is not None else one  # type: ignore[misc]
                for side, one in zip(sides, plain)  # noqa: B905 (same length)
            ]
            if isinstance(shape.fields[k][1], Struct):
                items.append(self.elementwise(row, at, build))
            else:
                items.append(build(row))
        return Parts(shape, items)

    def equal(self, op: ast.cmpop, left: Value, right: Value, at: ast.expr) -> ast.expr:
        """`==` and `!=` of all numbers."""
        a, b = self.parts(left), self.parts(right)
        if a is None or b is None or not same_shape(a.shape, b.shape):
            one, other = (shapes.described(self.shape_of(v)) for v in (left, right))
            self.error(at, f"{one} and {other} cannot be compared")
        pairs = zip(self.leaves(a, at), self.leaves(b, at))  # noqa: B905 (same length)
        tests: list[ast.expr] = [trees.compared(x, op, y, at) for x, y in pairs]
        return trees.joined(ast.And() if isinstance(op, ast.Eq) else ast.Or(), tests, at)

    # ---- Products

    def dot(self, a: Parts, b: Parts, at: ast.expr) -> ast.expr:
        pairs = zip(self.leaves(a, at), self.leaves(b, at))  # noqa: B905 (same length)
        return total([binary(ast.Mult(), x, y, at) for x, y in pairs], at)

    def _product(self, a: Parts | None, b: Parts | None, at: ast.expr) -> Value:
        """`@`: of vectors, of matrices, of one with the other."""
        if a is None or b is None or "complex" in (a.shape.kind, b.shape.kind):
            self.error(at, unsupported.MATMUL)
        if len(a.items) != len(b.items):
            self._match(a, b, at)
        a, b = self.once(a), self.once(b)
        if a.shape.kind == b.shape.kind == "vector":
            return self.dot(a, b, at)
        if b.shape.kind == "vector":
            return Parts(b.shape, [self.dot(row, b, at) for row in self.rows(a)])
        columns = self.rows(self.transposed(b))
        if a.shape.kind == "vector":
            return Parts(a.shape, [self.dot(a, column, at) for column in columns])
        return Parts(
            a.shape,
            [Parts(row.shape, [self.dot(row, c, at) for c in columns]) for row in self.rows(a)],
        )

    def rows(self, matrix: Parts) -> list[Parts]:
        return [row for row in matrix.items if isinstance(row, Parts)]

    def transposed(self, matrix: Parts) -> Parts:
        rows = self.rows(matrix)
        return Parts(
            matrix.shape,
            [Parts(row.shape, [r.items[k] for r in rows]) for k, row in enumerate(rows)],
        )

    def cross(self, a: Parts, b: Parts, at: ast.expr) -> Parts:
        a, b = self.once(a), self.once(b)
        x, y = self.leaves(a, at), self.leaves(b, at)
        items: list[Value] = []
        for i, j in ((1, 2), (2, 0), (0, 1)):
            first, second = binary(ast.Mult(), x[i], y[j], at), binary(ast.Mult(), x[j], y[i], at)
            items.append(binary(ast.Sub(), first, second, at))
        return Parts(wider(a.shape, b.shape), items)

    def length(self, a: Parts, at: ast.expr) -> ast.expr:
        a = self.once(a)
        return call("sqrt", [self.dot(a, a, at)], at)

    def normalized(self, a: Parts, at: ast.expr) -> Parts:
        a = self.once(a)
        size = self.simple(self.length(a, at))
        return self.elementwise([a, size], at, lambda p: binary(ast.Div(), p[0], p[1], at))

    def determinant(self, matrix: Parts, at: ast.expr) -> ast.expr:
        rows = [self.leaves(row, at) for row in self.rows(self.once(matrix))]
        return self._determinant(rows, at)

    def _determinant(self, rows: list[list[ast.expr]], at: ast.expr) -> ast.expr:
        """By the first row."""
        if len(rows) == 1:
            return rows[0][0]
        result: ast.expr | None = None
        for k, factor in enumerate(rows[0]):
            minor = [[v for j, v in enumerate(row) if j != k] for row in rows[1:]]
            term = binary(ast.Mult(), factor, self._determinant(minor, at), at)
            if result is None:
                result = term
            else:
                result = binary(ast.Sub() if k % 2 else ast.Add(), result, term, at)
        assert result is not None
        return result

    def inverse(self, matrix: Parts, at: ast.expr) -> Parts:
        """By cofactors."""
        matrix = self.once(matrix)
        rows = [self.leaves(row, at) for row in self.rows(matrix)]
        size = len(rows)
        scale = binary(ast.Div(), number(1.0, at), self._determinant(rows, at), at)
        scale = self.simple(scale)
        result: list[Value] = []
        for i in range(size):
            items: list[Value] = []
            for j in range(size):
                minor = [[rows[r][c] for c in range(size) if c != i] for r in range(size) if r != j]
                cofactor = self._determinant(minor, at)
                if (i + j) % 2:
                    cofactor = trees.placed(ast.UnaryOp(ast.USub(), cofactor), at)
                items.append(binary(ast.Mult(), cofactor, scale, at))
            result.append(Parts(self.rows(matrix)[i].shape, items))
        return Parts(matrix.shape, result)

    # ---- Complex numbers

    def _pair(self, parts: Parts | None, value: Value, at: ast.expr) -> tuple[Parts, bool]:
        """A complex number, and whether it is a real one."""
        if parts is not None:
            if parts.shape.kind != "complex":
                self.error(at, f"{shapes.described(parts.shape)} and a complex number do not fit")
            return parts, False
        real = self.one(value, at)
        return Parts(BUILT_IN["complex64"], [real, number(0.0, at)]), True

    def _complex(
        self,
        op: ast.operator,
        left: tuple[Parts, bool],
        right: tuple[Parts, bool],
        at: ast.expr,
        power: Parts | None,
    ) -> Parts:
        (a, a_real), (b, b_real) = left, right
        shape = b.shape if a_real else a.shape if b_real else wider(a.shape, b.shape)
        if shape.name == "complex128":  # what is made of literals is computed so
            a, b = self._as_f64(a), self._as_f64(b)
        if isinstance(op, ast.Pow):
            return self._power(a, b.items[0] if power is None else None, at)
        if isinstance(op, (ast.Add, ast.Sub)):
            imaginary = a.items[1]
            if not b_real:
                pair = (a.items[1], b.items[1])
                imaginary = binary(op, pair[0], pair[1], at)  # type: ignore[arg-type]
                if a_real and isinstance(op, ast.Add):
                    imaginary = b.items[1]
            real = binary(op, a.items[0], b.items[0], at)  # type: ignore[arg-type]
            return Parts(shape, [real, imaginary])
        if isinstance(op, ast.Mult) and not (a_real or b_real):
            return self.complex_product(a, b, shape, at)
        if isinstance(op, ast.Mult) or (isinstance(op, ast.Div) and b_real):
            many, one = (b, a) if a_real else (a, b)
            factor = self.twice(one.items[0])  # type: ignore[arg-type]
            items: list[Value] = []
            for item in many.items:
                pair = (factor, item) if a_real else (item, factor)
                items.append(binary(op, pair[0], pair[1], at))  # type: ignore[arg-type]
            return Parts(shape, items)
        if isinstance(op, ast.Div):
            return self._quotient(self.once(a), self.once(b), shape, at)
        return self.error(at, "complex numbers have the operators `+`, `-`, `*`, `/` and `**`")

    def _as_f64(self, z: Parts) -> Parts:
        if z.shape.name == "complex128":
            return z
        parts = [part for part in z.items if isinstance(part, ast.expr)]
        return Parts(BUILT_IN["complex128"], [call("f64", [part], part) for part in parts])

    def complex_product(self, a: Parts, b: Parts, shape: Struct, at: ast.expr) -> Parts:
        """As written in the textbook, which is what NumPy computes."""
        a, b = self.both(a), self.both(b)
        (ar, ai), (br, bi) = self.leaves(a, at), self.leaves(b, at)
        times = ast.Mult()
        real = binary(ast.Sub(), binary(times, ar, br, at), binary(times, ai, bi, at), at)
        imag = binary(ast.Add(), binary(times, ar, bi, at), binary(times, ai, br, at), at)
        return Parts(shape, [real, imag])

    def _quotient(self, a: Parts, b: Parts, shape: Struct, at: ast.expr) -> Parts:
        """Smith's way, as in NumPy: by the larger of the parts below."""
        (ar, ai), (br, bi) = self.leaves(a, at), self.leaves(b, at)
        times, minus, plus, over = ast.Mult(), ast.Sub(), ast.Add(), ast.Div()
        sizes = [call("abs", [part], at) for part in (br, bi)]
        real = self.simple(trees.compared(sizes[0], ast.GtE(), sizes[1], at))
        larger = self.simple(trees.chosen(real, br, bi, at))
        smaller = self.simple(trees.chosen(real, bi, br, at))
        ratio = self.simple(binary(over, smaller, larger, at))
        below = binary(plus, larger, binary(times, smaller, ratio, at), at)
        scale = self.simple(binary(over, number(1.0, at), below, at))
        sums = (
            binary(plus, ar, binary(times, ai, ratio, at), at),
            binary(plus, binary(times, ar, ratio, at), ai, at),
        )
        differences = (
            binary(minus, ai, binary(times, ar, ratio, at), at),
            binary(minus, binary(times, ai, ratio, at), ar, at),
        )
        pairs = (sums, differences)
        items: list[Value] = [
            binary(times, trees.chosen(real, one, other, at), scale, at) for one, other in pairs
        ]
        return Parts(shape, items)

    def _power(self, a: Parts, exponent: Value | None, at: ast.expr) -> Parts:
        count = trees.literal(exponent) if isinstance(exponent, ast.expr) else None
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_POWER:
            self.error(at, f"a power of a complex number is a number from 1 to {MAX_POWER}")
        a = self.once(a)
        result = a
        for _ in range(count - 1):
            result = self.complex_product(result, a, a.shape, at)
        return result
