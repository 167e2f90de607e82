"""Objects, shared libraries and C headers of `hologram compile`.

usage: c_interop_test.py HOLOGRAM KERNELS INCLUDE CC CXX

The header of every kernel of the tree is strict C99 and C++; a shared library computes what the
interpreter does; names that C cannot have are changed or refused; nothing is written over that the
command did not write. What a launch from C returns is tested by examples/c.
"""

from __future__ import annotations

import ctypes
import glob
import os
import subprocess
import sys
import tempfile
from typing import ClassVar

import numpy as np

STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror".split()
NAMES = """from hologram.lang import *


def exp(double: DeviceArray[f64], double_count: u32, register: f32, hologram_state: DeviceArray[f16],
        linux: DeviceArray[bf16], n: i64):
    i = get_global_id()
    if i < n:
        double[i] = f64(register) + f64(double_count)
        linux[i] = bf16(hologram_state[i])


def hologram_info(a: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        a[i] = u8(2)


def memcpy(a: DeviceArray[u8], memcpy_launch_grid: u32):
    i = get_global_id(1)
    if i < memcpy_launch_grid:
        a[i] = u8(1)


def waits(k: DeviceArray[u32], malloc: u32, free: u32, size_t: u32, UINT64_MAX: u32, uint32_t: u32):
    kept = local(u32, 4000)
    i = get_global_id()
    for step in range(3):
        round = u32(step)
        kept[(get_local_id() + round) % 4000] = get_local_id() + round
        barrier()
    if i < malloc and free + size_t + UINT64_MAX + uint32_t == 10:
        k[i] = kept[get_local_id() % 4000] + kept[(get_local_id() + 2) % 4000]
"""
MAIN = """#include "names.h"
int main(void) {
  double d[3] = {0, 0, 0};
  const uint16_t h[3] = {0x3c00, 0x4000, 0xc000};
  uint16_t b[3] = {0, 0, 0};
  uint8_t bytes[4] = {0, 0, 0, 0};
  const hologram_launch_shape shape = {{1, 1, 1}, {1, 4, 1}};
  const hologram_launch_shape row = {{2, 1, 1}, {512, 1, 1}};
  const hologram_launch_shape long_row = {{1, 1, 1}, {1025, 1, 1}};
  static uint32_t k[1024];
  if (!exp_supported()) return 0;
  if (exp_launch(d, 3, 7, 0.5f, h, 3, b, 3, -1, NULL) != HOLOGRAM_LAUNCH_DONE) return 1;
  if (d[0] != 0) return 2;
  if (exp_launch(d, 3, 7, 0.5f, h, 3, b, 3, 3, NULL) != HOLOGRAM_LAUNCH_DONE) return 3;
  if (d[2] != 7.5 || b[0] != 0x3f80 || b[2] != 0xc000) return 4;
  if (memcpy_launch_grid(bytes, 4, 4, &shape, NULL) != HOLOGRAM_LAUNCH_DONE) return 5;
  if (bytes[3] != 1) return 6;
  if (hologram_info_launch(bytes, 4, 4, NULL) != HOLOGRAM_LAUNCH_DONE || bytes[3] != 2) return 10;
  if (waits_launch_grid(k, 1024, 1024, 1, 2, 3, 4, &row, NULL) != HOLOGRAM_LAUNCH_DONE) return 7;
  for (uint32_t i = 0; i < 1024; ++i) {
    if (k[i] != 2 * (i % 512) + 2) return 8;
  }
  return waits_launch_grid(k, 1024, 1024, 1, 2, 3, 4, &long_row, NULL) == HOLOGRAM_LAUNCH_UNPROVED ? 0 : 9;
}
"""
REFUSED = {
    "race": """from hologram.lang import *


def race(a: DeviceArray[u32], b: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        b[a[i]] = i
""",
    "total": """from hologram.lang import *


def total(a: DeviceArray[f32], sum: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add_f32(sum, a[i])
""",
}


class Folder:
    def __init__(self, command: str, path: str) -> None:
        self.command = command
        self.path = path

    def file(self, name: str) -> str:
        return os.path.join(self.path, name)

    def write(self, name: str, text: str) -> None:
        with open(self.file(name), "w", encoding="ascii") as file:
            file.write(text)

    def run(self, *command: str, expect: int = 0) -> str:
        result = subprocess.run(
            command, cwd=self.path, capture_output=True, text=True, timeout=120, check=False
        )
        assert result.returncode == expect, f"{command}: {result.returncode} {result.stderr}"
        return result.stderr

    def compile(self, *arguments: str, expect: int = 0) -> str:
        return self.run(self.command, "compile", *arguments, expect=expect)


def check_tree(folder: Folder, kernels: str, include: str, cc: str, cxx: str) -> int:
    count = 0
    # Included, as programs do it: functions of the file itself would have to be used.
    with open(folder.file("includes.h"), "w", encoding="ascii") as file:
        file.write('#include "k.h"\nint nothing;\n')
    for path in sorted(glob.glob(os.path.join(kernels, "**", "*.py"), recursive=True)):
        said = subprocess.run(
            [folder.command, "compile", path, "--emit", "header", "-o", "k.h"],
            cwd=folder.path,
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode != 0:
            # Only what an object alone cannot do is refused, and with what to write instead.
            assert "write a bundle (-o FILE.holo)" in said.stderr, said.stderr
            continue
        count += 1
        only = ["-fsyntax-only", "-I", include, *STRICT]
        folder.run(cc, "-std=c99", *only, "-x", "c", "includes.h")
        folder.run(cxx, "-std=c++17", *only, "-x", "c++", "includes.h")
    return count


class BufferRef(ctypes.Structure):
    _fields_: ClassVar = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


def check_shared(folder: Folder, kernels: str) -> None:
    """saxpy from the library, called by the binary interface, against NumPy."""
    folder.compile(
        os.path.join(kernels, "elementwise", "saxpy.py"), "-o", "saxpy.so", "--level", "v2"
    )
    library = ctypes.CDLL(folder.file("saxpy.so"))
    info = (ctypes.c_uint8 * 40).in_dll(library, "hologram_info_saxpy")
    address = int.from_bytes(bytes(info)[8:16], "little")
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)(address)
    x = np.arange(1000, dtype=np.float32)
    y = np.full(1000, 3, np.float32)
    out = np.zeros(1000, np.float32)
    buffers = (BufferRef * 3)(
        *[BufferRef(array.ctypes.data, array.nbytes) for array in (x, y, out)]
    )
    scalars = np.array([int(np.float32(0.5).view(np.uint32)), 1000], np.uint64)
    shape = np.array([4, 1, 1, 256, 1, 1], np.uint32)
    state = np.array([1 << 24, 2**64 - 1, 0, 0, 0], np.uint64)
    outcome = entry(
        ctypes.addressof(buffers), scalars.ctypes.data, shape.ctypes.data, state.ctypes.data
    )
    assert outcome == 0 and np.array_equal(out, 0.5 * x + y), out
    check_carried(folder, os.path.join(kernels, "elementwise", "saxpy.py"))


def check_carried(folder: Folder, source: str) -> None:
    """The library as a bundle: its programs are those of the source, also when it was stripped."""
    subprocess.run(["strip", "-o", folder.file("bare.so"), folder.file("saxpy.so")], check=True)
    folder.compile(source, "-o", "saxpy.holo", "--native", "none")

    def said(*arguments: str) -> str:
        return subprocess.run(
            [folder.command, *arguments],
            cwd=folder.path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    for name in ("saxpy.so", "bare.so"):
        assert said("disasm", name) == said("disasm", "saxpy.holo")
        assert "saxpy(" in said("inspect", name)
        said("verify", name)
        np.save(folder.file("x.npy"), np.arange(5, dtype=np.float32))
        said(
            *("run", name, "--in", "x=x.npy", "--in", "y=x.npy", "--out", "out=out.npy:f32:5"),
            *("--set", "a=3", "--set", "n=5"),
        )
        assert np.array_equal(np.load(folder.file("out.npy")), 4 * np.arange(5))
    os.mkdir(folder.file("shelf"))
    os.rename(folder.file("bare.so"), folder.file("shelf/bare.so"))
    assert "saxpy" in said("kernels", "saxpy", "--path", "shelf")
    with open(folder.file("libempty.so"), "wb") as file:
        file.write(b"\x7fELF")
    message = folder.run(folder.command, "inspect", "libempty.so", expect=1)
    assert "shared library: not ELF of 64 bits" in message, message


def check_names(folder: Folder, include: str, cc: str) -> None:
    folder.write("names.py", NAMES)
    folder.write("main.c", MAIN)
    folder.compile("names.py", "-o", "names.o", "--level", "v3")
    strict = [cc, "-std=c99", *STRICT, "-Wno-builtin-declaration-mismatch", "-I", include]
    folder.run(*strict, "main.c", "names.o", "-o", "main")
    folder.run(folder.file("main"))


def check_extents(folder: Folder) -> None:
    """Extents and strides have the names of their arrays."""
    folder.write(
        "extents.py",
        "from hologram.lang import *\n\n\ndef k(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2]):\n"
        "    i, j = get_global_id(1), get_global_id(0)\n"
        "    if i < A.shape[0] and j < A.shape[1]:\n        B[i, j] = A[i, j]\n",
    )
    folder.compile("extents.py", "--emit", "header", "-o", "extents.h")
    with open(folder.file("extents.h"), encoding="utf-8") as file:
        header = file.read()
    for name in ("A_shape_0", "A_shape_1", "A_stride_0", "B_stride_0"):
        assert f"uint32_t {name}," in header, name
    assert "argument_" not in header
    assert (
        " *   A_stride_0: u32, elements of A from one index to the next in dimension 0\n" in header
    )
    # What there is not is said above the kernel, not behind it.
    missing = header.index("It has no k_launch: the grid does not follow from its arguments.")
    assert (
        missing < header.index("k_launch_grid(")
        and "\nstatic inline int32_t k_launch(" not in header
    )


def check_refusals(folder: Folder) -> None:
    for name, text in REFUSED.items():
        folder.write(f"{name}.py", text)
        said = folder.compile(f"{name}.py", "-o", f"{name}.o", expect=1)
        assert "write a bundle (-o FILE.holo)" in said, said
        assert not os.path.exists(folder.file(f"{name}.o")), name
    # A header of somebody's own stays, and then there is no object either.
    folder.write("one.py", NAMES[: NAMES.index("def exp")] + NAMES[NAMES.index("def memcpy") :])
    folder.write("one.h", "int mine;\n")
    said = folder.compile("one.py", "-o", "one.o", expect=1)
    assert "one.h exists and was not written by hologram compile; say --header FILE" in said, said
    assert not os.path.exists(folder.file("one.o"))
    folder.compile("one.py", "-o", "one.o", "--header", "other.h")
    folder.compile("one.py", "-o", "one.o", "--header", "other.h")
    with open(folder.file("one.h"), encoding="ascii") as file:
        assert file.read() == "int mine;\n"
    os.environ["CC"] = "/nonexistent/cc"
    said = folder.compile("one.py", "-o", "one.so", "--header", "other.h", expect=1)
    assert "cannot run '/nonexistent/cc'" in said, said
    assert not os.path.exists(folder.file("one.so"))


def main() -> int:
    command, kernels, include = map(os.path.abspath, sys.argv[1:4])
    cc, cxx = sys.argv[4:]
    os.environ["HOLOGRAM_PYTHON"] = sys.executable
    os.environ["CC"] = cc
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(command, path)
        count = check_tree(folder, kernels, include, cc, cxx)
        assert count >= 10, count
        check_shared(folder, kernels)
        check_names(folder, include, cc)
        check_extents(folder)
        check_refusals(folder)
    print(f"ok, {count} headers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
