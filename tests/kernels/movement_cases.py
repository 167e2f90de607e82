"""Kernels that move elements and compute nothing: every bit must arrive."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Raw, Step, covers
from inputs import F, cover, random, specials

SHAPES = ((1, 1), (3, 1), (1, 70), (33, 67), (128, 5))


def payloads(n: int, key: object = "") -> np.ndarray:
    """All bit patterns, NaN with payloads too."""
    return random(n, key).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32).view(F)


@covers("movement/copy")
def copy() -> Cases:
    for n in (1, 100, 4099):
        x = payloads(n)
        yield Case({"x": x, "y": np.zeros(n, F)}, {"n": n}, [Step("copy")], {"y": Raw(x)})


def transposes(kernel: str, block: tuple[int, int]) -> Cases:
    for height, width in SHAPES:
        src = payloads(height * width).reshape(height, width)
        arrays = {"src": src, "dst": np.zeros(src.size, F)}
        scalars = {"width": width, "height": height}
        steps = [Step(kernel, *cover(width, height, block=block))]
        yield Case(arrays, scalars, steps, {"dst": Raw(np.ascontiguousarray(src.T))})


@covers("movement/transpose")
def transpose() -> Cases:
    yield from transposes("transpose", (64, 1))
    yield from transposes("transpose", (8, 8))


@covers("movement/transpose_shared")
def transpose_shared() -> Cases:
    yield from transposes("transpose_shared", (16, 16))


def halves() -> Cases:
    for rows, both in SHAPES:
        for left in {0, 1, both // 2, both}:
            yield rows, left, both - left


@covers("movement/concat")
def concat() -> Cases:
    for rows, left, right in halves():
        a = payloads(rows * left, "a").reshape(rows, left)
        b = payloads(rows * right, "b").reshape(rows, right)
        arrays = {"a": a, "b": b, "out": np.zeros(rows * (left + right), F)}
        scalars = {"rows": rows, "columns_a": left, "columns_b": right}
        steps = [Step("concat", *cover(left + right, rows))]
        yield Case(arrays, scalars, steps, {"out": Raw(np.concatenate([a, b], axis=1))})


@covers("movement/split")
def split() -> Cases:
    for rows, left, right in halves():
        src = payloads(rows * (left + right)).reshape(rows, left + right)
        arrays = {"src": src, "a": np.zeros(rows * left, F), "b": np.zeros(rows * right, F)}
        scalars = {"rows": rows, "columns_a": left, "columns_b": right}
        steps = [Step("split", *cover(left + right, rows))]
        parts = {
            "a": Raw(np.ascontiguousarray(src[:, :left])),
            "b": Raw(np.ascontiguousarray(src[:, left:])),
        }
        yield Case(arrays, scalars, steps, parts)


@covers("movement/gather")
def gather() -> Cases:
    for n in (1, 1000, 4099):
        src = payloads(n + 7)
        index = random(n).integers(0, n + 7, n).astype(np.uint32)
        arrays = {"src": src, "index": index, "out": np.zeros(n, F)}
        yield Case(arrays, {"n": n}, [Step("gather")], {"out": Raw(src[index])})
    index = index.copy()
    index[[70, 99]] = n + 7
    arrays = arrays | {"index": index}
    fault = f"src[index[i]] reads element {n + 7} of {n + 7} (i = 70)"
    yield Case(arrays, {"n": n}, [Step("gather")], {}, fault)


@covers("movement/scatter")
def scatter() -> Cases:
    for n, m in ((1, 1), (1000, 300), (300, 1000), (4099, 4099)):
        src, out = payloads(n), specials(m)
        index = random(n, m).integers(0, m, n).astype(np.uint32)
        arrays = {"src": src, "index": index, "winner": np.zeros(m, np.uint32), "out": out}
        expected = out.copy()
        expected[index] = src  # NumPy too lets the last one win
        steps = [Step("scatter_winner", *cover(n)), Step("scatter", *cover(m))]
        yield Case(arrays, {"n": n, "m": m}, steps, {"out": Raw(expected)})
    arrays = {"index": np.array([0, 3, 2, 9], np.uint32), "winner": np.zeros(3, np.uint32)}
    fault = "winner[index[i]] updates element 3 of 3"
    yield Case(arrays, {"n": 4}, [Step("scatter_winner", *cover(4))], {}, fault)


@covers("movement/reverse_rows")
def reverse_rows() -> Cases:
    for rows, columns in ((1, 1), (3, 63), (5, 64), (2, 65), (7, 200)):
        x = specials(rows * columns).reshape(rows, columns)
        steps = [Step("reverse_rows", (rows,), (64,))]
        arrays = {"src": x, "out": np.zeros((rows, columns), F)}
        yield Case(arrays, {"columns": columns}, steps, {"out": Raw(x[:, ::-1].copy())})
    x = specials(130).reshape(2, 65)  # 65 lanes: lane 64 is at the elements of lane 0
    arrays = {"src": x, "out": np.zeros((2, 65), F)}
    steps = [Step("reverse_rows", (2,), (65,))]
    yield Case(
        arrays,
        {"columns": 65},
        steps,
        {},
        "at one element: lane 0 and lane 64 both write out[64], so",
    )
