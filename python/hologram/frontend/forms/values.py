"""What an expression can be, beside a number: that is its syntax tree, without forms."""

from __future__ import annotations

from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    from hologram.frontend.forms.shapes import Shape, Struct
    from hologram.frontend.scope import Helper

    Number = Union[int, float]  # noqa: UP007 - as those below
    Rows = list["Number | Rows"]
    Value = Union[
        ast.expr, "Parts", "Result", "Function", "Table", "Nothing", "Array", "Type", "Declared"
    ]


class RefusedError(Exception):
    """An error was reported; the statement is left out."""


class Parts:
    """A value of several numbers, taken apart."""

    def __init__(self, shape: Struct, items: list[Value]) -> None:
        self.shape = shape
        self.items = items


class Result:
    """The call of a helper that returns such a value."""

    def __init__(self, call: ast.expr, shape: Struct) -> None:
        self.call = call
        self.shape = shape


class Function:
    """A function as an argument: a helper, or one of the language."""

    def __init__(self, helper: Helper | None, name: str) -> None:
        self.helper = helper
        self.name = name


class Table:
    """Rows of constants, known when compiling."""

    def __init__(self, rows: Rows, name: str = "") -> None:
        self.rows = rows
        self.name = name


class Made:
    """A constant of several numbers: `UP = vec3(0.0, 1.0, 0.0)`; without a struct one argument that
    is a complex number, or the values of a tuple."""

    def __init__(
        self,
        struct: Struct | None,
        arguments: list[object],
        keywords: dict[str, object] | None = None,
    ) -> None:
        self.struct = struct
        self.arguments = arguments  # numbers, tables and such constants
        self.keywords = keywords or {}


class Nothing:
    """`None`"""


class Type:
    """A struct by its name, as the first argument of `shared` and `local`."""

    def __init__(self, shape: Struct) -> None:
        self.shape = shape


class Declared:
    """`local(vec3, 16)`, or `shared(f32, n, most=256)`, which has n elements."""

    def __init__(
        self, call: ast.expr, element: Shape, rank: int, count: ast.expr | None = None
    ) -> None:
        self.call = call
        self.element = element
        self.rank = rank
        self.count = count


class Slice:
    """One dimension of a view: from `start` to `stop`, each None where nothing is said."""

    def __init__(self, start: ast.expr | None = None, stop: ast.expr | None = None) -> None:
        self.start = start
        self.stop = stop


class Array:
    """An array, or the part of one that some indices leave: `A[i]`, `A[i, 1:]`."""

    def __init__(self, name: str, element: Shape, dimensions: list[ast.expr | Slice]) -> None:
        self.name = name
        self.element = element
        self.dimensions = dimensions  # fixed, or free
        self.at: ast.AST | None = None  # where it is an argument

    @property
    def free(self) -> list[int]:
        return [k for k, d in enumerate(self.dimensions) if isinstance(d, Slice)]

    @property
    def is_whole(self) -> bool:
        return all(isinstance(d, Slice) and not (d.start or d.stop) for d in self.dimensions)


def whole_array(name: str, element: Shape, rank: int) -> Array:
    return Array(name, element, [Slice() for _ in range(rank)])


def is_plain(value: Value) -> bool:
    return isinstance(value, ast.expr)
