"""How fused functions travel to other processes.

One that its module has by its name is pickled as that name. Others, `hg.fuse(lambda x: ...)` among
them, are pickled as what they have traced: their circuits, by signature. Results do not need the
function again; a signature that was not traced before is an error where it is unpickled.
"""

from __future__ import annotations

import inspect
import pickle
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from hologram._native import Fused
from hologram.errors import ArgumentError, Error
from hologram.fusion import fused as fusion
from hologram.fusion.fused import Arguments, Compiled, Function, Scalar
from hologram.fusion.rows import End, Rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram._native import Kernel

_MOST = 64  # that are kept, as engines unpickle a function for each task
_restored: OrderedDict[bytes, Fused] = OrderedDict()


class _AlongRows(NamedTuple):
    forms: tuple[str, ...]
    ends: tuple[tuple[str, str, bool], ...]
    last: bool
    circuits: dict[bool, str]


class _Trace(NamedTuple):
    """A Compiled, with circuits in place of kernels."""

    signature: tuple[tuple[object, ...], ...]
    key_ndim: int | None
    circuit: str | None
    rows: _AlongRows | None
    arrays: tuple[int, ...]
    scalars: tuple[tuple[int, str], ...]
    outputs: tuple[str, ...]
    is_tuple: bool
    ndim: int | None


def reduced(function: Fused, slow: Function) -> Any:
    """What __reduce__ gives."""
    found = _by_name(slow.__module__, slow.__qualname__)
    if found is function and slow.__module__ != "__main__":
        return slow.__qualname__
    if not slow._compiled:
        raise pickle.PicklingError(
            f"cannot pickle {function!r}: no module has it by its name, and it was not called yet; "
            "call it once for each kind of arguments, or make it a function of a module"
        )
    parameters = [
        (parameter.name, parameter.kind.value, parameter.default is not parameter.empty)
        for parameter in slow._parameters.parameters.values()
    ]
    defaults = [
        parameter.default
        for parameter in slow._parameters.parameters.values()
        if parameter.default is not parameter.empty
    ]
    traces = [_trace(key, compiled) for key, compiled in slow._compiled.items()]
    state = pickle.dumps((slow.__name__, slow.__doc__, parameters, defaults, traces))
    return restore, (slow.__module__, slow.__qualname__, state)


def _by_name(module: str, qualname: str) -> object:
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return found


def restore(module: str, qualname: str, state: bytes) -> Fused:
    """What is unpickled: the function of that name, where there is one, else what was traced."""
    if module == "__main__":
        own = _by_name(module, qualname)
        if isinstance(own, Fused):
            return own
    found = _restored.get(state)
    if found is None:
        found = _restored.setdefault(state, _made(module, qualname, state))
        while len(_restored) > _MOST:
            _restored.popitem(last=False)
    return found


def _made(module: str, qualname: str, state: bytes) -> Fused:
    name, doc, parameters, defaults, traces = pickle.loads(state)
    shown = "lambda" if name == "<lambda>" else name

    def missing(*_: Any) -> Any:
        raise ArgumentError(
            f"{shown}: was pickled without its function, and was not called with arguments of "
            "these types before; call it so once, or make it a function of a module"
        )

    missing.__name__, missing.__qualname__ = name, qualname
    missing.__module__, missing.__doc__ = module, doc
    rest = iter(defaults)
    missing.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                one,
                inspect._ParameterKind(kind),
                default=next(rest) if has_default else inspect.Parameter.empty,
            )
            for one, kind, has_default in parameters
        ]
    )
    made, slow = fusion.fused_with(missing)
    for trace in traces:
        slow._keep(*_compiled(slow, trace))
    return made


# ---- One signature


def _trace(key: tuple[object, ...], compiled: Compiled) -> _Trace:
    has_ndim = isinstance(key[-1], int)
    signature = key[:-1] if has_ndim else key
    rows = compiled.rows
    return _Trace(
        tuple(_written(kind) for kind in signature),
        key[-1] if has_ndim else None,  # type: ignore[arg-type]
        None if compiled.elements is None else compiled.elements[0],
        None if rows is None else _AlongRows(rows.forms, rows.ends, rows.last, _circuits(rows)),
        compiled.arrays,
        tuple((scalar.argument, scalar.kind) for scalar in compiled.scalars),
        compiled.outputs,
        compiled.is_tuple,
        compiled.ndim,
    )


def _circuits(rows: Rows) -> dict[bool, str]:
    """Of whole rows and, where they are reduced, of those that are cut."""
    found = {}
    for cut in (False, True) if rows.ends else (False,):
        try:
            found[cut] = rows.form(cut)[0]
        except Error:  # such rows are refused: also where it is unpickled
            continue
    return found


def _written(kind: object) -> tuple[object, ...]:
    if isinstance(kind, fusion._Row):
        return "row", kind.kind, kind.form
    if isinstance(kind, fusion._Number):
        return "number", kind.kind
    return ("value", kind.value) if isinstance(kind, fusion._Value) else ("array", kind)


def _read(written: tuple[Any, ...], function: str) -> object:
    what, *rest = written
    if what == "row":
        return fusion._ROWS[rest[0], rest[1]]
    if what == "number":
        return fusion._NUMBER if rest[0] is None else fusion._NUMBERS[rest[0]]
    return fusion._Value(rest[0], function, "an argument") if what == "value" else rest[0]


def _compiled(slow: Function, trace: _Trace) -> tuple[Arguments, Compiled]:
    signature = tuple(_read(kind, slow._name) for kind in trace.signature)
    given = Arguments(signature, (), (1,) * (trace.key_ndim or 0))
    elements: tuple[str, Kernel] | None = None
    rows: Rows | None = None
    if trace.circuit is not None:
        elements = trace.circuit, fusion.kernel_of(trace.circuit)
    if trace.rows is not None:
        ends = [End(*end) for end in trace.rows.ends]
        find = _finder(slow, trace.rows.circuits)
        rows = Rows(slow._name, find, trace.rows.forms, ends, trace.rows.last)
    scalars = tuple(Scalar(*scalar) for scalar in trace.scalars)
    return given, Compiled(
        elements, rows, trace.arrays, scalars, trace.outputs, trace.is_tuple, trace.ndim
    )


def _finder(slow: Function, circuits: dict[bool, str]) -> Callable[[bool], tuple[str, Kernel]]:
    def find(cut: bool) -> tuple[str, Kernel]:
        if cut not in circuits:
            slow.__wrapped__()  # says that it was not traced
        return circuits[cut], fusion.kernel_of(circuits[cut])

    return find


__all__ = ["reduced", "restore"]
