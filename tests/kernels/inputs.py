"""Inputs of tests, and the arithmetic of kernels in NumPy: fused operations and block trees."""

from __future__ import annotations

import math
import zlib

import numpy as np

F = np.float32
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    1e-45,
    -1e-45,
    3.4e38,
    -3.4e38,
    88.8,
    -103.9,
    np.nan,
]


def random(*key: object) -> np.random.Generator:
    """Numbers that depend on the key alone, so that a case can be run by itself."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def floats(n: int, low: float = -3, high: float = 3, key: object = "") -> np.ndarray:
    return random(n, low, high, key).uniform(low, high, n).astype(F)


def specials(n: int, key: object = "") -> np.ndarray:
    """All kinds of bit patterns with the edges in front; NaN is the canonical one."""
    x = random(n, key).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32).view(F).copy()
    m = min(n, len(EDGES))
    x[:m] = np.array(EDGES[:m], F)
    x[np.isnan(x)] = np.array([0x7FC00000], np.uint32).view(F)[0]
    return x


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def cover(*sizes: int, block: tuple[int, ...] = (64, 1, 1)) -> tuple[tuple[int, ...], ...]:
    """(grid, block) with a lane for each element of a space of these sizes."""
    block = block[: len(sizes)]
    return tuple(ceil_div(n, b) for n, b in zip(sizes, block)), block


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in f32, rounded once. The product is exact in 64 significant bits; where the sum is
    not and lies halfway between two floats, what the sum lost decides."""
    wide = np.longdouble
    product, addend = (
        np.asarray(a).astype(wide) * np.asarray(b).astype(wide),
        np.asarray(c).astype(wide),
    )
    total = product + addend
    part = total - product
    lost = (product - (total - part)) + (addend - part)  # exact, by TwoSum
    near = total.astype(F)
    off = total - near.astype(wide)
    other = np.nextafter(near, np.where(off > 0, F(np.inf), F(-np.inf)))
    tie = (off != 0) & (total == (near.astype(wide) + other.astype(wide)) / 2)
    return np.where(tie & (lost != 0), np.where(lost * off > 0, other, near), near)


def block_tree(rows: np.ndarray, operation: np.ufunc = np.add) -> np.ndarray:
    """Each row, of a multiple of 16 lanes, reduced as BLK.RED does: groups of 16 in pairs, then halves
    of the last one."""
    groups = rows.reshape(len(rows), -1, 16)
    while groups.shape[1] > 1:
        groups = operation(groups[:, ::2], groups[:, 1::2])
    slots = groups[:, 0]
    while slots.shape[1] > 1:
        half = slots.shape[1] // 2
        slots = operation(slots[:, :half], slots[:, half:])
    return slots[:, 0]


def lanes_in_order(
    rows: np.ndarray, operation: np.ufunc | None = None, start: float = 0.0, block: int = 256
) -> np.ndarray:
    """What a loop `for j in range(t, columns, block)` accumulates in each lane t: by row and lane.
    `operation(total, elements)`; the default adds."""
    step = operation or np.add
    total = np.full((len(rows), block), start, rows.dtype)
    for first in range(0, rows.shape[1], block):
        part = rows[:, first : first + block]
        total[:, : part.shape[1]] = step(total[:, : part.shape[1]], part)
    return total


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    """In the type of x."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def normal(x: np.ndarray) -> np.ndarray:
    """The normal distribution, in binary64 without cancellation."""
    return np.array([0.5 * math.erfc(-v * math.sqrt(0.5)) for v in x.ravel()]).reshape(x.shape)
