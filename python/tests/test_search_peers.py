"""hologram.search against SciPy and NetworkX (scripts/mission.sh, part of make test-more)."""

from __future__ import annotations

import numpy as np
import pytest

networkx = pytest.importorskip("networkx")
sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")
optimize = pytest.importorskip("scipy.optimize")

from hologram import search  # noqa: E402
from hologram.lang import cos, inline  # noqa: E402


def matrices(negative=False):
    """Random graphs of all densities, grids, trees, cliques; stored entries are edges."""
    rng = np.random.default_rng(1)
    shapes = [(n, m) for n in (2, 30, 300, 3000) for m in (n // 2, 2 * n, 12 * n)]
    edges = [(n, rng.integers(0, n, (2, m))) for n, m in shapes]
    grid = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(30, 40)).to_directed()
    for graph in (
        grid,
        networkx.balanced_tree(3, 6).to_directed(),
        networkx.complete_graph(60).to_directed(),
        networkx.barabasi_albert_graph(2000, 3, seed=1).to_directed(),
        networkx.path_graph(5000, create_using=networkx.DiGraph),
    ):
        edges.append((len(graph), np.array(list(graph.edges)).T))
    for n, (us, vs) in edges:
        keys = np.unique(us.astype(np.int64) * n + vs)
        us, vs = keys // n, keys % n
        weights = rng.uniform(0.1, 1, len(us))
        if negative:
            lift = rng.uniform(-3, 3, n)
            weights += lift[us] - lift[vs]
        yield sparse.csr_array((weights, (us, vs)), shape=(n, n))


def test_breadth_first_order():
    for matrix in matrices():
        graph = search.Graph.of(matrix)
        for _ in range(2):
            levels, parents, order = search.graph_traverse_optimal(graph, 0)
            reached, _ = csgraph.breadth_first_order(matrix, 0)
            assert np.array_equal(np.sort(order), np.sort(reached))
            expected = csgraph.dijkstra(matrix, indices=0, unweighted=True)
            assert np.array_equal(np.where(levels < 0, np.inf, levels), expected)
            graph.reverse()  # wide levels are pulled in the second round


def test_dijkstra():
    for matrix in matrices():
        paths = search.shortest_paths(search.Graph.of(matrix), 0)
        assert np.array_equal(paths.distances, csgraph.dijkstra(matrix, indices=0))


def test_bellman_ford():
    for matrix in matrices(negative=True):
        if matrix.shape[0] > 400 or not len(matrix.data):
            continue
        paths = search.shortest_paths(search.Graph.of(matrix), 0)
        expected = csgraph.bellman_ford(matrix, indices=0)
        assert np.allclose(paths.distances, expected, atol=1e-9)


def test_paths_of_networkx():
    for matrix in matrices():
        if matrix.shape[0] > 2500:
            continue
        graph, theirs = (
            search.Graph.of(matrix),
            networkx.from_scipy_sparse_array(matrix, create_using=networkx.DiGraph),
        )
        for target in np.random.default_rng(2).integers(0, matrix.shape[0], 5).tolist():
            vertices, length = search.optimal_path(graph, 0, target)
            if not vertices:
                assert not networkx.has_path(theirs, 0, target)
                continue
            assert length == pytest.approx(networkx.dijkstra_path_length(theirs, 0, target))
            assert length == pytest.approx(networkx.path_weight(theirs, vertices, "weight"))


def test_negative_cycles_of_networkx():
    rng = np.random.default_rng(3)
    outcomes = set()
    for _ in range(60):
        n = 30
        keys = np.unique(rng.integers(0, n * n, 60))
        weights = rng.uniform(-0.3, 1, len(keys))
        matrix = sparse.csr_array((weights, (keys // n, keys % n)), shape=(n, n))
        theirs = networkx.from_scipy_sparse_array(matrix, create_using=networkx.DiGraph)
        near = networkx.descendants(theirs, 0) | {0}
        expected = networkx.negative_edge_cycle(theirs.subgraph(near).copy())
        try:
            search.shortest_paths(search.Graph.of(matrix), 0)
            found = False
        except search.NegativeCycleError as error:
            found = True
            ring = [*error.cycle, error.cycle[0]]
            assert networkx.path_weight(theirs, ring, "weight") < 0
        assert found == expected
        outcomes.add(found)
    assert outcomes == {True, False}


def adversarial():
    """Graphs that are hard for one method or the other: sorted (u, v, weight) without doubles."""
    n = 300
    # Each vertex is improved by every earlier one: a heap without removal holds all edges.
    yield n, [(u, v, float(2 * (v - u) * n - (v * v - u * u)) / 2 + (v - u)) for u in range(n)
              for v in range(u + 1, n)]  # fmt: skip
    # A path whose edges lie in the wrong order for rounds over all of them.
    yield n, [(u, u - 1, 1.0) for u in range(n - 1, 0, -1)] + [(0, n - 1, 0.0)]
    # Weights of 0 in cycles, ties everywhere.
    yield n, [(u, (u + k) % n, 0.0 if k == 1 else 1.0) for u in range(n) for k in (1, 2, 7)]
    # Weights from 1e-300 to 1e300, sums that lose all small ones.
    yield n, [(u, v, 10.0 ** (300 - 600 * ((u * 7 + v) % 101) / 100)) for u in range(n)
              for v in {(u * 3 + 1) % n, (u + 1) % n} - {u}]  # fmt: skip
    # Half of it cannot be reached; a vertex has an edge to itself.
    yield n, [(0, 0, 5.0), (0, 1, 2.0), *((u, u + 1, 1.0) for u in range(n // 2, n - 1))]
    # A star, in and out.
    yield n, [(0, v, 1.0 + v % 3) for v in range(1, n)] + [(v, 0, 1.0) for v in range(1, n)]


@pytest.mark.parametrize("number", range(6))
def test_adversarial_graphs(number):
    n, edges = list(adversarial())[number]
    us, vs, ws = (np.array(column) for column in zip(*sorted(edges), strict=True))
    starts = np.concatenate([[0], np.cumsum(np.bincount(us, minlength=n))])
    graph = search.Graph(starts, vs, ws)
    theirs = networkx.DiGraph()
    theirs.add_nodes_from(range(n))
    theirs.add_weighted_edges_from(sorted(edges))
    expected = networkx.single_source_dijkstra_path_length(theirs, 0)
    paths = search.shortest_paths(graph, 0)
    assert np.isfinite(paths.distances).sum() == len(expected)
    for v, length in expected.items():
        assert paths.distances[v] == pytest.approx(length, rel=1e-12)
        assert networkx.path_weight(theirs, paths.path_to(v), "weight") == pytest.approx(length)
    levels = networkx.single_source_shortest_path_length(theirs, 0)
    found = search.graph_traverse_optimal(graph, 0).levels
    assert {v: int(found[v]) for v in np.flatnonzero(found >= 0).tolist()} == dict(levels)
    # The same with weights below 0 and no cycle: each vertex has a height.
    lift = np.random.default_rng(number).uniform(-3, 3, n)
    lifted = search.Graph(starts, vs, ws + lift[us] - lift[vs])
    if number != 3:  # where the lift would be lost in the sums
        below = search.shortest_paths(lifted, 0).distances
        for v, length in expected.items():
            assert below[v] == pytest.approx(length + lift[0] - lift[v], abs=1e-6, rel=1e-9)


def test_cycles_of_almost_nothing():
    for last, negative in ((-2.0, False), (-2.0 - 1e-12, True), (-1.9, False), (-2.5, True)):
        theirs = networkx.DiGraph()
        theirs.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 1.0), (2, 0, last), (2, 3, 1.0)])
        assert networkx.negative_edge_cycle(theirs) == negative
        graph = search.Graph([0, 1, 2, 4, 4], [1, 2, 0, 3], [1.0, 1.0, last, 1.0])
        if negative:
            with pytest.raises(search.NegativeCycleError) as caught:
                search.shortest_paths(graph, 0)
            assert sorted(caught.value.cycle) == [0, 1, 2]
        else:
            assert search.shortest_paths(graph, 0).distances.tolist() == [0, 1, 2, 3]


def test_bounds_hold_the_polytope_of_linprog():
    rng = np.random.default_rng(4)
    outcomes = set()
    for _ in range(80):
        m, n = (int(k) for k in rng.integers(2, 7, 2))
        rows = np.round(rng.uniform(-3, 3, (m, n)), 2)
        high = np.round(rng.uniform(-4, 4, m), 2)
        found = search.constraint_solve(rows, -np.inf, high, -3, 3)
        ends = []
        for j in range(n):
            for sign in (1, -1):
                goal = np.zeros(n)
                goal[j] = sign
                ends.append(optimize.linprog(goal, A_ub=rows, b_ub=high, bounds=[(-3, 3)] * n))
        outcomes.add((found.infeasible is None, ends[0].status))
        if found.infeasible is not None:
            assert ends[0].status == 2  # infeasible
        elif ends[0].status == 0:
            for j in range(n):
                assert found.low[j] <= ends[2 * j].fun + 1e-7
                assert found.high[j] >= -ends[2 * j + 1].fun - 1e-7
    assert {(True, 0), (False, 2)} <= outcomes


def test_knapsacks_of_milp():
    """Market splits and equal sums: hard for propagation, small enough to be decided."""
    rng = np.random.default_rng(6)
    outcomes = set()
    for k in range(12):
        n = 10
        rows = rng.integers(1, 60, (1 + k % 2, n))
        half = rows.sum(axis=1) // 2 + k % 3
        found = search.parallel_solve(rows, half, half, 0, 1)
        theirs = optimize.milp(
            np.zeros(n), integrality=np.ones(n), bounds=optimize.Bounds(0, 1),
            constraints=optimize.LinearConstraint(rows, half, half),
        )  # fmt: skip
        assert found.proved and (found.x is not None) == theirs.success
        if found.x is not None:
            assert np.array_equal(rows @ found.x, half)
        outcomes.add(theirs.success)
    assert outcomes == {True, False}


def test_integer_points_of_milp():
    rng = np.random.default_rng(5)
    outcomes = set()
    for _ in range(60):
        m, n = (int(k) for k in rng.integers(1, 6, 2))
        rows = rng.integers(-9, 10, (m, n))
        low = rng.integers(-20, 20, m)
        high = low + rng.integers(0, 3, m)
        found = search.parallel_solve(rows, low, high, -10, 10)
        theirs = optimize.milp(
            np.zeros(n), integrality=np.ones(n), bounds=optimize.Bounds(-10, 10),
            constraints=optimize.LinearConstraint(rows, low, high),
        )  # fmt: skip
        assert found.proved and (found.x is not None) == theirs.success
        outcomes.add(theirs.success)
    assert outcomes == {True, False}


@inline
def rastrigin(x):
    total = 10.0 * len(x) + 0.0 * x[0]
    for i in range(len(x)):
        total += x[i] * x[i] - 10.0 * cos(6.283185307179586 * x[i])
    return total


def test_annealing_beside_dual_annealing():
    start = [3.3, -2.7, 4.1]
    theirs = optimize.dual_annealing(
        lambda x: float(10 * len(x) + sum(x * x - 10 * np.cos(2 * np.pi * x))),
        [(-5, 5)] * 3, rng=1, maxiter=300, x0=start,
    )  # fmt: skip
    ours = search.minimize_energy(
        rastrigin, start, temperature=20, width=3, steps=60_000, chains=32, seed=1
    )
    assert theirs.fun < 1e-6 and ours.energy < 0.05
