"""Random numbers: the generator with its published vectors, and what is made of its words."""

from __future__ import annotations

import numpy as np
from case import LONG, Case, Cases, Step, Within, covers
from inputs import F, cover

# Counter, key and words of philox4x32_10 in the vectors that come with its publication (Random123).
PUBLISHED = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
SEEDS = ((0, 0), (1, 7), (2**64 - 1, 2**32 + 123456789))


def philox(index: np.ndarray, stream: np.ndarray | int, seed: int) -> np.ndarray:
    """The words of Philox-4x32-10 of the counters index + 2^64 stream, one row for each."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    index = np.asarray(index, np.uint64)
    stream = np.broadcast_to(np.asarray(stream, np.uint64), index.shape)
    a, b, c, d = index & low, index >> half, stream & low, stream >> half
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = (second >> half) ^ b ^ np.uint64(keys[0]), second & low
        c, d = (first >> half) ^ d ^ np.uint64(keys[1]), first & low
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack([a, b, c, d], axis=1).astype(np.uint32)


def words(n: int, seed: int, stream: int) -> np.ndarray:
    """The first n words of a stream, and the rest of their block."""
    return philox(np.arange((n + 3) // 4), stream, seed).ravel()


@covers("random/random_words")
def random_words() -> Cases:
    for counter, key, expected in PUBLISHED:
        scalars = {"seed": key[0] | key[1] << 32, "first": counter[0] | counter[1] << 32}
        scalars |= {"stream": counter[2] | counter[3] << 32, "n": 1}
        steps = [Step("random_words", (1,), (256,))]
        out = np.zeros(4, np.uint32)
        yield Case({"out": out}, scalars, steps, {"out": np.array(expected, np.uint32)})
    for n, first in ((300, 0), (1001, 2**64 - 500)):  # the counter wraps
        for seed, stream in SEEDS:
            counters = np.arange(n, dtype=np.uint64) + np.uint64(first)
            scalars = {"seed": seed, "first": first, "stream": stream, "n": n}
            expected = {"out": philox(counters, stream, seed).ravel()}
            steps = [Step("random_words", *cover(n))]
            yield Case({"out": np.zeros(4 * n, np.uint32)}, scalars, steps, expected)


@covers("random/random_uniform")
def random_uniform() -> Cases:
    for n in (1, 1000, 4099):
        for seed, stream in SEEDS:
            expected = (words(n, seed, stream)[:n] >> 8).astype(F) * F(2.0**-24)
            assert expected.min() >= 0 and expected.max() < 1
            scalars = {"seed": seed, "stream": stream, "n": n}
            steps = [Step("random_uniform")]
            yield Case({"out": np.zeros(n, F)}, scalars, steps, {"out": expected})


@covers("random/random_normal")
def random_normal() -> Cases:
    for n in (1, 1000, 40_001):
        for seed, stream in SEEDS:
            pairs = words(n, seed, stream).reshape(-1, 2)
            uniform = pairs[:, 0].astype(F) * F(2.0**-32) + F(2.0**-33)
            radius = np.sqrt(-2 * np.log(uniform.astype(LONG)))
            angle = (pairs[:, 1] >> 8).astype(LONG) * LONG(2.0**-24) * 2 * np.arccos(LONG(-1))
            exact = (radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)).ravel()[:n]
            if n > 10_000:  # five deviations of the mean of n squares, and of n fourth powers
                assert abs(exact.mean()) < 5 / n**0.5
                assert abs((exact**2).mean() - 1) < 5 * (2 / n) ** 0.5
                assert abs((exact**4).mean() - 3) < 5 * (96 / n) ** 0.5
            slack = 1e-6 * np.repeat(radius, 2)[:n]
            scalars = {"seed": seed, "stream": stream, "n": n}
            steps = [Step("random_normal")]
            yield Case({"out": np.zeros(n, F)}, scalars, steps, {"out": Within(exact, slack)})
