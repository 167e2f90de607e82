"""Arrays that lie directly beside memory that nobody may touch.

An Arena is a run of pages with an untouchable page before and one behind it (mmap, mprotect).
`place` puts an array at its first byte or up to its last one, so that an access outside the array
on that side ends the process with SIGSEGV; what is left of the pages is filled with a pattern, and
`slack_changed` says whether somebody wrote there. An array of 0 elements lies exactly at the
boundary, so its address itself cannot be touched ("end"), or the byte before it ("start").

For any test in Python; needs NumPy and Linux, nothing of hologram. One thread at a time per Arena.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
_READ, _WRITE, _NONE = 1, 2, 0  # PROT_* of <sys/mman.h>
_PRIVATE_ANONYMOUS = 0x22
_PATTERN = 0xA5

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int),
    *(ctypes.c_int, ctypes.c_int, ctypes.c_long),
)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Arena:
    """`size` bytes (rounded up to pages) between two untouchable pages."""

    def __init__(self, size: int) -> None:
        self.size = max(1, -(-size // PAGE)) * PAGE
        total = self.size + 2 * PAGE
        base = _libc.mmap(None, total, _NONE, _PRIVATE_ANONYMOUS, -1, 0)
        if base in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "mmap")
        self._base: int = base
        self._total = total
        self.first = base + PAGE
        self._protection = _NONE
        self.protect(_READ | _WRITE)
        # The view has the untouchable pages too, so that an empty array may begin at one.
        self._memory = (ctypes.c_uint8 * total).from_address(base)
        self.bytes = np.ndarray((self.size,), np.uint8, self._memory, PAGE)
        self._begin = self._end = 0

    def protect(self, protection: int) -> None:
        if protection == self._protection:
            return
        if _libc.mprotect(self.first, self.size, protection) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")
        self._protection = protection

    def read_only(self) -> None:
        """From now on a write into the array or the slack ends the process too."""
        self.protect(_READ)

    def writable(self) -> None:
        self.protect(_READ | _WRITE)

    def place(self, count: int, dtype: Any, at: str = "end") -> Any:
        """A new array of `count` elements that begins at the first byte ("start") or ends with the
        last one ("end"). It takes the place of the one before; all other bytes get the pattern."""
        self.writable()
        size = count * np.dtype(dtype).itemsize
        if size > self.size:
            raise ValueError(f"{size} bytes do not fit into {self.size}")
        self._begin = 0 if at == "start" else self.size - size
        self._end = self._begin + size
        self.bytes[: self._begin] = _PATTERN
        self.bytes[self._end :] = _PATTERN
        return self.view(self._begin, count, dtype)

    def view(self, offset: int, count: int, dtype: Any) -> Any:
        """`count` elements from byte `offset` of the pages on: an alias."""
        if not 0 <= offset <= offset + count * np.dtype(dtype).itemsize <= self.size:
            raise ValueError("outside of the arena")
        return np.ndarray((count,), dtype, self._memory, PAGE + offset)

    def slack_changed(self) -> bool:
        """Whether a byte beside the array of `place` is another than it left there."""
        before, behind = self.bytes[: self._begin], self.bytes[self._end :]
        return bool((before != _PATTERN).any() or (behind != _PATTERN).any())

    def close(self) -> None:
        """Gives the pages back; arrays in them are invalid then."""
        if self._base:
            _libc.munmap(self._base, self._total)
            self._base = 0
