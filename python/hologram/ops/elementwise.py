"""Operations on elements: the way of calls that hologram.Op does not take itself, because shapes,
strides or options are not the common ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram._native import launch_strided, new_op
from hologram.errors import ArgumentError
from hologram.ops import layout, library
from hologram.ops.arrays import CODES, bits_of, constant, is_scalar, kind_of, output, read, result
from hologram.ops.table import TABLE, Spec, docstring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from hologram._native import Kernel, Op
    from hologram.ops.arrays import Array

    Function = TypeVar("Function", bound=Callable[..., Any])

OPERATIONS: dict[str, Op] = {}  # those of hologram.ops.pointwise
_FAST: dict[str, Op] = {}  # the same with accuracy="fast"
_MOST = 2**31  # elements of one launch
# The operations that have a kernel for a number as their second operand.
_WITH_NUMBER = {"add": TABLE["scalar_add"], "mul": TABLE["scalar_mul"]}


def operation(function: Function) -> Function:
    """Makes a function the operation of its name in the table: calls of the common form go straight
    to the kernel of their type, once it was used; the function gets the others."""
    spec = TABLE[function.__name__]
    function.__doc__ = docstring(spec)
    made = new_op(spec.name, len(spec.arrays), len(spec.scalars), function, function.__doc__)
    OPERATIONS[spec.name] = made
    fast = new_op(spec.name, len(spec.arrays), len(spec.scalars), function, "")
    _FAST[spec.name] = fast
    number = _WITH_NUMBER.get(spec.name)
    made._link(fast if spec.fast else None, OPERATIONS[number.name] if number else None)
    return cast("Function", made)


def check_accuracy(op: str, accuracy: str) -> bool:
    """Whether the fast form is asked for."""
    if accuracy not in ("precise", "fast"):
        raise ArgumentError(f"{op}: 'accuracy' expects 'precise' or 'fast', found {accuracy!r}")
    return accuracy == "fast"


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
        return elements(_WITH_NUMBER[op], values[:1], values[1:], target if out is None else out)
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


def _with_type(name: str, form: str, kind: str) -> str:
    """The form of a kernel: op_add_f32 -> op_add_rows_f32, op_exp_fast -> op_exp_fast_strided."""
    if not name.endswith(f"_{kind}"):
        return f"{name}_{form}"
    return f"{name.removesuffix(kind)}{form}_{kind}"


def _launch(
    spec: Spec, kind: str, arrays: list[Array], scalars: Sequence[object], fast: bool
) -> None:
    name = f"{spec.kernel_of(kind)}_{kind}"
    if fast and spec.fast and kind == "f32":
        name = f"op_{spec.name}_fast"
    shape = arrays[-1].shape
    flat = layout.flat(arrays, shape)
    if flat is not None:
        kernel = library.kernel(name)
        ready = (_FAST if fast else OPERATIONS).get(spec.name)
        if ready is not None:
            ready._add_kernel(CODES[kind], kernel, np.empty_like)
        size = arrays[-1].size
        if size <= _MOST:
            kernel(*flat, *scalars, size)
            return
        lines = [array.reshape(-1) for array in flat]
        for first in range(0, size, _MOST):
            parts = [line[first : first + _MOST] for line in lines]
            kernel(*parts, *scalars, parts[0].size)
        return
    for parameter, value in zip(spec.scalars, scalars, strict=True):
        constant(spec.name, parameter, value, kind)
    memory = [bits_of(array) for array in arrays] if kind == "bf16" else arrays

    def find(form: str) -> Kernel:
        return library.kernel(_with_type(name, form, kind))

    codes = (CODES[kind],) * len(arrays)
    launch_strided(spec.name, find, tuple(memory), codes, tuple(scalars), bool(spec.forms))
