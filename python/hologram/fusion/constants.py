"""Which constants of a trace are the same, and not just equal.

0.0 == -0.0, 1 == 1.0 == True and Decimal("1.0") == Decimal("1.00"), but functions of them differ.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction
from types import MethodType
from typing import Any

import numpy as np

_EXACT = (bool, int, str, bytes, type(None), Fraction)  # equal values of one type are the same


def same_key(value: Any) -> tuple[object, ...]:
    """Equal for constants that no function tells apart: of one type, with the same bits, to any
    depth of tuples and frozen sets. Objects of other types are the same if they are one object,
    which the caller keeps alive."""
    kind = type(value)
    if kind in _EXACT or isinstance(value, np.dtype):
        return kind, value
    if kind is float:
        return kind, struct.pack("d", value)
    if kind is complex:
        return kind, struct.pack("dd", value.real, value.imag)
    if isinstance(value, np.generic) and value.dtype != object:
        return kind, value.dtype, value.tobytes()
    if isinstance(value, tuple):
        return kind, tuple(same_key(element) for element in value)
    if kind is frozenset:
        return kind, frozenset(same_key(element) for element in value)
    if kind is Decimal:
        return kind, value.as_tuple()
    if kind is range:
        return kind, value.start, value.stop, value.step
    if kind is MethodType:  # a new object each time that it is looked up
        return kind, id(value.__func__), id(value.__self__)
    return kind, id(value)
