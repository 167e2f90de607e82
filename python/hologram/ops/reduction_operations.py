"""Reductions. Their docstrings come from hologram.ops.table."""

from __future__ import annotations

from typing import Any

from hologram.ops.arrays import Array
from hologram.ops.reduction_calls import reduce, reduction


@reduction
def sum(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("sum", x, axis, out, keepdims)


@reduction
def mean(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("mean", x, axis, out, keepdims)


@reduction
def prod(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("prod", x, axis, out, keepdims)


@reduction
def min(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("min", x, axis, out, keepdims)


@reduction
def max(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("max", x, axis, out, keepdims)


@reduction
def argmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("argmin", x, axis, out, keepdims)


@reduction
def argmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("argmax", x, axis, out, keepdims)


@reduction
def any(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("any", x, axis, out, keepdims)


@reduction
def all(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("all", x, axis, out, keepdims)


@reduction
def norm(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
    return reduce("norm", x, axis, out, keepdims)
