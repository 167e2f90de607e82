"""Kernels and operations as functions of SQL in DuckDB: `import hologram.duckdb as hd`.

    hd.register(connection, "revenue", kernel)          SELECT revenue(price, off) FROM orders
    hd.register(connection, "hexp", hg.ops.exp)         for the type f32, or `kind="f64"`
    hd.extension()                                      for bundles: docs/scale.md

By way of the functions of Arrow that DuckDB's Python package has, so columns come in chunks and
each call takes the lock of the interpreter. A NULL is a null of hologram.arrow.call; the error of a
launch is the error of the query. Nothing here imports duckdb.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

from hologram import arrow
from hologram._native import Kernel
from hologram.errors import ArgumentError, NotFoundError
from hologram.ops.table import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable

_TYPES = {
    "i8": "TINYINT",
    "i16": "SMALLINT",
    "i32": "INTEGER",
    "i64": "BIGINT",
    "u8": "UTINYINT",
    "u16": "USMALLINT",
    "u32": "UINTEGER",
    "u64": "UBIGINT",
    "f32": "FLOAT",
    "f64": "DOUBLE",
}


def extension() -> str:
    """The path of the extension of DuckDB: `LOAD 'PATH'; CALL hologram_load('app.holo', 'HASH')`.
    Raises NotFoundError."""
    package = os.path.dirname(os.path.abspath(__file__))
    for folder in (package, os.path.dirname(os.path.dirname(package))):  # of a wheel, of a build
        path = os.path.join(folder, "lib", "hologram.duckdb_extension")
        if os.path.exists(path):
            return path
    raise NotFoundError(f"there is no {path}; `pip install hologram-jit` adds it")


def register(
    connection: Any, name: str, function: Any, *, kind: str = "f32", nulls: str = "through"
) -> None:
    """Makes `name` a scalar function of a connection: a kernel of columns to read, one to write and
    their length, or an operation of hologram.ops on elements of `kind`. `nulls` is that of
    hologram.arrow.call. Raises ArgumentError."""
    inputs, output = _types_of(function, kind, nulls)
    call = _caller(function, nulls, len(inputs))
    connection.create_function(name, call, inputs, output, type="arrow", null_handling="special")


def _caller(function: Any, nulls: str, count: int) -> Callable[..., Any]:
    """A function of that many chunked arrays, which DuckDB asks for the number of its parameters.
    All of one call have the same chunks."""

    def call(*columns: Any) -> Any:
        return arrow.call(function, *columns, nulls=nulls)

    by_place = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(f"x{k}", by_place) for k in range(count)]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _types_of(function: Any, kind: str, nulls: str) -> tuple[list[str], str]:
    if isinstance(function, Kernel):
        arrays = [row for row in function.parameters if row[1] == "array"]
        if nulls == "pass":
            arrays = [row for row in arrays if not row[0].endswith("_valid")]
        inputs = [row[2] for row in arrays if row[3] == "in"]
        outputs = [row[2] for row in arrays if row[3] == "out"]
        scalars = [row for row in function.parameters if row[1] != "array"]
        if len(outputs) != 1 or not inputs or len(scalars) != 1:
            raise ArgumentError(
                f"duckdb: '{function.name}' is not of columns to read, one to write and their "
                "length as u32"
            )
        kinds = [*inputs, *outputs]
    else:
        spec = TABLE.get(getattr(function, "__name__", ""))
        if spec is None or spec.family != "pointwise" or spec.scalars:
            raise ArgumentError(
                "duckdb: expected a kernel, or an operation of hologram.ops on elements without "
                f"numbers, found {function!r}"
            )
        if kind not in spec.types:
            raise ArgumentError(f"duckdb: {spec.name} is of {', '.join(spec.types)}, not {kind}")
        kinds = [kind] * (len(spec.arrays) + 1)
    for one in kinds:
        if one not in _TYPES:
            raise ArgumentError(f"duckdb: a column of {one} is not a type of SQL")
    return [_TYPES[one] for one in kinds[:-1]], _TYPES[kinds[-1]]
