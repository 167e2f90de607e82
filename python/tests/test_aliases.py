"""Arrays that share memory, above all those that share only an address: slices of one array, of
which some have no elements. Launches on copies, and the texts of faults, which come of copies too,
must leave what NumPy leaves. Needs the built module."""

from __future__ import annotations

import itertools
import re

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import DeviceArray, get_global_id, u32  # noqa: E402

SIZE = 200_000  # far beyond what an allocation of 64 bytes has behind it
LARGE = 4_000_000  # and behind all of the heap
BACKENDS = ["interpreter", "auto"]


@hg.kernel
def change(x: DeviceArray[u32], y: DeviceArray[u32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        if i < limits[0]:
            x[i] = x[i] + 3
        if i < limits[1]:
            y[i] = y[i] * 2 + i


# Proved, each array by a number of its own, so that native code runs it beside an empty array too.
@hg.kernel
def fill(x: DeviceArray[u32], y: DeviceArray[u32], m: u32, n: u32, bad: u32):
    i = get_global_id()
    if i < m:
        x[i] = 3
    if i < n:
        y[i] = i
    assert i != bad


@hg.kernel
def printed(x: DeviceArray[u32], y: DeviceArray[u32], m: u32, n: u32, bad: u32):
    i = get_global_id()
    if i == bad:
        print("bad", i)
    if i < m:
        x[i] = x[i] + 3
    if i < n:
        y[i] = y[i] * 2 + i
    assert i != bad


@hg.kernel
def gather(src: DeviceArray[u32], dst: DeviceArray[u32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        if i < limits[1]:
            dst[i] = i
        if i < limits[0]:
            dst[i] = src[i] + 1


def places(size: int) -> list[tuple[slice, slice]]:
    """Slices without elements, beside and inside of one that has some, in both orders."""
    whole = slice(0, size)
    empty = [slice(k, k) for k in (0, 1, size // 2, size)]
    pairs = [(e, whole) for e in empty] + [(whole, e) for e in empty]
    half = size // 2
    pairs += [(slice(half, half), slice(half, size)), (slice(0, half), slice(half, half))]
    return pairs + list(itertools.product(empty[:1], empty))


def expected(memory, x: slice, y: slice):
    result = memory.copy()
    result[x] += 3
    result[y] = result[y] * 2 + np.arange(result[y].size, dtype=np.uint32)
    return result


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 33, SIZE])
def test_a_launch_on_copies(backend: str, size: int) -> None:
    run = change.configure(backend=backend)
    for x, y in places(size):
        memory = np.arange(size, dtype=np.uint32)
        wanted = expected(memory, x, y)
        limits = np.array([memory[x].size, memory[y].size], np.uint32)
        # One lane more than there are elements: no proof covers it.
        run[size // 256 + 1, 256](memory[x], memory[y], limits, size + 1)
        assert change.last_launch.checked
        assert np.array_equal(memory, wanted), (x, y)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 33, SIZE])
def test_a_launch_whose_proof_holds(backend: str, size: int) -> None:
    run = change.configure(backend=backend)
    for x, y in places(size):
        memory = np.arange(size, dtype=np.uint32)
        n = min(memory[x].size, memory[y].size)  # all lanes have elements, or there are no lanes
        limits = np.array([n, n], np.uint32)
        wanted = expected(memory, slice(x.start, x.start + n), slice(y.start, y.start + n))
        run[size // 256 + 1, 256](memory[x], memory[y], limits, n)
        assert np.array_equal(memory, wanted), (x, y)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernel", [fill, printed])
@pytest.mark.parametrize("size", [1, 33, LARGE])
def test_the_text_of_a_fault(backend: str, kernel: hg.Kernel, size: int) -> None:
    run = kernel.configure(backend=backend)[size // 256 + 1, 256]
    bad = size - 1
    memory = np.arange(size + 64, dtype=np.uint32)
    for x, y in places(size):
        if size == LARGE and kernel is printed and x.stop != 0:
            continue  # one by one is slow
        ends = x.stop - x.start, y.stop - y.start
        with pytest.raises(hg.FaultError, match=re.escape(f"(i = {bad}, bad = {bad})")):
            run(memory[x], memory[y], *ends, bad)
        assert memory[size:].tolist() == list(range(size, size + 64))


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_read_where_an_empty_output_begins(backend: str) -> None:
    run = gather.configure(backend=backend)
    for size in (1, 33, SIZE):
        source = np.arange(size, dtype=np.uint32)
        limits = np.array([0, 0], np.uint32)
        run[size // 256 + 1, 256](source, source[:0], limits, size)
        assert np.array_equal(source, np.arange(size, dtype=np.uint32))
        limits[1] = size  # the output has no such element
        with pytest.raises(hg.FaultError, match=r"dst\[i\] writes element 0 of 0 \(i = 0\)"):
            run[size // 256 + 1, 256](source, source[:0], limits, size)
        assert np.array_equal(source, np.arange(size, dtype=np.uint32))


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_that_overlap_in_part_are_refused(backend: str) -> None:
    run = change.configure(backend=backend)
    memory = np.arange(64, dtype=np.uint32)
    limits = np.array([10, 10], np.uint32)
    whole = slice(0, 64)
    for x, y in ((slice(0, 63), whole), (slice(0, 33), slice(32, 64)), (slice(5, 6), whole)):
        for n in (1, 65):
            with pytest.raises(hg.ArgumentError, match=r"overlap in part|share memory|same memory"):
                run(memory[x], memory[y], limits, n)
    assert memory.tolist() == list(range(64))
