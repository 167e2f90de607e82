"""Textbook algorithms on integers: scans, generators, hashes, codes, boards."""

from __future__ import annotations

from typing import Any

import numpy as np

from pasted import integers, program, zeros

program(
    "Blelloch's exclusive scan of a block",
    lambda: [integers(128), zeros(128, dtype=np.int32)],
    lambda x, y: np.cumsum(x) - x,
    """
N = 128


@kernel(block=64)
def prescan(g_idata: DeviceArray[i32], g_odata: DeviceArray[i32]):
    temp = shared(i32, N)
    thid = get_local_id()
    offset = 1
    temp[2 * thid] = g_idata[2 * thid]
    temp[2 * thid + 1] = g_idata[2 * thid + 1]
    d = N >> 1
    while d > 0:
        barrier()
        if thid < d:
            ai = offset * (2 * thid + 1) - 1
            bi = offset * (2 * thid + 2) - 1
            temp[bi] += temp[ai]
        offset *= 2
        d >>= 1
    if thid == 0:
        temp[N - 1] = 0
    d = 1
    while d < N:
        offset >>= 1
        barrier()
        if thid < d:
            ai = offset * (2 * thid + 1) - 1
            bi = offset * (2 * thid + 2) - 1
            t = temp[ai]
            temp[ai] = temp[bi]
            temp[bi] += t
        d *= 2
    barrier()
    g_odata[2 * thid] = temp[2 * thid]
    g_odata[2 * thid + 1] = temp[2 * thid + 1]
""",
    shape=(1, 64),
)


program(
    "a linear congruential generator with 48 bits",
    lambda: [np.arange(20, dtype=np.uint64), zeros(20, dtype=np.float64)],
    lambda seeds, o: drand48(seeds),
    """
A = 0x5DEECE66D
C = 0xB
MASK = (1 << 48) - 1


@kernel
def drand48(seed: DeviceArray[u64], out: DeviceArray[f64]):
    i = get_global_id()
    if i < len(out):
        state = (seed[i] << 16) + 0x330E
        for _ in range(5):
            state = (A * state + C) & MASK
        out[i] = f64(state) / (1 << 48)
""",
)


def drand48(seeds: Any) -> list[float]:
    found = []
    for seed in seeds:
        state = (int(seed) << 16) + 0x330E
        for _ in range(5):
            state = (0x5DEECE66D * state + 0xB) & (2**48 - 1)
        found.append(state / 2**48)
    return found


program(
    "labels of components, one pointer jump",
    lambda: [np.array([0, 0, 1, 2, 4, 4, 5, 6, 3, 9], np.int32), zeros(10, dtype=np.int32)],
    lambda p, o: [find(p, i) for i in range(10)],
    """
@inline
def find(parent, x):
    while parent[x] != x:
        x = parent[x]
    return x


@kernel
def flatten(parent: DeviceArray[i32], root: DeviceArray[i32]):
    i = get_global_id()
    if i < len(parent):
        root[i] = find(parent, i32(i))
""",
)


def find(parent: Any, x: int) -> int:
    while parent[x] != x:
        x = parent[x]
    return x


program(
    "insertion into a hash table with compare and swap",
    lambda: [np.arange(1, 20, dtype=np.uint32) * 7, zeros(64, dtype=np.uint32)],
    lambda k, t: t,  # where each key is depends on the order of the lanes
    """
EMPTY = 0
SIZE = 64


@kernel(deterministic=False)
def insert(keys: DeviceArray[u32], table: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        key = keys[i]
        slot = (key * 2654435761) % SIZE
        while True:
            old = atomic_cas(table, slot, EMPTY, key)
            if old == EMPTY or old == key:
                break
            slot = (slot + 1) & (SIZE - 1)
""",
)


def median3(img: Any, out: Any) -> Any:
    out[1:-1, 1:-1] = np.median(
        np.stack(
            [
                img[1 + a : img.shape[0] - 1 + a, 1 + b : img.shape[1] - 1 + b]
                for a in (-1, 0, 1)
                for b in (-1, 0, 1)
            ]
        ),
        axis=0,
    )
    return out


program(
    "median of 3 x 3 by a bubble sort in local memory",
    lambda: [integers(8, 9, high=255, dtype=np.uint8), zeros(8, 9, dtype=np.uint8)],
    median3,
    """
@kernel
def median(img: DeviceArray[u8, 2], out: DeviceArray[u8, 2]):
    window = local(u8, 9)
    x, y = get_global_id(0), get_global_id(1)
    if 0 < x < img.shape[1] - 1 and 0 < y < img.shape[0] - 1:
        k = 0
        for j in range(3):
            for i in range(3):
                window[k] = img[y + j - 1, x + i - 1]
                k += 1
        for i in range(9):
            for j in range(8 - i):
                if window[j] > window[j + 1]:
                    window[j], window[j + 1] = window[j + 1], window[j]
        out[y, x] = window[4]
""",
)


program(
    "queens on a board by bits",
    lambda: [np.arange(6, dtype=np.uint32), zeros(6, dtype=np.int32)],
    lambda c, o: list(QUEENS),
    """
N = 6


@kernel
def queens(first: DeviceArray[u32], count: DeviceArray[i32]):
    cols = local(u32, N + 1)
    left = local(u32, N + 1)
    right = local(u32, N + 1)
    todo = local(u32, N + 1)
    t = get_global_id()
    if t < len(first):
        full: u32 = (1 << N) - 1
        bit = 1 << first[t]
        cols[1], left[1], right[1] = bit, bit << 1, bit >> 1
        todo[1] = full & ~(cols[1] | left[1] | right[1])
        depth, found = 1, 0
        while depth > 0:
            if todo[depth] == 0:
                depth -= 1
                continue
            q = todo[depth] & (~todo[depth] + 1)
            todo[depth] &= ~q
            if depth == N - 1:
                found += 1
                continue
            cols[depth + 1] = cols[depth] | q
            left[depth + 1] = (left[depth] | q) << 1
            right[depth + 1] = (right[depth] | q) >> 1
            depth += 1
            todo[depth] = full & ~(cols[depth] | left[depth] | right[depth])
        count[t] = found
""",
)


QUEENS = (0, 1, 1, 1, 1, 0)


program(
    "base64 of bytes",
    lambda: [integers(30, high=256, dtype=np.uint8), zeros(40, dtype=np.uint8)],
    lambda d, o: np.frombuffer(__import__("base64").b64encode(d.tobytes()), np.uint8),
    """
@inline
def digit(v):
    if v < 26:
        return v + ord("A")
    if v < 52:
        return v - 26 + ord("a")
    if v < 62:
        return v - 52 + ord("0")
    return ord("+") if v == 62 else ord("/")


@kernel
def encode(src: DeviceArray[u8], dst: DeviceArray[u8]):
    i = get_global_id()
    if i < len(src) // 3:
        word = (u32(src[3 * i]) << 16) | (u32(src[3 * i + 1]) << 8) | src[3 * i + 2]
        for k in range(4):
            dst[4 * i + k] = u8(digit((word >> (18 - 6 * k)) & 63))
""",
)


program(
    "Wang's hash, then a float in 0 to 1",
    lambda: [np.arange(40, dtype=np.uint32), zeros(40)],
    lambda s, o: wang(s) * (1.0 / 4294967296.0),
    """
@inline
def wang_hash(seed):
    seed = (seed ^ 61) ^ (seed >> 16)
    seed *= 9
    seed = seed ^ (seed >> 4)
    seed *= 0x27D4EB2D
    seed = seed ^ (seed >> 15)
    return seed


@kernel
def randoms(seed: DeviceArray[u32], out: DeviceArray[f32]):
    tid = get_global_id()
    if tid < len(out):
        out[tid] = wang_hash(seed[tid]) * (1.0 / 4294967296.0)
""",
    near=1e-6,
)


def wang(s: Any) -> Any:
    s = (s ^ np.uint32(61)) ^ (s >> np.uint32(16))
    s = s * np.uint32(9)
    s = s ^ (s >> np.uint32(4))
    s = s * np.uint32(0x27D4EB2D)
    return s ^ (s >> np.uint32(15))


program(
    "population count by masks and shifts",
    lambda: [integers(50, high=2**32, dtype=np.uint32), zeros(50, dtype=np.uint8)],
    lambda x, o: [int(v).bit_count() for v in x],
    """
@kernel
def popcount(x: DeviceArray[u32], out: DeviceArray[u8]):
    i = get_global_id()
    if i < len(x):
        v = x[i]
        v = v - ((v >> 1) & 0x55555555)
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
        v = (v + (v >> 4)) & 0x0F0F0F0F
        out[i] = (v * 0x01010101) >> 24
""",
)


program(
    "gray code and back with a shift by a doubling count",
    lambda: [
        np.arange(40, dtype=np.uint32),
        zeros(40, dtype=np.uint32),
        zeros(40, dtype=np.uint32),
    ],
    lambda x, g, b: (x ^ (x >> np.uint32(1)), x),
    """
@kernel
def gray(x: DeviceArray[u32], code: DeviceArray[u32], back: DeviceArray[u32]):
    i = get_global_id()
    if i < len(x):
        g = x[i] ^ (x[i] >> 1)
        code[i] = g
        shift = 1
        while shift < 32:
            g ^= g >> shift
            shift <<= 1
        back[i] = g
""",
)


program(
    "bit matrix of 8 x 8 transposed",
    lambda: [integers(10, 8, high=256, dtype=np.uint8), zeros(10, 8, dtype=np.uint8)],
    lambda a, b: np.packbits(
        np.unpackbits(a, axis=1).reshape(10, 8, 8).transpose(0, 2, 1).reshape(10, 64), axis=1
    ),
    """
@kernel
def transpose8(a: DeviceArray[u8, 2], b: DeviceArray[u8, 2]):
    m = get_global_id()
    if m < a.shape[0]:
        for r in range(8):
            out = 0
            for c in range(8):
                bit = (a[m, c] >> (7 - r)) & 1
                out |= bit << (7 - c)
            b[m, r] = u8(out)
""",
)


program(
    "sieve with a stride for each prime",
    lambda: [np.array([2, 3, 5, 7], np.uint32), zeros(100, dtype=np.uint8)],
    lambda p, c: [any(k % q == 0 and k > q for q in (2, 3, 5, 7)) for k in range(100)],
    """
@kernel
def sieve(primes: DeviceArray[u32], composite: DeviceArray[u8]):
    k = get_global_id()
    if k < len(composite):
        flag = False
        for p in primes:
            flag |= k % p == 0 and k > p
        composite[k] = 1 if flag else 0
""",
)
