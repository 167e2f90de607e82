"""Searching and sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from pasted import floats, integers, program, zeros

program(
    "searchsorted",
    lambda: [np.sort(floats(33)), floats(20, seed=5), zeros(20, dtype=np.int32)],
    lambda a, v, o: np.searchsorted(a, v),
    """
@kernel
def searchsorted(a: DeviceArray[f32], v: DeviceArray[f32], out: DeviceArray[i32]):
    i = get_global_id()
    if i < v.size:
        lo, hi = 0, int(len(a))
        while lo < hi:
            mid = (lo + hi) >> 1
            if a[mid] < v[i]:
                lo = mid + 1
            else:
                hi = mid
        out[i] = lo
""",
)

program(
    "insertion sort of a local array, the median",
    lambda: [floats(12, 9), zeros(12)],
    lambda a, o: np.median(a, 1),
    """
@kernel
def median(a: DeviceArray[f32, 2], out: DeviceArray[f32]):
    v = local(f32, 9)
    r = get_global_id()
    if r < len(out):
        for k in range(9):
            v[k] = a[r, k]
        for i in range(1, 9):
            key = v[i]
            j = i - 1
            while j >= 0 and v[j] > key:
                v[j + 1] = v[j]
                j -= 1
            v[j + 1] = key
        out[r] = v[4]
""",
)

program(
    "bitonic sort of a block",
    lambda: [integers(64, high=1000)],
    lambda x: np.sort(x),
    """
@kernel(block=64)
def bitonic(x: DeviceArray[i32]):
    s = shared(i32, 64)
    tid = get_local_id()
    s[tid] = x[tid]
    barrier()
    k = 2
    while k <= 64:
        j = k // 2
        while j > 0:
            ixj = tid ^ j
            if ixj > tid:
                if (tid & k) == 0:
                    if s[tid] > s[ixj]:
                        s[tid], s[ixj] = s[ixj], s[tid]
                else:
                    if s[tid] < s[ixj]:
                        s[tid], s[ixj] = s[ixj], s[tid]
            barrier()
            j //= 2
        k *= 2
    x[tid] = s[tid]
""",
    shape=(1, 64),
)


def levenshtein(a: Any, b: Any, o: Any) -> Any:
    def distance(s: Any, t: Any) -> int:
        row = list(range(len(t) + 1))
        for i, c in enumerate(s):
            old, row[0] = row[0], i + 1
            for j, d in enumerate(t):
                old, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, old + (c != d))
        return row[-1]

    return [distance(s, t) for s, t in zip(a, b, strict=True)]


program(
    "edit distance with one row in local memory",
    lambda: [
        integers(8, 10, high=4, dtype=np.uint8),
        integers(8, 12, high=4, seed=2, dtype=np.uint8),
        zeros(8, dtype=np.int32),
    ],
    levenshtein,
    """
M = 12


@kernel
def edit_distance(a: DeviceArray[u8, 2], b: DeviceArray[u8, 2], out: DeviceArray[i32]):
    row = local(i32, M + 1)
    w = get_global_id()
    if w < len(out):
        for j in range(M + 1):
            row[j] = j
        for i in range(a.shape[1]):
            prev = row[0]
            row[0] = i32(i) + 1
            for j in range(1, M + 1):
                cost = 0 if a[w, i] == b[w, j - 1] else 1
                temp = row[j]
                row[j] = min(row[j] + 1, row[j - 1] + 1, prev + cost)
                prev = temp
        out[w] = row[M]
""",
)

program(
    "nearest of the centres, k-means",
    lambda: [floats(40, 2), floats(5, 2, seed=2), zeros(40, dtype=np.uint32)],
    lambda p, c, o: ((p[:, None, :] - c[None]) ** 2).sum(2).argmin(1),
    """
@kernel
def assign(points: DeviceArray[vec2], centroids: DeviceArray[vec2], labels: DeviceArray[u32]):
    i = get_global_id(0)
    if i < len(points):
        best_dist = inf
        best = u32(0)
        for k, c in enumerate(centroids):
            dist = distance(points[i], c)
            if dist < best_dist:
                best_dist, best = dist, u32(k)
        labels[i] = best
""",
)


def inside(px: Any, py: Any, x: Any, y: Any, o: Any) -> Any:
    found = np.zeros(len(x), np.bool_)
    j = len(px) - 1
    for i in range(len(px)):
        cut = ((py[i] > y) != (py[j] > y)) & (
            x < (px[j] - px[i]) * (y - py[i]) / (py[j] - py[i]) + px[i]
        )
        found ^= cut
        j = i
    return found


program(
    "point in polygon",
    lambda: [
        np.array([0, 2, 3, 1, -1], np.float32),
        np.array([0, 0.5, 2, 3, 1], np.float32),
        floats(60, low=-1, high=3),
        floats(60, low=-1, high=3, seed=2),
        zeros(60, dtype=np.bool_),
    ],
    inside,
    """
@kernel
def pnpoly(vx: DeviceArray[f32], vy: DeviceArray[f32], x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[bool]):
    t = get_global_id()
    if t < len(x):
        inside = False
        j = len(vx) - 1
        for i in range(len(vx)):
            if (vy[i] > y[t]) != (vy[j] > y[t]) and x[t] < (vx[j] - vx[i]) * (y[t] - vy[i]) / (vy[j] - vy[i]) + vx[i]:
                inside = not inside
            j = i
        out[t] = inside
""",
)
