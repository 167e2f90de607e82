"""Searches: a tree of boxes with a stack, binary search, a hash table, checksums, patterns."""

import numpy as np
from common import Launches, blocks, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    atomic_add,
    atomic_cas,
    f32,
    get_global_id,
    i32,
    local,
    u8,
    u32,
)

F = np.float32
DEPTH = 32
EMPTY = 0xFFFFFFFF


@hg.kernel
def bvh_hits(
    boxes: DeviceArray[f32, 2],
    child: DeviceArray[i32, 2],
    rays: DeviceArray[f32, 2],
    near: DeviceArray[f32],
    which: DeviceArray[i32],
):
    """ISPC's rt: nodes with two children, leaves with -1 and the number of their box."""
    stack = local(i32, DEPTH)
    r = int(get_global_id())
    if r >= int(len(near)):
        return
    ox, oy, oz = rays[r, 0], rays[r, 1], rays[r, 2]
    ix, iy, iz = 1.0 / rays[r, 3], 1.0 / rays[r, 4], 1.0 / rays[r, 5]
    best = 1.0e30
    found = -1
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        x0 = (boxes[node, 0] - ox) * ix
        x1 = (boxes[node, 3] - ox) * ix
        y0 = (boxes[node, 1] - oy) * iy
        y1 = (boxes[node, 4] - oy) * iy
        z0 = (boxes[node, 2] - oz) * iz
        z1 = (boxes[node, 5] - oz) * iz
        enter = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), 0.0))
        leave = min(min(max(x0, x1), max(y0, y1)), max(z0, z1))
        if enter > leave or enter >= best:
            continue
        if child[node, 0] < 0:
            best = enter
            found = child[node, 1]
        else:
            stack[top] = child[node, 0]
            stack[top + 1] = child[node, 1]
            top += 2
    near[r] = best
    which[r] = found


@njit
def bvh_twin(boxes, child, rays, near, which):
    stack = np.zeros(DEPTH, np.int32)
    for r in range(len(near)):
        ox, oy, oz = rays[r, 0], rays[r, 1], rays[r, 2]
        ix, iy, iz = F(1) / rays[r, 3], F(1) / rays[r, 4], F(1) / rays[r, 5]
        best = F(1.0e30)
        found = -1
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            x0 = (boxes[node, 0] - ox) * ix
            x1 = (boxes[node, 3] - ox) * ix
            y0 = (boxes[node, 1] - oy) * iy
            y1 = (boxes[node, 4] - oy) * iy
            z0 = (boxes[node, 2] - oz) * iz
            z1 = (boxes[node, 5] - oz) * iz
            enter = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), F(0)))
            leave = min(min(max(x0, x1), max(y0, y1)), max(z0, z1))
            if enter > leave or enter >= best:
                continue
            if child[node, 0] < 0:
                best = enter
                found = child[node, 1]
            else:
                stack[top] = child[node, 0]
                stack[top + 1] = child[node, 1]
                top += 2
        near[r] = best
        which[r] = found


def check_bvh(boxes, child, rays, near, which):
    leaves = boxes[child[:, 0] < 0].astype(float)
    o, inv = rays[:, None, :3].astype(float), 1 / rays[:, None, 3:].astype(float)
    a, b = (leaves[None, :, :3] - o) * inv, (leaves[None, :, 3:] - o) * inv
    enter = np.maximum(np.minimum(a, b).max(-1), 0)
    enter[enter > np.maximum(a, b).min(-1)] = 1e30
    assert np.mean(np.isclose(near, enter.min(1), rtol=1e-3, atol=1e-5)) > 0.99
    assert np.mean((which >= 0) == (enter.min(1) < 1e30)) > 0.99


@hg.kernel
def lower_bound(keys: DeviceArray[i32], wanted: DeviceArray[i32], place: DeviceArray[i32]):
    i = int(get_global_id())
    if i < int(len(wanted)):
        low = 0
        high = int(len(keys))
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        place[i] = low


@njit
def lower_bound_twin(keys, wanted, place):
    for i in range(len(wanted)):
        low = 0
        high = len(keys)
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        place[i] = low


def check_lower_bound(keys, wanted, place):
    np.testing.assert_array_equal(place, np.searchsorted(keys, wanted))


@hg.kernel
def count_words(words: DeviceArray[u32], table: DeviceArray[u32], counts: DeviceArray[u32]):
    """A hash table with linear probing; the first lane with a word takes a slot."""
    i = get_global_id()
    if i < len(words):
        word = words[i]
        mask = len(table) - 1
        slot = (word * 2654435769 >> 7) & mask
        while True:
            seen = atomic_cas(table, slot, EMPTY, word)
            if seen == EMPTY or seen == word:
                break
            slot = (slot + 1) & mask
        atomic_add(counts, slot, 1)


insert = tried(count_words)


def word_counts(words, table, counts):
    table[:] = EMPTY
    counts[:] = 0
    insert[blocks(len(words), 256), 256](words, table, counts)


@njit
def word_counts_twin(words, table, counts):
    table[:] = EMPTY
    counts[:] = 0
    mask = len(table) - 1
    for i in range(len(words)):
        word = words[i]
        slot = int(np.uint32(word * np.uint32(2654435769)) >> np.uint32(7)) & mask
        while table[slot] != EMPTY and table[slot] != word:
            slot = (slot + 1) & mask
        table[slot] = word
        counts[slot] += 1


def check_words(words, table, counts):
    keys, want = np.unique(words, return_counts=True)
    used = table != EMPTY
    order = np.argsort(table[used])
    np.testing.assert_array_equal(table[used][order], keys)
    np.testing.assert_array_equal(counts[used][order], want)


@hg.kernel
def checksums(data: DeviceArray[u8, 2], table: DeviceArray[u32], out: DeviceArray[u32]):
    """CRC-32 of each row, byte by byte."""
    row = int(get_global_id())
    if row < int(data.shape[0]):
        crc: u32 = 0xFFFFFFFF
        for k in range(int(data.shape[1])):
            crc = table[(crc ^ u32(data[row, k])) & 0xFF] ^ (crc >> 8)
        out[row] = ~crc


@njit
def checksums_twin(data, table, out):
    for row in range(data.shape[0]):
        crc = np.uint32(0xFFFFFFFF)
        for k in range(data.shape[1]):
            byte = (crc ^ np.uint32(data[row, k])) & np.uint32(0xFF)
            crc = np.uint32(table[byte] ^ (crc >> np.uint32(8)))
        out[row] = ~crc


def check_checksums(data, table, out):
    crc = np.full(len(data), 0xFFFFFFFF, np.uint32)
    for byte in data.T:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> np.uint32(8))
    np.testing.assert_array_equal(out, ~crc)


@hg.kernel
def matches(text: DeviceArray[u8], pattern: DeviceArray[u8], found: DeviceArray[i32]):
    """How often a pattern with wildcards (63) begins at each place: 1 or 0, by an early exit."""
    i = int(get_global_id())
    n, m = int(len(text)), int(len(pattern))
    if i > n - m:
        return
    ok = 1
    for k in range(m):
        if pattern[k] != 63 and text[i + k] != pattern[k]:
            ok = 0
            break
    found[i] = ok


@njit
def matches_twin(text, pattern, found):
    n, m = len(text), len(pattern)
    for i in range(n - m + 1):
        ok = 1
        for k in range(m):
            if pattern[k] != 63 and text[i + k] != pattern[k]:
                ok = 0
                break
        found[i] = ok


def check_matches(text, pattern, found):
    windows = np.lib.stride_tricks.sliding_window_view(text, len(pattern))
    want = np.all((windows == pattern) | (pattern == 63), axis=1)
    np.testing.assert_array_equal(found[: len(want)], want)


def tree(rng, leaves):
    """Boxes in order of their centers, halved at each level."""
    low = rng.random((leaves, 3)).astype(F)
    corners = np.concatenate((low, low + rng.uniform(0.01, 0.05, (leaves, 3)).astype(F)), 1)
    boxes, child = [], []

    def build(part, axis):
        node = len(boxes)
        box = corners[part]
        boxes.append(np.concatenate((box[:, :3].min(0), box[:, 3:].max(0))))
        child.append([-1, part[0]])
        if len(part) > 1:
            part = part[np.argsort(corners[part, axis])]
            half = len(part) // 2
            child[node] = [build(part[:half], (axis + 1) % 3), build(part[half:], (axis + 1) % 3)]
        return node

    build(np.arange(leaves), 0)
    return np.array(boxes, F), np.array(child, np.int32)


def crc_table():
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, np.uint32(0xEDB88320) ^ (crc >> np.uint32(1)), crc >> np.uint32(1))
    return crc.astype(np.uint32)


def programs(rng, small=False):
    leaves, n = (20, 60) if small else (1000, 4000)
    rays = np.concatenate((rng.uniform(-1, 2, (n, 3)), rng.normal(size=(n, 3))), 1).astype(F)
    data = (*tree(rng, leaves), rays, np.zeros(n, F), np.zeros(n, np.int32))
    yield "bvh_stack", "ISPC", bvh_hits[blocks(n, 64), 64], bvh_twin, data, check_bvh

    n, k = (100, 77) if small else (50_000, 50_000)
    keys = np.sort(rng.integers(0, 1 << 20, n)).astype(np.int32)
    data = (keys, rng.integers(0, 1 << 20, k).astype(np.int32), np.zeros(k, np.int32))
    yield "lower_bound", "Warp", lower_bound, lower_bound_twin, data, check_lower_bound

    n, slots = (200, 256) if small else (100_000, 16384)
    words = rng.integers(0, slots // 3, n).astype(np.uint32) * np.uint32(977)
    data = (words, np.zeros(slots, np.uint32), np.zeros(slots, np.uint32))
    program = Launches(word_counts, insert)
    yield "hash_table", "Warp", program, word_counts_twin, data, check_words

    rows, width = (33, 20) if small else (4096, 128)
    data = (rng.integers(0, 256, (rows, width)).astype(np.uint8), crc_table())
    data += (np.zeros(rows, np.uint32),)
    yield "crc32_rows", "ISPC", checksums, checksums_twin, data, check_checksums

    n = 500 if small else 200_000
    text = rng.integers(97, 100, n).astype(np.uint8)
    pattern = np.frombuffer(b"ab?ac?bb", np.uint8).copy()
    data = (text, pattern, np.zeros(n, np.int32))
    yield "pattern", "Numba", matches, matches_twin, data, check_matches
