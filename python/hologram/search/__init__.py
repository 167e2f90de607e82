"""Searching and optimising, with kernels of the standard library (docs/search.md).

    found, count = hg.search.quantum_search(data, 3.0)    all places of a value, in order
    graph = hg.search.Graph(starts, ends, weights)        compressed rows, as csr_array of SciPy
    hg.search.graph_traverse_optimal(graph, 0)            breadth first: levels, parents, order
    hg.search.shortest_paths(graph, 0)                    distances and parents
    hg.search.optimal_path(graph, 0, 7)                   one path and its length
    hg.search.constraint_solve(rows, low, high)           bounds of variables, or why not
    hg.search.parallel_solve(rows, low, high, 0, 9)       an integer point, or a proof of none
    hg.search.minimize_energy(energy, start)              annealing; `energy` is compiled

The names are those of older documents. Nothing here is a quantum algorithm, and each function
states its true cost. Needs NumPy. Functions may be called by several threads at once.
"""

from hologram.search.annealing import Minimum, minimize_energy
from hologram.search.constraints import Infeasible, Narrowed, constraint_solve
from hologram.search.elements import quantum_search
from hologram.search.graphs import (
    Graph,
    NegativeCycleError,
    Path,
    Paths,
    Traversal,
    graph_traverse_optimal,
    optimal_path,
    shortest_paths,
)
from hologram.search.integers import Solution, parallel_solve

__all__ = [
    "Graph",
    "Infeasible",
    "Minimum",
    "Narrowed",
    "NegativeCycleError",
    "Path",
    "Paths",
    "Solution",
    "Traversal",
    "constraint_solve",
    "graph_traverse_optimal",
    "minimize_energy",
    "optimal_path",
    "parallel_solve",
    "quantum_search",
    "shortest_paths",
]
