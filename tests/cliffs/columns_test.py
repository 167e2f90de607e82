"""Kernels whose first id counts the rows of an array, and shared arrays of which each lane has a row:
native code of each level, on one thread and on
several, against the interpreter, bit for bit, over shapes of the launch around the number of rows
from which lanes run along y.

usage: columns_test.py     for each level; with HOLOGRAM_CPU_LEVEL for one
"""

import numpy as np
from comparing import on_each_level

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    f64,
    get_global_id,
    get_grid_dim,
    get_local_id,
    i32,
    shared,
    u32,
)

WORDS = "lanes along y, whose accesses are contiguous"


@hg.kernel
def eliminate(m: DeviceArray[f32], a: DeviceArray[f32], b: DeviceArray[f32], size: i32, t: i32):
    x = int(get_global_id(0))
    y = int(get_global_id(1))
    if x >= size - 1 - t or y >= size - t:
        return
    a[size * (x + 1 + t) + y + t] -= m[size * (x + 1 + t) + t] * a[size * t + y + t]
    if y == 0:
        b[x + 1 + t] -= m[size * (x + 1 + t) + t] * b[t]


@hg.kernel
def product(a: DeviceArray[f64, 2], b: DeviceArray[f64, 2], c: DeviceArray[f64, 2]):
    i, j = get_global_id(0), get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        total: f64 = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total + f64(get_grid_dim(0)) - f64(get_grid_dim(1))


@hg.kernel
def cube(a: DeviceArray[f32, 3], c: DeviceArray[f32, 3]):
    i, j, k = get_global_id(0), get_global_id(1), get_global_id(2)
    if i < c.shape[1] and j < c.shape[2] and k < c.shape[0]:
        if j > 0 and i % 3 != 1:
            c[k, i, j] = a[k, i, j] * 2.0 + a[k, i, j - 1]
        else:
            c[k, i, j] = f32(i)


@hg.kernel(block=64)
def own_rows(a: DeviceArray[f32, 2], c: DeviceArray[f32, 2], first: u32, n: u32):
    """Rows of 16; the lanes in front of `first` do nothing. An element that all lanes share, too."""
    kept = shared(f32, (64, 16))
    lane = get_local_id()
    row = get_global_id()
    if lane >= first and row < c.shape[0]:
        for d in range(16):
            kept[lane, d] = a[row, d]
        for k in range(n):
            for d in range(16):
                kept[lane, d] = kept[lane, d] * 0.5 + a[row, (d + k) % 16]
    barrier()
    if row < c.shape[0]:
        for d in range(16):
            c[row, d] = kept[lane, d] + kept[first, d]


@hg.kernel(block=64)
def odd_rows(a: DeviceArray[f64, 2], c: DeviceArray[f64, 2], first: u32, n: u32):
    """Rows of 12."""
    kept = shared(f64, (64, 12))
    lane = get_local_id()
    row = get_global_id()
    if lane >= first and row < c.shape[0]:
        for d in range(12):
            kept[lane, d] = a[row, d] + f64(n)
    barrier()
    if row < c.shape[0]:
        for d in range(12):
            c[row, d] = kept[lane, d]


@hg.kernel(block=64)
def reversed_rows(a: DeviceArray[f64, 2], c: DeviceArray[f64, 2], first: u32, n: u32):
    """A row of another lane is read, which no lane shares."""
    kept = shared(f64, (64, 8))
    lane = get_local_id()
    row = get_global_id()
    if lane >= first and row < c.shape[0]:
        for d in range(8):
            kept[lane, d] = a[row, d] + f64(n)
    barrier()
    if row < c.shape[0]:
        for d in range(8):
            c[row, d] = kept[63 - lane, d]


@hg.kernel
def rows(a: DeviceArray[f32, 2], c: DeviceArray[f32, 2]):
    j, i = get_global_id(0), get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[i, j] + 1.0


TURNED = "contiguous vectors, as rows and columns are exchanged"


def compare(kernel, grid, data):
    results = []
    for backend, threads in (("interpreter", 1), ("cpu", 1), ("cpu", 3)):
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in data]
        kernel[grid].configure(backend=backend, threads=threads)(*copies)
        results.append([x for x in copies if isinstance(x, np.ndarray)])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8))


def check_level():
    rng = np.random.default_rng(5)
    for n, block in ((9, 8), (31, 16), (40, 16), (67, 4), (133, 16)):
        m, a, b = (rng.random(s).astype(np.float32) for s in (n * n, n * n, n))
        count = -(-n // block)
        for t in (0, 3, n - 2):
            compare(eliminate, ((count, count), (block, block)), (m, a, b, n, t))
        x, y = rng.random((n, 11)), rng.random((11, n + 5))
        grid = (count, -(-(n + 5) // block)), (block, block)
        compare(product, grid, (x, y, np.zeros((n, n + 5))))
        cubes = rng.random((3, n, n + 5)).astype(np.float32)
        grid = (count, -(-(n + 5) // block), 2), (block, block, 2)
        compare(cube, grid, (cubes, np.zeros_like(cubes)))
    for kernel, turns in ((own_rows, True), (odd_rows, True), (reversed_rows, True)):
        dtype = np.float32 if kernel is own_rows else np.float64
        for count, first in ((64, 0), (100, 3), (130, 20), (64, 63), (7, 2)):
            a = rng.random((count, 16)).astype(dtype)
            compare(kernel, (-(-count // 64), 64), (a, np.zeros_like(a), first, 3))
        assert (TURNED in kernel.explain()) == turns, kernel.explain()
    large = rng.random((900, 700)), rng.random((700, 40))
    compare(product, ((57, 3), (16, 16)), (*large, np.zeros((900, 40))))
    for kernel, turns in ((eliminate, True), (product, True), (cube, True), (rows, False)):
        assert (WORDS in kernel.explain()) == turns, kernel.explain()


if __name__ == "__main__":
    on_each_level(check_level)
