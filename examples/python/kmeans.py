"""k-means: points find the nearest of k centres, centres move to the mean of their points.

usage: kmeans.py [POINTS]

Sums of floats in any order would give other centres with every run. Here coordinates are whole
numbers of 2^-16, sums are of 64-bit integers, and atomic additions of those commute: the result has
the same bits with any number of threads. Prints the centres and how many of them are right.
"""

import sys
from typing import Literal

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, i64, inf, u32

CENTRES = 8


@hg.kernel
def nearest(
    x: DeviceArray[f32, Literal[2]],
    centres: DeviceArray[f32, Literal[2]],
    sums: DeviceArray[i64, Literal[2]],
    counts: DeviceArray[u32],
) -> None:
    i = get_global_id()
    if i < x.shape[0]:
        best: u32 = 0
        least = inf
        for c in range(centres.shape[0]):
            dx = x[i, 0] - centres[c, 0]
            dy = x[i, 1] - centres[c, 1]
            distance = dx * dx + dy * dy
            if distance < least:
                least = distance
                best = c
        atomic_add(counts, best, 1)
        for d in range(2):
            atomic_add(sums, (best, d), i64(x[i, d] * 65536.0))


def main() -> int:
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    rng = np.random.default_rng(3)
    angle = 2 * np.pi * np.arange(CENTRES) / CENTRES
    true = np.stack([np.cos(angle), np.sin(angle)], 1) * 10
    x = (true[rng.integers(0, CENTRES, points)] + rng.normal(size=(points, 2))).astype(np.float32)
    centres = x[rng.choice(points, CENTRES * 4, replace=False)]
    # Far from each other to begin with.
    chosen = [0]
    while len(chosen) < CENTRES:
        gaps = np.linalg.norm(centres[:, None] - centres[chosen], axis=2).min(1)
        chosen.append(int(gaps.argmax()))
    centres = np.ascontiguousarray(centres[chosen])
    for _ in hg.progress(range(20), "moving centres"):
        sums, counts = np.zeros((CENTRES, 2), np.int64), np.zeros(CENTRES, np.uint32)
        nearest[-(-points // 256), 256](x, centres, sums, counts)
        centres = (sums / 65536.0 / counts[:, None]).astype(np.float32)
    errors = np.linalg.norm(true[:, None] - centres, axis=2).min(1)
    print(centres)
    print(f"{int((errors < 0.1).sum())} of {CENTRES} centres found")
    return 0 if (errors < 0.1).all() else 1


if __name__ == "__main__":
    sys.exit(main())
