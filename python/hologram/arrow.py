"""Kernels and operations on columns of Arrow, with nulls: `import hologram.arrow as ha`.

    ha.call(hg.ops.exp, column)              a column of the same kind
    ha.call(kernel, price, discount)         a kernel: columns to read, one to write, their length

Columns are what has `__arrow_c_array__`: pyarrow, nanoarrow, Polars through `to_arrow()`. A slice
is taken as it lies. A null of a column is a null of the result, and the value that lies under it is
of no consequence, whatever it is. With `nulls="pass"` the kernel decides (arrow_nulls). Nothing
here imports pyarrow.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hologram import library
from hologram._native import Kernel, arrow_call
from hologram.errors import ArgumentError
from hologram.ops.table import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATS = dict(
    zip("csilCSILefg", "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64".split(), strict=True)
)
_LETTERS = {kind: letter for letter, kind in _FORMATS.items()}
_NULLS = ("through", "refuse", "pass")

# By operation or kernel: kernels by the formats of columns, and what finds others.
_Known = tuple[dict[str, tuple[Kernel, str]], "Callable[[str], tuple[Kernel, str]]"]
_known: dict[Any, _Known] = {}


class Column:
    """A result for columns of others than pyarrow: `__arrow_c_array__` gives it, once."""

    def __init__(self, capsules: tuple[object, object]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules


def call(function: Any, *columns: Any, nulls: str = "through") -> Any:
    """What an operation of hologram.ops on elements, or a kernel, gives for columns: of pyarrow's
    an array of pyarrow, of others a Column. `nulls="refuse"`: a null is an error; "pass": the
    kernel has parameters NAME_valid. Raises ArgumentError and what launches raise; a fault of a
    row without a null is one."""
    if nulls == "pass":
        return _passed(function, columns)
    known = _known.get(function)
    if known is None:
        known = _known[function] = {}, _finder(function)
    if nulls not in _NULLS:
        raise ArgumentError(f"arrow: 'nulls' expects one of {', '.join(_NULLS)}, found {nulls!r}")
    first = columns[0] if columns else None
    chunks = getattr(first, "chunks", None)
    if chunks is not None:
        return _by_chunks(function, columns, nulls)
    made = arrow_call(known[0], known[1], nulls == "refuse", *columns)
    kind = type(first)
    if kind.__module__ == "pyarrow.lib":
        return kind._import_from_c_capsule(*made)  # type: ignore[union-attr]
    return Column(made)


def _passed(function: Any, columns: tuple[Any, ...]) -> Any:
    from hologram import arrow_nulls

    if any(hasattr(column, "chunks") for column in columns):
        return _by_chunks(function, columns, "pass")
    return arrow_nulls.call(function, columns)


def _by_chunks(function: Any, columns: tuple[Any, ...], nulls: str) -> Any:
    """Of chunked arrays of pyarrow, chunk by chunk."""
    sizes = {tuple(len(chunk) for chunk in getattr(column, "chunks", ())) for column in columns}
    if len(sizes) != 1:
        raise ArgumentError("arrow: the columns have different chunks; combine_chunks() joins them")
    rows = zip(*(column.chunks for column in columns), strict=True)
    made = [call(function, *chunks, nulls=nulls) for chunks in rows]
    if not made:
        raise ArgumentError("arrow: a column has no chunks")
    return sys.modules["pyarrow"].chunked_array(made)


def _finder(function: Any) -> Callable[[str], tuple[Kernel, str]]:
    if isinstance(function, Kernel):
        return lambda formats: _of_kernel(function, formats)
    name = getattr(function, "__name__", "")
    spec = TABLE.get(name)
    if spec is None or spec.family != "pointwise" or spec.scalars:
        raise ArgumentError(
            f"arrow: expected a kernel, or an operation of hologram.ops on elements without "
            f"numbers, found {function!r}"
        )

    def find(formats: str) -> tuple[Kernel, str]:
        kinds = _kinds(formats)
        kind = kinds[0]
        if len(kinds) != len(spec.arrays) or set(kinds) != {kind} or kind not in spec.types:
            raise ArgumentError(
                f"{name}: expected {len(spec.arrays)} columns of one type of "
                f"{', '.join(spec.types)}, found {', '.join(kinds)}"
            )
        return library.kernel(f"{spec.kernel_of(kind)}_{kind}"), _LETTERS[kind]

    return find


def _kinds(formats: str) -> list[str]:
    return [_FORMATS[letter] for letter in formats.split(",")]


def _of_kernel(kernel: Kernel, formats: str) -> tuple[Kernel, str]:
    *arrays, last = kernel.parameters
    inputs = [row[2] for row in arrays if row[3] == "in"]
    outputs = [row[2] for row in arrays if row[3] == "out"]
    shape = [row[3] for row in arrays] == ["in"] * len(inputs) + ["out"]
    if not shape or last[1:3] != ("scalar", "u32") or any(row[1] != "array" for row in arrays):
        raise ArgumentError(
            f"arrow: '{kernel.name}' is not of arrays to read, one to write and their length as u32"
        )
    if _kinds(formats) != inputs:
        raise ArgumentError(
            f"arrow: '{kernel.name}' takes columns of {', '.join(inputs)}, found "
            f"{', '.join(_kinds(formats))}"
        )
    return kernel, _LETTERS[outputs[0]]
