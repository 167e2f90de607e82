"""Executors, buffers and the facts about classes. Used as `hologram.Executor` and so on.

    executor = hg.Executor()
    x = executor.allocate(1000)                    # 1000 zeros of f32, 64-byte aligned
    c = executor.allocate_boundary(7)              # class 7: 3072 elements of f32
    numpy.asarray(c)[:] = 1                        # the same memory
    hologram.ops.neg(c, out=c)

The 96 classes of an executor are 48 pages of 256 bytes each, memory that its kernels reach by
addresses (docs/isa.md). Nothing here imports NumPy.
"""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING

from hologram._native import (
    BYTES_PER_CLASS,
    BYTES_PER_PAGE,
    NUM_CLASSES,
    PAGES_PER_CLASS,
    Buffer,
    default_launch_config,
    offset_to_phi,
    phi_to_offset,
    size_of,
)
from hologram._native import allocate as _allocate
from hologram.errors import ArgumentError
from hologram.generic import text_of
from hologram.registry import Registry

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "BYTES_PER_CLASS",
    "BYTES_PER_PAGE",
    "NUM_CLASSES",
    "PAGES_PER_CLASS",
    "Buffer",
    "Executor",
    "default_launch_config",
    "fits_in_class",
    "max_elements_per_class",
    "offset_to_phi",
    "phi_to_offset",
]


def max_elements_per_class(dtype: object = "f32") -> int:
    """How many elements the memory of a class holds: 3072 of f32. `dtype` is "f32", `f32` of
    hologram.lang or a NumPy type. Raises ArgumentError for a type that kernels do not have."""
    return BYTES_PER_CLASS // size_of(text_of(dtype))


def fits_in_class(size: int, dtype: object = "f32") -> bool:
    """Whether so many elements do. Raises ArgumentError."""
    return 0 <= size <= max_elements_per_class(dtype)


def _natural(name: str, value: int, what: str, most: int = 2**32 - 2) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= most:
        raise ArgumentError(f"{name}: expected {what} from 0 on, found {value!r}")
    return number


class Executor(Registry):
    """Finds kernels, as a registry does, and makes buffers. Any thread may ask for kernels, add
    places, and make buffers and let them go; the stream (phase, resonance, class memory) needs a
    lock of yours. What waits for launches says so."""

    def cancel(self) -> None:
        """Stops the launches of its kernels that run, on any thread, within about a tenth of a
        second, and those that begin before resume(): they raise CancelledError, and what their
        outputs hold is unspecified. Launches of a few milliseconds may run all the same. Any thread
        may call this, and handlers of signals."""
        self._native.cancel()

    def resume(self) -> None:
        """Lets launches run again after cancel()."""
        self._native.resume()

    def allocate(self, size: int, dtype: object = "f32") -> Buffer:
        """`size` zeros in memory of their own, which take no class. Raises ArgumentError for a size
        below 0 and a type that kernels do not have, MemoryError."""
        count = _natural("size", size, "a number of elements", sys.maxsize)
        return _allocate(count, text_of(dtype))

    def allocate_boundary(
        self,
        class_index: int | None = None,
        width: int = PAGES_PER_CLASS,
        height: int = BYTES_PER_PAGE,
        dtype: object = "f32",
    ) -> Buffer:
        """The first width * height bytes of a class (None: the lowest one that is free), as whole
        elements: the memory that kernels of this executor reach by the addresses of classes, and
        an argument of kernels and operations like other arrays (of bf16: of kernels). It holds
        what the class holds. The class is free again when the buffer and all arrays on its memory
        are gone.

        A kernel that may write class memory by addresses, or reads it so and writes its argument,
        does not take it: ArgumentError with the parameter. While a kernel runs that uses class
        memory, other threads leave buffers of classes of this executor alone. Waits for launches
        that use the stream. Raises ArgumentError for no class, one that is taken, no or more than
        48 pages, no or more than 256 bytes; ResourceLimitError if all 96 are taken."""
        if class_index is not None:
            class_index = _natural("class_index", class_index, "a small number")
        width = _natural("width", width, "a small number")
        height = _natural("height", height, "a small number")
        return self._native.allocate_boundary(class_index, width, height, text_of(dtype))

    @property
    def num_free_classes(self) -> int:
        """How many classes have no buffer."""
        return self._native.num_free_classes

    # ---- The stream: what launches of its kernels leave to each other. Waits for those launches.

    @property
    def phase(self) -> int:
        """0 to 767."""
        return self._native.phase

    def advance_phase(self, delta: int) -> None:
        self._native.advance_phase(delta)

    def resonance(self, class_index: int) -> Fraction:
        return self._native.resonance(class_index)

    def set_resonance(self, class_index: int, value: Fraction | int) -> None:
        self._native.set_resonance(class_index, value)

    def add_resonance(self, class_index: int, value: Fraction | int) -> None:
        self._native.add_resonance(class_index, value)

    def reset_resonance(self) -> None:
        self._native.reset_resonance()

    def read_class_memory(self, offset: int, size: int) -> bytes:
        """Bytes of one class; class c begins at 12,288 c."""
        return self._native.read_class_memory(offset, size)

    def write_class_memory(self, offset: int, data: bytes) -> None:
        self._native.write_class_memory(offset, data)
