"""Rows in pieces: kernels that take a place in a row apart by // and %, on both engines."""

import numpy as np
import pytest

import hologram as hg
from hologram.lang import DeviceArray, f32, f64, get_global_id, i32, u32

LENGTHS = (1, 2, 7, 15, 16, 31, 32, 63, 64, 65, 100, 257)


@hg.kernel
def cross(a: DeviceArray[f64], b: DeviceArray[f64], n: i32):
    t = int(get_global_id())
    i = t // n
    j = t % n
    if i >= 1 and i < n - 1 and j >= 1 and j < n - 1:
        b[t] = 0.2 * (a[t] + a[t - 1] + a[t + 1] + a[t + n] + a[t - n])


@hg.kernel
def three(
    x: DeviceArray[f32, 3], y: DeviceArray[f32, 3], z: DeviceArray[f32], where: DeviceArray[i32]
):
    t = int(get_global_id())
    depth, height, width = int(y.shape[0]), int(y.shape[1]), int(y.shape[2])
    if t >= depth * height * width:
        return
    k = t // (height * width)
    i = t // width % height
    j = t % width
    total = x[k, i, j]
    for d in range(1, 3):
        if j + d < width:
            total += x[k, i, j + d] * z[i]
        else:
            total -= z[j]
    y[k, i, j] = total
    where[t] = (k * 1000 + i) * 1000 + j


@hg.kernel
def nested(x: DeviceArray[u32], y: DeviceArray[u32], m: u32, n: u32):
    t = get_global_id()
    if t < len(y):
        r = t % (n * m)
        y[t] = (t // (n * m)) * 7 + (r // m) * 3 + x[r % m] + x[r // m % len(x)]


@hg.kernel
def by_row(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2], n: i32):
    t, row = int(get_global_id(0)), int(get_global_id(1))
    if row < int(x.shape[0]) and t < int(x.shape[1]):
        y[row, t] = x[row, t] * f32(t // n) + x[row, t % n]


@hg.kernel
def shared_load(table: DeviceArray[i32], x: DeviceArray[f32], y: DeviceArray[f32], n: i32):
    t = int(get_global_id())
    if t < int(len(x)):
        first = table[t // n]
        while first > t % n:
            first = first // 2
        y[t] = x[t] + f32(first)


@pytest.fixture(autouse=True)
def needs_native():
    if not by_row.path.startswith("native"):
        pytest.skip("no compiler plugin")


def both(kernel, make, shape=None):
    """The outputs of both engines, bit for bit the same."""
    results = []
    for backend in ("interpreter", "cpu"):
        arrays = make()
        configured = kernel.configure(backend=backend)
        (configured if shape is None else configured[shape])(*arrays)
        results.append([a for a in arrays if isinstance(a, np.ndarray)])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8))
    return results[1]


@pytest.mark.parametrize("n", LENGTHS)
def test_a_square(n):
    rng = np.random.default_rng(n)
    a, start = rng.random(n * n), rng.random(n * n)
    _, b = both(cross, lambda: (a.copy(), start.copy(), n))
    g, want = a.reshape(n, n), start.reshape(n, n).copy()
    near = g[1:-1, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] + g[2:, 1:-1] + g[:-2, 1:-1]
    want[1:-1, 1:-1] = 0.2 * near
    np.testing.assert_array_equal(b, want.ravel())


@pytest.mark.parametrize("width", LENGTHS)
@pytest.mark.parametrize("height", [1, 3, 70])
def test_three_dimensions(width, height):
    rng = np.random.default_rng(width)
    x = rng.random((3, height, width), np.float32)
    z = rng.random(max(width, height), np.float32)
    *_, where = both(three, lambda: (x, np.zeros_like(x), z, np.zeros(x.size, np.int32)))
    k, i, j = np.indices(x.shape)
    np.testing.assert_array_equal(where, ((k * 1000 + i) * 1000 + j).ravel())


@pytest.mark.parametrize("m", LENGTHS)
@pytest.mark.parametrize("n", [1, 5, 64])
def test_a_remainder_of_a_remainder(m, n):
    x = np.arange(300, dtype=np.uint32) * 7
    both(nested, lambda: (x, np.zeros(5 * m * n + 3, np.uint32), m, n))


@pytest.mark.parametrize("n", LENGTHS)
def test_rows(n):
    x = np.random.default_rng(n).random((5, 300), np.float32)
    both(by_row, lambda: (x, np.zeros_like(x), n), ((2, 3), (160, 2)))


@pytest.mark.parametrize("n", LENGTHS)
def test_loads_that_a_piece_shares(n):
    rng = np.random.default_rng(n)
    x = rng.random(1000, np.float32)
    table = rng.integers(0, 300, 1000 // n + 1).astype(np.int32)
    both(shared_load, lambda: (table, x, np.zeros_like(x), n))


def test_no_divisor():
    x, table = np.ones(200, np.float32), np.zeros(400, np.int32)
    with pytest.raises(hg.FaultError, match="division by zero"):
        shared_load.configure(backend="cpu")(table, x, x.copy(), 0)
