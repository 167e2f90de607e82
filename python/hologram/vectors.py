# ruff: noqa: N801 - classes that are named as types of the language
"""Types of several numbers and functions of them, for hologram.lang: names for editors.

The front end takes such values apart (frontend/forms); nothing here computes. To a type checker
each is a class with its fields, operators and swizzles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    V = TypeVar("V", bound="_Value")

    class _Value:
        def __init__(self, *numbers: Any) -> None: ...
        def __add__(self: V, other: Any) -> V: ...
        def __radd__(self: V, other: Any) -> V: ...
        def __sub__(self: V, other: Any) -> V: ...
        def __rsub__(self: V, other: Any) -> V: ...
        def __mul__(self: V, other: Any) -> V: ...
        def __rmul__(self: V, other: Any) -> V: ...
        def __truediv__(self: V, other: Any) -> V: ...
        def __rtruediv__(self: V, other: Any) -> V: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __neg__(self: V) -> V: ...
        def __getitem__(self, index: int | tuple[int, int]) -> Any: ...
        def __setitem__(self, index: int | tuple[int, int], value: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...  # swizzles
        def __len__(self) -> int: ...

    class _Vector2(_Value):
        x: Any
        y: Any

    class _Vector3(_Vector2):
        z: Any

    class _Vector4(_Vector3):
        w: Any

    class _Matrix(_Value):
        T: Any

    class _Complex(_Value):
        real: float
        imag: float

        def conjugate(self: V) -> V: ...
        def __pow__(self: V, exponent: int) -> V: ...
        def __abs__(self) -> float: ...

    class vec2(_Vector2): ...

    class vec3(_Vector3): ...

    class vec4(_Vector4): ...

    class dvec2(_Vector2): ...

    class dvec3(_Vector3): ...

    class dvec4(_Vector4): ...

    class ivec2(_Vector2): ...

    class ivec3(_Vector3): ...

    class ivec4(_Vector4): ...

    class uvec2(_Vector2): ...

    class uvec3(_Vector3): ...

    class uvec4(_Vector4): ...

    class mat2(_Matrix): ...

    class mat3(_Matrix): ...

    class mat4(_Matrix): ...

    class dmat2(_Matrix): ...

    class dmat3(_Matrix): ...

    class dmat4(_Matrix): ...

    class complex64(_Complex): ...

    class complex128(_Complex): ...

else:

    class Numbers(tuple):
        """A constant of a module, `UP = vec3(0.0, 1.0, 0.0)`; kernels compute with it."""

        __slots__ = ()
        type_name = ""

        def _refuse(self, *_):
            _outside(self.type_name)

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse

    class _ValueType:
        """A type of several numbers; calling it in a kernel makes a value."""

        def __init__(self, name):
            self._name = name
            self._numbers = type(name, (Numbers,), {"__slots__": (), "type_name": name})

        def __repr__(self):
            return self._name

        def __call__(self, *values):
            """Outside of kernels, where default values of helpers are made, the numbers."""
            return self._numbers(values) if values else _outside(self._name)

    vec2, vec3, vec4 = map(_ValueType, ("vec2", "vec3", "vec4"))
    dvec2, dvec3, dvec4 = map(_ValueType, ("dvec2", "dvec3", "dvec4"))
    ivec2, ivec3, ivec4 = map(_ValueType, ("ivec2", "ivec3", "ivec4"))
    uvec2, uvec3, uvec4 = map(_ValueType, ("uvec2", "uvec3", "uvec4"))
    mat2, mat3, mat4 = map(_ValueType, ("mat2", "mat3", "mat4"))
    dmat2, dmat3, dmat4 = map(_ValueType, ("dmat2", "dmat3", "dmat4"))
    complex64, complex128 = map(_ValueType, ("complex64", "complex128"))


def _outside(name: str) -> NoReturn:
    raise RuntimeError(
        f"{name}() works only inside a kernel; write `@hg.kernel` above the function that calls it"
    )


def dot(a: Any, b: Any) -> Any:
    """a.x * b.x + a.y * b.y + ..., from the left"""
    _outside("dot")


def cross(a: V, b: V) -> V:
    """The cross product of two vectors of three numbers."""
    _outside("cross")


def length(a: Any) -> Any:
    """sqrt(dot(a, a))"""
    _outside("length")


def distance(a: Any, b: Any) -> Any:
    """length(a - b)"""
    _outside("distance")


def normalize(a: V) -> V:
    """a / length(a)"""
    _outside("normalize")


def reflect(incoming: V, normal: V) -> V:
    """incoming - normal * (2 * dot(normal, incoming))"""
    _outside("reflect")


def outer(a: Any, b: Any) -> Any:
    """The matrix of all products; row i is b * a[i]."""
    _outside("outer")


def transpose(m: V) -> V:
    """Rows for columns; also `m.T`."""
    _outside("transpose")


def determinant(m: Any) -> Any:
    """By the first row."""
    _outside("determinant")


def inverse(m: V) -> V:
    """By cofactors, times 1 / determinant(m)."""
    _outside("inverse")


def conj(z: V) -> V:
    """The complex conjugate; also `z.conjugate()`."""
    _outside("conj")


# fmt: off
__all__ = [  # noqa: RUF022
    "vec2", "vec3", "vec4", "dvec2", "dvec3", "dvec4", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3",
    "uvec4", "mat2", "mat3", "mat4", "dmat2", "dmat3", "dmat4", "complex64", "complex128", "dot",
    "cross", "length", "distance", "normalize", "reflect", "outer", "transpose", "determinant",
    "inverse", "conj",
]
# fmt: on
