"""The names of the earlier Python package, over hologram.ops: `import hologram.compat as hologram`.

    with hologram.Executor() as executor:
        a, b, c = (executor.allocate(3) for _ in range(3))
        a.from_numpy(np.array([1, 2, 3], np.float32))
        b.fill(4.0)
        hologram.ops.vector_add(executor, a, b, c)
        c.to_numpy()

For programs that exist; new ones use arrays and hologram.ops, which copy nothing. Buffers hold
float32. Results are those of hologram.ops (docs/ops.md). Executors and buffers are not
thread-safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hologram import __version__, executor
from hologram.compat import backend, ops
from hologram.compat.backend import BackendType, validate_backend

if TYPE_CHECKING:
    from types import TracebackType

    from hologram.ops.arrays import Array

__all__ = ["BackendType", "Buffer", "Executor", "__version__", "backend", "ops"]


class Executor:
    """Makes buffers, and frees those that it made: by `cleanup`, or as a context manager.

    `backend` is "auto" or "cpu"; "metal" and "cuda" raise RuntimeError, because this package
    computes on the CPU, and other names ValueError.
    """

    def __init__(self, backend: str = "auto") -> None:
        self.backend = validate_backend(backend)
        self._executor = executor.Executor(only_added=True)
        self._buffers: list[Buffer] = []

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cleanup()

    def allocate(self, size: int, dtype: Any = np.float32) -> Buffer:
        """A buffer of `size` zeros, at least one. Raises ValueError."""
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size <= 0:
            raise ValueError(f"size: expected a positive number of elements, found {size!r}")
        if np.dtype(dtype) != np.float32:
            raise ValueError(f"dtype: buffers hold float32, found {np.dtype(dtype)}")
        return self._keep(self._executor.allocate(int(size)))

    def allocate_boundary(self, class_index: int, width: int, height: int) -> Buffer:
        """The first width * height bytes of a class, 0 to 95, of up to 48 pages of 256 bytes:
        a quarter as many elements. Raises ValueError for one that has a buffer, too."""
        return self._keep(self._executor.allocate_boundary(class_index, width, height))

    def _keep(self, memory: executor.Buffer) -> Buffer:
        buffer = Buffer(memory)
        self._buffers.append(buffer)
        return buffer

    def cleanup(self) -> None:
        """Frees all buffers of the executor."""
        for buffer in self._buffers:
            buffer.free()
        self._buffers.clear()


class Buffer:
    """float32 elements. Made by an Executor; after `free` everything raises RuntimeError."""

    def __init__(self, memory: executor.Buffer) -> None:
        self._elements: Array | None = np.asarray(memory)  # which keeps it

    @property
    def elements(self) -> Array:
        """The elements themselves, as an array on the same memory."""
        if self._elements is None:
            raise RuntimeError("the buffer was freed")
        return self._elements

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.elements.size)

    @property
    def dtype(self) -> Any:
        return self.elements.dtype

    @property
    def nbytes(self) -> int:
        return int(self.elements.nbytes)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return "<Buffer, freed>" if self._elements is None else f"<Buffer of {self.size} float32>"

    def from_numpy(self, array: Array) -> None:
        """Copies an array of float32 of the same number of elements. Raises ValueError."""
        if array.dtype != np.float32:
            raise ValueError(f"dtype {array.dtype} doesn't match float32")
        if array.size != self.size:
            raise ValueError(f"size {array.size} doesn't match {self.size}")
        self.elements[:] = array.reshape(-1)

    def to_numpy(self) -> Array:
        """A copy."""
        return cast("Array", self.elements.copy())

    def from_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Copies the elements from as many bytes. Raises ValueError."""
        if len(data) != self.nbytes:
            raise ValueError(f"size {len(data)} doesn't match {self.nbytes} bytes")
        self.elements[:] = np.frombuffer(data, np.float32)

    def to_bytes(self) -> bytes:
        """A copy."""
        return cast("bytes", self.elements.tobytes())

    def fill(self, value: float) -> None:
        self.elements[:] = value

    def copy_from(self, other: Buffer) -> None:
        """Copies a buffer of the same size. Raises ValueError."""
        if other.size != self.size:
            raise ValueError(f"size {other.size} doesn't match {self.size}")
        self.elements[:] = other.elements

    def free(self) -> None:
        """Lets the memory go. A second time it does nothing."""
        self._elements = None
