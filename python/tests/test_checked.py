"""Launches that the proofs of a kernel do not cover, although nothing is wrong with them: native
code of the checked form, or of the kernel itself on one thread, leaves what the interpreter leaves,
bit for bit, and after a fault what was there before. Needs the built module."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import (  # noqa: E402
    DeviceArray,
    atomic_add,
    barrier,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
    u8,
    u32,
)

LANES = 512
NO_PROOF = "native, checked: the proof of its accesses does not cover these arguments"
ONE_THREAD = "on one thread, as several lanes may touch one element"


@hg.kernel
def fill(o: DeviceArray[f32, 3]):
    row, head = get_global_id(0), get_block_id(1)
    if row < o.shape[1] and head < o.shape[0]:
        for d in range(o.shape[2]):
            o[head, row, d] = 1.0 + d


@hg.kernel
def copy(x: DeviceArray[f32], y: DeviceArray[f32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < limits[0]:
        y[i] = x[i] * 2.0


@hg.kernel
def neighbours(x: DeviceArray[f32], y: DeviceArray[f32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i >= 1 and i < n and i + 1 < limits[0]:
        y[i] = x[i - 1] + x[i] * 0.5 + x[i + 1]


@hg.kernel
def strided(x: DeviceArray[u8], y: DeviceArray[i32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < limits[0]:
        y[i * 2] = i32(x[i * 3]) - 7
        y[i * 2 + 1] = i32(x[0])


@hg.kernel
def columns(m: DeviceArray[f32], sums: DeviceArray[f32], limits: DeviceArray[u32], n: u32, w: u32):
    i = get_global_id()
    if i < n:
        total = 0.0
        for k in range(w):
            if k < limits[0]:
                total += m[i * w + k]
        if i < limits[1]:
            sums[i] = total


@hg.kernel(block=64)
def turned(x: DeviceArray[f32], y: DeviceArray[f32], limits: DeviceArray[u32], n: u32):
    tile = shared(f32, 64)
    i, lane = get_global_id(), get_local_id()
    tile[lane] = 0.0
    if i < n and i < limits[0]:
        tile[lane] = x[i]
    barrier()
    if i < n and i < limits[1]:
        y[i] = tile[63 - lane]


@hg.kernel
def histogram(x: DeviceArray[u32], bins: DeviceArray[u32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < limits[0]:
        atomic_add(bins, i % limits[1], x[i])


@hg.kernel
def once(x: DeviceArray[f32], y: DeviceArray[f32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < limits[0]:
        y[i] = x[i] + 3.0


@hg.kernel
def spread(y: DeviceArray[u32], n: u32):
    i = get_global_id()
    y[i * n] = i


def run(kernel, backend, arguments, **options):
    """What the arrays hold behind the launch, and the error."""
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    error = None
    try:
        kernel.configure(backend=backend, **options)(*mine)
    except hg.FaultError as fault:
        error = str(fault)
    return [a.tobytes() for a in mine if isinstance(a, np.ndarray)], error


def both(kernel, arguments, *, grid, block, deterministic=True):
    """The same on both engines; the last launch of native code."""
    options = {"grid": grid, "block": block, "deterministic": deterministic}
    expected = run(kernel, "interpreter", arguments, **options)
    found = run(kernel, "cpu", arguments, **options)
    assert found == expected
    before = [a.tobytes() for a in arguments if isinstance(a, np.ndarray)]
    last = kernel.last_launch
    if last.checked and found[1] is not None:
        assert found[0] == before, "a launch with a fault leaves no trace"
    return last, found[1]


@pytest.fixture(autouse=True)
def needs_native():
    if not copy.path.startswith("native"):
        pytest.skip("no compiler plugin")


def test_the_grid_may_be_larger_than_the_array():
    o = np.zeros((3, 70, 5), np.float32)
    last, error = both(fill, [o], grid=(4, 5), block=32)
    assert error is None
    assert (last.engine, last.checked, last.reason) == ("cpu", False, "")


def arrays_of(kernel, limits, n, rng):
    """Arrays that are as long as `limits` demands, or a little shorter: then it may be a fault."""
    first = int(limits[0])
    if kernel is strided:
        sizes, types = (3 * first, 2 * first), (np.uint8, np.int32)
    elif kernel is columns:
        width = rng.choice([1, 3, 16, 17])
        limits[0] = rng.choice([0, width, width + 5])
        rows = int(limits[1])
        short = rng.choice([0, 0, 0, 1])
        return [
            values(max(rows * width - short, 0), np.float32, rng),
            values(rows, np.float32, rng),
            limits,
            n if rng.random() < 0.5 else rows,
            width,
        ]
    elif kernel is turned:
        sizes, types = (first, int(limits[1])), (np.float32, np.float32)
    elif kernel is histogram:
        limits[1] = max(limits[1], 1)
        sizes, types = (first, int(limits[1])), (np.uint32, np.uint32)
    else:
        sizes, types = (first, first), (np.float32, np.float32)
    short = [rng.choice([0, 0, 0, 0, 1, 7]) for _ in sizes]
    made = [
        values(max(size - less, 0), kind, rng)
        for size, less, kind in zip(sizes, short, types, strict=True)
    ]
    return [*made, limits, n]


def values(size, kind, rng):
    made = np.random.default_rng(rng.randrange(1 << 30)).integers(0, 200, size).astype(kind)
    if kind == np.float32 and size > 3:
        made[rng.randrange(size)] = np.nan
        made[rng.randrange(size)] = -0.0
    return made


KERNELS = [copy, neighbours, strided, columns, turned, histogram]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__wrapped__.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_random_launches_as_in_the_interpreter(kernel, seed):
    rng = random.Random(seed)
    faults = checked = 0
    for _ in range(30):
        n = rng.choice([LANES, LANES, 300, 1])
        most = rng.choice([0, 1, 2, 15, 16, 17, 63, 64, 65, 255, LANES - 1, LANES])
        limits = np.array([most, rng.randrange(LANES)], np.uint32)
        arguments = arrays_of(kernel, limits, n, rng)
        # A block of more lanes than its tile has elements is the form's too.
        blocks = [64, 64, 32, 65, 128] if kernel is turned else [32, 64, 256, 1]
        block = rng.choice(blocks)
        last, error = both(kernel, arguments, grid=-(-LANES // block), block=block)
        faults += error is not None
        if error is not None and last.checked:
            assert last.engine == "interpreter"
        elif last.checked:
            assert (last.engine, last.reason) == ("cpu", NO_PROOF)
            checked += 1
    assert faults > 0 and checked > 0


def test_no_array_has_elements():
    nothing = np.zeros(0, np.float32)
    limits = np.zeros(2, np.uint32)
    last, error = both(copy, [nothing, nothing.copy(), limits, 100], grid=1, block=128)
    assert error is None and last.checked and last.engine == "cpu"
    assert copy.counts["guarded"] > 0


def test_an_array_may_be_read_and_written_and_is_restored():
    x = np.arange(100, dtype=np.float32)
    for more in (0, 1):
        limits = np.array([100 + more, 0], np.uint32)
        expected, mine = x.copy(), x.copy()
        for array, backend in ((expected, "interpreter"), (mine, "cpu")):
            launch = copy.configure(grid=2, block=64, backend=backend)
            if more:
                with pytest.raises(hg.FaultError):
                    launch(array, array, limits, 128)
            else:
                launch(array, array, limits, 128)
        assert np.array_equal(expected, mine)
        assert np.array_equal(mine, x) == bool(more)


def test_small_launches_are_not_worth_a_compiler():
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    limits = np.array([4, 0], np.uint32)

    once[1, 8](x, y, limits, 5)
    assert once.last_launch.engine == "interpreter" and once.last_launch.checked
    for _ in range(100_000):
        once[1, 8](x, y, limits, 5)
        if once.last_launch.engine == "cpu":
            break
    assert once.last_launch.engine == "cpu" and once.last_launch.checked
    assert np.array_equal(y, np.full(4, 4, np.float32))


@hg.kernel
def grow(x: DeviceArray[f32], limits: DeviceArray[u32]):
    i = get_global_id()
    if i < limits[0]:
        while x[i] < 30000.0:
            x[i] += 1.0


def test_what_a_launch_took_counts_where_its_rounds_are_data():
    limits = np.array([1000, 0], np.uint32)
    engines = []
    for _ in range(20):
        x = np.zeros(1000, np.float32)
        grow[4, 256](x, limits)
        assert grow.last_launch.checked and np.array_equal(x, np.full(1000, 30000, np.float32))
        engines.append(grow.last_launch.engine)
    assert engines[-1] == "cpu", engines


def test_lanes_that_meet_run_on_one_thread():
    y = np.zeros(100, np.uint32)
    last, error = both(spread, [y, 0], grid=2, block=64, deterministic=False)
    assert error is None and last.engine == "cpu" and last.reason == ONE_THREAD
    assert last.condition != "" and not last.checked
    y = np.zeros(128 * 3, np.uint32)
    last, error = both(spread, [y, 3], grid=2, block=64)
    assert last.reason == ""


def test_lanes_that_meet_out_of_bounds_are_a_fault():
    y = np.zeros(0, np.uint32)
    _, error = both(spread, [y, 0], grid=2, block=64, deterministic=False)
    assert error is not None
