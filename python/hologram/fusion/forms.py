"""What each operation of hologram.ops is made of, as steps of a circuit: the same steps as in its
kernel, so that the bits are the same. Those of operations on elements are made of their functions
in operations/. python/tests/test_fusion.py compares both, for every operation and type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from typing import cast as cast_to

import numpy as np

from hologram._native import trace_ops
from hologram._operations import CHOICES, DEFAULTS, STEPS
from hologram.errors import ArgumentError
from hologram.ops.arrays import constant, dtype_of, is_scalar, kind_of, shown
from hologram.ops.elementwise_calls import check_accuracy, chosen
from hologram.ops.reduction_calls import axes_of
from hologram.ops.table import ALL, INTEGERS, TABLE
from hologram.ops.traced import FLOATS, FORMS, Graph, Reduced, Step, Traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hologram._native import Op

_LOGIC = (*INTEGERS, "bool")


class Chain:
    """Makes the steps of one operation."""

    def __init__(self, op: str, graph: Graph) -> None:
        self.op = op
        self.graph = graph

    def step(self, word: str, kind: str, *sources: Traced) -> Traced:
        """`word` of values; `kind` is the type of the result."""
        made = Step(word, stored_as(kind), tuple(source.source for source in sources))
        return Traced(self.graph, kind, made, f"{self.op}(...)")

    def number(self, value: float, kind: str) -> Traced:
        """A literal."""
        text = repr(value).replace("e+", "e")
        return Traced(self.graph, kind, f"#{text}:{stored_as(kind)}", text)

    def cast(self, x: Traced, kind: str) -> Traced:
        assert x.kind is not None
        if x.kind == kind:
            return x
        return self.step(f"merge:{stored_as(kind)}", kind, x)

    def select(self, condition: Traced, a: Traced, b: Traced) -> Traced:
        assert a.kind is not None
        return self.step("merge:select", a.kind, condition, a, b)

    def wide(self, x: Traced) -> Traced:
        """x * f32(1.0): the type in which f16 and bf16 are computed."""
        kind = "f64" if x.kind == "f64" else "f32"
        one = self.cast(self.number(1.0, "f32"), kind)
        return self.step("merge:mul", kind, self.cast(x, kind), one)


def stored_as(kind: str) -> str:
    """The type that a circuit has for it."""
    return "u8" if kind == "bool" else kind


def _graph_of(op: str, values: Sequence[object]) -> Graph:
    return next(value.graph for value in values if isinstance(value, Traced))


def typed(op: str, names: Sequence[str], values: Sequence[Any], types: Sequence[str]) -> list[Any]:
    """Operands as values of one type, which is that of the traced arrays among them."""
    graph = _graph_of(op, values)
    known = {n: v for n, v in zip(names, values, strict=True) if isinstance(v, Traced) and v.kind}
    if not known:
        number = next(v for v in values if isinstance(v, Traced))
        raise ArgumentError(
            f"{op}: '{number.label}' is a number, and so is what it meets; compute with numbers "
            "before the call, or with an array first, as in (x * a) * b"
        )
    first, array = next(iter(known.items()))
    kind = array.kind
    assert kind is not None
    if kind not in types:
        raise ArgumentError(
            f"{op}: '{first}' is {kind}, which has no such operation; expected {', '.join(types)}"
        )
    return [_operand(op, n, v, kind, first, graph) for n, v in zip(names, values, strict=True)]


def _operand(  # noqa: PLR0913
    op: str, name: str, value: Any, kind: str, first: str, graph: Graph
) -> Traced:
    if isinstance(value, Traced):
        if value.graph is not graph:
            raise ArgumentError(f"{op}: '{name}' was traced by another function")
        if value.kind is None:
            return Traced(graph, kind, graph.scalar(value.source, kind), value.label)
        if value.kind != kind:
            raise ArgumentError(
                f"{op}: '{name}' is {value.kind} and '{first}' is {kind}; "
                "hologram.ops.cast gives them one type"
            )
        return value
    if isinstance(value, Reduced):
        value._refuse()
    if is_scalar(value):
        return literal(op, name, value, kind, graph)
    array = value if isinstance(value, np.generic) else None
    if array is not None and kind_of(op, name, np.asarray(array), ("bool",)) == kind:
        return literal(op, name, value.item(), kind, graph)
    raise ArgumentError(
        f"{op}: '{name}' is neither an argument of {graph.name} nor a number; arrays are passed as "
        "arguments, and numbers of another type are cast"
    )


def literal(op: str, name: str, value: Any, kind: str, graph: Graph) -> Traced:
    """A number that is known when tracing, refused as the operation refuses it."""
    if kind == "bool":
        return Chain(op, graph).number(int(bool(value)), kind)
    made = constant(op, name, value, kind).item()
    return Chain(op, graph).number(float(made) if kind in FLOATS else int(made), kind)


# ---- Forms by their shape


def _no_out(op: str, out: object) -> None:
    if out is not None:
        raise ArgumentError(f"{op}: no out= in a fused function, which takes one itself")


def _split(name: str, values: tuple[Any, ...], count: int, out: Any) -> tuple[tuple[Any, ...], Any]:
    """The operands, and `out` where it stands behind them."""
    if len(values) == count + 1 and out is None:
        return values[:count], values[count]
    if len(values) != count:
        raise ArgumentError(f"{name}: expected {count} operands, found {len(values)}")
    return values, out


def _compare(name: str) -> Callable[..., Traced]:
    def form(a: Any, b: Any) -> Traced:
        x, y = typed(name, ("a", "b"), (a, b), (*ALL, "bool"))
        return Chain(name, x.graph).step(f"merge:{name}", "bool", x, y)

    return form


def _logic(name: str) -> Callable[..., Traced]:
    def form(a: Any, b: Any) -> Traced:
        x, y = typed(name, ("a", "b"), (a, b), _LOGIC)
        return Chain(name, x.graph).step(f"merge:{name}", x.kind, x, y)

    return form


def _not(a: Any) -> Traced:
    (x,) = typed("not", ("a",), (a,), _LOGIC)
    chain = Chain("not", x.graph)
    if x.kind == "bool":
        return chain.step("merge:xor", "bool", x, chain.number(1, "bool"))
    return chain.step("merge:not", x.kind, x)


# ---- Operations on elements: the steps of their functions, which the build writes


def _follow(chain: Chain, name: str, named: dict[str, Traced], quick: bool) -> Traced:
    """Makes the steps of an operation; `quick`: those of its fast form."""
    kind = next(iter(named.values())).kind
    assert kind is not None
    quick = quick and kind == "f32"
    kinds = {"t": kind, "w": "f64" if kind == "f64" else "f32", "c": "bool"}
    made: list[Traced] = []
    for word, code, *items in STEPS[name]:
        operands = [_operand_of(item, named, made) for item in items]
        like = kinds[code]
        if code == "c":  # a comparison of values of another kind
            like = next(value.kind for value in operands if isinstance(value, Traced)) or kind
        inputs = [_literal_like(chain, value, like) for value in operands]
        if word == "wide":
            made.append(inputs[0] if quick else chain.wide(inputs[0]))
        elif word == "cast":
            made.append(chain.cast(inputs[0], kinds[code]))
        else:
            fast = "_fast" if quick and word.endswith("*") else ""
            made.append(chain.step(word.rstrip("*") + fast, kinds[code], *inputs))
    return made[-1]


def _operand_of(item: Any, named: dict[str, Traced], made: list[Traced]) -> Traced | float:
    if isinstance(item, tuple):
        return cast_to("float", item[0])
    return named[item] if isinstance(item, str) else made[item]


def _literal_like(chain: Chain, value: Traced | float, kind: str) -> Traced:
    if isinstance(value, Traced):
        return value
    return chain.number(float(value) if kind in FLOATS else value, kind)


def _elements(name: str) -> Callable[..., Traced]:
    """The form of an operation on elements."""
    spec = TABLE[name]
    parameters = (*spec.arrays, *spec.scalars)
    defaults = DEFAULTS.get(name, ())
    option = CHOICES[name][0] if name in CHOICES else None

    def form(*values: Any, out: Any = None, **named: Any) -> Traced:
        values = (*values, *(named.pop(p) for p in parameters[len(values) :] if p in named))
        missing = len(parameters) - len(values)
        if 0 < missing <= len(defaults):
            values = (*values, *defaults[-missing:])
        values, out = _split(name, values, len(parameters), out)
        _no_out(name, out)
        quick = bool(spec.fast) and check_accuracy(name, named.pop("accuracy", "precise"))
        made_of = name
        if option is not None and option in named:
            made_of = chosen(name, named.pop(option)).name
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(named))!r}")
        operands = typed(name, parameters, values, spec.types)
        by_name = dict(zip(parameters, operands, strict=True))
        return _follow(Chain(name, operands[0].graph), made_of, by_name, quick)

    return form


def _pow(a: Any, b: Any, out: Any = None, *, accuracy: str = "precise") -> Traced:
    """A number 2 is a square, as in the operation: known here, or asked of an argument."""
    _no_out("pow", out)
    quick = check_accuracy("pow", accuracy)
    x, y = typed("pow", ("a", "b"), (a, b), TABLE["pow"].types)
    kind = x.kind
    assert kind is not None
    chain = Chain("pow", x.graph)
    two = chain.number(2.0, kind)
    square = chain.step("merge:mul", kind, x, x)
    if y.source == two.source:
        return square
    power = _follow(chain, "pow", {"a": x, "b": y}, quick)
    if not isinstance(y.source, str) or not y.source.startswith("$"):
        return power
    return chain.select(chain.step("merge:eq", "bool", y, two), square, power)


# ---- Moving and converting


def where(condition: Any, a: Any, b: Any, out: Any = None) -> Traced:
    """hologram.ops.where."""
    _no_out("where", out)
    if not isinstance(condition, Traced) or condition.kind not in ("bool", "u8"):
        found = condition.kind if isinstance(condition, Traced) else repr(condition)
        raise ArgumentError(f"where: 'condition' expects bool or u8, found {found}")
    if not any(isinstance(v, Traced) and v.kind for v in (a, b)):
        raise ArgumentError("where: 'a' expects an array, found a number")
    x, y = typed("where", ("a", "b"), (a, b), TABLE["where"].types)
    return Chain("where", x.graph).select(condition, x, y)


def cast(x: Any, dtype: Any, out: Any = None) -> Traced:
    """hologram.ops.cast."""
    _no_out("cast", out)
    (value,) = typed("cast", ("x",), (x,), ALL)
    wanted = dtype_of(dtype) if isinstance(dtype, str) and dtype in ALL else dtype
    kind = kind_of("cast", "dtype", np.empty(0, wanted))
    chain = Chain("cast", value.graph)
    if kind in INTEGERS and value.kind in INTEGERS:
        # What does not fit becomes the nearest that does; the cast of a circuit wraps.
        has, fits = np.iinfo(dtype_of(value.kind)), np.iinfo(dtype_of(kind))
        if has.min < fits.min:
            value = chain.step("merge:max", value.kind, value, chain.number(fits.min, value.kind))
        if has.max > fits.max:
            value = chain.step("merge:min", value.kind, value, chain.number(fits.max, value.kind))
    return chain.cast(value, kind)


def copy(x: Any, out: Any = None) -> Traced:
    """hologram.ops.copy: nothing to do, results are arrays of their own."""
    _no_out("copy", out)
    (value,) = typed("copy", ("x",), (x,), (*ALL, "bool"))
    return value  # type: ignore[no-any-return]


FORMS.update(
    {spec.name: _elements(spec.name) for spec in TABLE.values() if spec.family == "pointwise"}
)
FORMS.update({name: _compare(name) for name in ("lt", "le", "gt", "ge", "eq", "ne")})
FORMS.update({name: _logic(name) for name in ("and", "or", "xor")})
FORMS.update(
    {
        "not": _not,
        "pow": _pow,
        "where": where,
        "cast": cast,
        "copy": copy,
    }
)


def _reduced_axis(op: str, axis: Any, graph: Graph) -> int | None:
    """None for all elements, -1 for the last axis, by any of their names."""
    if axis is None or (isinstance(axis, int) and axis == -1 and graph.ndim > 0):
        return axis
    if isinstance(axis, (Traced, Reduced)):
        raise ArgumentError(f"{op}: 'axis' is an argument; write the axis in the function")
    axes = axes_of(op, axis, graph.ndim)
    graph.uses_ndim = True
    if axes == (graph.ndim - 1,):
        return -1
    if axes == tuple(range(graph.ndim)):
        return None
    raise ArgumentError(
        f"{op}: 'axis' is {shown(axis)}; a fused function reduces all elements or the last axis, "
        "along which its lanes go; reduce other axes after it"
    )


def _reduction(op: str, word: str) -> Callable[..., Any]:
    """A reduction that ends a function."""

    def form(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Reduced:
        _no_out(op, out)
        (value,) = typed(op, ("x",), (x,), TABLE[op].types)
        if value.kind not in _REDUCED:
            raise ArgumentError(
                f"{op}: 'x' is {value.kind}; a fused function reduces {' and '.join(_REDUCED)}"
            )
        if isinstance(value.source, str):
            raise ArgumentError(f"{op}: 'x' is the number '{value.label}', not an array")
        made = Reduced(
            value.graph, op, value.kind, _reduced_axis(op, axis, value.graph), bool(keepdims)
        )
        made.source = Step(word, value.kind, (value.source,))
        return made

    return form


_REDUCED = ("f32", "f64")
FORMS.update(
    {
        "sum": _reduction("sum", "reduce_sum"),
        "mean": _reduction("mean", "reduce_sum"),
        "min": _reduction("min", "reduce_min"),
        "max": _reduction("max", "reduce_max"),
    }
)


def _trace(op: Op, *values: Any, **named: Any) -> Traced:
    """An operation of hologram.ops on traced values; arrays may be named."""
    name = op.__name__
    if name == "cast":  # to one type, which its Python function knows
        return cast_to("Traced", op.__wrapped__(*values, **named))
    form = FORMS.get(name)
    if form is None:
        raise ArgumentError(f"{name}: no step of a fused function; call it before or after")
    spec = TABLE[name]
    given = list(values)
    for parameter in (*spec.arrays, *spec.scalars)[len(given) :]:
        if parameter in named:
            given.append(named.pop(parameter))
    return form(*given, **named)


trace_ops(Traced, _trace)
