"""hologram.search against plain Python: random and adversarial instances, and every refusal."""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np
import pytest

import hologram as hg
from hologram import search
from hologram.lang import cos, inline
from hologram.search import graphs

INF = math.inf


def graph_of(n, edges, **options):
    """Of (u, v, weight) triples."""
    edges = sorted(edges)
    starts = np.zeros(n + 1, np.int32)
    for u, _, _ in edges:
        starts[u + 1] += 1
    ends = np.array([v for _, v, _ in edges], np.int32)
    weights = np.array([w for _, _, w in edges], float)
    return search.Graph(np.cumsum(starts, dtype=np.int32), ends, weights, **options)


def random_edges(rng, n, count, low=0.0, high=1.0):
    us, vs = rng.integers(0, n, count), rng.integers(0, n, count)
    ws = rng.uniform(low, high, count)
    return [(int(u), int(v), float(w)) for u, v, w in zip(us, vs, ws)]


# quantum_search


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("n", [0, 1, 63, 8191, 8192, 8193, 24_577, 32_768, 32_769, 100_003])
def test_all_places_in_order(dtype, n):
    rng = np.random.default_rng(n)
    for data in (rng.integers(0, 50, n), np.full(n, 7), np.zeros(n), np.arange(n)):
        data = data.astype(dtype)
        found, count = search.quantum_search(data, 7)
        expected = np.flatnonzero(data == 7)
        assert np.array_equal(found, expected) and count == len(expected)
        assert found.dtype == np.uint32


def test_special_values():
    data = np.array([0.0, -0.0, np.nan, np.inf, 0.1, 3e38], np.float32)
    assert search.quantum_search(data, 0.0)[0].tolist() == [0, 1]
    assert search.quantum_search(data, -0.0)[0].tolist() == [0, 1]
    assert search.quantum_search(data, np.nan)[1] == 0
    assert search.quantum_search(data, np.inf)[0].tolist() == [3]
    assert search.quantum_search(data, 0.1)[1] == 0  # no f32 is 0.1
    assert search.quantum_search(data, float(np.float32(0.1)))[0].tolist() == [4]
    whole = np.array([1, 2, -(2**31)], np.int32)
    assert search.quantum_search(whole, 1.5)[1] == 0
    assert search.quantum_search(whole, 2**31)[1] == 0
    assert search.quantum_search(whole, math.inf)[1] == 0
    assert search.quantum_search(whole, -(2**31))[0].tolist() == [2]


@pytest.mark.parametrize("data", [np.zeros((2, 2)), np.zeros(9)[::2], np.zeros(3, np.uint8)])
def test_arrays_that_are_refused(data):
    with pytest.raises(hg.ArgumentError, match="expected a contiguous array"):
        search.quantum_search(data, 0)


def test_search_is_native():
    search.quantum_search(np.zeros(1000, np.float32), 0)
    assert hg.kernels.search_count_f32.path.startswith("native")


# graphs


def plain_levels(graph, start):
    levels = [-1] * graph.size
    levels[start] = 0
    frontier = [start]
    while frontier:
        following = []
        for u in frontier:
            for v in graph.ends[graph.starts[u] : graph.starts[u + 1]].tolist():
                if levels[v] < 0:
                    levels[v] = levels[u] + 1
                    following.append(v)
        frontier = following
    return levels


def check_traversal(graph, start):
    levels, parents, order = search.graph_traverse_optimal(graph, start)
    assert levels.tolist() == plain_levels(graph, start)
    reached = np.flatnonzero(levels >= 0)
    assert sorted(order.tolist()) == reached.tolist()
    assert np.all(np.diff(levels[order]) >= 0)
    for v in reached.tolist():
        if v == start:
            assert parents[v] == -1
            continue
        u = int(parents[v])
        assert levels[u] + 1 == levels[v]
        assert v in graph.ends[graph.starts[u] : graph.starts[u + 1]]
    assert np.all(parents[levels < 0] == -1)


def shapes(rng):
    """Instances that break traversals: a path, a star, a clique, loops, no edges, two parts."""
    n = 300
    yield n, [(i, i + 1, 1.0) for i in range(n - 1)]
    yield n, [(i + 1, i, 1.0) for i in range(n - 1)]
    yield n, [(0, i, 1.0) for i in range(1, n)]
    yield n, [(i, 0, 1.0) for i in range(1, n)]
    yield 40, [(i, j, 1.0 + (i * j) % 7) for i in range(40) for j in range(40)]
    yield 1, []
    yield 1, [(0, 0, 2.0)]
    yield 5, []
    yield n, random_edges(rng, n // 2, 600)
    for count in (30, 300, 3000):
        yield n, random_edges(rng, n, count)


@pytest.mark.parametrize("reversed_first", [False, True])
def test_breadth_first(reversed_first):
    for n, edges in shapes(np.random.default_rng(1)):
        graph = graph_of(n, edges)
        if reversed_first:
            graph.reverse()  # wide levels are then pulled
        for start in {0, n // 2, n - 1}:
            check_traversal(graph, start)


def test_breadth_first_of_a_symmetric_graph():
    edges = random_edges(np.random.default_rng(2), 2000, 9000)
    both = [*edges, *((v, u, w) for u, v, w in edges)]
    check_traversal(graph_of(2000, both, symmetric=True), 3)


def test_breadth_first_does_not_depend_on_the_pull():
    edges = random_edges(np.random.default_rng(3), 5000, 40_000)
    pulled = graph_of(5000, edges)
    pulled.reverse()
    assert np.array_equal(
        search.graph_traverse_optimal(graph_of(5000, edges), 0).levels,
        search.graph_traverse_optimal(pulled, 0).levels,
    )


def test_breadth_first_is_the_same_on_any_number_of_threads():
    graph = graph_of(20_000, random_edges(np.random.default_rng(4), 20_000, 150_000))
    check_traversal(graph, 0)
    found = []
    for count in (1, 2, 3):
        with hg.threads(count):
            found.append(search.graph_traverse_optimal(graph, 0))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other))


def plain_distances(graph, start):
    """Dijkstra with the heap of Python."""
    distances = [INF] * graph.size
    distances[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        near, u = heapq.heappop(heap)
        if near > distances[u]:
            continue
        for e in range(int(graph.starts[u]), int(graph.starts[u + 1])):
            v, length = int(graph.ends[e]), near + float(graph.weights[e])
            if length < distances[v]:
                distances[v] = length
                heapq.heappush(heap, (length, v))
    return distances


def check_parents(graph, start, paths):
    for v in range(graph.size):
        path = paths.path_to(v)
        if paths.distances[v] == INF:
            assert path == [] and paths.parents[v] == -1
            continue
        assert path[0] == start and path[-1] == v
        total = 0.0
        for a, b in itertools.pairwise(path):
            row = slice(int(graph.starts[a]), int(graph.starts[a + 1]))
            total += min(graph.weights[row][graph.ends[row] == b])
        assert total == pytest.approx(paths.distances[v], abs=1e-9)


def test_shortest_paths_without_negative_weights():
    for n, edges in shapes(np.random.default_rng(4)):
        graph = graph_of(n, edges)
        paths = search.shortest_paths(graph, n // 2)
        assert paths.distances.tolist() == plain_distances(graph, n // 2)
        check_parents(graph, n // 2, paths)


@pytest.mark.parametrize("low", [1.0, 0.1, 0.001, 0.0])
def test_buckets_have_the_bits_of_the_heap(low, monkeypatch):
    rng = np.random.default_rng(17)
    edges = random_edges(rng, 2000, 20_000, low, 1.0)
    graph = graph_of(2000, edges)
    found = search.shortest_paths(graph, 3)
    ends = [search.optimal_path(graph, 3, v).length for v in range(0, 2000, 97)]
    monkeypatch.setattr(graphs, "_by_buckets", lambda *_: False)
    by_heap = search.shortest_paths(graph, 3)
    assert np.array_equal(found.distances, by_heap.distances)
    assert ends == by_heap.distances[::97].tolist()
    for v in range(0, 2000, 41):
        path = found.path_to(v)
        assert bool(path) == bool(np.isfinite(found.distances[v]))


def test_buckets_that_do_not_suit_the_weights_give_way():
    # A heavy edge makes one bucket of all the others. The farthest vertex is visited first, and
    # each nearer one shortens the way to all behind it.
    n = 30
    edges = [(u, v, float((v - u) ** 2)) for u in range(n - 1) for v in range(u + 1, n)]
    graph = graph_of(n + 1, [*edges, (0, n, 1e30)])
    distance, parent = np.full(n + 1, INF), np.full(n + 1, 2**32 - 1, np.uint32)
    distance[0] = 0
    known = (graph.starts, graph.ends, graph.weights, distance, parent)
    assert not graphs._by_buckets(graph, known, 0, graphs.NONE)
    assert distance[0] == 0 and np.isinf(distance[1:]).all() and (parent == 2**32 - 1).all()
    assert search.shortest_paths(graph, 0).distances.tolist() == plain_distances(graph, 0)
    for weights in ([0.0, 0.0], [INF, 1.0], [1e-300, 1e-299], [1e308, 1e308], [0.0, 1e-310]):
        graph = search.Graph([0, 1, 2, 2], [1, 2], weights)
        expected = [0.0, weights[0], weights[0] + weights[1]]
        assert search.shortest_paths(graph, 0).distances.tolist() == expected


def test_weights_of_zero_and_infinity():
    graph = graph_of(4, [(0, 1, 0.0), (1, 2, 0.0), (2, 0, 0.0), (2, 3, INF)])
    paths = search.shortest_paths(graph, 0)
    assert paths.distances.tolist() == [0, 0, 0, INF]
    assert search.optimal_path(graph, 0, 3) == ([], INF)


def potentials(rng, n, count):
    """Negative weights without negative cycles: w + p(u) - p(v), w > 0."""
    p = rng.uniform(-5, 5, n)
    edges = random_edges(rng, n, count)
    return [(u, v, w + p[u] - p[v]) for u, v, w in edges], p


def test_negative_weights():
    rng = np.random.default_rng(5)
    for n, count in ((2, 5), (50, 300), (300, 2000)):
        edges, p = potentials(rng, n, count)
        graph = graph_of(n, edges)
        paths = search.shortest_paths(graph, 0)
        lifted = graph_of(n, [(u, v, max(w - p[u] + p[v], 0.0)) for u, v, w in edges])
        expected = np.array(plain_distances(lifted, 0)) + p[0] - p
        assert np.allclose(paths.distances, expected, atol=1e-9)
        check_parents(graph, 0, paths)


def test_the_instance_that_takes_most_rounds():
    # Edges in the order that is worst for relaxing them one after the other.
    n = 400
    edges = [(i + 1, i, -1.0) for i in range(n - 1)]
    edges += [(n - 1, i, 0.0) for i in range(n - 1)]
    paths = search.shortest_paths(graph_of(n, edges), n - 1)
    assert paths.distances.tolist() == [i - (n - 1.0) for i in range(n)]


def test_the_old_kernel_was_wrong_here():
    graph = graph_of(4, [(3, 2, 1.0), (2, 1, 1.0), (1, 0, 1.0)])
    assert search.shortest_paths(graph, 3).distances.tolist() == [3, 2, 1, 0]
    assert search.optimal_path(graph, 3, 0) == ([3, 2, 1, 0], 3.0)


@pytest.mark.parametrize("length", [1, 2, 3, 50])
def test_negative_cycles_are_refused(length):
    rng = np.random.default_rng(length)
    edges = random_edges(rng, 100, 500, 1.0, 2.0)
    ring = [int(v) for v in rng.permutation(100)[:length]]
    edges += [(a, b, -3.0) for a, b in zip(ring, [*ring[1:], ring[0]])]
    edges += [(0, ring[0], 1.0)]
    graph = graph_of(100, edges)
    with pytest.raises(search.NegativeCycleError, match="a cycle of negative weight") as caught:
        search.shortest_paths(graph, 0)
    cycle = caught.value.cycle
    total = 0.0
    for a, b in zip(cycle, [*cycle[1:], cycle[0]]):
        row = slice(int(graph.starts[a]), int(graph.starts[a + 1]))
        total += min(graph.weights[row][graph.ends[row] == b])
    assert total < 0 and len(set(cycle)) == len(cycle)


def test_a_negative_cycle_that_cannot_be_reached():
    graph = graph_of(4, [(0, 1, -1.0), (2, 3, -1.0), (3, 2, -1.0)])
    assert search.shortest_paths(graph, 0).distances.tolist() == [0, -1, INF, INF]
    with pytest.raises(search.NegativeCycleError):
        search.optimal_path(graph, 2, 3)


def test_optimal_path():
    rng = np.random.default_rng(6)
    graph = graph_of(200, random_edges(rng, 200, 800))
    paths = search.shortest_paths(graph, 7)
    for target in range(200):
        vertices, length = search.optimal_path(graph, 7, target)
        assert length == paths.distances[target]
        assert bool(vertices) == (length < INF)
    assert search.optimal_path(graph, 7, 7) == ([7], 0.0)


def test_a_graph_without_weights_has_ones():
    graph = search.Graph([0, 1, 2, 2], [1, 2])
    assert search.shortest_paths(graph, 0).distances.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("starts", "ends", "weights", "message"),
    [
        ([1, 2], [0, 0], None, "starts must lead from 0"),
        ([0, 1], [0, 0], None, "starts must lead from 0"),
        ([0, 2, 1, 2], [0, 0], None, "starts must not decrease"),
        ([0, 1], [1], None, "an edge leads to vertex 1, there are 1"),
        ([0, 1], [-1], None, "ends must"),
        ([0, 1], np.array([-1], np.int32), None, "ends must not be negative"),
        ([0, 1], [0], [1.0, 2.0], "expected 1 weights"),
        ([0, 1], [0], [math.nan], "weights must be numbers"),
        ([0, 1], [0], [-INF], "weights must be numbers"),
        ([0.0, 1.0], [0], None, "starts must be integers"),
        (np.zeros(0, np.int32), [], None, "starts must lead"),
    ],
)
def test_graphs_that_are_none(starts, ends, weights, message):
    with pytest.raises(hg.ArgumentError, match=message):
        search.Graph(starts, np.array(ends, None if len(ends) else np.int32), weights)


@pytest.mark.parametrize("vertex", [-1, 2])
def test_vertices_that_are_not_there(vertex):
    graph = graph_of(2, [(0, 1, 1.0)])
    for call in (
        lambda: search.shortest_paths(graph, vertex),
        lambda: search.graph_traverse_optimal(graph, vertex),
        lambda: search.optimal_path(graph, 0, vertex),
    ):
        with pytest.raises(hg.ArgumentError, match="there is no vertex"):
            call()


# constraints


def test_bounds_are_narrowed():
    found = search.constraint_solve([[1, 1], [1, -1]], [-INF, 2], [4, INF], 0, 10)
    assert found.infeasible is None and found.settled
    assert found.low == pytest.approx([2, 0]) and found.high == pytest.approx([4, 2])


def test_integers_are_rounded_inwards():
    found = search.constraint_solve([[2, 0], [0, 3]], [3, 1], [9, 10], integral=[True, True])
    assert found.low.tolist() == [2, 1] and found.high.tolist() == [4, 3]


def test_infeasible_constraints_are_named():
    found = search.constraint_solve([[1, 0], [1, 1], [0, 1]], [0, 30, 0], [9, INF, 9], 0, 10)
    assert found.infeasible == (1, 0.0, pytest.approx(19), 30.0, INF)


def test_a_lower_bound_is_not_made_worse():
    # The old kernel multiplied variables by what was violated: v >= 5 from 1 went to 0.
    assert search.constraint_solve([[1.0]], [5.0], [INF], 1).low == pytest.approx([5])


def test_no_solution_is_lost():
    rng = np.random.default_rng(7)
    for _ in range(200):
        n, m = rng.integers(1, 6, 2)
        rows = np.round(rng.uniform(-4, 4, (m, n)), 1)
        point = rng.uniform(-3, 3, n)
        sums = rows @ point
        low, high = sums - rng.exponential(0.5, m), sums + rng.exponential(0.5, m)
        tight = rng.random(m) < 0.5
        low[tight], high[tight] = sums[tight], sums[tight]
        found = search.constraint_solve(rows, low, high, -5, 5)
        assert found.infeasible is None
        assert np.all(found.low <= point) and np.all(point <= found.high)


def test_bounds_that_creep_end():
    # Each round takes a tenth of what is left; without end, to (0, 0).
    found = search.constraint_solve([[1, -0.9], [0.9, -1]], [-INF, 0], [0, INF], 0, 1, rounds=30)
    assert found.infeasible is None and not found.settled and found.high[0] < 0.1


def test_unbounded_variables():
    found = search.constraint_solve([[1, 1, 0]], [-INF], [5])
    assert found.low.tolist() == [-INF] * 3 and found.high.tolist() == [INF] * 3
    found = search.constraint_solve([[1, 1, 0]], [-INF], [5], [0, -INF, -INF])
    assert found.high[1] == pytest.approx(5) and found.high[0] == INF


class Sparse:
    indptr, indices, data = np.array([0, 3]), np.array([1, 0, 1]), np.array([1.0, 1.0, 2.0])
    shape = (1, 2)


def test_entries_that_are_there_twice_are_summed():
    found = search.constraint_solve(Sparse, 12, 12, 0, [0, 10])
    assert found.low[1] == pytest.approx(4) and found.high[1] == pytest.approx(4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [0, 1], [1]), "row_low: expected a number or 1"),
        (([[1.0]], [math.nan], [1]), "row_low: NaN"),
        (([[INF]], [0], [1]), "coefficients must be finite"),
        (([[1.0]], [0], [1], 2, 1), "variable 0: low 2.0 is above high 1.0"),
    ],
)
def test_constraints_that_are_none(arguments, message):
    with pytest.raises(hg.ArgumentError, match=message):
        search.constraint_solve(*arguments)


def test_integer_points_against_all_points():
    rng = np.random.default_rng(8)
    outcomes = set()
    for _ in range(150):
        n, m = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        rows = rng.integers(-4, 5, (m, n))
        low = rng.integers(-8, 8, m)
        high = low + rng.integers(0, 4, m)
        found = search.parallel_solve(rows, low, high, -3, 3)
        points = np.array(list(itertools.product(range(-3, 4), repeat=n)))
        sums = points @ rows.T
        there = np.any(np.all((low <= sums) & (sums <= high), axis=1))
        outcomes.add(bool(there))
        assert found.proved and (found.x is not None) == there
        if there:
            assert np.all((low <= rows @ found.x) & (rows @ found.x <= high))
            assert np.all(np.abs(found.x) <= 3)
    assert outcomes == {True, False}


def test_parity_that_intervals_do_not_see():
    # Twice an integer is not 1, which bounds show only where a box is nearly a point.
    rows = [[2, 2, -2, -2]]
    found = search.parallel_solve(rows, 1, 1, 0, 5)
    assert found.x is None and found.proved and found.boxes > 100
    cut = search.parallel_solve(rows, 1, 1, 0, 1000, most=50)
    assert cut.x is None and not cut.proved


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1]], 0, 1, -INF, 1), "must be finite"),
        (([[0.5]], 0, 1, 0, 1), "coefficients must be integers"),
        (([[2**40]], 0, 1, 0, 2**20), "2\\^53"),
    ],
)
def test_systems_that_are_refused(arguments, message):
    with pytest.raises(hg.ArgumentError, match=message):
        search.parallel_solve(*arguments)


# annealing


@inline
def bowl(x):
    total = 0.0 * x[0]
    for i in range(len(x)):
        total += (x[i] - 2.0) * (x[i] - 2.0)
    return total


@inline
def waves(x, data):
    total = 0.0 * x[0]
    for i in range(len(x)):
        total += x[i] * x[i] - data[i] * cos(6.0 * x[i]) + data[i]
    return total


@inline
def broken(x):
    return x[0] / 0.0 - x[0] / 0.0


def plain_waves(x, data):
    return sum(v * v - d * math.cos(6 * v) + d for v, d in zip(x, data))


def test_the_minimum_of_a_bowl():
    found = search.minimize_energy(bowl, np.zeros(4), steps=20_000, chains=8)
    assert found.x == pytest.approx([2] * 4, abs=0.05) and found.energy < 0.01


@pytest.mark.parametrize("seed", range(8))
def test_the_best_never_worsens(seed):
    rng = np.random.default_rng(seed)
    start, data = rng.uniform(-3, 3, 3), rng.uniform(0, 2, 3)
    found = search.minimize_energy(
        waves, start, data=data, steps=3000, chains=5, marks=30, seed=seed, temperature=4
    )
    assert found.history[0] == pytest.approx(plain_waves(start, data))
    assert np.all(np.diff(found.history) <= 0)
    assert found.history[-1] == found.energy == pytest.approx(plain_waves(found.x, data))


def test_the_start_may_be_the_best():
    found = search.minimize_energy(bowl, [2.0, 2.0], steps=50)
    assert found.energy == 0 and found.x.tolist() == [2, 2]


def test_one_seed_one_result():
    runs = [search.minimize_energy(bowl, [0.0, 9.0], steps=500, seed=s) for s in (1, 1, 2)]
    assert np.array_equal(runs[0].history, runs[1].history)
    assert not np.array_equal(runs[0].history, runs[2].history)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": []}, "start: expected 1 to"),
        ({"start": [math.inf]}, "start: expected 1 to"),
        ({"steps": 0}, "steps: expected 1"),
        ({"chains": 0}, "chains: expected 1"),
        ({"temperature": 0.0}, "temperature: expected"),
        ({"width": math.nan}, "width: expected"),
        ({"energy": broken}, "NaN at the start"),
        ({"energy": math.sin}, "under @hologram.lang.inline"),
    ],
)
def test_runs_that_are_refused(options, message):
    with pytest.raises(hg.ArgumentError, match=message):
        search.minimize_energy(**{"energy": bowl, "start": [1.0], **options})
