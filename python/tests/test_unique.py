"""unique(p): a permutation in a table. Launches that keep the promise run natively on any number
of threads with the interpreter's bits; others are refused, and write nothing. Needs the built
module."""

from __future__ import annotations

from typing import TypeVar

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import (  # noqa: E402
    DeviceArray,
    f32,
    get_global_id,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    unique,
)
from hologram.simulator import launch  # noqa: E402
from hologram.simulator.errors import LaunchError  # noqa: E402

T = TypeVar("T", i8, i16, i32, i64, u8, u16, u32, u64)
TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


@hg.kernel
def permute(p: DeviceArray[T], x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    unique(p)
    i = get_global_id()
    if i < n:
        out[p[i]] = x[i]


@hg.kernel
def add(p: DeviceArray[u32], x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    unique(p)
    i = get_global_id()
    if i < n:
        out[p[i]] += x[i]


@hg.kernel
def move_rows(p: DeviceArray[u32], x: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    unique(p)
    i = get_global_id()
    if i < x.shape[0]:
        r = p[i]
        if r < out.shape[0]:
            for c in range(out.shape[1]):
                out[r, c] = x[i, c]


@hg.kernel
def from_table(p: DeviceArray[u32, 2], x: DeviceArray[f32], out: DeviceArray[f32]):
    unique(p)
    i, j = get_global_id(0), get_global_id(1)
    if i < p.shape[0] and j < p.shape[1]:
        out[p[i, j]] = x[i * p.shape[1] + j]


@hg.kernel
def undeclared(p: DeviceArray[u32], x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[p[i]] = x[i]


@hg.kernel(block=1)
def pairs(p: DeviceArray[u8], x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    unique(p)
    i = get_global_id()
    if i < n:
        out[2 * p[i >> 1] + 1] = x[i] + i32(i)


def table(n, kind="u4"):
    return np.random.default_rng(n).permutation(n).astype(kind)


def data(*shape):
    return np.random.default_rng(7).random(shape, dtype=np.float32)


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_and_number_of_threads(kind):
    n = 100 if kind[1] == "1" else 20_000 if kind[1] == "2" else 300_000
    p, x = table(n, kind), data(n)
    wanted = np.zeros(n, np.float32)
    wanted[p] = x
    for configured in (
        *(permute.configure(threads=threads) for threads in (1, 2, 7)),
        permute.configure(backend="interpreter"),
        permute.configure(deterministic=False),
    ):
        out = np.zeros(n, np.float32)
        configured(p, x, out, n)
        assert np.array_equal(out, wanted)


def test_runs_natively_on_threads():
    kernel = permute.instance(T="u32")
    if not kernel.path.startswith("native"):
        pytest.skip("no compiler plugin")
    n = 1_000_000
    out = np.zeros(n, np.float32)
    kernel.configure(threads=2)(table(n), data(n), out, n)
    last = kernel.last_launch
    assert (last.engine, last.threads, last.checked, last.reason) == ("cpu", 2, False, "")


@pytest.mark.parametrize("backend", ("auto", "interpreter"))
def test_equal_elements_are_refused(backend):
    p, x, out = table(1000, "i4"), data(1000), np.full(1000, -1, np.float32)
    p[900] = p[31]
    message = f"array p is declared unique, but its elements 31 and 900 are both {p[31]}"
    for n in (1000, 10):  # also beyond what lanes use
        with pytest.raises(hg.ArgumentError) as error:
            permute.configure(backend=backend)(p, x, out, n)
        assert message in str(error.value)
        with pytest.raises(hg.ArgumentError):
            permute.configure(backend=backend, deterministic=False)(p, x, out, n)
    assert (out == -1).all()


# Where another refusal rests on equal elements, which each engine finds in its own way.
@pytest.mark.parametrize("length", (17, 600))
def test_equal_elements_come_before_what_they_cause(length):
    x, out = np.arange(17, dtype=np.int32), np.zeros(length, np.int32)
    messages = set()
    for backend in ("auto", "interpreter"):
        kernel = pairs.configure(grid=4, backend=backend)
        with pytest.raises(hg.ArgumentError, match="elements 0 and 2 are both 13") as error:
            kernel(np.array([13, 59, 13], np.uint8), x, out, 4)
        messages.add(str(error.value))
        assert kernel.last_launch.engine == ""
    assert len(messages) == 1
    assert not out.any()


def test_far_apart_and_negative_elements_are_out_of_bounds_and_not_equal():
    p = np.array([0, -5, 1 << 60, -(1 << 62)], np.int64)
    out = np.zeros(4, np.float32)
    permute(p, data(4), out, 1)
    with pytest.raises(hg.FaultError, match="writes element -5 of 4"):
        permute(p, data(4), out, 4)
    p[1] = 1 << 60
    with pytest.raises(hg.ArgumentError, match="elements 1 and 2 are both 1152921504606846976"):
        permute(p, data(4), out, 1)


def test_no_elements():
    out = np.ones(4, np.float32)
    permute(np.zeros(0, np.uint32), data(4), out, 0)
    assert (out == 1).all()


def test_the_checked_form():
    # n is more than the arrays have, so no proof covers the launch.
    p, x, out = table(1000), data(1000), np.zeros(1000, np.float32)
    with pytest.raises(hg.FaultError, match="element 1000 of 1000"):
        permute[4, 256](p, x, out, 1024)
    p[5] = p[6]
    with pytest.raises(hg.ArgumentError, match="declared unique"):
        permute[4, 256](p, x, out, 1024)


def test_updates_and_rows():
    p, x = table(5000), data(5000)
    out = np.ones(5000, np.float32)
    add(p, x, out, 5000)
    wanted = np.ones(5000, np.float32)
    wanted[p] += x
    assert np.array_equal(out, wanted)
    rows = np.zeros((700, 9), np.float32)
    q, y = table(700), data(700, 9)
    move_rows(q, y, rows)
    moved = np.zeros_like(rows)
    moved[q] = y
    assert np.array_equal(rows, moved)


def test_tables_of_several_dimensions_with_gaps_and_without_strides():
    whole = table(64 * 40).reshape(64, 40)
    for p in (whole, whole[:, :32], whole[::2]):
        out = np.zeros(whole.size, np.float32)
        x = data(p.size)
        from_table(p, x, out)
        wanted = np.zeros(whole.size, np.float32)
        wanted[p.reshape(-1)] = x
        assert np.array_equal(out, wanted)
    # Rows that are one row: the shape of the table is a condition of the launch.
    out = np.zeros(64 * 40, np.float32)
    with pytest.raises(hg.ArgumentError):
        from_table(np.broadcast_to(whole[0], (64, 40)), data(64 * 40), out)
    assert (out == 0).all()
    # What is between the rows counts.
    whole[3, 39] = whole[4, 39]
    with pytest.raises(hg.ArgumentError, match="declared unique"):
        from_table(whole[:, :32], data(64 * 32), out)


def test_output_that_shares_memory_with_the_table():
    memory = table(100)
    with pytest.raises(hg.ArgumentError, match="share memory"):
        permute(memory, data(100), memory.view(np.float32), 100)


def test_pipelines_check_each_run():
    p, x = table(100), data(100)
    with hg.capture() as captured:
        out = captured.empty(100)
        permute(captured.input("p", p), captured.input("x", x), out, 100)
        captured.output("out", out)
    other = table(100)[::-1].copy()
    wanted = np.zeros(100, np.float32)
    wanted[other] = x
    assert np.array_equal(captured.run(other, x), wanted)
    other[1] = other[0]
    with pytest.raises(hg.ArgumentError, match="elements 0 and 1 are both"):
        captured.run(other, x)


def test_messages():
    out = np.zeros(100, np.float32)
    with pytest.raises(hg.ArgumentError) as error:
        undeclared(table(100), data(100), out, 100)
    assert (
        "two lanes may write the same element, unless unique(p) declares that no two elements of "
        "p are equal; no two lanes of this launch meet there; deterministic=False"
    ) in str(error.value)
    assert "one lane to an element by unique(p)" in add.explain()


def test_plain_python_checks_too():
    def plain(p: DeviceArray[i32], out: DeviceArray[f32]):
        unique(p)
        i = get_global_id()
        if i < len(p):
            out[p[i]] = 1.0 + f32(i)

    out = np.zeros(4, np.float32)
    launch(plain)(np.array([2, 0, 3, 1], np.int32), out)
    assert out.tolist() == [2.0, 4.0, 1.0, 3.0]
    with pytest.raises(LaunchError, match="elements 0 and 2 are both 3"):
        launch(plain)(np.array([3, 0, 3, 1], np.int32), out)
