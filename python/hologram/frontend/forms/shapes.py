"""What a value of several numbers is made of.

A shape is the name of a scalar type, "" where nobody says, or a Struct.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Union

    Shape = Union[str, "Struct"]

VECTOR_TYPES = {"vec": "f32", "dvec": "f64", "ivec": "i32", "uvec": "u32"}
MATRIX_TYPES = {"mat": "f32", "dmat": "f64"}
COMPLEX_TYPES = {"complex64": "f32", "complex128": "f64"}
SWIZZLES = ("xyzw", "rgba")


class Struct:
    """A value of several: `kind` is vector, matrix, complex, struct or tuple."""

    def __init__(self, kind: str, name: str, fields: list[tuple[str, Shape]]) -> None:
        self.kind = kind
        self.name = name  # as it is written
        self.fields = fields
        self.defaults: dict[str, int | float] = {}
        self.layout: object = None  # of records.py

    @property
    def key(self) -> tuple[object, ...]:
        """The same for shapes that mean the same."""
        parts = tuple(f if isinstance(f, str) else f.key for _, f in self.fields)
        if self.kind == "tuple":
            return (self.kind, *(part if isinstance(part, tuple) else "" for part in parts))
        return (self.kind, self.name, tuple(name for name, _ in self.fields), parts)

    @property
    def is_arithmetic(self) -> bool:
        return self.kind in ("vector", "matrix", "complex")

    def position(self, field: str) -> int | None:
        """The place of a field; vectors have each under two names."""
        for letters in SWIZZLES if self.kind == "vector" else ():
            if len(field) == 1 and field in letters[: len(self.fields)]:
                return letters.index(field)
        return next((k for k, (name, _) in enumerate(self.fields) if name == field), None)

    def leaves(self) -> Iterator[tuple[str, str]]:
        """Name behind the value's own, and type, of each number."""
        for name, shape in self.fields:
            if isinstance(shape, str):
                yield name, shape
            else:
                for inner, scalar in shape.leaves():
                    yield f"{name}_{inner}", scalar

    @property
    def size(self) -> int:
        return sum(1 if isinstance(shape, str) else shape.size for _, shape in self.fields)

    @property
    def scalar(self) -> str | None:
        """The type of all numbers, if they have one."""
        kinds = {scalar for _, scalar in self.leaves()}
        return kinds.pop() if len(kinds) == 1 else None


def vector(prefix: str, size: int) -> Struct:
    scalar = VECTOR_TYPES[prefix]
    return Struct("vector", f"{prefix}{size}", [(c, scalar) for c in SWIZZLES[0][:size]])


def _matrix(prefix: str, size: int) -> Struct:
    row = vector("dvec" if prefix == "dmat" else "vec", size)
    return Struct("matrix", f"{prefix}{size}", [(str(k), row) for k in range(size)])


def tuple_of(shapes: list[Shape]) -> Struct:
    return Struct("tuple", "tuple", [(str(k), shape) for k, shape in enumerate(shapes)])


BUILT_IN: dict[str, Struct] = {
    **{f"{p}{n}": vector(p, n) for p in VECTOR_TYPES for n in (2, 3, 4)},
    **{f"{p}{n}": _matrix(p, n) for p in MATRIX_TYPES for n in (2, 3, 4)},
    **{
        name: Struct("complex", name, [("real", scalar), ("imag", scalar)])
        for name, scalar in COMPLEX_TYPES.items()
    },
}


def described(shape: Shape) -> str:
    """For messages: `a vec3`."""
    if isinstance(shape, str):
        return "a number"
    if shape.kind == "tuple":
        return f"a tuple of {len(shape.fields)}"
    return f"{'an' if shape.name[0] in 'aeiou' else 'a'} {shape.name}"
