"""Reductions, running sums and histograms. The sums are compared bit for bit with the same order of
additions in NumPy, and with binary64 within the documented bound."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Step, Within, covers
from inputs import F, block_tree, ceil_div, floats, fma, lanes_in_order, random, specials

BLOCK, CHUNK = 256, 4096
SIZES = (1, 255, 4096, 10_007, 1_100_001)
EPSILON = 2.0**-24


def chunks(x: np.ndarray, fill: float) -> np.ndarray:
    count = ceil_div(len(x), CHUNK)
    return np.pad(x, (0, count * CHUNK - len(x)), constant_values=fill).reshape(count, CHUNK)


def two_stages(x: np.ndarray, operation: np.ufunc, fill: float, first=None) -> tuple:
    """(partial results, result) as the kernels compute them. What is left out at the end of the last
    chunk is `fill`, which changes nothing."""
    partial = block_tree(lanes_in_order(chunks(x, fill), first or operation, fill), operation)
    return partial, block_tree(lanes_in_order(partial[None, :], operation, fill), operation)[0]


def two_launches(name: str, n: int, **given: str) -> list[Step]:
    grid = (ceil_div(n, CHUNK),)
    return [Step(f"{name}_partial", grid, (BLOCK,), given), Step(name, (1,), (BLOCK,))]


def reduction(name: str, x: np.ndarray, partial: np.ndarray, result: object, **more: float) -> Case:
    blocks = ceil_div(len(x), CHUNK)
    out = np.uint32 if partial.dtype == np.uint32 else F
    arrays = {"src": x, "partial": np.zeros(blocks, out), "result": np.zeros(1, out)}
    scalars = {"n": len(x), "blocks": blocks, **more}
    return Case(arrays, scalars, two_launches(name, len(x)), {"partial": partial, "result": result})


def array(value: float) -> np.ndarray:
    return np.array([value], F)


@covers("reduce/reduce_sum")
def reduce_sum() -> Cases:
    for n in SIZES:
        x = floats(n)
        partial, total = two_stages(x, np.add, 0.0)
        yield reduction("reduce_sum", x, partial, array(total))
        bound = (32 + len(partial) / 256) * EPSILON * np.abs(x.astype(np.float64)).sum()
        exact = np.array([x.astype(np.float64).sum()])
        yield reduction("reduce_sum", x, partial, Within(exact, bound))


@covers("reduce/reduce_mean")
def reduce_mean() -> Cases:
    for n in SIZES:
        x = floats(n, 0, 5)
        partial, total = two_stages(x, np.add, 0.0)
        yield reduction("reduce_mean", x, partial, array(total / F(n)))
        wide = x.astype(np.float64)
        bound = (33 + len(partial) / 256) * EPSILON * np.abs(wide).mean()
        yield reduction("reduce_mean", x, partial, Within(np.array([wide.mean()]), bound))


@covers("reduce/reduce_prod")
def reduce_prod() -> Cases:
    for n in SIZES:
        # Near exp(step), without a library's exp: inputs are the same on every machine.
        step = floats(n) * F(0.01)
        x = (1 + step + step * step / 2).astype(F) * random(n).choice(np.array([-1, 1], F), n)
        partial, total = two_stages(x, np.multiply, 1.0)
        yield reduction("reduce_prod", x, partial, array(total))
        wide = np.prod(x.astype(np.longdouble))
        yield reduction(
            "reduce_prod", x, partial, Within(np.array([wide]), abs(wide) * n * EPSILON)
        )


@covers("reduce/reduce_norm")
def reduce_norm() -> Cases:
    for n in SIZES:
        x = floats(n)
        partial, total = two_stages(x, np.add, 0.0, lambda t, v: fma(v, v, t))
        yield reduction("reduce_norm", x, partial, array(np.sqrt(total)))
        wide = np.linalg.norm(x.astype(np.float64))
        bound = (18 + len(partial) / 512) * EPSILON * wide
        yield reduction("reduce_norm", x, partial, Within(np.array([wide]), bound))


def extreme(kernel: str, by_row: object, identity: float) -> Cases:
    for n in SIZES:
        for x in (floats(n), np.where(floats(n, key="nan") > 2, F(np.nan), floats(n))):
            partial = by_row(chunks(x, np.nan), axis=1).astype(F)
            yield reduction(kernel, x, partial, array(by_row(x)))
    x = np.full(5000, identity, F)
    yield reduction(kernel, x, np.full(2, identity, F), array(identity))
    x = np.full(5000, np.nan, F)
    yield reduction(kernel, x, np.full(2, np.nan, F), array(np.nan))
    arrays = {"src": np.zeros(0, F), "partial": np.zeros(1, F)}
    steps = [Step(f"{kernel}_partial", (1,), (BLOCK,))]
    yield Case(arrays, {"n": 0}, steps, {}, "src[base] reads element 0 of 0")


@covers("reduce/reduce_min")
def reduce_min() -> Cases:
    yield from extreme("reduce_min", np.fmin.reduce, np.inf)


@covers("reduce/reduce_max")
def reduce_max() -> Cases:
    yield from extreme("reduce_max", np.fmax.reduce, -np.inf)


def argument(kernel: str, pick: object, worst: float) -> Cases:
    for n in SIZES:
        few = np.round(floats(n)).astype(F)  # many equal elements
        for x in (floats(n), few, np.where(few == 1, F(np.nan), few), np.full(n, worst, F)):
            blocks = ceil_div(n, CHUNK)
            arrays = {
                "src": x,
                "values": np.zeros(blocks, F),
                "indices": np.zeros(blocks, np.uint32),
                "result": np.zeros(1, np.uint32),
            }
            scalars = {"n": n, "blocks": blocks}
            where = 2**32 - 1 if np.isnan(x).all() else pick(x)
            expected = {"result": np.array([where], np.uint32)}
            yield Case(arrays, scalars, two_launches(kernel, n), expected)


@covers("reduce/reduce_argmin")
def reduce_argmin() -> Cases:
    yield from argument("reduce_argmin", np.nanargmin, np.inf)
    yield from argument("reduce_argmin", np.nanargmin, np.nan)


@covers("reduce/reduce_argmax")
def reduce_argmax() -> Cases:
    yield from argument("reduce_argmax", np.nanargmax, -np.inf)


def truth(kernel: str, operation: object, neutral: int) -> Cases:
    for n in SIZES:
        for odd in (None, 0, n // 2, n - 1):
            x = np.full(n, 0.0 if neutral == 0 else np.nan, F)
            x[::2] = -0.0 if neutral == 0 else 1.0
            if odd is not None:
                x[odd] = np.nan if neutral == 0 else -0.0
            found = operation(chunks(x, neutral) != 0, axis=1).astype(np.uint32)
            result = np.array([operation(x != 0)], np.uint32)
            yield reduction(kernel, x, found, result)


@covers("reduce/reduce_any")
def reduce_any() -> Cases:
    yield from truth("reduce_any", np.any, 0)


@covers("reduce/reduce_all")
def reduce_all() -> Cases:
    yield from truth("reduce_all", np.all, 1)


@covers("linalg/dot")
def dot() -> Cases:
    for n in SIZES:
        x, y = floats(n, key="x"), floats(n, key="y")
        totals = np.zeros((ceil_div(n, CHUNK), BLOCK), F)
        xs, ys = chunks(x, 0), chunks(y, 0)
        for first in range(0, CHUNK, BLOCK):
            part = slice(first, first + BLOCK)
            totals = fma(xs[:, part], ys[:, part], totals)
        partial = block_tree(totals)
        total = block_tree(lanes_in_order(partial[None, :]))[0]
        arrays = {"x": x, "y": y, "partial": np.zeros(len(partial), F), "result": np.zeros(1, F)}
        scalars = {"n": n, "blocks": len(partial)}
        expected = {"partial": partial, "result": array(total)}
        yield Case(arrays, scalars, two_launches("dot", n), expected)
        products = x.astype(np.float64) * y
        bound = (32 + len(partial) / 256) * EPSILON * np.abs(products).sum()
        expected = {"result": Within(np.array([products.sum()]), bound)}
        yield Case(arrays, scalars, two_launches("dot", n), expected)


@covers("reduce/block_sum")
def block_sum() -> Cases:
    for n in (1, 700, 5000):
        blocks = ceil_div(n, BLOCK)
        x = floats(n)
        sums = block_tree(np.pad(x, (0, blocks * BLOCK - n)).reshape(blocks, BLOCK))
        steps = [Step("block_sum", (blocks,), (BLOCK,))]
        yield Case({"src": x, "out": np.zeros(blocks, F)}, {"n": n}, steps, {"out": sums})


def scanned(rows: np.ndarray) -> np.ndarray:
    """The sums up to each lane of a row, as BLK.SCAN makes them."""
    result, distance = rows.copy(), 1
    while distance < rows.shape[1]:
        result[:, distance:] = result[:, :-distance] + result[:, distance:]
        distance *= 2
    return result


@covers("reduce/block_prefix")
def block_prefix() -> Cases:
    for n in (1, 700, 5000):
        blocks = ceil_div(n, BLOCK)
        for x in (floats(n), specials(n)):
            sums = scanned(np.pad(x, (0, blocks * BLOCK - n)).reshape(blocks, BLOCK)).ravel()[:n]
            steps = [Step("block_prefix", (blocks,), (BLOCK,))]
            yield Case({"src": x, "out": np.zeros(n, F)}, {"n": n}, steps, {"out": sums})
        wide = floats(n).astype(np.float64)
        rows = np.pad(wide, (0, blocks * BLOCK - n)).reshape(blocks, BLOCK)
        bound = 8 * EPSILON * np.cumsum(np.abs(rows), axis=1).ravel()[:n]
        near = {"out": Within(np.cumsum(rows, axis=1).ravel()[:n], bound)}
        yield Case({"src": floats(n), "out": np.zeros(n, F)}, {"n": n}, steps, near)


@covers("reduce/block_max")
def block_max() -> Cases:
    for n in (1, 700, 5000):
        blocks = ceil_div(n, BLOCK)
        x = floats(n)
        low = np.pad(x, (0, blocks * BLOCK - n), constant_values=F(-3.4e38))
        expected = {"out": low.reshape(blocks, BLOCK).max(1)}
        steps = [Step("block_max", (blocks,), (BLOCK,))]
        yield Case({"src": x, "out": np.zeros(blocks, F)}, {"n": n}, steps, expected)


def doubling(rows: np.ndarray) -> np.ndarray:
    """The running sum of each row by doubling distances, as the kernels do it."""
    distance = 1
    while distance < rows.shape[1]:
        moved = np.zeros_like(rows)
        moved[:, distance:] = rows[:, :-distance]
        rows = rows + moved
        distance *= 2
    return rows


@covers("reduce/cumsum")
def cumsum() -> Cases:
    for n in (1, 1024, 3000, 70_001, 1_100_001):
        blocks = ceil_div(n, 1024)
        x = floats(n)
        sums = doubling(np.pad(x, (0, blocks * 1024 - n)).reshape(blocks, 1024))
        before = [lanes_in_order(sums[None, :b, -1], block=1024) for b in range(blocks)]
        added = sums + block_tree(np.concatenate(before))[:, None]
        steps = [Step(f"cumsum_{part}", (blocks,), (1024,)) for part in ("blocks", "add")]
        arrays = {"src": x, "out": np.zeros(n, F), "totals": np.zeros(blocks, F)}
        expected = {"out": added.ravel()[:n], "totals": np.ascontiguousarray(sums[:, -1])}
        yield Case(arrays, {"n": n}, steps, expected)
        wide = x.astype(np.float64)
        bound = (30 + np.arange(n) / 2**18) * EPSILON * np.cumsum(np.abs(wide))
        yield Case(arrays, {"n": n}, steps, {"out": Within(np.cumsum(wide), bound)})


@covers("reduce/histogram")
def histogram() -> Cases:
    for n in (1, 700, 5000):
        data = (specials(n).view(np.uint32) >> 7).astype(np.uint8)
        start = np.arange(256, dtype=np.uint32)
        counts = start + np.bincount(data, minlength=256).astype(np.uint32)
        steps = [Step("histogram", (ceil_div(n, BLOCK),), (BLOCK,))]
        yield Case({"data": data, "counts": start}, {"n": n}, steps, {"counts": counts})


@covers("reduce/histogram_shared")
def histogram_shared() -> Cases:
    for n in (1, 700, 50_000):
        data = (specials(n).view(np.uint32) >> 7).astype(np.uint8)
        start = np.arange(256, dtype=np.uint32)
        counts = start + np.bincount(data, minlength=256).astype(np.uint32)
        steps = [Step("histogram_shared", (ceil_div(n, 16384),), (BLOCK,))]
        yield Case({"data": data, "counts": start}, {"n": n}, steps, {"counts": counts})
