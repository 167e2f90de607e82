"""Places of a value in an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram import library
from hologram.errors import ArgumentError

# Four chunks are counted by one block; small enough that the few chunks with matches are read again
# for nothing.
_CHUNK = 8192
_BLOCK = 4 * _CHUNK
_NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}
_MOST = 2**32 - 1 - _BLOCK


def quantum_search(data: Any, target: float) -> tuple[Any, int]:
    """The indices of all elements of `data` that equal `target`, rising, and how many they are.

    O(n): every element is read once, by all cores, and the chunks with matches a second time. No
    classical search does better on unordered data; the sqrt(n) of Grover's algorithm are queries of
    an oracle by a quantum computer (`hologram.qsim`). Exact: NaN equals nothing, -0.0 equals 0.0.
    `data` is a contiguous array of float32, float64, int32 or int64 in one dimension, of fewer
    than 2^32 - 32769 elements; the indices are uint32. Raises ArgumentError.
    """
    array = np.asarray(data)
    suffix = _NAMES.get(array.dtype.name)
    if suffix is None or array.ndim != 1 or not array.flags.c_contiguous:
        raise ArgumentError(
            "quantum_search: expected a contiguous array of one dimension of float32, float64, "
            f"int32 or int64, found {array.dtype} of shape {array.shape}"
        )
    if array.size > _MOST:
        raise ArgumentError(f"quantum_search: at most {_MOST} elements, found {array.size}")
    nothing = np.zeros(0, np.uint32)
    # A target that the type does not hold equals no element.
    if suffix[0] == "i":
        if not (float(target).is_integer() and _holds(array.dtype, int(target))):
            return nothing, 0
        target = int(target)
    elif suffix == "f32" and float(np.float32(target)) != target:
        return nothing, 0
    if array.size == 0:
        return nothing, 0
    counts = np.empty(-(-array.size // _CHUNK), np.uint32)
    count = library.kernel("search_count_" + suffix)
    count[-(-array.size // _BLOCK), 64](array, target, counts, array.size, _CHUNK)
    chunks = np.flatnonzero(counts).astype(np.uint32)
    if not len(chunks):
        return nothing, 0
    found = np.empty(int(counts.sum(dtype=np.uint64)), np.uint32)
    collect = library.kernel("search_collect_" + suffix).configure(grid=1, block=1)
    collect(array, target, chunks, found, len(chunks), array.size, _CHUNK)
    return found, len(found)


def _holds(dtype: Any, number: int) -> bool:
    limits = np.iinfo(dtype)
    return int(limits.min) <= number <= int(limits.max)
