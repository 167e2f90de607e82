"""Operations on arrays of others that say themselves how functions of elements are applied to them:
those of Dask go to hologram.dask, those with `__array_ufunc__` (pandas, Polars, xarray) get an
object of numpy.ufunc with the operation's kernels, `hologram.ops.exp.ufunc`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from hologram import library
from hologram._native import new_ufunc
from hologram.errors import ArgumentError
from hologram.ops.arrays import dtype_of
from hologram.ops.table import TABLE, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

# The order in which NumPy looks for a loop.
_KINDS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64")
_IDENTITIES = {"add": 0, "mul": 1}
_OWN = (np.ndarray, np.generic, int, float)


def is_dask(value: object) -> bool:
    """Whether it is an array of Dask."""
    array = sys.modules.get("dask.array")
    return array is not None and isinstance(value, array.Array)


def applies_itself(value: object) -> bool:
    """Whether functions of elements are applied by its own rules."""
    if isinstance(value, _OWN) or hasattr(type(value), "__dlpack__"):
        return False
    return getattr(type(value), "__array_ufunc__", None) is not None


def is_column(value: object) -> bool:
    """Whether it is an array of pyarrow, whose own way to NumPy is shorter than DLPack."""
    return hasattr(type(value), "__arrow_c_array__") and hasattr(value, "to_numpy")


def of_column(op: str, name: str, value: Any) -> Any:
    """Its memory as a NumPy array; other values as they are. Raises ArgumentError."""
    if not is_column(value):
        return value
    if value.null_count:
        raise ArgumentError(f"{op}: '{name}' has nulls; hologram.arrow.call takes them")
    try:
        return value.to_numpy(zero_copy_only=True)
    except ValueError as error:  # of pyarrow
        raise ArgumentError(f"{op}: '{name}' cannot be read: {error}") from None


def on_elements(
    spec: Spec, values: Sequence[Any], scalars: Sequence[Any], out: Any, fast: bool
) -> Any:
    """What an operation on elements gives for such values; NotImplemented if there are none."""
    if out is not None:
        return NotImplemented
    if any(is_dask(value) for value in values):
        from hologram.ops.on_dask import elementwise

        return elementwise(spec.name, values, scalars, fast=fast)
    if fast or scalars or not any(applies_itself(value) for value in values):
        return NotImplemented
    return ufunc_of(spec.name)(*values)


def ufunc_of(name: str) -> Any:
    """The operation as a numpy.ufunc. Raises AttributeError for others than those on elements."""
    found = globals().get(name)
    if isinstance(found, np.ufunc):
        return found
    spec = TABLE.get(name)
    if spec is None or spec.family != "pointwise" or spec.scalars:
        raise AttributeError(f"'hologram.ops.{name}' has no 'ufunc'")
    count = len(spec.arrays)
    loops = tuple(
        (library.kernel(f"{spec.kernel_of(kind)}_{kind}"), (dtype_of(kind).num,) * (count + 1), ())
        for kind in _KINDS
        if kind in spec.types
    )
    made = new_ufunc(name, spec.formula, count, 1, _IDENTITIES.get(name, -1), None, (), loops)
    return globals().setdefault(name, made)  # where pickles of it look


def __getattr__(name: str) -> Any:
    return ufunc_of(name)
