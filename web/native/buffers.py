"""Buffers and class memory of hologram._native in a page (python/hologram/executor.py). No kernel
reaches the memory of an executor by addresses here: one that would is refused when it is launched
(kernels.py)."""

from __future__ import annotations

import json
import struct
import weakref
from typing import Any

from hologram._native.arguments import bits_of, element_type
from hologram._native.bridge import LETTERS, SIZES, text_of

_ABOUT = json.loads(text_of("atlas"))
NUM_CLASSES: int = _ABOUT["classes"]
PAGES_PER_CLASS: int = _ABOUT["pages"]
BYTES_PER_PAGE: int = _ABOUT["bytes"]
BYTES_PER_CLASS = PAGES_PER_CLASS * BYTES_PER_PAGE
_ALIGNMENT = 64


def _refused(message: str) -> Exception:
    from hologram.errors import ArgumentError

    return ArgumentError(message)


def size_of(dtype: str) -> int:
    if dtype not in SIZES:
        raise _refused(
            f"dtype: no kernel has elements of {dtype}; there are i8 to i64, u8 to u64, f16, bf16, "
            "f32 and f64"
        )
    return SIZES[dtype]


def _below(name: str, limit: int, found: int) -> None:
    if not 0 <= found < limit:
        raise _refused(f"{name}: expected 0 to {limit - 1}, found {found}")


def offset_to_phi(class_index: int, offset: int) -> tuple[int, int]:
    _below("class_index", NUM_CLASSES, class_index)
    _below("offset", BYTES_PER_CLASS, offset)
    return divmod(offset, BYTES_PER_PAGE)


def phi_to_offset(class_index: int, page: int, byte: int) -> int:
    _below("class_index", NUM_CLASSES, class_index)
    _below("page", PAGES_PER_CLASS, page)
    _below("byte", BYTES_PER_PAGE, byte)
    return page * BYTES_PER_PAGE + byte


def default_launch_config(elements: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    block = _ABOUT["block"]
    most = (2**32 - 1) * block
    if not 1 <= elements <= most:
        raise _refused(f"elements: expected 1 to {most}, found {elements}")
    return (-(-elements // block), 1, 1), (block, 1, 1)


class Buffer:
    """Elements of one type, in memory of its own or of a class."""

    def __init__(self, memory: memoryview, dtype: str, class_index: int | None) -> None:
        self._memory, self.element_type, self.class_index = memory, dtype, class_index
        self.element_size = SIZES[dtype]

    def __buffer__(self, flags: int) -> memoryview:
        if self.element_type == "bf16":
            raise BufferError("elements of bf16, for which there is no format")
        return self._memory.cast(LETTERS[self.element_type])

    def __len__(self) -> int:
        return len(self._memory) // self.element_size

    def __repr__(self) -> str:
        of_class = "" if self.class_index is None else f" in class {self.class_index}"
        return f"<hologram.Buffer of {len(self)} {self.element_type}{of_class}>"

    @property
    def size_bytes(self) -> int:
        return len(self._memory)

    @property
    def pool(self) -> str:
        return "boundary" if self.is_boundary else "linear"

    @property
    def is_linear(self) -> bool:
        return self.class_index is None

    @property
    def is_boundary(self) -> bool:
        return self.class_index is not None

    # ---- Copies

    def _other(self, name: str, array: Any) -> memoryview:
        """The bytes of an array with as many elements of the same type."""
        try:
            kind = element_type(array)
        except TypeError as error:
            raise _refused(f"{name}: {error}") from None
        if kind is None:
            raise _refused(
                f"{name}: expected an array (buffer protocol or DLPack), found {array!r}"
            )
        if kind != self.element_type:
            raise _refused(f"{name}: expected elements of {self.element_type}, found {kind}")
        view = memoryview(array)
        if not view.c_contiguous:
            raise _refused(f"{name}: is not C-contiguous")
        if view.nbytes != self.size_bytes:
            count = view.nbytes // self.element_size
            raise _refused(f"{name}: expected {len(self)} elements, found {count}")
        return view.cast("B")

    def copy_from_slice(self, src: Any) -> None:
        self._memory[:] = bytes(self._other("src", src))

    def copy_to_slice(self, dst: Any) -> None:
        target = self._other("dst", dst)
        if target.readonly:
            raise _refused("dst: is written, found a read-only array")
        target[:] = bytes(self._memory)

    def copy_from_canonical_slice(self, src: Any) -> None:
        self.copy_from_slice(src)
        self.canonicalize_all()

    def canonicalize_all(self) -> None:
        self._memory[:] = bytes(byte & 0xFE for byte in self._memory)

    def verify_canonical(self) -> bool:
        return all(byte & 1 == 0 for byte in self._memory)

    def to_vec(self) -> list[Any]:
        if self.element_type == "bf16":
            words = struct.unpack(f"<{len(self)}H", self._memory)
            return [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]
        return self.__buffer__(0).tolist()

    def fill(self, value: Any) -> None:
        try:
            word = bits_of(self.element_type, value)
        except (TypeError, ValueError, OverflowError) as error:
            raise _refused(f"value: {error}") from None
        self._memory[:] = word.to_bytes(self.element_size, "little") * len(self)


def _zeros(size: int) -> memoryview:
    """Aligned bytes."""
    import ctypes

    memory = (ctypes.c_char * (size + _ALIGNMENT))()
    first = -ctypes.addressof(memory) % _ALIGNMENT
    return memoryview(memory).cast("B")[first : first + size]


def allocate(size: int, dtype: str) -> Buffer:
    return Buffer(_zeros(size * size_of(dtype)), dtype, None)


class Classes:
    """The class memory of an executor, made on request."""

    def __init__(self) -> None:
        self._bytes: memoryview | None = None
        # By class: what keeps its memory. It is free when the buffer and all arrays on it are gone.
        self._taken: dict[int, weakref.ref[Any]] = {}

    @property
    def num_free_classes(self) -> int:
        return NUM_CLASSES - sum(self._is_taken(c) for c in range(NUM_CLASSES))

    def _is_taken(self, class_index: int) -> bool:
        held = self._taken.get(class_index)
        return held is not None and held() is not None

    def _choose(self, class_index: int | None) -> int:
        if class_index is not None:
            _below("class_index", NUM_CLASSES, class_index)
            if self._is_taken(class_index):
                raise _refused(f"class_index: class {class_index} has a buffer already")
            return class_index
        free = (c for c in range(NUM_CLASSES) if not self._is_taken(c))
        chosen = next(free, None)
        if chosen is None:
            from hologram.errors import ResourceLimitError

            raise ResourceLimitError(
                f"no class is free: all {NUM_CLASSES} of the executor have a buffer"
            )
        return chosen

    def allocate(self, class_index: int | None, width: int, height: int, dtype: str) -> Buffer:
        import ctypes

        size = size_of(dtype)
        given = (("width", width, PAGES_PER_CLASS, "pages"), ("height", height, BYTES_PER_PAGE,
                 "bytes"))  # fmt: skip
        if class_index is not None:
            _below("class_index", NUM_CLASSES, class_index)
        for name, found, most, unit in given:
            if not 1 <= found <= most:
                raise _refused(f"{name}: expected 1 to {most} {unit}, found {found}")
        chosen = self._choose(class_index)
        if self._bytes is None:
            self._bytes = _zeros(NUM_CLASSES * BYTES_PER_CLASS)
        count = width * height // size * size
        held = (ctypes.c_char * count).from_buffer(self._bytes, chosen * BYTES_PER_CLASS)
        self._taken[chosen] = weakref.ref(held)
        return Buffer(memoryview(held).cast("B"), dtype, chosen)
