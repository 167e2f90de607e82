"""Launches in windows: the bits of the whole, nothing outside of the windows.

Run with guard pages (tests/python): each window lies directly beside a page that nobody may touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import window_kernels as k

import hologram as hg

N = 3000
WIDTH, HEIGHT = 130, 24
STEPS = (1021, 64, 1)
RNG = np.random.default_rng(5)
FLOATS = RNG.standard_normal(2 * N, dtype=np.float32)
TABLE = RNG.standard_normal(8, dtype=np.float32)

FLAT = {"src": N, "dst": N, "n": N}
GRID = {"src": WIDTH * HEIGHT, "dst": WIDTH * HEIGHT, "width": WIDTH, "height": HEIGHT}
CASES: list[tuple[Any, dict[str, Any]]] = [
    (k.ramp, FLAT),
    (k.blur, FLAT),
    (k.pairs, {"src": 2 * N, "dst": N, "n": N}),
    (k.backwards, FLAT),
    (k.lookup, FLAT),
    (k.coefficients, {**FLAT, "table": 5}),
    (k.first_only, {**FLAT, "table": 6}),
    (k.jacobi[(2, HEIGHT), (65, 1)], GRID),
    (k.jacobi[(2, 6), (65, 4)], GRID),
    (k.plane[(2, 6), (65, 4)], {**GRID, "src": (HEIGHT, WIDTH), "dst": (HEIGHT, WIDTH)}),
    (k.taken_apart, GRID),
    (k.rows[(1,), (HEIGHT,)], {**GRID, "dst": HEIGHT}),
    (k.blocks[(47,), (64,)], FLAT),
]


def arrays_of(kernel: Any, whole: dict[str, Any]) -> dict[str, Any]:
    sizes = {
        name: int(np.prod(whole[name])) for name, form, *_ in kernel.parameters if form == "array"
    }
    made = {name: FLOATS[:size].copy() for name, size in sizes.items()}
    made["dst"] = np.zeros(sizes["dst"], np.float32)
    if "table" in made:
        made["table"] = TABLE[: sizes["table"]].copy()
    return made


def in_windows(kernel: Any, whole: dict[str, Any], arrays: dict[str, Any], step: int) -> Any:
    """Each window in memory of its own, of just what it reaches."""
    windows = hg.windows(kernel, **whole)
    dst = arrays["dst"].copy()
    for first in range(0, windows.units, step):
        last = min(first + step, windows.units)
        parts = {}
        reach = windows.reach(first, last)
        for name, one in reach.items():
            data = dst if name == "dst" else arrays[name]
            parts[name] = (data[one.low : one.high].copy(), one.low)
        windows.launch(first, last, **parts)
        one = reach["dst"]
        dst[one.low : one.high] = parts["dst"][0]
    return dst


@pytest.mark.parametrize("backend", ["auto", "interpreter"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_bits_are_those_of_the_whole(case: int, backend: str) -> None:
    kernel, whole = CASES[case]
    kernel = kernel.configure(backend=backend)
    arrays = arrays_of(kernel, whole)
    expected = {name: array.copy() for name, array in arrays.items()}
    shaped = {name: a.reshape(whole[name]) for name, a in expected.items()}
    names = [name for name, *_ in kernel.parameters]
    kernel(*(shaped.get(name, whole.get(name)) for name in names))
    for step in STEPS if backend == "auto" else STEPS[:2]:
        got = in_windows(kernel, whole, arrays, step)
        assert got.tobytes() == expected["dst"].tobytes(), step


def test_threads_give_the_same_bits() -> None:
    n = 1 << 20
    src = np.tile(FLOATS, n // FLOATS.size + 1)[:n]
    whole, out = np.zeros(n, np.float32), np.zeros(n, np.float32)
    k.ramp(src, whole, n)
    windows = hg.windows(k.ramp.configure(threads=2), src=n, dst=n, n=n)
    for first, last in ((0, 999_999), (999_999, windows.units)):
        reach = windows.reach(first, last)["src"]
        part = (src[reach.low : reach.high], reach.low)
        windows.launch(first, last, src=part, dst=(out[reach.low : reach.high], reach.low))
    assert out.tobytes() == whole.tobytes()


def test_what_is_reached() -> None:
    windows = hg.windows(k.blur, src=N, dst=N, n=N)
    assert (windows.units, windows.unit) == (3072, "lanes")
    assert windows.reach(1000, 2000) == {
        "src": ("moves", 999, 2001, 0, 0),
        "dst": ("moves", 1000, 2000, 1000, 2000),
    }
    assert windows.reach(0, 1)["dst"].kind == "none"
    assert windows.reach(3000, 3072)["src"].kind == "none"
    assert windows.reach(7, 7)["src"].kind == "none"
    counts = hg.windows(k.histogram[(12,), (256,)], src=N, table=256, n=N)
    assert counts.reach(0, 10)["table"].kind in ("stays", "any")
    assert hg.windows(k.lookup, src=N, dst=N, n=N).reach(200, 300)["src"].kind in ("moves", "any")


def test_a_window_that_is_too_small_runs_nothing() -> None:
    windows = hg.windows(k.blur, src=N, dst=N, n=N)
    src, out = FLOATS[:1024].copy(), np.zeros(1024, np.float32)
    with pytest.raises(
        hg.ArgumentError, match=r"src\[i \+ 1\] of lane 0 to 1023 may be element 1024"
    ):
        windows.launch(0, 1024, src=(src, 0), dst=(out, 0))
    with pytest.raises(hg.ArgumentError, match=r"src\[i - 1\] of lane 1 to 1022 may be element 0"):
        windows.launch(1, 1023, src=(src, 1), dst=(out, 0))
    with pytest.raises(hg.ArgumentError, match="the window of 'dst' ends at 1000"):
        windows.launch(0, 1023, src=(src, 0), dst=(out[:1000], 0))
    assert not out.any()
    windows.launch(0, 1023, src=(src, 0), dst=(out, 0))
    assert out[1:1023].all()


def test_windows_that_are_none() -> None:
    windows = hg.windows(k.ramp, src=N, dst=N, n=N)
    some = np.zeros(10, np.float32)
    with pytest.raises(hg.ArgumentError, match="lanes 3000 to 3073, the launch has 3072"):
        windows.launch(3000, 3073, src=(some, 0), dst=(some.copy(), 0))
    with pytest.raises(hg.ArgumentError, match="lanes 2 to 1"):
        windows.launch(2, 1, src=(some, 0), dst=(some.copy(), 0))
    with pytest.raises(hg.ArgumentError, match="10 elements from element 2995 on; the whole array"):
        windows.launch(2995, 3000, src=(some, 2995), dst=(some.copy(), 2990))
    empty = np.zeros(0, np.float32)
    windows.launch(0, 0, src=(empty, 0), dst=(empty.copy(), N))
    windows.launch(3000, 3072, src=(empty, N), dst=(empty.copy(), 0))


def test_two_windows_of_one_array_are_apart_or_the_same() -> None:
    memory = FLOATS[:1024].copy()
    windows = hg.windows(k.ramp, src=N, dst=N, n=N)
    with pytest.raises(hg.ArgumentError, match="'src' and 'dst' overlap in part|share memory"):
        windows.launch(0, 100, src=(memory, 0), dst=(memory[1:], 0))
    # The same memory, but not the same elements.
    with pytest.raises(hg.ArgumentError, match="'src' and 'dst'"):
        windows.launch(10, 100, src=(memory, 0), dst=(memory, 5))
    expected = memory[:100] * np.arange(100, dtype=np.float32)
    windows.launch(0, 100, src=(memory, 0), dst=(memory, 0))
    assert memory[:100].tobytes() == expected.tobytes()


@pytest.mark.parametrize("backend", ["auto", "interpreter"])
def test_arrays_that_are_too_short_are_checked(backend: str) -> None:
    kernel = k.ramp.configure(backend=backend)
    windows = hg.windows(kernel, src=2000, dst=N, n=N)
    out = np.zeros(500, np.float32)
    # The proof does not cover these arguments; these lanes are inside all the same.
    windows.launch(1000, 1500, src=(FLOATS[1000:1500].copy(), 1000), dst=(out, 1000))
    assert out.tobytes() == (FLOATS[1000:1500] * np.arange(1000, 1500, dtype=np.float32)).tobytes()
    with pytest.raises(hg.FaultError, match=r"src\[i\] reads element 2000 of 2000"):
        windows.launch(1900, 2400, src=(FLOATS[1900:2000].copy(), 1900), dst=(out, 1900))


def test_counts_and_faults() -> None:
    data = RNG.integers(0, 256, N, dtype=np.uint8)
    table = np.zeros(256, np.uint32)
    windows = hg.windows(k.histogram[(12,), (256,)], src=N, table=256, n=N)
    for first in range(0, windows.units, 700):
        last = min(first + 700, windows.units)
        reach = windows.reach(first, last)["src"]
        windows.launch(
            first, last, src=(data[reach.low : reach.high].copy(), reach.low), table=table
        )
    assert (table == np.bincount(data, minlength=256)).all()
    with pytest.raises(hg.ArgumentError, match="'table'"):
        windows.launch(0, 10, src=(data[:10].copy(), 0), table=(table[:200].copy(), 0))
    numbers = np.ones(100, np.int32)
    numbers[50] = 0
    parts = hg.windows(k.divides, x=N, y=N, n=N)
    with pytest.raises(hg.FaultError, match=r"division by zero"):
        parts.launch(1000, 1100, x=(numbers, 1000), y=(np.zeros(100, np.int32), 1000))


def test_what_does_not_run_in_windows() -> None:
    windows = hg.windows(k.add_up[(12,), (256,)], src=N, total=1, n=N)
    with pytest.raises(hg.UnsupportedError, match="adds floats atomically"):
        windows.launch(0, 10, src=(FLOATS[:10].copy(), 0), total=np.zeros(1, np.float32))
    with pytest.raises(hg.ArgumentError, match="there is no parameter 'm'"):
        hg.windows(k.ramp, src=N, dst=N, m=N)
    with pytest.raises(hg.ArgumentError, match="'n' is missing"):
        hg.windows(k.ramp, src=N, dst=N)


def test_the_thread_counts_of_the_process_hold() -> None:
    n = 4_000_000
    floats, out = np.ones(n, np.float32), np.zeros(n, np.float32)
    windows = hg.windows(k.ramp, src=n, dst=n, n=n)

    def threads() -> int:
        windows.launch(0, windows.units, src=(floats, 0), dst=(out, 0))
        return k.ramp.last_launch.threads

    if (usual := threads()) < 2:
        pytest.skip("one processor, or no native code")
    with hg.threads(1):
        assert threads() == 1
    hg.set_threads(1)
    try:
        assert threads() == 1
    finally:
        hg.set_threads(None)
    assert threads() == usual
