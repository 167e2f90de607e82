"""Elements that lie beside each other at an index that was loaded, as those of points, and those of
a lane's own point, which it reads in every round of a loop: native code of each level leaves what
the interpreter leaves, bit for bit, and has the same faults.

usage: records_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

import numpy as np
from comparing import agree, on_each_level

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, exp, f32, get_global_id, i32, sqrt, u32

WORDS = "records of each lane at once"


@hg.kernel
def lengths(x: DeviceArray[f32, 2], ends: DeviceArray[i32, 2], out: DeviceArray[f32]):
    t = int(get_global_id())
    if t < int(len(out)):
        i = ends[t, 0]
        j = ends[t, 1]
        dx = x[i, 0] - x[j, 0]
        dy = x[i, 1] - x[j, 1]
        dz = x[i, 2] - x[j, 2]
        out[t] = sqrt(dx * dx + dy * dy + dz * dz)


@hg.kernel
def sums(
    x: DeviceArray[f32, 2], first: DeviceArray[i32], at: DeviceArray[i32], out: DeviceArray[f32]
):
    """In a loop that lanes leave one after the other, under a condition, from the last element on."""
    t = int(get_global_id())
    if t < int(len(out)):
        total = f32(0.0)
        for k in range(first[t], first[t + 1]):
            j = at[k]
            if j != t:
                total += exp(x[j, 2] + x[j, 0]) * f32(1.25) + x[j, 1]
        out[t] = total


@hg.kernel
def words(x: DeviceArray[i32], at: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    """Around an index, which may be the first or the last; five do not fit a record."""
    t = get_global_id()
    if t < n:
        j = at[t]
        out[t] = x[j - 2] + 3 * x[j - 1] + 5 * x[j] + 7 * x[j + 1] + 11 * x[j + 2]


@hg.kernel
def changed(x: DeviceArray[f32], at: DeviceArray[i32], out: DeviceArray[f32], n: u32):
    """What a lane stores between two loads is what the second one reads."""
    t = get_global_id()
    if t < n:
        j = at[t]
        before = x[j]
        after = x[j + 1]
        x[j] = before + 1.0
        out[t] = before + after * 2.0 + x[j] * 4.0 + x[j + 1] * 8.0


@hg.kernel
def again(x: DeviceArray[f32], at: DeviceArray[i32], out: DeviceArray[f32], n: u32):
    """One element, three times."""
    t = get_global_id()
    if t < n:
        j = at[t]
        out[t] = (x[j] + 1.0) / (x[j] * 2.0 + 3.0) - x[j]


@hg.kernel
def steady(
    x: DeviceArray[f32, 2],
    first: DeviceArray[i32],
    at: DeviceArray[i32],
    y: DeviceArray[f32, 2],
    few: i32,
):
    """A lane reads its own point in every round, in some rounds only, or in none."""
    t = int(get_global_id())
    if t < int(y.shape[0]):
        total = f32(0.0)
        for k in range(first[t], first[t + 1]):
            if at[k] < few:
                total += exp(x[t, 0] * f32(0.5)) - x[t, 1]
            else:
                total += x[t, 2] * f32(0.25)
        y[t, 0] = total
        y[t, 1] = x[t, 1] + f32(first[t])
        y[t, 2] = total * x[t, 2]


@hg.kernel
def corners(x: DeviceArray[f32, 2], at: DeviceArray[i32], out: DeviceArray[f32, 2]):
    """Read, and added to in the order of lanes."""
    t = int(get_global_id())
    if t < int(len(at)) // 3:
        i = at[3 * t]
        j = at[3 * t + 1]
        nx = x[i, 0] * x[j, 1] - x[i, 1] * x[j, 0]
        ny = x[i, 2] * x[j, 0]
        for corner in range(3):
            p = at[3 * t + corner]
            atomic_add(out, (p, 0), nx)
            atomic_add(out, (p, 1), ny)


def check(kernel, *data, lanes, faults=False) -> None:
    agree(kernel, data, (-(-lanes // 64), 64), faults, threads=2)


def spoilt(rng, index, value):
    """One index is another one."""
    result = index.copy()
    result.flat[rng.integers(0, result.size)] = value
    return result


def check_points(rng) -> None:
    for points, n in ((1, 5), (2, 1), (3, 64), (40, 100), (500, 333)):
        ends = rng.integers(0, points, (n, 2)).astype(np.int32)
        for columns in (3, 4, 7):
            x = rng.normal(size=(points, columns)).astype(np.float32)
            out = np.zeros(n, np.float32)
            check(lengths, x, ends, out, lanes=n)
            check(lengths, np.asfortranarray(x), ends, out, lanes=n)
            for wrong in (points, -1, -(2**31), 2**31 - 1):
                check(lengths, x, spoilt(rng, ends, wrong), out, lanes=n, faults=True)
        x = rng.random((points, 3)).astype(np.float32)
        first = np.concatenate(([0], np.cumsum(rng.poisson(4, n)))).astype(np.int32)
        at = rng.integers(0, points, int(first[-1]) + 1).astype(np.int32)
        check(sums, x, first, at, np.zeros(n, np.float32), lanes=n)
        check(
            sums, x, first, at * 0 + points, np.zeros(n, np.float32), lanes=n, faults=first[-1] > 0
        )
        for columns in (3, 4, 5):
            x = rng.random((n, columns)).astype(np.float32)
            y = np.zeros((n, columns), np.float32)
            for few in (0, points // 2, points):
                check(steady, x, first, at, y, few, lanes=n)
        x = rng.random((points, 3)).astype(np.float32)
        corner = rng.integers(0, points, 3 * n + 2).astype(np.int32)
        out = rng.random((points, 2)).astype(np.float32)
        check(corners, x, corner, out, lanes=n + 40)
        check(corners, x, spoilt(rng, corner[: 3 * n], points), out, lanes=n, faults=True)


def check_words(rng) -> None:
    for size, n in ((5, 40), (6, 3), (100, 200)):
        x = rng.integers(-99, 99, size).astype(np.int32)
        at = rng.integers(2, size - 2, n).astype(np.int32)
        check(words, x, at, np.zeros(n, np.int32), n, lanes=n)
        for wrong in (0, 1, size - 2, size - 1, -(2**31), 2**31 - 1, -1):
            check(words, x, spoilt(rng, at, wrong), np.zeros(n, np.int32), n, lanes=n, faults=True)
        out = np.zeros(n, np.float32)
        check(again, x.astype(np.float32), at, out, n, lanes=n)
        check(again, x.astype(np.float32), spoilt(rng, at, size), out, n, lanes=n, faults=True)
    order = (2 * rng.permutation(100)).astype(np.int32)
    check(
        changed,
        rng.random(201).astype(np.float32),
        order,
        np.zeros(100, np.float32),
        100,
        lanes=100,
    )


def main() -> None:
    rng = np.random.default_rng(4)
    check_points(rng)
    check_words(rng)
    assert "in a register while its loop runs" in steady.explain(), steady.explain()
    for kernel in (lengths, sums, words, changed, again, corners):
        assert WORDS in kernel.explain(), kernel.explain()


if __name__ == "__main__":
    on_each_level(main)
