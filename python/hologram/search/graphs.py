"""Graphs in compressed rows: breadth first, and shortest paths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hologram import library
from hologram.errors import ArgumentError, Error

NONE = 2**32 - 1
# Rounds of the loops of one launch; graphs end them, not this number.
_BUDGET = 2**62
# A level of more vertices than this share of all, and than these, is visited by all cores.
_WIDE = 24
_LEAST = 64
# Buckets of distances, at most, as wide as the smallest weight if these are enough.
_BUCKETS = 128


class NegativeCycleError(Error):
    """A cycle of negative weight can be reached, so there are no shortest paths. `cycle` has its
    vertices, each with an edge to the next and the last with one to the first."""

    def __init__(self, cycle: list[int]) -> None:
        shown = " -> ".join(map(str, [*cycle[:8], *(["..."] if len(cycle) > 8 else []), cycle[0]]))
        super().__init__(f"the graph has a cycle of negative weight: {shown}")
        self.cycle = cycle


class Graph:
    """A directed graph: the edges of vertex u lead to ends[starts[u]:starts[u + 1]].

    `Graph(starts, ends, weights)`, or `Graph.of(matrix)` of an object with indptr, indices and
    data, as csr_array of SciPy has them, where entry (u, v) is an edge from u to v. Arrays of int32
    are not copied and must not change. `symmetric` says that each edge is there in both directions.
    Checked when it is made: O(n + edges). Raises ArgumentError.
    """

    def __init__(
        self, starts: Any, ends: Any, weights: Any = None, *, symmetric: bool = False
    ) -> None:
        self.starts = _indices(starts, "starts")
        self.ends = _indices(ends, "ends")
        edges = len(self.ends)
        if len(self.starts) == 0 or self.starts[0] != 0 or self.starts[-1] != edges:
            raise ArgumentError(f"Graph: starts must lead from 0 to {edges}, the number of edges")
        if np.any(self.starts[1:] < self.starts[:-1]):
            raise ArgumentError("Graph: starts must not decrease")
        if edges and int(self.ends.max()) >= self.size:
            raise ArgumentError(
                f"Graph: an edge leads to vertex {int(self.ends.max())}, there are {self.size}"
            )
        self.weights: Any = None
        self.has_negative = False
        self._width, self._widths = 1.0, 1.0  # of a bucket; of the largest weight in these
        if weights is not None:
            self.weights = np.ascontiguousarray(weights, np.float64)
            if self.weights.shape != (edges,):
                raise ArgumentError(
                    f"Graph: expected {edges} weights, found an array of shape {self.weights.shape}"
                )
            if np.isnan(self.weights).any() or np.isneginf(self.weights).any():
                raise ArgumentError("Graph: weights must be numbers above minus infinity")
            least, most = (self.weights.min(), self.weights.max()) if edges else (1.0, 1.0)
            self.has_negative = bool(least < 0)
            self._width = max(float(least), float(most) / _BUCKETS)
            self._widths = float(most) / self._width if self._width > 0 else np.inf
        self._reverse: tuple[Any, Any] | None = (self.starts, self.ends) if symmetric else None

    @classmethod
    def of(cls, matrix: Any, *, symmetric: bool = False) -> Graph:
        """Of a matrix in compressed rows: attributes indptr, indices, data."""
        return cls(matrix.indptr, matrix.indices, matrix.data, symmetric=symmetric)

    @property
    def size(self) -> int:
        """The number of vertices."""
        return len(self.starts) - 1

    def reverse(self) -> tuple[Any, Any]:
        """starts and ends of the transposed graph, made once: O(n + edges log edges)."""
        if self._reverse is None:
            starts = np.zeros(self.size + 1, np.uint32)
            np.cumsum(np.bincount(self.ends.astype(np.intp), minlength=self.size), out=starts[1:])
            sources = np.repeat(
                np.arange(self.size, dtype=np.uint64), np.diff(self.starts).astype(np.intp)
            )
            # A plain sort of whole numbers is faster than one that gives places.
            keys = np.sort(self.ends.astype(np.uint64) << np.uint64(32) | sources)
            self._reverse = starts, (keys & np.uint64(NONE)).astype(np.uint32)
        return self._reverse


class Traversal(NamedTuple):
    """levels: the fewest edges from the start, -1 where no path leads; parents: the vertex before,
    -1 for the start and where no path leads; order: the vertices that were reached, level by
    level."""

    levels: Any
    parents: Any
    order: Any


class Paths(NamedTuple):
    """distances: +inf where no path leads; parents: the vertex before, -1 for the start and where
    no path leads."""

    distances: Any
    parents: Any

    def path_to(self, vertex: int) -> list[int]:
        """From the start to the vertex; [] where no path leads."""
        if self.distances[vertex] == np.inf:
            return []
        path = [int(vertex)]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]


class Path(NamedTuple):
    """vertices from start to target, [] where no path leads; length is +inf then."""

    vertices: list[int]
    length: float


def graph_traverse_optimal(graph: Graph, start: int) -> Traversal:
    """Breadth-first search: O(n + edges), once for all vertices.

    Narrow levels are visited by one core, wide ones, of which there are at most 24, by all. Each
    vertex of a wide level offers itself as a parent, and the smallest one is taken; or, where the
    transposed graph is known (`symmetric`, or `graph.reverse()` was called), each vertex that is
    left looks for a neighbour of the level. The result does not depend on how many cores there are.
    Raises ArgumentError.
    """
    n = graph.size
    _check_vertex(graph, start, "start")
    level = np.full(n, NONE, np.uint32)
    parent = np.full(n, NONE, np.uint32)
    queue = np.empty(n, np.uint32)
    level[start] = 0
    queue[0] = start
    state = np.array([0, 1, 0], np.uint32)
    push = _one_lane("bfs_push")
    most = max(n // _WIDE, _LEAST)
    after: Any = None
    while True:
        push(graph.starts, graph.ends, level, parent, queue, state, most)
        head, tail, depth = (int(number) for number in state)
        if head == tail:
            break
        if graph._reverse is None:
            claim = library.kernel("bfs_claim").configure(grid=-(-(tail - head) // 64), block=64)
            claim(graph.starts, graph.ends, level, parent, queue, head, tail)
            _one_lane("bfs_settle")(level, parent, queue, state, n)
        else:
            after = np.empty(n, np.uint32) if after is None else after
            library.kernel("bfs_pull")(*graph._reverse, level, after, parent, depth, n)
            level, after = after, level
            _one_lane("bfs_gather")(level, queue, state, n)
        if state[0] == state[1]:
            break
    order = queue[: int(state[1])]
    return Traversal(level.view(np.int32), parent.view(np.int32), order)


def shortest_paths(graph: Graph, start: int) -> Paths:
    """The shortest paths from one vertex to all others.

    Without negative weights by buckets of distances, O(n + edges) where the largest weight is at
    most 128 times the smallest one, else often; where it takes four times as long, and for weights
    of 0 alone or infinity, Dijkstra's algorithm with a heap, O((n + edges) log edges). With
    negative weights that of Bellman and Ford, O(n * edges) at worst and O(edges) for each round
    that changes something. All on one core. A graph without weights has weights of 1. Raises
    ArgumentError, and NegativeCycleError where a cycle of negative weight can be reached.
    """
    return _paths(graph, start, NONE)


def optimal_path(graph: Graph, start: int, target: int) -> Path:
    """A shortest path from start to target. The cost of shortest_paths, which it also raises;
    without negative weights the search ends where the target is reached."""
    _check_vertex(graph, target, "target")
    paths = _paths(graph, start, target)
    return Path(paths.path_to(target), float(paths.distances[target]))


def _paths(graph: Graph, start: int, target: int) -> Paths:
    n, edges = graph.size, len(graph.ends)
    _check_vertex(graph, start, "start")
    weights = np.ones(edges) if graph.weights is None else graph.weights
    distance = np.full(n, np.inf)
    distance[start] = 0
    parent = np.full(n, NONE, np.uint32)
    state = np.zeros(2, np.uint32)
    known = (graph.starts, graph.ends, weights, distance, parent)
    if not graph.has_negative:
        if _by_buckets(graph, known, start, target):
            return Paths(distance, parent.view(np.int32))
        heap = np.empty(edges + 1), np.empty(edges + 1, np.uint32)
        _one_lane("dijkstra")(*known, *heap, state, start, target)
        return Paths(distance, parent.view(np.int32))
    lists = np.empty(n, np.uint32), np.empty(n, np.uint32)
    flags = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    _one_lane("bellman_ford")(*known, *lists, *flags, state, start, n)
    if state[0]:
        raise NegativeCycleError(_cycle(parent, int(state[1])))
    return Paths(distance, parent.view(np.int32))


def _by_buckets(graph: Graph, known: tuple[Any, ...], start: int, target: int) -> bool:
    """Whether the shortest paths were found; else distances and parents are as they were."""
    n, edges = graph.size, len(graph.ends)
    if not (1e-290 < graph._width < np.inf and graph._widths <= _BUCKETS):
        return False
    buckets = 1 << int(np.ceil(graph._widths) + 1).bit_length()
    first = np.full(buckets, NONE, np.uint32)
    vertex, after = np.empty(edges + 2, np.uint32), np.empty(edges + 2, np.uint32)
    first[0], vertex[0], after[0] = 0, start, NONE
    state = np.zeros(2, np.uint32)
    lists = np.zeros(n, np.uint32), first, vertex, after
    _one_lane("bucket_paths")(*known, *lists, state, target, 1 / graph._width, 4 * edges)
    if state[0]:
        distance, parent = known[3:]
        distance[:], parent[:] = np.inf, NONE
        distance[start] = 0
    return not state[0]


def _cycle(parent: Any, vertex: int) -> list[int]:
    cycle = [vertex]
    while int(parent[cycle[-1]]) != vertex:
        cycle.append(int(parent[cycle[-1]]))
    return cycle[::-1]


def _one_lane(name: str) -> Any:
    return library.kernel(name).configure(grid=1, block=1, budget=_BUDGET)


def _indices(values: Any, name: str) -> Any:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ArgumentError(f"Graph: {name} must be integers of one dimension, found {array.dtype}")
    if array.dtype.itemsize != 4:
        if array.size and (int(array.min()) < 0 or int(array.max()) > NONE - 1):
            raise ArgumentError(f"Graph: {name} must be 0 to {NONE - 1}")
        array = array.astype(np.uint32)
    elif array.dtype.kind == "i" and array.size and int(array.min()) < 0:
        raise ArgumentError(f"Graph: {name} must not be negative")
    return np.ascontiguousarray(array).view(np.uint32)


def _check_vertex(graph: Graph, vertex: int, name: str) -> None:
    if not 0 <= vertex < graph.size:
        raise ArgumentError(f"{name}: there is no vertex {vertex}, there are {graph.size}")
