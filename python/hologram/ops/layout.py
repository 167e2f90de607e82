"""Broadcasting, and the memory of arrays with gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram.ops.arrays import Array


def broadcast(op: str, names: Sequence[str], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The shape that all arrays are stretched to, by NumPy's rules."""
    shape = arrays[0].shape
    if all(array.shape == shape for array in arrays):
        return cast("tuple[int, ...]", shape)
    try:
        return cast("tuple[int, ...]", np.broadcast_shapes(*(array.shape for array in arrays)))
    except ValueError:
        shapes = ", ".join(f"'{n}' {a.shape}" for n, a in zip(names, arrays, strict=True))
        raise ArgumentError(f"{op}: these shapes do not go together: {shapes}") from None


def flat(arrays: Sequence[Array], shape: tuple[int, ...]) -> list[Array] | None:
    """The arrays in the order of their memory, if that is the same for all and has no gaps."""
    if any(array.shape != shape for array in arrays):
        return None
    if all(array.flags.c_contiguous for array in arrays):
        return list(arrays)
    if all(array.flags.f_contiguous for array in arrays):
        return [array.T for array in arrays]
    return None


def whole(array: Array) -> Array:
    """All of its memory, one element after the other. REQUIRES: no stride is negative."""
    if array.flags.c_contiguous:
        return array
    ends = [
        (extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)
    ]
    count = sum(ends) // array.itemsize + 1
    return as_strided(array, (count,), (array.itemsize,))


def memory(array: Array) -> Array:
    """An array as hologram._native.launch takes it, which reads NumPy's own types with gaps."""
    return array if array.dtype.isbuiltin == 1 else whole(array)


def width(columns: int) -> tuple[int, int]:
    """(blocks, lanes of a block) for so many columns."""
    lanes = 256
    while lanes >= 2 * columns and lanes > 16:
        lanes //= 2
    return (columns + lanes - 1) // lanes, lanes
