"""Sorts: bitonic as in CUDA's samples, by digits of 8 bits as in NPB's IS."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    barrier,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    i32,
    shared,
)

BINS = 256


@hg.kernel
def bitonic_step(a: DeviceArray[f32], j: i32, k: i32, n: i32):
    i = int(get_global_id())
    partner = i ^ j
    if i < n and partner > i and partner < n:
        x = a[i]
        y = a[partner]
        up = (i & k) == 0
        if (up and x > y) or (not up and x < y):
            a[i] = y
            a[partner] = x


exchange = tried(bitonic_step)


def bitonic_sort(source, a, n):
    a[:] = source
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            exchange(a, j, k, n)
            j //= 2
        k *= 2


@njit
def bitonic_twin(source, a, n):
    a[:] = source
    k = 2
    while k <= n:
        j = k // 2
        while j > 0:
            for i in range(n):
                partner = i ^ j
                if partner > i and partner < n:
                    x = a[i]
                    y = a[partner]
                    up = (i & k) == 0
                    if (up and x > y) or (not up and x < y):
                        a[i] = y
                        a[partner] = x
            j //= 2
        k *= 2


def check_sorted(source, a, n):
    np.testing.assert_array_equal(a, np.sort(source))


@hg.kernel(block=BINS)
def count_keys(keys: DeviceArray[i32], counts: DeviceArray[i32, 2], n: i32, part: i32, shift: i32):
    """Radix sort, step 1: each block counts the digits of its part of the keys."""
    own = shared(i32, BINS)
    lane = int(get_local_id())
    block = int(get_block_id())
    own[lane] = 0
    barrier()
    for i in range(block * part + lane, min((block + 1) * part, n), BINS):
        atomic_add(own, (keys[i] >> shift) & (BINS - 1), 1)
    barrier()
    counts[lane, block] = own[lane]


@hg.kernel
def scatter_keys(
    keys: DeviceArray[i32],
    first: DeviceArray[i32, 2],
    out: DeviceArray[i32],
    n: i32,
    part: i32,
    shift: i32,
):
    """Step 3: one lane per part puts its keys in their places, in order."""
    block = int(get_global_id())
    if block < int(first.shape[1]):
        for i in range(block * part, min((block + 1) * part, n)):
            digit = (keys[i] >> shift) & (BINS - 1)
            at = first[digit, block]
            out[at] = keys[i]
            first[digit, block] = at + 1


count_step, scatter_step = tried(count_keys), tried(scatter_keys)


def radix_sort(keys, work, counts, part, out):
    n, parts = len(keys), counts.shape[1]
    source, target = keys, work
    for shift in (0, 8):
        count_step[parts, BINS](source, counts, n, part, shift)
        flat = counts.ravel()
        flat[:] = np.concatenate(([0], np.cumsum(flat)[:-1]))
        scatter_step[blocks(parts, 64), 64](source, counts, target, n, part, shift)
        source, target = target, out


@njit
def radix_twin(keys, work, counts, part, out):
    n, parts = len(keys), counts.shape[1]
    source, target = keys, work
    for shift in (0, 8):
        counts[:] = 0
        for block in range(parts):
            for i in range(block * part, min((block + 1) * part, n)):
                counts[(source[i] >> shift) & (BINS - 1), block] += 1
        total = 0
        for digit in range(BINS):
            for block in range(parts):
                count = counts[digit, block]
                counts[digit, block] = total
                total += count
        for block in range(parts):
            for i in range(block * part, min((block + 1) * part, n)):
                digit = (source[i] >> shift) & (BINS - 1)
                at = counts[digit, block]
                target[at] = source[i]
                counts[digit, block] = at + 1
        source, target = target, out


def check_keys(keys, work, counts, part, out):
    np.testing.assert_array_equal(out, np.sort(keys))


def programs(rng, small=False):
    n = 256 if small else 16384
    data = (rng.random(n, np.float32), np.zeros(n, np.float32), n)
    yield "bitonic", "ISPC", Launches(bitonic_sort, exchange), bitonic_twin, data, check_sorted

    n, part = (3000, 500) if small else (200_000, 4096)
    keys = rng.integers(0, 1 << 16, n).astype(np.int32)
    data = (keys, np.zeros_like(keys), np.zeros((BINS, blocks(n, part)), np.int32), part)
    program = Launches(radix_sort, count_step, scatter_step)
    yield "is_radix", "NPB", program, radix_twin, (*data, np.zeros_like(keys)), check_keys
