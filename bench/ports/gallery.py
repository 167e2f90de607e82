"""Programs of Numba's users: life, neighbours, random walks, filters, counts."""

import math

import numpy as np
from common import Launches, blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    exp,
    f32,
    f64,
    get_block_dim,
    get_global_id,
    get_grid_dim,
    i32,
    inline,
    local,
    sqrt,
    u8,
    u32,
    u64,
)

F = np.float32
NEAREST = 5
RADIUS = 3


@hg.kernel
def life(cells: DeviceArray[u8, 2], out: DeviceArray[u8, 2]):
    j, i = int(get_global_id(0)), int(get_global_id(1))
    rows, columns = int(cells.shape[0]), int(cells.shape[1])
    if i < rows and j < columns:
        alive = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if di != 0 or dj != 0:
                    alive += i32(cells[(i + di) % rows, (j + dj) % columns])
        if alive == 3 or (alive == 2 and cells[i, j] == 1):
            out[i, j] = 1
        else:
            out[i, j] = 0


@njit
def life_twin(cells, out):
    rows, columns = cells.shape
    for i in range(rows):
        for j in range(columns):
            alive = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        alive += cells[(i + di) % rows, (j + dj) % columns]
            if alive == 3 or (alive == 2 and cells[i, j] == 1):
                out[i, j] = 1
            else:
                out[i, j] = 0


def check_life(cells, out):
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    alive = sum(np.roll(cells, s, (0, 1)) for s in steps)
    np.testing.assert_array_equal(out, (alive == 3) | ((alive == 2) & (cells == 1)))


@hg.kernel
def nearest(
    points: DeviceArray[f64, 2],
    queries: DeviceArray[f64, 2],
    index: DeviceArray[i32, 2],
    distance: DeviceArray[f64, 2],
):
    """The five nearest points of each query, kept in order by insertion."""
    best = local(f64, NEAREST)
    which = local(i32, NEAREST)
    q = int(get_global_id())
    if q >= int(queries.shape[0]):
        return
    for k in range(NEAREST):
        best[k] = 1e300
        which[k] = -1
    for p in range(int(points.shape[0])):
        d = f64(0.0)
        for c in range(int(points.shape[1])):
            diff = points[p, c] - queries[q, c]
            d += diff * diff
        if d < best[NEAREST - 1]:
            k = NEAREST - 1
            while k > 0 and best[k - 1] > d:
                best[k] = best[k - 1]
                which[k] = which[k - 1]
                k -= 1
            best[k] = d
            which[k] = p
    for k in range(NEAREST):
        index[q, k] = which[k]
        distance[q, k] = sqrt(best[k])


@njit
def nearest_twin(points, queries, index, distance):
    best = np.empty(NEAREST)
    which = np.empty(NEAREST, np.int32)
    for q in range(queries.shape[0]):
        best[:] = 1e300
        which[:] = -1
        for p in range(points.shape[0]):
            d = 0.0
            for c in range(points.shape[1]):
                diff = points[p, c] - queries[q, c]
                d += diff * diff
            if d < best[NEAREST - 1]:
                k = NEAREST - 1
                while k > 0 and best[k - 1] > d:
                    best[k] = best[k - 1]
                    which[k] = which[k - 1]
                    k -= 1
                best[k] = d
                which[k] = p
        for k in range(NEAREST):
            index[q, k] = which[k]
            distance[q, k] = math.sqrt(best[k])


def check_nearest(points, queries, index, distance):
    d = np.sqrt(((queries[:, None] - points[None]) ** 2).sum(-1))
    order = d.argsort(1)[:, :NEAREST]
    np.testing.assert_array_equal(index, order)
    np.testing.assert_allclose(distance, np.take_along_axis(d, order, 1), rtol=1e-12)


@inline
def rotated(x: u64, k: u32) -> u64:
    return (x << u64(k)) | (x >> u64(64 - k))


@inline
def draw(states: DeviceArray[u64, 2], i: i32) -> f64:
    """xoroshiro128+ with its state in memory, as numba.cuda.random has it."""
    s0 = states[i, 0]
    s1 = states[i, 1]
    result = s0 + s1
    s1 ^= s0
    states[i, 0] = rotated(s0, 55) ^ s1 ^ (s1 << 14)
    states[i, 1] = rotated(s1, 36)
    return f64(result >> 11) * 1.1102230246251565e-16


@hg.kernel
def monte_carlo_pi(states: DeviceArray[u64, 2], iterations: i32, out: DeviceArray[f64]):
    start = int(get_global_id())
    if start < len(out):
        inside = 0
        for _ in range(iterations):
            x = draw(states, start)
            y = draw(states, start)
            if x * x + y * y <= 1.0:
                inside += 1
        out[start] = 4.0 * f64(inside) / f64(iterations)


@hg.kernel
def random_walk(states: DeviceArray[u64, 2], steps: i32, position: DeviceArray[i32, 2]):
    i = int(get_global_id())
    if i >= int(position.shape[0]):
        return
    for _ in range(steps):
        u = draw(states, i)
        if u < 0.25:
            position[i, 0] += 1
        elif u < 0.5:
            position[i, 0] -= 1
        elif u < 0.75:
            position[i, 1] += 1
        else:
            position[i, 1] -= 1


@njit
def rotated_twin(x, k):
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@njit
def draw_twin(states, i):
    s0 = states[i, 0]
    s1 = states[i, 1]
    result = s0 + s1
    s1 ^= s0
    states[i, 0] = rotated_twin(s0, 55) ^ s1 ^ (s1 << np.uint64(14))
    states[i, 1] = rotated_twin(s1, 36)
    return np.float64(result >> np.uint64(11)) * 1.1102230246251565e-16


@njit
def monte_carlo_pi_twin(states, iterations, out):
    for start in range(len(out)):
        inside = 0
        for _ in range(iterations):
            x = draw_twin(states, start)
            y = draw_twin(states, start)
            if x * x + y * y <= 1.0:
                inside += 1
        out[start] = 4.0 * inside / iterations


@njit
def random_walk_twin(states, steps, position):
    for i in range(position.shape[0]):
        for _ in range(steps):
            u = draw_twin(states, i)
            if u < 0.25:
                position[i, 0] += 1
            elif u < 0.5:
                position[i, 0] -= 1
            elif u < 0.75:
                position[i, 1] += 1
            else:
                position[i, 1] -= 1


def check_pi(states, iterations, out):
    assert abs(out.mean() - math.pi) < 8 / math.sqrt(iterations * len(out))


def check_walk(states, steps, position):
    far = (position.astype(float) ** 2).sum(1).mean() / steps
    assert abs(far - 1) < 6 / math.sqrt(len(position))
    assert np.all(position.sum(1) % 2 == steps % 2)


@hg.kernel
def bilateral(
    image: DeviceArray[f32, 2], out: DeviceArray[f32, 2], sigma_space: f32, sigma_range: f32
):
    x, y = int(get_global_id(0)), int(get_global_id(1))
    height, width = int(image.shape[0]), int(image.shape[1])
    if x >= width or y >= height:
        return
    center = image[y, x]
    total = 0.0
    weight = 0.0
    for dy in range(-RADIUS, RADIUS + 1):
        for dx in range(-RADIUS, RADIUS + 1):
            yy = min(max(y + dy, 0), height - 1)
            xx = min(max(x + dx, 0), width - 1)
            value = image[yy, xx]
            d = value - center
            w = exp(
                -f32(dx * dx + dy * dy) / (2.0 * sigma_space * sigma_space)
                - d * d / (2.0 * sigma_range * sigma_range)
            )
            total += w * value
            weight += w
    out[y, x] = total / weight


@njit
def bilateral_twin(image, out, sigma_space, sigma_range):
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            center = image[y, x]
            total = F(0)
            weight = F(0)
            for dy in range(-RADIUS, RADIUS + 1):
                for dx in range(-RADIUS, RADIUS + 1):
                    yy = min(max(y + dy, 0), height - 1)
                    xx = min(max(x + dx, 0), width - 1)
                    value = image[yy, xx]
                    d = value - center
                    w = math.exp(
                        -F(dx * dx + dy * dy) / (F(2) * sigma_space * sigma_space)
                        - d * d / (F(2) * sigma_range * sigma_range)
                    )
                    total += w * value
                    weight += w
            out[y, x] = total / weight


def check_bilateral(image, out, sigma_space, sigma_range):
    padded = np.pad(image.astype(np.float64), RADIUS, "edge")
    h, w = image.shape
    total, weight = np.zeros((2, h, w))
    for i, j in np.ndindex(2 * RADIUS + 1, 2 * RADIUS + 1):
        value = padded[i : i + h, j : j + w]
        space = ((i - RADIUS) ** 2 + (j - RADIUS) ** 2) / (2 * sigma_space**2)
        e = np.exp(-space - (value - image) ** 2 / (2 * sigma_range**2))
        total += e * value
        weight += e
    np.testing.assert_allclose(out, total / weight, rtol=1e-4)


@hg.kernel
def histogram(x: DeviceArray[f32], low: f32, high: f32, counts: DeviceArray[i32]):
    """The example of Numba's manual: a stride loop over the data, bins by range."""
    bins = len(counts)
    width = (high - low) / f32(bins)
    start = get_global_id()
    stride = get_grid_dim() * get_block_dim()
    for i in range(start, len(x), stride):
        k = int((x[i] - low) / width)
        if k >= 0 and k < int(bins):
            atomic_add(counts, k, 1)


@njit
def histogram_twin(x, low, high, counts):
    bins = len(counts)
    width = (high - low) / F(bins)
    for i in range(len(x)):
        k = int((x[i] - low) / width)
        if k >= 0 and k < bins:
            counts[k] += 1


def count_values(x, low, high, counts):
    counts[:] = 0
    histogram[32, 64](x, low, high, counts)


@njit
def count_values_twin(x, low, high, counts):
    counts[:] = 0
    histogram_twin(x, low, high, counts)


def check_histogram(x, low, high, counts):
    want, _ = np.histogram(x, len(counts), (low, high))
    assert abs(counts - want).max() <= max(3, 0.01 * want.max())  # edges are f32


@hg.kernel
def moving_mean(a: DeviceArray[f64], window: i32, out: DeviceArray[f64]):
    i = int(get_global_id())
    if i < len(a):
        total = f64(0.0)
        count = 0
        first = max(0, i - window + 1)
        for j in range(first, i + 1):
            total += a[j]
            count += 1
        out[i] = total / f64(count)


@njit
def moving_mean_twin(a, window, out):
    for i in range(len(a)):
        total = 0.0
        count = 0
        first = max(0, i - window + 1)
        for j in range(first, i + 1):
            total += a[j]
            count += 1
        out[i] = total / count


def check_moving_mean(a, window, out):
    sums = np.concatenate(([0], np.cumsum(a)))
    ends = np.arange(1, len(a) + 1)
    first = np.maximum(ends - window, 0)
    np.testing.assert_allclose(out, (sums[ends] - sums[first]) / (ends - first), rtol=1e-8)


def programs(rng, small=False):
    h, w = (19, 23) if small else (300, 400)
    cells = rng.integers(0, 2, (h, w)).astype(np.uint8)
    grid = (blocks(w, 16), blocks(h, 16)), (16, 16)
    yield "life", "Numba", life[grid], life_twin, (cells, np.zeros_like(cells)), check_life

    n = 60 if small else 1000
    data = (rng.random((n, 3)), rng.random((n // 2, 3)))
    data += (np.zeros((n // 2, NEAREST), np.int32), np.zeros((n // 2, NEAREST)))
    yield "nearest", "Numba", nearest, nearest_twin, data, check_nearest

    n, steps = (64, 50) if small else (1024, 500)
    states = rng.integers(1, 2**63, (n, 2)).astype(np.uint64)
    data = (states, steps, np.zeros(n))
    yield "monte_carlo_pi", "Numba", monte_carlo_pi, monte_carlo_pi_twin, data, check_pi

    data = (states, steps, np.zeros((n, 2), np.int32))
    yield "random_walk", "Numba", random_walk, random_walk_twin, data, check_walk

    h, w = (17, 21) if small else (120, 160)
    data = (rng.random((h, w), F), np.zeros((h, w), F), F(2), F(0.3))
    grid = (blocks(w, 16), blocks(h, 16)), (16, 16)
    yield "bilateral", "Numba", bilateral[grid], bilateral_twin, data, check_bilateral

    n = 3000 if small else 500_000
    data = (rng.normal(size=n).astype(F), F(-3), F(3), np.zeros(64, np.int32))
    program = Launches(count_values, histogram)
    yield "histogram", "Numba", program, count_values_twin, data, check_histogram

    n = 500 if small else 100_000
    data = (rng.random(n), 50, np.zeros(n))
    yield "moving_mean", "Numba", moving_mean, moving_mean_twin, data, check_moving_mean
