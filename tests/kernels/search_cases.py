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


@covers("search/anneal_step")
def anneal_step() -> Cases:
    for chains, dimensions, seed in ((1, 1, 1), (5, 3, 2), (40, 7, 3)):
        draw = random(chains, dimensions, seed)
        start = draw.uniform(-2, 2, dimensions)
        first = draw.uniform(1, 2, chains)
        # An energy that fell, and one that rose beyond any probability, which takes the step back.
        fell = draw.integers(0, 2, chains).astype(bool)
        second = np.where(fell, first - 0.5, 1e6)
        words = [philox(np.full(chains, s), np.arange(chains), seed) for s in range(2)]
        x, lines = np.tile(start, (chains, 1)), np.arange(chains)

        def change(x, step, words=words, lines=lines, dimensions=dimensions):
            made, shrunk = x.copy(), 2.0 * (1.0 - step / 2.0)
            by = words[step][:, 1] * 2.0**-32 * 2.0 - 1.0
            made[lines, words[step][:, 0] % dimensions] += shrunk * by
            return made

        changed = change(x, 0)
        kept = np.where(fell[:, None], changed, x)
        after = change(kept, 1)
        least = np.where(fell, second, first)
        third = least - 1  # kept as well
        arrays = {
            "start": start, "x": np.zeros(chains * dimensions),
            "best": np.zeros(chains * dimensions), "first": first, "second": second,
            "third": third, **{k: np.zeros(chains) for k in ("level", "least", "old")},
        }  # fmt: skip
        shape = ((ceil_div(chains, 8),), (8,))
        others = ("first", "first", "second", "third")
        steps = [
            Step("anneal_step", *shape, {"step": k, "other": other})
            for k, other in enumerate(others)
        ]
        scalars = {"hot": 0.5, "width": 2.0, "steps": 2, "seed": seed}
        scalars |= {"dimensions": dimensions, "chains": chains}
        tiny = 1e-14
        expected = {
            "x": Within(after.ravel(), tiny),
            "best": Within(after.ravel(), tiny),
            "level": third,
        }
        yield Case(arrays, scalars, steps, {**expected, "least": third})


def rows_of(n: int, edges: int, key: object = "") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random graph in compressed rows, with a path through the first half."""
    draw = random(n, key)
    u = np.concatenate([draw.integers(0, n, edges), np.arange(n // 2)])
    v = np.concatenate([draw.integers(0, n, edges), np.arange(1, n // 2 + 1)])
    order = np.argsort(u, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))]).astype(np.uint32)
    return starts, v[order].astype(np.uint32), draw.uniform(0.1, 1, len(u))


NONE = np.uint32(2**32 - 1)
ONE = ((1,), (1,))


@covers("search/quantum_search")
def quantum_search() -> Cases:
    for kind in (F, np.float64, np.int32, np.int64):
        suffix = {"f": "f", "i": "i"}[np.dtype(kind).kind] + str(8 * np.dtype(kind).itemsize)
        for n in (1, 1000, 5000):
            data = random(n, suffix).integers(0, 40, n).astype(kind)
            data[n // 2] = 3
            where = np.flatnonzero(data == 3).astype(np.uint32)
            blocks = ceil_div(n, 256)
            counts = np.bincount(where // 256, minlength=blocks).astype(np.uint32)
            chunks = np.flatnonzero(counts).astype(np.uint32)
            arrays = {
                "data": data, "counts": np.zeros(blocks, np.uint32), "chunks": chunks,
                "found": np.zeros(len(where), np.uint32),
            }  # fmt: skip
            steps = [
                Step(f"search_count_{suffix}", (ceil_div(blocks, 4),), (64,)),
                Step(f"search_collect_{suffix}", *ONE),
            ]
            scalars = {"n": n, "m": len(chunks), "chunk": 256, "target": 3}
            yield Case(arrays, scalars, steps, {"counts": counts, "found": where})


@covers("search/breadth_first")
def breadth_first() -> Cases:
    for n, edges in ((1, 0), (50, 30), (400, 900)):
        starts, ends, _ = rows_of(n, edges)
        level, parent, queue = np.full(n, NONE), np.full(n, NONE), np.zeros(n, np.uint32)
        level[0] = head = 0
        tail = 1
        while head < tail:
            u = queue[head]
            head += 1
            for v in ends[starts[u] : starts[u + 1]]:
                if level[v] == NONE:
                    level[v], parent[v], queue[tail] = level[u] + 1, u, v
                    tail += 1
        begin = np.full(n, NONE)
        begin[0] = 0
        arrays = {
            "starts": starts, "ends": ends, "level": begin, "parent": np.full(n, NONE),
            "queue": np.zeros(n, np.uint32), "state": np.array([0, 1, 0], np.uint32),
        }  # fmt: skip
        depth = level[level != NONE].max() + 1
        expected = {
            "level": level, "parent": parent, "queue": queue,
            "state": np.array([tail, tail, depth], np.uint32),
        }  # fmt: skip
        yield Case(arrays, {"most": n}, [Step("bfs_push", *ONE)], expected)
        # One step from the other end: each vertex takes the first neighbour of level 0 or 1.
        known = np.where((level == NONE) | (level > 1), NONE, level)
        after, through = known.copy(), np.full(n, NONE)
        for v in np.flatnonzero(known == NONE):
            near = [u for u in ends[starts[v] : starts[v + 1]] if known[u] == 1]
            if near:
                after[v], through[v] = 2, near[0]
        arrays = {
            "starts": starts, "ends": ends, "before": known, "after": np.zeros(n, np.uint32),
            "parent": np.full(n, NONE), "queue": np.zeros(n, np.uint32),
            "state": np.array([0, 0, 1], np.uint32),
        }  # fmt: skip
        steps = [Step("bfs_pull"), Step("bfs_gather", *ONE, {"level": "after"})]
        found = np.flatnonzero(after == 2).astype(np.uint32)
        expected = {
            "after": after, "parent": through,
            "queue": np.concatenate([found, np.zeros(n - len(found), np.uint32)]),
            "state": np.array([0, len(found), 2], np.uint32),
        }  # fmt: skip
        yield Case(arrays, {"depth": 1, "n": n}, steps, expected)
        # The same step from the near end: the smallest neighbour of level 1 is the parent.
        level, claimed = known.copy(), np.full(n, NONE)
        first = np.flatnonzero(known == 1).astype(np.uint32)
        for u in first.tolist():
            for v in ends[starts[u] : starts[u + 1]]:
                if known[v] == NONE:
                    claimed[v], level[v] = min(claimed[v], np.uint32(u)), 2
        queue = np.concatenate([first[::-1], np.zeros(n - len(first), np.uint32)])
        found = np.flatnonzero(level == 2).astype(np.uint32)
        tail = len(first) + len(found)
        arrays = {
            "starts": starts, "ends": ends, "level": known, "parent": np.full(n, NONE),
            "queue": queue, "state": np.array([0, len(first), 1], np.uint32),
        }  # fmt: skip
        expected = {
            "level": level, "parent": claimed,
            "queue": np.concatenate([queue[: len(first)], found, queue[tail:]]),
            "state": np.array([len(first), tail, 2], np.uint32),
        }  # fmt: skip
        steps = [Step("bfs_claim", (ceil_div(n, 64),), (64,)), Step("bfs_settle", *ONE)]
        yield Case(arrays, {"head": 0, "tail": len(first), "n": n}, steps, expected)


def distances_of(starts: np.ndarray, ends: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """By rounds over all edges, each sum rounded once."""
    n = len(starts) - 1
    sources = np.repeat(np.arange(n), np.diff(starts.astype(np.int64)))
    distance = np.full(n, np.inf)
    distance[0] = 0
    for _ in range(n):
        np.minimum.at(distance, ends, distance[sources] + weights)
    return distance


@covers("search/dijkstra")
def dijkstra() -> Cases:
    for n, edges in ((1, 0), (30, 100), (300, 2000)):
        starts, ends, weights = rows_of(n, edges)
        distance = distances_of(starts, ends, weights)
        begin = np.full(n, np.inf)
        begin[0] = 0
        arrays = {
            "starts": starts, "ends": ends, "weights": weights, "distance": begin,
            "parent": np.full(n, NONE), "keys": np.zeros(len(ends) + 1),
            "vertices": np.zeros(len(ends) + 1, np.uint32), "state": np.zeros(1, np.uint32),
        }  # fmt: skip
        settled = np.array([np.isfinite(distance).sum()], np.uint32)
        scalars = {"start": 0, "target": int(NONE)}
        expected = {"distance": distance, "state": settled}
        yield Case(arrays, scalars, [Step("dijkstra", *ONE)], expected)


@covers("search/bucket_paths")
def bucket_paths() -> Cases:
    for n, edges, low in ((1, 0, 0.1), (50, 120, 0.1), (400, 3000, 0.1), (400, 3000, 0.0)):
        starts, ends, weights = rows_of(n, edges, low)
        weights = weights if low else weights - 0.0999
        distance, room = np.full(n, np.inf), len(ends) + 2
        distance[0] = 0
        expected = distances_of(starts, ends, weights)
        first, lists = np.full(64, NONE), np.zeros((2, room), np.uint32)
        first[0], lists[1, 0] = 0, NONE
        arrays = {
            "starts": starts, "ends": ends, "weights": weights, "distance": distance,
            "parent": np.full(n, NONE), "done": np.zeros(n, np.uint32), "first": first,
            "vertex": lists[0], "next": lists[1], "state": np.zeros(2, np.uint32),
        }  # fmt: skip
        scalars = {"target": 2**32 - 1, "inverse": 10.0, "most": 4 * len(ends)}
        yield Case(arrays, scalars, [Step("bucket_paths", *ONE)], {"distance": expected})


@covers("search/bellman_ford")
def bellman_ford() -> Cases:
    for n, edges, cycle in ((1, 0, False), (30, 100, False), (200, 900, False), (50, 100, True)):
        starts, ends, weights = rows_of(n, edges)
        lift = np.round(random(n, "lift").uniform(0, 64, n))
        sources = np.repeat(np.arange(n), np.diff(starts.astype(np.int64)))
        weights = np.ceil(weights * 64) + lift[sources] - lift[ends]  # whole: sums are exact
        if cycle:
            weights[:] = -1
        begin = np.full(n, np.inf)
        begin[0] = 0
        zeros = np.zeros(n, np.uint32)
        arrays = {
            "starts": starts, "ends": ends, "weights": weights, "distance": begin,
            "parent": np.full(n, NONE), "queue": zeros, "next": zeros.copy(),
            "queued": zeros.copy(), "mark": zeros.copy(), "state": np.zeros(1, np.uint32),
        }  # fmt: skip
        arrays["state"] = np.zeros(2, np.uint32)
        expected: dict[str, np.ndarray] = {}
        if not cycle:
            expected["distance"] = distances_of(starts, ends, weights)
            expected["queued"] = zeros
        yield Case(arrays, {"start": 0, "n": n}, [Step("bellman_ford", *ONE)], expected)


def narrowed(rows: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds under rows @ x <= 0, the same steps without the moves outwards."""
    low, high = low.copy(), high.copy()
    for _ in range(200):
        for row in rows:
            for j in np.flatnonzero(row):
                ends = row * np.where(row > 0, low, high)
                room = -(ends.sum() - ends[j])
                if row[j] > 0:
                    high[j] = min(high[j], room / row[j])
                else:
                    low[j] = max(low[j], room / row[j])
    return low, high


def constraints(boxes: int) -> Cases:
    for m, n in ((1, 2), (4, 3), (9, 6)):
        draw = random(m, n)
        rows = np.round(draw.uniform(-3, 3, (m, n)))
        rows[0] = 1
        starts = np.concatenate([[0], np.cumsum((rows != 0).sum(axis=1))]).astype(np.uint32)
        low, high = draw.uniform(-9, -1, (boxes, n)), draw.uniform(1, 9, (boxes, n))
        ends = [narrowed(rows, low[b], high[b]) for b in range(boxes)]
        arrays = {
            "starts": starts, "columns": np.nonzero(rows)[1].astype(np.uint32),
            "values": rows[rows != 0], "row_low": np.full(m, -np.inf), "row_high": np.zeros(m),
            "integral": np.zeros(n, np.uint8), "low": low, "high": high,
            "failed": np.full(boxes, 9, np.uint32), "rounds": np.zeros(boxes, np.uint32),
        }  # fmt: skip
        expected = {
            "low": Within(np.array([e[0] for e in ends]), 1e-5),
            "high": Within(np.array([e[1] for e in ends]), 1e-5),
            "failed": np.zeros(boxes, np.uint32),
        }
        if boxes == 1:
            yield Case(arrays, {"most": 200}, [Step("propagate_intervals", *ONE)], expected)
            continue
        scalars = {"most": 200, "variables": n, "boxes": boxes}
        yield Case(arrays, scalars, [Step("propagate_boxes", (boxes,), (1,))], expected)


@covers("search/propagate_intervals")
def propagate_intervals() -> Cases:
    yield from constraints(1)


@covers("search/propagate_boxes")
def propagate_boxes() -> Cases:
    yield from constraints(7)
