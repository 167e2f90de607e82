#!/usr/bin/env python3
"""hologram.ops against NumPy, PyTorch, Numba and JAX: nanoseconds, and how many times as fast.

usage: ops.py [--filter TEXT] [--sizes 1000,100000,10000000] [--threads N] [--peers numpy,torch,...]
              [--rounds 7]

One line for each operation and size: our time, the ratio to each peer, and the fastest of them.
Each figure is the least of several rounds, in which all take turns in one process; everybody has N
threads on N processors, one unless said. Peers that are not installed are named and left out.

Who is compared with what: peers that write into an array that is given with ours that does (out=);
those that make a new one (JAX always, marked n in the other columns) with ours that does too. Where
an operation has a fast form (f32 within 4 ulp), NumPy and JAX are compared with that, PyTorch and
Numba, which are precise, with the precise form; the column "ours" has the precise one. Where a peer
has no one function, a plain expression stands for it, marked *: left out of its mean.

Results are compared before anything is measured; the last lines are geometric means, and which
operations are slower than 0.97 of the fastest peer.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import sys
import time
from typing import Any

PEERS = ("numpy", "torch", "numba", "jax")


def at_least_one(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1, found '{text}'")
    return int(text)


def sizes_of(text: str) -> list[int]:
    return [at_least_one(part) for part in text.split(",")]


def known_peers(text: str) -> list[str]:
    for name in text.split(","):
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(PEERS)}, found '{name}'")
    return text.split(",")


arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("--filter", "--only", default="", help="operations that contain this text")
arguments.add_argument("--sizes", type=sizes_of, default="1000,100000,10000000")
arguments.add_argument("--threads", type=at_least_one, default=1)
arguments.add_argument("--peers", type=known_peers, default="numpy,torch,numba,jax")
arguments.add_argument("--rounds", type=at_least_one, default=7)
OPTIONS = arguments.parse_args()
# Before the libraries are loaded, which read them.
for variable in ("OPENBLAS", "MKL", "OMP", "NUMBA", "HOLOGRAM"):
    os.environ[f"{variable}_NUM_THREADS"] = str(OPTIONS.threads)
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):  # JAX goes by the processors that it may use
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: OPTIONS.threads])

import numpy as np
from array_ops import ours as our_rows
from array_ops.data import ROW, Call, Data, Ours, Peer

from hologram import library, ops

BUDGET = 0.005  # seconds of one library in a round
BAR, MEAN_BAR = 0.97, 1.3
CALL_BAR_NS = 250
TITLES = {"numpy": "NumPy", "torch": "PyTorch", "numba": "Numba", "jax": "JAX"}
FAST = ("numpy", "jax")  # whose functions are in the class of our fast forms
Table = dict[str, dict[str, Peer]]


def peers_of(data: Data, names: list[str]) -> Table:
    table: Table = {}
    for name in names:
        module = importlib.import_module(f"array_ops.{name}_peer")
        table[name] = module.rows(data, OPTIONS.threads) if name == "torch" else module.rows(data)
    return table


def counterpart(ours: Ours, peer: str, row: Peer) -> Call:
    if peer in FAST and ours.fast_out is not None and ours.fast_new is not None:
        return ours.fast_new if row.new else ours.fast_out
    return ours.new if row.new else ours.out


def agree(name: str, data: Data, ours: Ours, peers: dict[str, Peer]) -> None:
    """Ends the program where a peer computes something else."""

    def result_of(call: Call) -> Any:
        result = call()
        return np.asarray(ours.place if result is None else result).copy()

    expected = result_of(ours.new)
    for peer, row in peers.items():
        if ours.place is not None:
            ours.place[...] = 0  # what a call does not write is seen
        result, wanted = result_of(row.call), expected
        if name.startswith("arg"):  # the first of equals, or another one of them
            result, wanted = data.x[int(result)], data.x[int(expected)]
        if result.shape != wanted.shape or not np.allclose(result, wanted, rtol=2e-3, atol=1e-5):
            sys.exit(f"{name}, n = {data.n}: {TITLES[peer]} has another result")


def seconds(call: Call, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def least(calls: list[Call]) -> dict[int, float]:
    """The least time of each, by its identity. Each is called once before it is timed, so that it
    finds the caches as it left them, not as the one before did, which may have other arrays."""
    different = {id(call): call for call in calls}
    counts = {}
    for key, call in different.items():
        call()
        counts[key] = max(1, int(BUDGET / max(seconds(call, 1), 1e-7)))
    best = dict.fromkeys(different, math.inf)
    for _ in range(OPTIONS.rounds):
        for key, call in different.items():
            call()
            best[key] = min(best[key], seconds(call, counts[key]))
    return best


class Summary:
    """What the last lines say."""

    def __init__(self, names: list[str]) -> None:
        self.ratios: dict[tuple[str, int], list[float]] = {}
        self.missed: list[str] = []
        self.names = names

    def add(self, key: str, n: int, ratio: float) -> None:
        self.ratios.setdefault((key, n), []).append(ratio)

    def print(self, sizes: list[int]) -> None:
        print("\ngeometric mean of how many times as fast")
        for key in (*self.names, "fastest"):
            line = f"{TITLES.get(key, 'the fastest of them'):20}"
            for n in sizes:
                found = self.ratios.get((key, n))
                mean = math.exp(sum(map(math.log, found)) / len(found)) if found else math.nan
                line += f"  n = {n:,}: {mean:5.2f} ({len(found or ())} operations)"
            print(line + (f"  bar {MEAN_BAR}" if key == "fastest" else ""))
        print(f"\nbelow {BAR} of the fastest peer: {len(self.missed)}")
        for line in self.missed:
            print(f"  {line}")


def measure(name: str, data: Data, ours: Ours, peers: dict[str, Peer], summary: Summary) -> str:
    """One line of the table."""
    against = {peer: counterpart(ours, peer, row) for peer, row in peers.items()}
    best = least([ours.out, *against.values(), *(row.call for row in peers.values())])
    line = f"{name:22}{data.n:12,}{best[id(ours.out)] * 1e9:14,.0f}"
    ratios: dict[str, float] = {}
    for peer in summary.names:
        if peer not in peers:
            line += f"{'-':>10} "
            continue
        row = peers[peer]
        ratios[peer] = best[id(row.call)] / best[id(against[peer])]
        if not row.expression:
            summary.add(peer, data.n, ratios[peer])
        mark = "*" if row.expression else "n" if row.new and peer != "jax" else " "
        line += f"{ratios[peer]:10.2f}{mark}"
    if ratios:
        fastest = min(ratios, key=lambda peer: ratios[peer])
        summary.add("fastest", data.n, ratios[fastest])
        line += f"  {ratios[fastest]:6.2f} {TITLES[fastest]}"
        if ratios[fastest] < BAR:
            summary.missed.append(f"{name}, {data.n:,}: {ratios[fastest]:.2f} {TITLES[fastest]}")
    return line


def small_call() -> None:
    """What a call costs: the sum of two arrays of 100, by an operation and by a kernel."""
    x, y, z = (np.full(100, k, np.float32) for k in range(3))
    kernel = library.kernel("op_add_f32")
    calls = {
        "hg.ops.add(x, y, out=z)": lambda: ops.add(x, y, out=z),
        "kernel(x, y, z, 100)": lambda: kernel(x, y, z, 100),
        "numpy.add(x, y, out=z)": lambda: np.add(x, y, out=z),
    }
    best = least(list(calls.values()))
    numpy_ns = best[id(calls["numpy.add(x, y, out=z)"])] * 1e9
    print(f"\na call on three arrays of 100; bar {CALL_BAR_NS} ns, and 1.0 of NumPy's")
    for title, call in calls.items():
        ns = best[id(call)] * 1e9
        holds = "holds" if ns <= min(CALL_BAR_NS, numpy_ns) else "MISSED"
        verdict = "" if title.startswith("numpy") else holds
        print(f"  {title:24}{ns:8.0f} ns  {ns / numpy_ns:5.2f} of NumPy's  {verdict}")
    print()


def main() -> int:
    for size in OPTIONS.sizes:
        if size % ROW != 0:
            arguments.error(f"argument --sizes: expected whole rows of {ROW}, found {size}")
    names = []
    for name in OPTIONS.peers:
        if importlib.util.find_spec(name) is None:
            print(f"left out: {name} is not installed")
        else:
            names.append(name)
    versions = ", ".join(f"{TITLES[n]} {importlib.import_module(n).__version__}" for n in names)
    print(f"hologram.ops, {ops.path()}; {versions}; float32, {OPTIONS.threads} thread(s)")
    print("nanoseconds of a call, and how many times as fast as each peer; * an expression, n new")
    titles = "".join(f"{TITLES[name]:>10} " for name in names)
    print(f"{'operation':22}{'n':>12}{'ours':>14}{titles}  the fastest")
    summary = Summary(names)
    sizes = OPTIONS.sizes
    if not OPTIONS.filter:
        small_call()
    found = False
    for n in sizes:
        data = Data(n)
        mine, table = our_rows.rows(data), peers_of(data, names)
        unknown = {row for rows in table.values() for row in rows} - set(mine)
        if unknown and n == sizes[0]:
            sys.exit(f"rows that are not ours: {sorted(unknown)}")
        for name, ours in mine.items():
            if OPTIONS.filter not in name:
                continue
            found = True
            peers = {peer: rows[name] for peer, rows in table.items() if name in rows}
            agree(name, data, ours, peers)
            print(measure(name, data, ours, peers, summary), flush=True)
    if not found:
        arguments.error(f"argument --filter: no operation contains '{OPTIONS.filter}'")
    summary.print(sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
