"""The bars of search and quantum circuits, each beside its peer: one line a row.

usage: mission.py [--small] [--threads N]

Circuits: 10 layers of random u on all qubits and cx between random pairs, f64 and f32, by both
engines (tiles: C++, kernels: verified kernels), against the state vector of Qiskit Aer with its
fusion, as many threads; transpiled before. Graphs of 1 M edges
against scipy.sparse.csgraph. Search in 100 M f32 against a read of the same memory, the sum of
hologram. The peers take turns in one process; times are medians, a ratio above 1 is hologram's.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import time
from collections.abc import Callable

parser = argparse.ArgumentParser()
parser.add_argument(
    "--small", action="store_true", help="sizes for a machine that does other things"
)
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
options = parser.parse_args()
# Before Aer is loaded: threads that spin would be measured with whatever else runs.
os.environ["OMP_NUM_THREADS"] = str(options.threads)
os.environ["HOLOGRAM_NUM_THREADS"] = str(options.threads)
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
import qiskit
import qiskit_aer
from scipy import sparse
from scipy.sparse import csgraph

import hologram as hg
from hologram import library, qsim, search

LAYERS = 10


def in_turn(rounds: int, *calls: Callable[[], object]) -> tuple[float, ...]:
    """Medians in milliseconds, after one call of each."""
    for call in calls:
        call()
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, times, strict=True):
            begin = time.perf_counter()
            call()
            taken.append(1e3 * (time.perf_counter() - begin))
    return tuple(statistics.median(taken) for taken in times)


def row(name: str, times: tuple[float, ...], peer: str, bar: float) -> None:
    """Of times of hologram and of the peer."""
    ours, theirs = times
    ratio = theirs / ours
    left = f"{name:46} {ours:9.2f} ms  {peer:19} {theirs:9.2f} ms"
    print(f"{left}  {ratio:6.2f} x  bar {bar:.2f}", flush=True)


def circuits() -> None:
    for qubits, rounds in ((16, 5), (20, 3)) if options.small else ((16, 9), (20, 5), (24, 3)):
        rng = np.random.default_rng(qubits)
        ours, theirs = qsim.Circuit(qubits), qiskit.QuantumCircuit(qubits)
        for _ in range(LAYERS):
            for qubit, angles in enumerate(rng.uniform(0, 6, (qubits, 3)).tolist()):
                ours.u(*angles, qubit)
                theirs.u(*angles, qubit)
            order = rng.permutation(qubits).tolist()
            for a, b in zip(order[::2], order[1::2], strict=False):
                ours.cx(a, b)
                theirs.cx(a, b)
        theirs.save_statevector()
        for dtype, precision in (("complex128", "double"), ("complex64", "single")):
            simulator = qiskit_aer.AerSimulator(
                method="statevector", precision=precision, fusion_enable=True,
                max_parallel_threads=options.threads,
            )  # fmt: skip
            ready = qiskit.transpile(theirs, simulator, optimization_level=0)

            def run(simulator=simulator, ready=ready) -> object:
                return np.asarray(simulator.run(ready).result().get_statevector())

            def state(engine: str, ours=ours, dtype=dtype) -> object:
                return ours.state(dtype=dtype, threads=options.threads, engine=engine)

            expected = run()
            engines = {name: functools.partial(state, name) for name in ("tiles", "kernels")}
            *taken, aer = in_turn(rounds, *engines.values(), run)
            for (engine, made), ms in zip(engines.items(), taken, strict=True):
                off = float(np.abs(made() - expected).max())
                name = f"{qubits} qubits, {precision}, {engine}, off by {off:.0e}"
                row(name, (ms, aer), "Qiskit Aer", 1.0)


def graphs() -> None:
    rng = np.random.default_rng(1)
    edges = 100_000 if options.small else 1_000_000
    for n in (edges // 10, edges // 50):
        matrix = sparse.coo_array(
            (rng.uniform(0.1, 1, edges), rng.integers(0, n, (2, edges))), shape=(n, n)
        ).tocsr()
        graph = search.Graph.of(matrix)
        name = f"{n} vertices, {edges} edges"
        breadth = "breadth_first_order"

        def bfs(graph=graph) -> object:
            return search.graph_traverse_optimal(graph, 0)

        def peer(matrix=matrix) -> object:
            return csgraph.breadth_first_order(matrix, 0)

        row(
            f"BFS, {name}",
            in_turn(9, bfs, peer),
            breadth,
            1.0,
        )
        begin = time.perf_counter()
        graph.reverse()
        prepared = 1e3 * (time.perf_counter() - begin)
        row(
            "  with the transposed graph",
            in_turn(9, bfs, peer),
            breadth,
            1.0,
        )
        print(f"  which is made once, in {prepared:.1f} ms")
        times = in_turn(
            5,
            lambda graph=graph: search.shortest_paths(graph, 0),
            lambda matrix=matrix: csgraph.dijkstra(matrix, indices=0, return_predecessors=True),
        )
        row(f"non-negative weights, {name}", times, "dijkstra", 1.0)
    n = 300 if options.small else 1000
    lift = rng.uniform(-3, 3, n)
    matrix = sparse.csr_array(rng.uniform(0.1, 1, (n, n)) + lift[:, None] - lift)
    graph = search.Graph.of(matrix)
    times = in_turn(
        1,
        lambda: search.shortest_paths(graph, 0),
        lambda: csgraph.bellman_ford(matrix, indices=0, return_predecessors=True),
    )
    row(f"negative weights, {n} vertices, {n * n} edges", times, "bellman_ford", 1.0)


def places() -> None:
    n = 10_000_000 if options.small else 100_000_000
    data = np.random.default_rng(1).integers(0, 2**24, n, dtype=np.int32).astype(np.float32)
    data[n // 3] = data[n - 1] = -1
    found, count = search.quantum_search(data, -1)
    assert count == 2 and found.tolist() == [n // 3, n - 1]
    times = in_turn(9, lambda: search.quantum_search(data, -1), lambda: hg.ops.sum(data))
    row(f"search in {n} f32, two places", times, "read: hg.ops.sum", 0.95)


def main() -> int:
    for kernel in (
        "gate_pass_f32",
        "gate_pass_f64",
        "bfs_push",
        "bfs_pull",
        "dijkstra",
        "bellman_ford",
        "search_count_f32",
    ):
        path = library.kernel(kernel).path
        if not path.startswith("native"):
            print(f"error: {kernel} is not native code: {path}", file=sys.stderr)
            return 1
    print(f"{options.threads} threads; {library.path()}")
    circuits()
    graphs()
    places()
    return 0


if __name__ == "__main__":
    sys.exit(main())
