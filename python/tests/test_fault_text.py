"""The text of a fault on both engines, above all where a kernel has changed what it has read: both
name the values of variables, or neither does. Needs the built module."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import (  # noqa: E402
    DeviceArray,
    atomic_add,
    barrier,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u32,
)

SIZE = 3000


@hg.kernel
def look_up(table: DeviceArray[u32], x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        x[i] = table[q] + 1


@hg.kernel
def copied(table: DeviceArray[u32], x: DeviceArray[u32], y: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        y[i] = table[q] + 1


@hg.kernel
def divided(x: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i] - 70
        x[i] = 1000 // q


@hg.kernel
def asserted(x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        assert q != 70
        x[i] = q + 1


@hg.kernel
def stored_before(x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i] * 2
        x[i] = q
        r = x[i] + 1
        assert r != 141


@hg.kernel
def stored_in_a_loop(table: DeviceArray[u32], x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        for _ in range(3):
            q = x[i]
            x[i] = table[q] + 1


@hg.kernel
def stored_elsewhere(x: DeviceArray[u32], y: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        y[i] = q
        assert q != 70
        x[i] = q + 1


@hg.kernel
def exchanged(x: DeviceArray[u32], n: u32):
    tile = shared(u32, 256)
    i = get_global_id()
    j = get_local_id()
    tile[j] = 0
    if i < n:
        tile[j] = x[i]
    barrier()
    q = tile[255 - j]
    assert q != 70
    if i < n:
        x[i] = q


@hg.kernel
def counted(x: DeviceArray[u32], counts: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        atomic_add(counts, q % 10, 1)
        assert q != 70
        x[i] = q + 1


@hg.kernel
def printed(x: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        q = x[i]
        if q == 70:
            print("seventy at", i)
        x[i] = q + 1
        assert q != 70


def numbers(dtype: type = np.uint32):
    return np.arange(SIZE, dtype=dtype)[::-1].copy()


TABLE = np.arange(70, dtype=np.uint32)[::-1].copy()  # 70 is outside
TABLE_OF_ALL = np.minimum(np.arange(SIZE, dtype=np.uint32), 100)

# The kernel, its arrays, and what the text says of variables.
CASES = {
    "in place, read": (look_up, lambda x: (TABLE_OF_ALL[:2999], x), "(q = 2999)"),
    "another one": (copied, lambda x: (TABLE_OF_ALL[:2999], x, np.empty_like(x)), "(q = 2999)"),
    "the same": (copied, lambda x: (TABLE_OF_ALL[:2999], x, x), "(q = 2999)"),
    "a part": (copied, lambda x: (TABLE_OF_ALL[:2999], x[:1], x[1:2]), "(q = 2999)"),
    "in place, asserted": (asserted, lambda x: (x,), "(q = 70)"),
    "stored before": (stored_before, lambda x: (x,), ""),
    "stored in a loop": (stored_in_a_loop, lambda x: (TABLE_OF_ALL[:101], x), ""),
    "stored elsewhere": (stored_elsewhere, lambda x: (x, np.empty_like(x)), "(q = 70)"),
    "shared memory": (exchanged, lambda x: (x,), ""),
    "atomics": (counted, lambda x: (x, np.zeros(10, np.uint32)), ""),
    "prints": (printed, lambda x: (x,), "(q = 70)"),
}


def text_of(kernel: hg.Kernel, *arguments: object) -> str:
    with pytest.raises(hg.FaultError) as caught:
        kernel(*arguments)
    return str(caught.value).split("\n", maxsplit=1)[0]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("threads", [1, 2])
def test_both_engines_say_the_same(case: str, threads: int) -> None:
    kernel, given, variables = CASES[case]
    texts = []
    for backend in ("interpreter", "auto"):
        run = kernel.configure(backend=backend, threads=threads)
        arrays = given(numbers())
        count = SIZE if case != "a part" else 1
        texts.append(text_of(run, *arrays, count))
    assert texts[0] == texts[1]
    assert texts[0].endswith(variables) if variables else not texts[0].endswith(")"), texts[0]


def test_a_division() -> None:
    texts = [
        text_of(divided.configure(backend=backend), numbers(np.int32), SIZE)
        for backend in ("interpreter", "auto")
    ]
    assert texts[0] == texts[1]
    assert texts[0].endswith("division by zero: 1000 // q (q = 0)"), texts[0]


def test_each_lane_may_be_the_one() -> None:
    for place in (0, 1, 255, 256, 1000, SIZE - 1):
        texts = []
        for backend in ("interpreter", "auto"):
            x = np.zeros(SIZE, np.uint32)
            x[place:] = 70
            texts.append(text_of(asserted.configure(backend=backend), x, SIZE))
            assert x[:place].tolist() == [1] * place
        assert texts[0] == texts[1]
        assert texts[0].endswith("(q = 70)")
