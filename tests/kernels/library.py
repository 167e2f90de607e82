"""libhologram through its C interface: load a bundle that is vouched for, launch a kernel on arrays.

Only what the tests of this folder need; hologram.h describes each call.
"""

from __future__ import annotations

import ctypes as c
import os
import struct
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages

guard_pages.install()

BUFFER, WRITABLE = 0x10, 0x20
INTERPRETER, CPU = 1, 2
TYPES = {
    "int8": 0, "int16": 1, "int32": 2, "int64": 3, "uint8": 4, "uint16": 5, "uint32": 6,
    "uint64": 7, "float16": 8, "bfloat16": 9, "float32": 10, "float64": 11,
}  # fmt: skip
SCALARS = dict(enumerate("bhiqBHIQexfd"))  # struct codes by type number
BFLOAT16 = np.dtype("V2")  # NumPy has no such type: elements are kept as two bytes


def cached() -> list[str]:
    """Options of `hologram compile`: tests compile the same kernels, and share what they have compiled."""
    folder = os.environ.get("HOLOGRAM_CACHE_DIR")
    return ["--cache", f"{folder}/bundles"] if folder else []


class _Parameter(c.Structure):
    _fields_: ClassVar = [
        ("name", c.c_char_p),
        ("is_buffer", c.c_uint32),
        ("type", c.c_uint32),
        ("direction", c.c_uint32),
    ]


class _BufferRef(c.Structure):
    _fields_: ClassVar = [("data", c.c_void_p), ("bytes", c.c_uint64)]


class _Argument(c.Structure):
    _fields_: ClassVar = [("code", c.c_uint32), ("buffer", _BufferRef), ("scalar", c.c_uint64)]


class _Config(c.Structure):
    _fields_: ClassVar = [
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("budget", c.c_uint64),
        ("nondeterministic", c.c_uint32),
        ("backend", c.c_uint32),
        ("threads", c.c_uint32),
        ("reserved", c.c_uint32 * 5),
    ]


class _Counts(c.Structure):
    _fields_: ClassVar = [
        ("native", c.c_uint64),
        ("interpreted", c.c_uint64),
        ("guarded", c.c_uint64),
    ]


class Failure(Exception):
    """An error of the library, with its text."""


class Library:
    """One executor. `path` is libhologram.so, `bundles` are .holo files with the hashes `expect`."""

    def __init__(self, path: str, bundles: list[str], expect: list[str]) -> None:
        self._lib = c.CDLL(path)
        for name in ("executor_create", "executor_load_file", "executor_kernel", "kernel_launch"):
            getattr(self._lib, f"hologram_{name}").restype = c.c_void_p
        for name in ("read_class_memory", "write_class_memory"):
            getattr(self._lib, f"hologram_executor_{name}").restype = c.c_void_p
        self._lib.hologram_error_text.restype = c.c_char_p
        self._lib.hologram_kernel_path.restype = c.c_char_p
        self._lib.hologram_kernel_num_parameters.restype = c.c_size_t
        self._lib.hologram_kernel_parameter.restype = c.POINTER(_Parameter)
        self._lib.hologram_kernel_counts.restype = _Counts
        self._executor = c.c_void_p()
        self._check(self._lib.hologram_executor_create(c.byref(self._executor)))
        for bundle, trust in zip(bundles, expect):
            self._check(
                self._lib.hologram_executor_load_file(
                    self._executor, bundle.encode(), trust.encode() if trust else None
                )
            )
        self._kernels: dict[str, c.c_void_p] = {}

    def _check(self, error: int | None) -> None:
        if error:
            text = self._lib.hologram_error_text(c.c_void_p(error)).decode()
            self._lib.hologram_error_destroy(c.c_void_p(error))
            raise Failure(text)

    def _kernel(self, name: str) -> c.c_void_p:
        if name not in self._kernels:
            kernel = c.c_void_p()
            self._check(
                self._lib.hologram_executor_kernel(self._executor, name.encode(), c.byref(kernel))
            )
            self._kernels[name] = kernel
        return self._kernels[name]

    def engine(self, name: str) -> str:
        """What runs the kernel: "native (bundle, v4)" and the like."""
        return self._lib.hologram_kernel_path(self._kernel(name)).decode()

    def guarded(self, name: str) -> int:
        """How many launches had to check every access, on copies, because a proof did not hold."""
        return int(self._lib.hologram_kernel_counts(self._kernel(name)).guarded)

    def compiled(self, name: str) -> int:
        """How many launches ran compiled code, of whatever engine."""
        return int(self._lib.hologram_kernel_counts(self._kernel(name)).native)

    def _rows(self, name: str) -> list[_Parameter]:
        kernel = self._kernel(name)
        count = self._lib.hologram_kernel_num_parameters(kernel)
        return [self._lib.hologram_kernel_parameter(kernel, c.c_size_t(k))[0] for k in range(count)]

    def parameters(self, name: str) -> list[tuple[str, bool, int]]:
        """(name, is a buffer, type) of each parameter."""
        return [(row.name.decode(), bool(row.is_buffer), row.type) for row in self._rows(name)]

    def directions(self, name: str) -> list[tuple[str, int]]:
        """(name, 0 for in, 1 for out, 2 for both) of each parameter."""
        return [(row.name.decode(), row.direction) for row in self._rows(name)]

    def read_class(self, number: int, array: np.ndarray) -> None:
        """The first bytes of a class of the class memory."""
        self._check(
            self._lib.hologram_executor_read_class_memory(
                self._executor, c.c_uint64(12288 * number), array.ctypes.data_as(c.c_void_p),
                c.c_size_t(array.nbytes),
            )
        )  # fmt: skip

    def write_class(self, number: int, array: np.ndarray) -> None:
        self._check(
            self._lib.hologram_executor_write_class_memory(
                self._executor, c.c_uint64(12288 * number), array.ctypes.data_as(c.c_void_p),
                c.c_size_t(array.nbytes),
            )
        )  # fmt: skip

    def launch(
        self,
        name: str,
        values: dict[str, np.ndarray | float],
        grid: tuple[int, ...] | None,
        block: tuple[int, ...] | None,
        backend: int,
        nondeterministic: bool = False,
    ) -> None:
        """Runs the kernel on `values` by parameter name; arrays are written in place."""
        parameters = self.parameters(name)
        arguments = (_Argument * len(parameters))()
        for argument, (key, is_buffer, kind) in zip(arguments, parameters):
            value = values[key]
            if is_buffer:
                if not isinstance(value, np.ndarray) or not value.flags["C_CONTIGUOUS"]:
                    raise Failure(f"{name}: {key} must be a contiguous array")
                given = "bfloat16" if value.dtype == BFLOAT16 else value.dtype.name
                argument.code = TYPES[given] | BUFFER | WRITABLE
                argument.buffer = _BufferRef(value.ctypes.data, value.nbytes)
            else:
                argument.code = kind
                bits = struct.pack("<f", value)[2:]  # bf16: the upper half, of numbers that fit
                if kind != TYPES["bfloat16"]:
                    bits = struct.pack("<" + SCALARS[kind], value)
                argument.scalar = int.from_bytes(bits, "little")
        config = _Config(backend=backend, nondeterministic=nondeterministic)
        for field, triple in ((config.grid, grid), (config.block, block)):
            if triple is not None:
                field[:] = [*triple, *([1] * (3 - len(triple)))]
        self._check(
            self._lib.hologram_kernel_launch(
                self._kernel(name), arguments, c.c_size_t(len(parameters)), c.byref(config)
            )
        )
