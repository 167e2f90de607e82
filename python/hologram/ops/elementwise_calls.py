"""Operations on elements: the way of calls that hologram.Op does not take itself, because shapes,
strides or options are not the common ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram import library
from hologram._native import DeviceArray, new_op
from hologram._operations import CHOICES
from hologram.errors import ArgumentError
from hologram.ops import layout
from hologram.ops.arrays import (
    CODES,
    bits_of,
    constant,
    is_scalar,
    kind_of,
    output,
    read,
    result,
    shown,
)
from hologram.ops.foreign import is_column, of_column, on_elements
from hologram.ops.table import OPTIONAL, TABLE, Spec, docstring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from hologram._native import Kernel, Op
    from hologram.ops.arrays import Array

    Function = TypeVar("Function", bound=Callable[..., Any])

OPERATIONS: dict[str, Op] = {}  # those of hologram._elementwise
_FAST: dict[str, Op] = {}  # the same with accuracy="fast"
_KINDS = tuple(CODES)  # by their numbers
# The operations that have a kernel for a number as their second operand.
_WITH_NUMBER = {"add": TABLE["scalar_add"], "mul": TABLE["scalar_mul"]}
# What computes a power with this number as its exponent: a product is rounded once.
SQUARE = 2.0
_SQUARED = {"pow": "mul"}


def operation(function: Function) -> Function:
    """Makes a function the operation of its name in the table: calls with NumPy arrays of one type
    and plain numbers go straight to the kernels; the function gets the others."""
    spec = TABLE[function.__name__]
    function.__doc__ = docstring(spec)
    made = _new(spec, function, fast=False)
    number = _WITH_NUMBER.get(spec.name)
    fast = _new(spec, function, fast=True) if spec.fast else None
    square = OPERATIONS[_SQUARED[spec.name]] if spec.name in _SQUARED else None
    if fast is not None and square is not None:
        fast._link(None, None, None, None, square)
    made._link(
        fast,
        OPERATIONS[number.name] if number else None,
        _defaults(spec, function),
        _EXACT if spec.name == "gelu" else None,
        square,
    )
    return cast("Function", made)


def _defaults(spec: Spec, function: Any) -> tuple[float, ...] | None:
    """The numbers of scalars that a call may leave out, where it may leave out all of them."""
    values = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict(zip(names[len(names) - len(values) :], values, strict=True))
    if not spec.scalars or any(name not in defaults for name in spec.scalars):
        return None
    return tuple(defaults[name] for name in spec.scalars)


def _new(spec: Spec, function: Callable[..., Any], *, fast: bool) -> Op:
    def find(form: str, code: int) -> Kernel:
        kind = _KINDS[code]
        name = f"{spec.kernel_of(kind)}_{kind}"
        if fast and kind == "f32":
            name = f"op_{spec.name}_fast"
        return library.kernel(_with_form(name, form, kind))

    types = sum(1 << CODES[kind] for kind in spec.types)
    made = new_op(
        *(spec.name, len(spec.arrays), len(spec.scalars), types, bool(spec.forms), False, -1),
        *(find, np.empty, function, function.__doc__ or ""),
    )
    (_FAST if fast else OPERATIONS)[spec.name] = made
    return made


def check_accuracy(op: str, accuracy: str) -> bool:
    """Whether the fast form is asked for."""
    if accuracy not in ("precise", "fast"):
        raise ArgumentError(
            f"{op}: 'accuracy' expects 'precise' or 'fast', found {shown(accuracy)}"
        )
    return accuracy == "fast"


def chosen(op: str, value: object) -> Spec:
    """The operation that the value of its option asks for."""
    option, choices = CHOICES[op]
    name = choices.get(value) if isinstance(value, str) else None
    if name is None:
        expected = " or ".join(map(repr, choices))
        raise ArgumentError(f"{op}: '{option}' expects {expected}, found {shown(value)}")
    return OPTIONAL.get(name) or TABLE[name]


def elements(
    spec: Spec,
    values: Sequence[object],
    scalars: Sequence[object] = (),
    out: object = None,
    *,
    fast: bool = False,
) -> Array:
    """Computes an operation of the table on arrays and plain numbers."""
    op = spec.name
    if any(isinstance(value, DeviceArray) for value in values):
        from hologram.ops.resident import elementwise

        number = _WITH_NUMBER.get(op) if is_scalar(values[-1]) else None
        if number is not None:
            return cast("Array", elementwise(number, values[:1], values[1:], out, fast))
        return cast("Array", elementwise(spec, values, scalars, out, fast))
    if any(is_column(value) for value in values):
        plain = [of_column(op, *pair) for pair in zip(spec.arrays, values, strict=True)]
        run = (_FAST if fast else OPERATIONS)[op]
        return cast("Array", run(*plain, *scalars, **({} if out is None else {"out": out})))
    foreign = on_elements(spec, values, scalars, out, fast)
    if foreign is not NotImplemented:
        return cast("Array", foreign)
    arrays = [
        None if is_scalar(value) else read(op, name, value)
        for name, value in zip(spec.arrays, values, strict=True)
    ]
    kind = _common_kind(spec, arrays)
    whole = [
        constant(op, name, value, kind) if array is None else array
        for name, value, array in zip(spec.arrays, values, arrays, strict=True)
    ]
    shape = layout.broadcast(op, spec.arrays, whole)
    target = output(op, out, shape, whole[0].dtype)
    if op in _WITH_NUMBER and is_scalar(values[1]):
        return elements(_WITH_NUMBER[op], values[:1], values[1:], out)
    if op in _SQUARED and whole[1].ndim == 0 and whole[1] == SQUARE:
        spec, whole = TABLE[_SQUARED[op]], [whole[0], whole[0]]
    if target.size != 0:
        _launch(spec, kind, [*whole, target], scalars, fast)
    return result(out, target)


def divide(value: Array, count: int) -> Array:
    """Divides an array of floats by a number, in place."""
    return cast("Array", OPERATIONS["div"](value, np.array(count, value.dtype), value))


def _common_kind(spec: Spec, arrays: Sequence[Array | None]) -> str:
    kinds = {
        name: kind_of(spec.name, name, array)
        for name, array in zip(spec.arrays, arrays, strict=True)
        if array is not None
    }
    if not kinds:
        raise ArgumentError(f"{spec.name}: '{spec.arrays[0]}' expects an array, found a number")
    first, kind = next(iter(kinds.items()))
    for name, other in kinds.items():
        if other != kind:
            raise ArgumentError(
                f"{spec.name}: '{name}' is {other} and '{first}' is {kind}; "
                "hologram.ops.cast gives them one type"
            )
    if kind not in spec.types:
        raise ArgumentError(
            f"{spec.name}: '{first}' is {kind}, which has no such operation; "
            f"expected {', '.join(spec.types)}"
        )
    return kind


def _with_form(name: str, form: str, kind: str) -> str:
    """The form of a kernel: op_add_f32 -> op_add_rows_f32, op_exp_fast -> op_exp_fast_strided."""
    if not form:
        return name
    if not name.endswith(f"_{kind}"):
        return f"{name}_{form}"
    return f"{name.removesuffix(kind)}{form}_{kind}"


def _launch(
    spec: Spec, kind: str, arrays: list[Array], scalars: Sequence[object], fast: bool
) -> None:
    for parameter, value in zip(spec.scalars, scalars, strict=True):
        constant(spec.name, parameter, value, kind)
    memory = [bits_of(array) for array in arrays] if kind == "bf16" else arrays
    run = (_FAST if fast and spec.fast else OPERATIONS)[spec.name]
    run._run(CODES[kind], tuple(memory), tuple(scalars))


def _gelu_erf(*_: object) -> None:
    raise TypeError("gelu with approximate='none' is called by gelu")


_EXACT = _new(OPTIONAL["gelu_erf"], _gelu_erf, fast=False)
_EXACT._link(_new(OPTIONAL["gelu_erf"], _gelu_erf, fast=True), None)
