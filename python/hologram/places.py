"""Where the elements of a stream come from and go to (docs/scale.md).

"big.npy", "raw.f32:f32"  a file, by its name; without a type behind it a raw file has the kernel's
"-"                       standard input or output
7, sys.stdin.buffer       a descriptor, or something with one, from where it is
object with readinto/read, or write
an iterable of arrays     one after the other, of any lengths
an array                  in memory
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from hologram.errors import ArgumentError

UNTIL_END = 2**64 - 1
TYPES = {
    **{f"i{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
}
CODES = {
    name: code
    for code, name in enumerate(
        ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64")
    )
}
SIZES = {name: 2 if name == "bf16" else TYPES[name].itemsize for name in CODES}


class Place(NamedTuple):
    """`place` is what the binding takes; `length` in elements, or None where it is not known."""

    place: tuple[Any, ...]
    type: str | None
    length: int | None
    shape: tuple[int, ...] | None = None


def type_of(dtype: Any) -> str:
    for name, known in TYPES.items():
        if dtype == known:
            return name
    raise ArgumentError(f"elements of {dtype}, which no kernel has")


def _name_and_type(path: str) -> tuple[str, str | None]:
    name, colon, kind = path.rpartition(":")
    return (name, kind) if colon and kind in CODES else (path, None)


def _npy_header(path: str) -> tuple[tuple[int, ...], Any, int]:
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            raise ArgumentError(f"{path}: version {version} of .npy")
        shape, fortran, dtype = read(file)
        if fortran and len(shape) > 1:
            raise ArgumentError(f"{path}: is in Fortran order; numpy.ascontiguousarray changes it")
        return shape, dtype, file.tell()


def _count(size: int, item: int, name: str) -> int:
    if size % item:
        raise ArgumentError(f"{name}: {size} bytes end in the middle of an element of {item}")
    return size // item


def _file_source(path: str, wanted: str | None) -> Place:
    name, kind = _name_and_type(path)
    if name.endswith(".npy"):
        shape, dtype, offset = _npy_header(name)
        count = 1
        for extent in shape:
            count *= extent
        size = os.path.getsize(name) - offset
        if size < count * dtype.itemsize:
            raise ArgumentError(
                f"{name}: has {size} bytes behind its header, expected {count * dtype.itemsize}"
            )
        return Place(("file", os.fsencode(name), offset, b""), type_of(dtype), count, shape)
    kind = kind or wanted
    if kind is None:
        raise ArgumentError(f"{name}: of which type? write it behind the name: '{name}:f32'")
    try:
        info = os.stat(name)
    except OSError as error:
        raise ArgumentError(f"{name}: {(error.strerror or '').lower()}") from None
    regular = (info.st_mode & 0o170000) == 0o100000
    length = _count(info.st_size, SIZES[kind], name) if regular else None
    return Place(("file", os.fsencode(name), 0, b""), kind, length)


def reader_of(read: Callable[[memoryview], int | None]) -> Callable[[memoryview], int]:
    """One that has no data yet is asked again."""

    def fill(memory: memoryview) -> int:
        while (got := read(memory)) is None:
            pass
        return got

    return fill


def _from_read(read: Callable[[int], bytes]) -> Callable[[memoryview], int]:
    def fill(memory: memoryview) -> int:
        data = read(len(memory))
        memory[: len(data)] = data
        return len(data)

    return fill


class _Arrays:
    """Arrays, one after the other, as bytes."""

    def __init__(self, arrays: Iterable[Any]) -> None:
        self._arrays = iter(arrays)
        self._left = memoryview(b"")
        self.type: str | None = None
        first = next(self._arrays, None)
        if first is not None:
            self._take(first)

    def _take(self, array: Any) -> None:
        taken = np.ascontiguousarray(array)
        kind = type_of(taken.dtype)
        if self.type not in (None, kind):
            raise ArgumentError(f"an array of {kind} after arrays of {self.type}")
        self.type = kind
        self._left = memoryview(taken.reshape(-1).view(np.uint8))

    def __call__(self, memory: memoryview) -> int:
        while len(self._left) == 0:
            array = next(self._arrays, None)
            if array is None:
                return 0
            self._take(array)
        count = min(len(memory), len(self._left))
        memory[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _contiguous(array: Any, writes: bool) -> Any:
    view = np.asarray(array)
    if not view.flags.c_contiguous or (writes and not view.flags.writeable):
        raise ArgumentError("an array that has gaps, or that is read-only and written")
    return view


def source_of(given: Any, wanted: str | None) -> Place:
    """`wanted`: the element type of the kernel."""
    length: int | None = None
    if isinstance(given, tuple):
        given, length = given
    place = _source_of(given, wanted)
    return place if length is None else place._replace(length=length)


def _source_of(given: Any, wanted: str | None) -> Place:
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if path == "-":
            return Place(("fd", 0, 0, True), wanted, None)
        return _file_source(path, wanted)
    if isinstance(given, int):
        return Place(("fd", given, 0, True), wanted, None)
    if isinstance(given, np.ndarray):
        array = _contiguous(given, False)
        return Place(("array", array), type_of(array.dtype), array.size, array.shape)
    if hasattr(given, "readinto"):
        return Place(("call", reader_of(given.readinto)), wanted, None)
    if hasattr(given, "read"):
        return Place(("call", _from_read(given.read)), wanted, None)
    if hasattr(given, "__array__") or hasattr(given, "__dlpack__"):
        return _source_of(np.asarray(given), wanted)
    if isinstance(given, Iterable):
        arrays = _Arrays(given)
        return Place(("call", arrays), arrays.type or wanted, None)
    raise ArgumentError(
        f"{type(given).__name__} cannot be streamed: expected a file, a descriptor, an array, an "
        "iterable of arrays, or something with read"
    )


def _npy_start(kind: str, shape: tuple[int, ...]) -> bytes:
    import io

    file = io.BytesIO()
    description = {
        "descr": np.lib.format.dtype_to_descr(TYPES[kind]),
        "fortran_order": False,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(file, description)
    return file.getvalue()


def sink_of(given: Any, kind: str, length: int | None, shape: tuple[int, ...] | None) -> Place:
    """`length`, `shape`: what it gets, where that is known."""
    if isinstance(given, tuple):
        given, length = given
        shape = None
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if path == "-":
            sys.stdout.flush()
            return Place(("fd", 1, 0, True), kind, length)
        name, said = _name_and_type(path)
        if said not in (None, kind):
            raise ArgumentError(f"{name}: of {said}, expected {kind}")
        header = b""
        if name.endswith(".npy"):
            if length is None:
                raise ArgumentError(
                    f"{name}: a .npy file begins with its length: give it, as (name, n)"
                )
            header = _npy_start(kind, shape or (length,))
        return Place(("file", os.fsencode(name), 0, header), kind, length)
    if isinstance(given, int):
        return Place(("fd", given, 0, True), kind, length)
    if isinstance(given, np.ndarray):
        array = _contiguous(given, True)
        if type_of(array.dtype) != kind:
            raise ArgumentError(f"an array of {type_of(array.dtype)}, expected {kind}")
        return Place(("array", array), kind, array.size)
    if hasattr(given, "write"):

        def write(memory: memoryview) -> None:
            left = memoryview(bytes(memory))
            while len(left):
                done = given.write(left)
                left = left[len(left) if done is None else done :]

        return Place(("call", write), kind, length)
    if callable(given):
        # One that keeps what it gets: the memory is that of the window, and used again.
        return Place(
            ("call", lambda memory: given(np.frombuffer(bytes(memory), TYPES[kind]))), kind, length
        )
    raise ArgumentError(
        f"{type(given).__name__} cannot be streamed: expected a file, a descriptor, an array, a "
        "function, or something with write"
    )
