"""Reductions. Their docstrings come from hologram.ops.table."""

from __future__ import annotations

from typing import Any

from hologram.ops.arrays import Array
from hologram.ops.reductions import reduce
from hologram.ops.table import documented


@documented
def sum(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("sum", x, axis, out, keepdims)


@documented
def mean(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("mean", x, axis, out, keepdims)


@documented
def prod(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("prod", x, axis, out, keepdims)


@documented
def min(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("min", x, axis, out, keepdims)


@documented
def max(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("max", x, axis, out, keepdims)


@documented
def argmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("argmin", x, axis, out, keepdims)


@documented
def argmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("argmax", x, axis, out, keepdims)


@documented
def any(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("any", x, axis, out, keepdims)


@documented
def all(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("all", x, axis, out, keepdims)


@documented
def norm(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("norm", x, axis, out, keepdims)
