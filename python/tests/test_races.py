"""Lanes that keep apart for reasons that programs of other systems have: each such kernel runs
natively with default options and leaves the interpreter's bits. The same with one thing wrong is
refused, and the refusal names two lanes that meet. Needs the built module."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import (  # noqa: E402
    DeviceArray,
    barrier,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    max,
    min,
    shared,
    u32,
    warp_reduce_add,
)


@pytest.fixture(autouse=True)
def needs_native():
    if not reverse.path.startswith("native"):
        pytest.skip("no compiler plugin")


def same(kernel, *arguments, **shape):
    """What native code, which is what runs, and the interpreter leave in the arrays."""
    results = []
    for backend in ("auto", "interpreter"):
        mine = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        kernel.configure(backend=backend, **shape)(*mine)
        last = kernel.last_launch
        assert (last.engine, last.checked) == ("interpreter" if results else "cpu", False), last
        results.append(mine)
    native, interpreted = ([a for a in r if isinstance(a, np.ndarray)] for r in results)
    for mine, reference in zip(native, interpreted, strict=True):
        assert mine.tobytes() == reference.tobytes()
    return native


def refusal(kernel, *arguments, **shape):
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with pytest.raises(hg.ArgumentError) as error:
        kernel.configure(**shape)(*mine)
    for before, after in zip(arguments, mine, strict=True):
        if isinstance(before, np.ndarray):
            assert before.tobytes() == after.tobytes(), "a refused launch leaves no trace"
    return str(error.value)


def floats(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


# ---- a: a guard on the outer index of an array of rank 3


@hg.kernel
def fill(o: DeviceArray[f32, 3]):
    row, head = get_global_id(0), get_block_id(1)
    if row < o.shape[1] and head < o.shape[0]:
        for d in range(o.shape[2]):
            o[head, row, d] = 1.0 + d + head


@hg.kernel
def fill_one_head(o: DeviceArray[f32, 3]):
    row, head = get_global_id(0), get_block_id(1)
    if row < o.shape[1] and head < o.shape[0]:
        for d in range(o.shape[2]):
            o[0, row, d] = 1.0 + d + head


def test_a_guard_on_the_outer_index():
    o = np.zeros((8, 100, 32), np.float32)
    (filled,) = same(fill, o, grid=(4, 8), block=32)
    assert np.array_equal(filled, 1 + np.arange(32) + np.arange(8)[:, None, None] + o)
    same(fill, o, grid=(5, 11), block=32)
    same(fill, o[:, :, :30], grid=(4, 8), block=32)
    assert "lane 0 and lane 128 both write o[0, 0, 0]" in refusal(
        fill_one_head, o, grid=(4, 8), block=32
    )


# ---- b: the row that is read is not among those that are written


@hg.kernel
def lud_column(m: DeviceArray[f32, 2], k: u32):
    i = k + 1 + get_global_id()
    if i < m.shape[0]:
        m[i, k] /= m[k, k]


@hg.kernel
def lud_inner(m: DeviceArray[f32, 2], k: u32):
    j, i = k + 1 + get_global_id(0), k + 1 + get_global_id(1)
    if i < m.shape[0] and j < m.shape[1]:
        m[i, j] -= m[i, k] * m[k, j]


@hg.kernel
def lud_late(m: DeviceArray[f32, 2], k: u32):
    i = k + get_global_id()
    if i < m.shape[0]:
        m[i, k] /= m[k, k]


def test_a_row_that_is_not_written():
    n = 40
    m = floats(n, n) + n * np.eye(n, dtype=np.float32)
    lower_upper = m.copy()
    for k in range(n - 1):
        (lower_upper,) = same(lud_column, lower_upper, k, grid=1, block=64)
        (lower_upper,) = same(lud_inner, lower_upper, k, grid=(5, 5), block=(8, 8))
    lower = np.tril(lower_upper, -1) + np.eye(n)
    assert np.allclose(lower @ np.triu(lower_upper), m, atol=1e-3)
    assert "lane 1 reads m[3, 3], which lane 0 writes" in refusal(lud_late, m, 3, grid=1, block=64)


# ---- c: all lanes store the same


@hg.kernel
def any_above(x: DeviceArray[f32], found: DeviceArray[i32], limit: f32, n: u32):
    i = get_global_id()
    if i < n and x[i] > limit:
        found[0] = 1


@hg.kernel
def mark(x: DeviceArray[u32], seen: DeviceArray[u32], level: u32, n: u32):
    i = get_global_id()
    if i < n:
        seen[x[i]] = level + 1


@hg.kernel
def last_above(x: DeviceArray[f32], found: DeviceArray[u32], limit: f32, n: u32):
    i = get_global_id()
    if i < n and x[i] > limit:
        found[0] = i


@hg.kernel
def mark_and_look(x: DeviceArray[u32], seen: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and seen[i] == 0:
        seen[x[i]] = 1


def test_equal_values():
    x = floats(10_000)
    found = np.zeros(1, np.int32)
    for limit in (2.0, 100.0):
        results = same(any_above, x, found, limit, 10_000, grid=40, block=256)
        assert results[1][0] == int((x > limit).any())
    at = np.random.default_rng(3).integers(0, 100, 10_000).astype(np.uint32)
    results = same(mark, at, np.zeros(200, np.uint32), 6, 10_000, grid=40, block=256)
    assert np.array_equal(results[1], np.where(np.isin(np.arange(200), at), 7, 0))
    x[[3, 35]] = 9
    some = np.zeros(1, np.uint32)
    assert "lane 3 and lane 35 both write found[0]" in refusal(
        last_above, x, some, 5.0, 10_000, grid=40, block=256
    )
    assert "which lane" in refusal(
        mark_and_look, at, np.zeros(10_000, np.uint32), 10_000, grid=40, block=256
    )


# ---- d: two arrays that change places between barriers


@hg.kernel(block=64)
def heat(u: DeviceArray[f32], out: DeviceArray[f32], n: u32, steps: u32):
    a = shared(f32, 64)
    b = shared(f32, 64)
    t, i = get_local_id(), get_global_id()
    a[t] = 0.0
    if i < n:
        a[t] = u[i]
    b[t] = a[t]
    barrier()
    for s in range(steps):
        if s % 2 == 0:
            if t >= 1 and t < 63:
                b[t] = 0.5 * a[t] + 0.25 * (a[t - 1] + a[t + 1])
        elif t >= 1 and t < 63:
            a[t] = 0.5 * b[t] + 0.25 * (b[t - 1] + b[t + 1])
        barrier()
    if i < n:
        out[i] = a[t] + b[t]


@hg.kernel(block=64)
def heat_in_one(u: DeviceArray[f32], out: DeviceArray[f32], n: u32, steps: u32):
    a = shared(f32, 128)
    t, i = get_local_id(), get_global_id()
    a[t] = 0.0
    if i < n:
        a[t] = u[i]
    a[64 + t] = a[t]
    barrier()
    for s in range(steps):
        now = (s % 2) * 64
        then = 64 - now
        if t >= 1 and t < 63:
            a[then + t] = 0.5 * a[now + t] + 0.25 * (a[now + t - 1] + a[now + t + 1])
        barrier()
    if i < n:
        out[i] = a[t]


@hg.kernel(block=64)
def heat_in_memory(a: DeviceArray[f32], b: DeviceArray[f32], steps: u32):
    t = get_local_id()
    for _ in range(steps):
        if t >= 1 and t < 63:
            b[t] = 0.5 * a[t] + 0.25 * (a[t - 1] + a[t + 1])
        barrier()
        if t >= 1 and t < 63:
            a[t] = 0.5 * b[t] + 0.25 * (b[t - 1] + b[t + 1])
        barrier()


@hg.kernel(block=64)
def heat_in_a_hurry(u: DeviceArray[f32], out: DeviceArray[f32], n: u32, steps: u32):
    a = shared(f32, 64)
    t, i = get_local_id(), get_global_id()
    a[t] = 0.0
    if i < n:
        a[t] = u[i]
    barrier()
    for _ in range(steps):
        if t >= 1 and t < 63:
            a[t] = 0.5 * a[t] + 0.25 * (a[t - 1] + a[t + 1])
        barrier()
    if i < n:
        out[i] = a[t]


@hg.kernel(block=64)
def heat_without_an_end(a: DeviceArray[f32], b: DeviceArray[f32], steps: u32):
    t = get_local_id()
    for _ in range(steps):
        if t >= 1 and t < 63:
            b[t] = 0.5 * a[t] + 0.25 * (a[t - 1] + a[t + 1])
        barrier()
        if t >= 1 and t < 63:
            a[t] = 0.5 * b[t] + 0.25 * (b[t - 1] + b[t + 1])


def steps_of(u, steps):
    u = u.copy()
    half, quarter = np.float32(0.5), np.float32(0.25)
    for _ in range(steps):
        u[1:63] = half * u[1:63] + quarter * (u[:62] + u[2:64])
    return u


def test_ping_pong():
    u = floats(64)
    out = np.zeros(64, np.float32)
    for steps in (0, 1, 2, 5):
        results = same(heat, u, out, 64, steps, grid=1)
        expected = steps_of(u, steps) + steps_of(u, steps - 1 if steps else 0)
        assert np.array_equal(results[1], expected)
    results = same(heat_in_one, u, out, 64, 6, grid=1)
    assert np.array_equal(results[1], steps_of(u, 6))
    results = same(heat_in_memory, u, u, 3, grid=1)
    assert np.array_equal(results[0], steps_of(u, 6))
    assert "a[0], which lane" not in (text := refusal(heat_in_a_hurry, u, out, 64, 3, grid=1))
    assert "which lane" in text and "between the same two barriers" in text
    assert "which lane" in refusal(heat_without_an_end, u, u, 3, grid=1)
    assert "which lane" in refusal(heat_in_memory, u, u, 3, grid=2)


# ---- e: from both ends, and neighbours


@hg.kernel
def reverse(o: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n // 2:
        a, b = o[i], o[n - 1 - i]
        o[i] = b
        o[n - 1 - i] = a


@hg.kernel
def reverse_by_ends(o: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        j = n - 1 - i
        if i < j:
            o[i], o[j] = o[j], o[i]


@hg.kernel
def sort_pairs(o: DeviceArray[f32], first: u32, n: u32):
    i = first + 2 * get_global_id()
    if i + 1 < n:
        a, b = o[i], o[i + 1]
        o[i] = min(a, b)
        o[i + 1] = max(a, b)


@hg.kernel
def reverse_too_far(o: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i <= n // 2:
        a, b = o[i], o[n - 1 - i]
        o[i] = b
        o[n - 1 - i] = a


def test_from_both_ends():
    for n in (1, 2, 7, 100, 1001):
        o = floats(n)
        for kernel in (reverse, reverse_by_ends):
            (turned,) = same(kernel, o, n, grid=4, block=256)
            assert np.array_equal(turned, o[::-1])
    o = floats(101)
    for first in (0, 1):
        o = same(sort_pairs, o, first, 101, grid=1, block=64)[0]
        assert (o[first:-1:2] <= o[first + 1 :: 2][: len(o[first:-1:2])]).all()
    text = refusal(reverse_too_far, floats(100), 100, grid=1, block=64)
    assert "lane 49" in text and "lane 50" in text


# ---- f: partners of an exclusive or


@hg.kernel
def bitonic(x: DeviceArray[f32], j: u32, k: u32, n: u32):
    i = get_global_id()
    partner = i ^ j
    if i < n and partner > i and partner < n:
        a, b = x[i], x[partner]
        if ((i & k) == 0) == (a > b):
            x[i] = b
            x[partner] = a


@hg.kernel(block=64)
def bitonic_block(x: DeviceArray[f32]):
    s = shared(f32, 64)
    t = get_local_id()
    s[t] = x[get_global_id()]
    barrier()
    k = u32(2)
    while k <= 64:
        j = k // 2
        while j > 0:
            partner = t ^ j
            if partner > t and partner < 64:
                a, b = s[t], s[partner]
                if ((t & k) == 0) == (a > b):
                    s[t] = b
                    s[partner] = a
            barrier()
            j = j // 2
        k = k * 2
    x[get_global_id()] = s[t]


@hg.kernel
def bitonic_both(x: DeviceArray[f32], j: u32, n: u32):
    i = get_global_id()
    partner = i ^ j
    if i < n and partner < n:
        a, b = x[i], x[partner]
        if a > b:
            x[i] = b
            x[partner] = a


def test_partners():
    x = floats(256)
    for size in (2, 4, 8, 16, 32, 64, 128, 256):
        j = size // 2
        while j:
            x = same(bitonic, x, j, size, 256, grid=2, block=128)[0]
            j //= 2
    assert np.array_equal(x, np.sort(floats(256)))
    (x,) = same(bitonic_block, floats(128), grid=2)
    assert np.array_equal(x[:64], np.sort(floats(128)[:64]))
    text = refusal(bitonic_both, floats(256), 4, 256, grid=2, block=128)
    assert "lane 0 and lane 4 both write x" in text or "which lane" in text


# ---- g: colours of a board


@hg.kernel
def red_black(u: DeviceArray[f32, 2], colour: u32):
    x, y = get_global_id(0), get_global_id(1)
    if x < 1 or y < 1 or x + 1 >= u.shape[1] or y + 1 >= u.shape[0]:
        return
    if (x + y) % 2 == colour:
        u[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])


@hg.kernel
def red_black_flat(u: DeviceArray[f32], w: u32, h: u32, colour: u32):
    x, y = get_global_id(0) + 1, get_global_id(1) + 1
    if x + 1 < w and y + 1 < h and (x + y) % 2 == colour:
        i = y * w + x
        u[i] = 0.25 * (u[i - w] + u[i + w] + u[i - 1] + u[i + 1])


@hg.kernel
def red_black_half(u: DeviceArray[f32, 2], colour: u32):
    t, y = get_global_id(0), get_global_id(1) + 1
    x = 1 + 2 * t + (y + colour) % 2
    if x + 1 < u.shape[1] and y + 1 < u.shape[0]:
        u[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])


@hg.kernel
def red_black_corners(u: DeviceArray[f32, 2], colour: u32):
    x, y = get_global_id(0), get_global_id(1)
    if x < 1 or y < 1 or x + 1 >= u.shape[1] or y + 1 >= u.shape[0]:
        return
    if (x + y) % 2 == colour:
        u[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y - 1, x - 1] + u[y, x + 1])


@hg.kernel
def rows_of_three(u: DeviceArray[f32, 2], colour: u32):
    x, y = get_global_id(0), get_global_id(1)
    if y < u.shape[0] and x + 2 < u.shape[1] and x % 2 == colour:
        u[y, x] = u[y, x + 2]


def relaxed(u, colour):
    u = u.copy()
    y, x = np.indices(u.shape)
    inside = (x >= 1) & (y >= 1) & (x + 1 < u.shape[1]) & (y + 1 < u.shape[0])
    now = inside & ((x + y) % 2 == colour)
    quarter = np.float32(0.25)
    new = quarter * (((u[:-2, 1:-1] + u[2:, 1:-1]) + u[1:-1, :-2]) + u[1:-1, 2:])
    u[1:-1, 1:-1] = np.where(now[1:-1, 1:-1], new, u[1:-1, 1:-1])
    return u


def test_colours():
    u = floats(30, 41)
    for colour in (0, 1):
        expected = relaxed(u, colour)
        assert np.array_equal(same(red_black, u, colour, grid=(3, 4), block=(16, 8))[0], expected)
        flat = same(red_black_flat, u.ravel(), 41, 30, colour, grid=(3, 4), block=(16, 8))[0]
        assert np.array_equal(flat.reshape(u.shape), expected)
        half = same(red_black_half, u, 1 - colour, grid=(2, 4), block=(16, 8))[0]
        assert np.array_equal(half, relaxed(u, 1 - colour)) or np.array_equal(half, expected)
    assert "which lane" in refusal(red_black_corners, u, 0, grid=(3, 4), block=(16, 8))
    assert "lane 2 writes" in refusal(rows_of_three, u, 0, grid=(3, 4), block=(16, 8))


# ---- One lane of each group


@hg.kernel
def sums_of_warps(x: DeviceArray[f32], out: DeviceArray[f32]):
    i = get_global_id()
    value = x[i] if i < x.shape[0] else f32(0.0)
    total = warp_reduce_add(value)
    if i % 32 == 0 and i // 32 < out.shape[0]:
        out[i // 32] = total


@hg.kernel
def sums_of_warps_by_bits(x: DeviceArray[f32], out: DeviceArray[f32]):
    i = get_global_id()
    value = x[i] if i < x.shape[0] else f32(0.0)
    total = warp_reduce_add(value)
    warp = i >> 5
    if not i & 31 and warp < out.shape[0]:
        out[warp] = total


@hg.kernel
def every_nth(x: DeviceArray[f32], out: DeviceArray[f32], n: u32, first: u32):
    i = get_global_id()
    if i < x.shape[0] and i % n == first and i // n < out.shape[0]:
        out[i // n] = x[i]


@hg.kernel
def two_of_a_group(x: DeviceArray[f32], out: DeviceArray[f32]):
    i = get_global_id()
    if i < x.shape[0] and i // 32 < out.shape[0]:
        if i % 32 == 3:
            out[i // 32] = x[i]
        elif i % 32 == 5:
            out[i // 32] = x[i] + 1.0


@hg.kernel
def half_a_group(x: DeviceArray[f32], out: DeviceArray[f32]):
    i = get_global_id()
    if i < x.shape[0] and i // 32 < out.shape[0] and i % 16 == 3:
        out[i // 32] = x[i]


def test_one_lane_of_each_group():
    x, out = floats(320), np.zeros(10, np.float32)
    expected = same(sums_of_warps, x, out, grid=3, block=128)[1]
    assert np.allclose(expected, x.reshape(10, 32).sum(axis=1), rtol=1e-5, atol=1e-5)
    assert np.array_equal(same(sums_of_warps_by_bits, x, out, grid=3, block=128)[1], expected)
    for n, first in ((32, 0), (7, 3), (1, 0)):
        chosen = np.zeros(320, np.float32)
        expected = chosen.copy()
        expected[: len(x[first::n])] = x[first::n]
        assert np.array_equal(same(every_nth, x, chosen, n, first, grid=3, block=128)[1], expected)
    for kernel in (two_of_a_group, half_a_group):
        assert "both write out[0]" in refusal(kernel, x, out, grid=3, block=128)


# ---- h: anti-diagonals


@hg.kernel
def needle(a: DeviceArray[i32, 2], d: u32):
    i = 1 + get_global_id()
    if i < a.shape[0] and i < d and d - i < a.shape[1]:
        a[i, d - i] = max(a[i - 1, d - i - 1] + 3, max(a[i - 1, d - i], a[i, d - i - 1]) - 1)


@hg.kernel
def needle_early(a: DeviceArray[i32, 2], d: u32):
    i = 1 + get_global_id()
    if i < a.shape[0] and i < d and d - i < a.shape[1]:
        a[i, d - i] = a[i - 1, d - i + 1] + 3


def test_anti_diagonals():
    a = np.zeros((20, 33), np.int32)
    expected = a.copy()
    for i in range(1, 20):
        for j in range(1, 33):
            expected[i, j] = builtin_max(
                expected[i - 1, j - 1] + 3, expected[i - 1, j] - 1, expected[i, j - 1] - 1
            )
    for d in range(2, 20 + 33 - 1):
        a = same(needle, a, d, grid=1, block=64)[0]
    assert np.array_equal(a, expected)
    assert "which lane" in refusal(needle_early, a, 9, grid=1, block=64)


def builtin_max(*values):
    return sorted(values)[-1]
