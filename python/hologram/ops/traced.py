"""Values that stand for arrays while a function is traced, and the graph of what becomes of them.

A step of the graph is a word of the circuit language (docs/sigmatics.md) on earlier values. The
operators mean the operations of hologram.ops; what those are made of says hologram.fusion.forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FLOATS = ("f32", "f64", "f16", "bf16")


class Step:
    """`word` of `sources`, which are steps, argument numbers of arrays, or texts of scalars and
    literals; `kind` is the type of the result as the circuit has it."""

    __slots__ = ("kind", "sources", "word")

    def __init__(self, word: str, kind: str, sources: tuple[Step | int | str, ...]) -> None:
        self.word = word
        self.kind = kind
        self.sources = sources


class Graph:
    """What one trace has found. A scalar is an argument that is a number, as one type."""

    def __init__(self, name: str, ndim: int) -> None:
        self.name = name
        self.ndim = ndim  # of the arrays
        self.uses_ndim = False  # what was traced is right for this number alone
        self.scalars: dict[tuple[int, str], str] = {}

    def scalar(self, argument: int, kind: str) -> str:
        """The text of an argument that is a number, where it counts as `kind`."""
        found = self.scalars.setdefault((argument, kind), f"s{len(self.scalars)}")
        return f"${found}"


class Reduced:
    """Stands for a sum, mean, smallest or largest element of a value: what a fused function may
    return, and no step."""

    __slots__ = ("axis", "graph", "keepdims", "kind", "label", "op", "source")
    __hologram_traced__ = True

    def __init__(self, graph: Graph, op: str, kind: str, axis: int | None, keepdims: bool) -> None:
        self.graph = graph
        self.op = op
        self.kind = kind
        self.axis = axis  # None: of all elements, -1: of the last axis
        self.keepdims = keepdims
        self.label = f"{op}(...)"
        self.source: Any = None

    def __repr__(self) -> str:
        return f"<traced {self.label}: {self.kind}>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def _refuse(self, *_: object) -> NoReturn:
        raise ArgumentError(
            f"{self.graph.name}: '{self.label}' ends a fused function; compute with it after"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __xor__ = __invert__ = _refuse
    __bool__ = __iter__ = __float__ = __getitem__ = _refuse


class Traced:
    """Stands for an array, or for a number among the arguments, whose type is that of the array
    beside it."""

    __slots__ = ("graph", "kind", "label", "source")
    __hash__: ClassVar[None]  # type: ignore[assignment]
    __hologram_traced__ = True

    def __init__(self, graph: Graph, kind: str | None, source: Any, label: str) -> None:
        self.graph = graph
        self.kind = kind  # None: a number of no type yet; bool is a u8 of 0 and 1
        self.source = source
        self.label = label  # what messages call it

    def __repr__(self) -> str:
        return f"<traced {self.label}: {self.kind or 'a number'}>"

    # ---- Operators: operations of hologram.ops

    def __add__(self, other: Any) -> Traced:
        return _operate("add", self, other)

    def __radd__(self, other: Any) -> Traced:
        return _operate("add", other, self)

    def __sub__(self, other: Any) -> Traced:
        return _operate("sub", self, other)

    def __rsub__(self, other: Any) -> Traced:
        return _operate("sub", other, self)

    def __mul__(self, other: Any) -> Traced:
        return _operate("mul", self, other)

    def __rmul__(self, other: Any) -> Traced:
        return _operate("mul", other, self)

    def __truediv__(self, other: Any) -> Traced:
        return _divide(self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return _divide(other, self)

    def __pow__(self, other: Any) -> Traced:
        return _operate("pow", self, other)

    def __rpow__(self, other: Any) -> Traced:
        return _operate("pow", other, self)

    def __neg__(self) -> Traced:
        return _operate("neg", self)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return _operate("abs", self)

    def __lt__(self, other: Any) -> Traced:
        return _operate("lt", self, other)

    def __le__(self, other: Any) -> Traced:
        return _operate("le", self, other)

    def __gt__(self, other: Any) -> Traced:
        return _operate("gt", self, other)

    def __ge__(self, other: Any) -> Traced:
        return _operate("ge", self, other)

    def __eq__(self, other: object) -> Traced:  # type: ignore[override]
        return _operate("eq", self, other)

    def __ne__(self, other: object) -> Traced:  # type: ignore[override]
        return _operate("ne", self, other)

    def __and__(self, other: Any) -> Traced:
        return _operate("and", self, other)

    def __rand__(self, other: Any) -> Traced:
        return _operate("and", other, self)

    def __or__(self, other: Any) -> Traced:
        return _operate("or", self, other)

    def __ror__(self, other: Any) -> Traced:
        return _operate("or", other, self)

    def __xor__(self, other: Any) -> Traced:
        return _operate("xor", self, other)

    def __rxor__(self, other: Any) -> Traced:
        return _operate("xor", other, self)

    def __invert__(self) -> Traced:
        return _operate("not", self)

    # ---- What a trace cannot have

    def __bool__(self) -> bool:
        self._refuse(
            "condition on values; write hg.ops.where(condition, a, b), and & | ~ for and, or, not"
        )

    def __len__(self) -> int:  # noqa: PLE0303
        self._refuse("len(); elements are all treated alike")

    def __iter__(self) -> Iterator[Traced]:
        self._refuse("loop over elements; they are all treated alike")

    def __getitem__(self, key: object) -> Traced:
        self._refuse("index; slice the arrays before the call")

    def __float__(self) -> float:
        self._refuse("number; values are known when the kernel runs")

    __int__ = __index__ = __complex__ = __float__

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self._refuse("array of NumPy; write the operation of hologram.ops")

    def __array_ufunc__(self, ufunc: Any, method: str, *values: Any, **named: Any) -> Traced:
        # Operators with a NumPy array or number on the left come here.
        name = _OPERATORS.get(ufunc.__name__)
        if name is None or method != "__call__" or named:
            self._refuse(f"numpy.{ufunc.__name__}; write the operation of hologram.ops")
        return _operate(name, *values)

    def __array_function__(self, function: Any, *_: object) -> NoReturn:
        self._refuse(f"numpy.{function.__name__}; write the operation of hologram.ops")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f".{name}; a traced value has operators and is taken by hologram.ops")

    def __setitem__(self, key: object, value: object) -> None:
        self._refuse("store to elements; return the values instead")

    def __floordiv__(self, other: object) -> Traced:
        self._refuse("// and %; hg.ops.div divides integers, rounding towards zero")

    __rfloordiv__ = __mod__ = __rmod__ = __floordiv__

    def _refuse(self, what: str) -> NoReturn:
        raise ArgumentError(f"{self.graph.name}: '{self.label}' is traced: no {what}")


_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "true_divide": "div",
    "divide": "div",
    "power": "pow",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "equal": "eq",
    "not_equal": "ne",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
}
# Set by hologram.fusion.forms, which needs Traced.
FORMS: dict[str, Callable[..., Traced]] = {}


def _operate(name: str, *values: Any) -> Traced:
    return FORMS[name](*values)


def _divide(a: Any, b: Any) -> Traced:
    for value in (a, b):
        if isinstance(value, Traced) and value.kind is not None and value.kind not in FLOATS:
            raise ArgumentError(
                f"{value.graph.name}: '{value.label}' is {value.kind}, which / does not divide; "
                "hg.ops.div divides integers, rounding towards zero"
            )
    return FORMS["div"](a, b)
