"""Sorting, selecting and searching."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Step, Within, covers
from inputs import F, ceil_div, cover, floats, random
from random_cases import philox


def numbers(n: int, key: object = "") -> np.ndarray:
    """Any bits but NaN and -0, some of them equal."""
    x = random(n, key).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32).view(F).copy()
    x[np.isnan(x) | (x == 0)] = 1
    x[: n // 5] = np.round(floats(n // 5, key=key)) + F(0)
    x[x == 0] = 2
    if n > 3:
        x[[1, n // 2, n - 1]] = np.array([np.inf, -np.inf, np.inf], F)
    return x


@covers("sort/sort_blocks")
def sort_blocks() -> Cases:
    for n in (1, 2, 511, 512, 513, 5000):
        x = numbers(n)
        expected = np.concatenate([np.sort(x[k : k + 512]) for k in range(0, n, 512)])
        steps = [Step("sort_blocks", (ceil_div(n, 512),), (512,))]
        yield Case({"src": x, "out": np.zeros(n, F)}, {"n": n}, steps, {"out": expected})


@covers("sort/bitonic_sort")
def bitonic_sort() -> Cases:
    for n in (2, 3, 64, 1000, 4099):
        steps, size, arrays = [], 2, ("one", "two")
        while size < 2 * n:
            for kernel, scalar, value in (
                ("bitonic_mirror", "size", size),
                *(("bitonic_step", "distance", size >> k) for k in range(2, size.bit_length())),
            ):
                given = {"src": arrays[0], "dst": arrays[1], scalar: value}
                steps.append(Step(kernel, *cover(n), given))
                arrays = arrays[::-1]
            size *= 2
        x = numbers(n)
        expected = {arrays[0]: np.sort(x)}
        yield Case({"one": x, "two": np.zeros(n, F)}, {"n": n}, steps, expected)


@covers("sort/top_k")
def top_k() -> Cases:
    for rows, columns, k in ((1, 1, 1), (3, 7, 7), (4, 300, 5), (2, 5000, 20)):
        x = numbers(rows * columns).reshape(rows, columns)
        if columns == 300:
            x[1] = np.nan
            x[2, 3:] = np.nan
        values = np.full((rows, k), np.nan, F)
        indices = np.full((rows, k), 2**32 - 1, np.uint32)
        for row in range(rows):
            live = np.flatnonzero(~np.isnan(x[row]))
            order = live[np.argsort(-x[row, live], kind="stable")][:k]
            values[row, : len(order)] = x[row, order]
            indices[row, : len(order)] = order
        arrays = {
            "src": x, "values": np.zeros(rows * k, F), "indices": np.zeros(rows * k, np.uint32),
        }  # fmt: skip
        steps = [Step("top_k", (rows,), (64,))]
        expected = {"values": values, "indices": indices}
        yield Case(arrays, {"columns": columns, "k": k}, steps, expected)


@covers("search/find_all")
def find_all() -> Cases:
    for n, m in ((1, 1), (5, 5), (1024, 100), (70_001, 20_000)):
        for data in (np.round(floats(n)) + F(0), np.zeros(n, F), np.full(n, 3, F)):
            data = np.array([5, 3, 7, 3, 9], F) if n == 5 else data
            where = np.flatnonzero(data == 3)
            found = np.full(m, 7, np.uint32)
            found[: len(where[:m])] = where[:m]
            blocks = ceil_div(n, 1024)
            arrays = {
                "data": data, "rank": np.zeros(n, np.uint32), "totals": np.zeros(blocks, np.uint32),
                "count": np.zeros(1, np.uint32), "found": np.full(m, 7, np.uint32),
            }  # fmt: skip
            steps = [
                Step("find_blocks", (blocks,), (1024,)),
                Step("find_add", (blocks,), (1024,)),
                Step("find_collect", *cover(m)),
            ]
            expected = {"count": np.array([len(where)], np.uint32), "found": found}
            yield Case(arrays, {"n": n, "m": m, "target": 3.0}, steps, expected)


@covers("search/shortest_paths")
def shortest_paths() -> Cases:
    for n, edges in ((1, 0), (7, 12), (60, 200), (100, 9000)):
        weights = np.zeros((n, n), F)
        draw = random(n, edges)
        for u, v in draw.integers(0, n, (edges, 2)):
            weights[u, v] = F(draw.uniform(0.1, 1))
        steps, arrays = [], ("one", "two")
        for _ in range(max(n - 1, 1)):
            given = {"before": arrays[0], "after": arrays[1]}
            steps.append(Step("shortest_paths", *cover(n), given))
            arrays = arrays[::-1]
        distance = np.full(n, np.inf, F)
        distance[0] = 0
        rounds = distance.copy()
        for _ in range(n - 1):  # the same rounds, so the same sums
            through = np.where(weights > 0, rounds[:, None] + weights, F(np.inf))
            rounds = np.minimum(rounds, through.min(axis=0))
        start = {
            "weights": weights, "one": distance, "two": np.zeros(n, F),
            "changed": np.zeros(1, np.uint32),
        }  # fmt: skip
        changed = np.array([rounds[1:].min(initial=np.inf) < np.inf], np.uint32)
        yield Case(start, {"n": n}, steps, {arrays[0]: rounds, "changed": changed})


@covers("search/satisfy_bounds")
def satisfy_bounds() -> Cases:
    for n, m in ((1, 1), (100, 3), (1000, 1), (40, 20)):
        x, bounds = floats(n, -5, 5), np.round(floats(n * m, -4, 4, "bounds"))
        bounds = (bounds + F(0)).reshape(n, m)
        low = np.where(bounds > 0, bounds, F(-np.inf)).max(axis=1)
        high = np.where(bounds < 0, -bounds, F(np.inf)).min(axis=1)
        good = low <= high
        solved = np.where(good, np.minimum(np.maximum(x, low), high), x)
        arrays = {
            "variables": x, "bounds": bounds, "solved": np.zeros(n, F),
            "satisfied": np.zeros(n, np.uint32), "conflicts": np.full(1, 5, np.uint32),
        }  # fmt: skip
        expected = {
            "solved": solved,
            "satisfied": good.astype(np.uint32),
            "conflicts": np.array([5 + (~good).sum()], np.uint32),
        }
        yield Case(arrays, {"n": n, "m": m}, [Step("satisfy_bounds", *cover(n))], expected)


def chains(x: np.ndarray, hot: float, steps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The same chains in binary64, and how close each came to a tie, where rounding decides."""
    x = x.astype(np.float64)
    level = (x * x - 1) ** 2 + 0.3 * x
    best, lowest = x.copy(), level.copy()
    margin = np.full(len(x), np.inf)
    lanes = np.arange(len(x))
    for s in range(steps):
        a, b, _, _ = philox(np.full(len(x), s), lanes, seed).T
        other = x + ((a >> 8).astype(np.float64) * 2.0**-24 - 0.5)
        rise = (other * other - 1) ** 2 + 0.3 * other - level
        chance = np.exp(np.minimum(-rise / (hot * (1 - s / steps)), 0))
        draw = (b >> 8).astype(np.float64) * 2.0**-24
        margin = np.minimum(margin, np.abs(chance - draw))
        take = draw < chance
        x, level = np.where(take, other, x), np.where(take, level + rise, level)
        better = level < lowest
        best, lowest = np.where(better, x, best), np.where(better, level, lowest)
    return best, margin


@covers("search/anneal")
def anneal() -> Cases:
    for n, steps, seed in ((1, 0, 1), (100, 50, 2), (64, 400, 3)):
        start = floats(n, -2, 2)
        best, margin = chains(start, 0.5, steps, seed)
        # Where a decision was closer than the rounding of f32, the chains may go apart.
        slack = np.where(margin > 1e-5, 1e-4, np.inf)
        level = (best * best - 1) ** 2 + 0.3 * best
        arrays = {"start": start, "best": np.zeros(n, F), "energy": np.zeros(n, F)}
        scalars = {"hot": 0.5, "steps": steps, "seed": seed, "n": n}
        expected = {"best": Within(best, slack), "energy": Within(level, slack)}
        yield Case(arrays, scalars, [Step("anneal")], expected)
