"""Code that the compiler plugin has made is never writable and executable at once."""

from __future__ import annotations

import ctypes  # noqa: F401  makes a callback when it is imported, in writable code of libffi
import os
import threading
from pathlib import Path

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import DeviceArray, f32, get_global_id, u32  # noqa: E402

MAPS = Path("/proc/self/maps")
N = 1 << 16


@hg.kernel
def triple(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = x[i] * 3.0


@hg.kernel
def halve(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = x[i] * 0.5


def mapped_as_writable_code() -> list[str]:
    lines = MAPS.read_text().splitlines()
    assert lines
    return [line for line in lines if "wx" in line.split()[1]]


# What others have made before any kernel.
OF_OTHERS = mapped_as_writable_code()


def writable_code() -> list[str]:
    return [line for line in mapped_as_writable_code() if line not in OF_OTHERS]


def test_no_writable_code_while_kernels_are_compiled_and_run():
    stop = threading.Event()
    found: list[str] = []
    looks = 0

    def look() -> None:
        nonlocal looks
        while not stop.is_set() and not found:
            found.extend(writable_code())
            looks += 1

    watcher = threading.Thread(target=look)
    watcher.start()
    x = np.ones(N, np.float32)
    try:
        while looks < 30 and watcher.is_alive():
            triple(x, N)
            halve(x, N)
            np.minimum(x, 1.0, out=x)
    finally:
        stop.set()
        watcher.join()
    assert found == []
    assert looks >= 30
    assert np.all(x == 1.0)
    native = os.environ.get("HOLOGRAM_JIT") != "/nonexistent"
    assert triple.path.startswith("native" if native else "interpreter")
