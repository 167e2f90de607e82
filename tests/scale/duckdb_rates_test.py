"""The rate of a kernel in SQL beside DuckDB's own function: `SELECT max(exp(x))` over the time of
`SELECT max(x)`, in alternating rounds; medians. Fails only far beyond the bars, as machines are shared.

usage: duckdb_rates_test.py
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from typing import Any

from duckdb_bundles import database, load

import hologram as hg

ROWS = 20_000_000
ROUNDS = 7
OF_ITS_OWN = 0.15
TWO_THREADS = 1.8
FAR = 3  # beyond a bar

KERNEL = """from hologram.lang import DeviceArray, exp, f32, get_global_id, u32


def hexp(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = exp(x[i])
"""


def timed(connection: Any, what: str) -> float:
    began = time.perf_counter()
    connection.execute(f"select max({what}) from t").fetchall()
    return time.perf_counter() - began


def measured(
    connection: Any, threads: tuple[int, ...], whats: tuple[str, ...]
) -> list[list[float]]:
    """For each number of threads and each of these the median of rounds in turn, in milliseconds."""
    rounds = []
    for _ in range(ROUNDS):
        for count in threads:
            connection.execute(f"set threads={count}")
            rounds.append([1e3 * timed(connection, what) for what in whats])
    step = len(threads)
    return [
        [statistics.median(column) for column in zip(*rounds[k::step], strict=True)]
        for k in range(step)
    ]


def processor_time(connection: Any, threads: int) -> float:
    """Of all threads, which does not depend on what else the machine does."""
    connection.execute(f"set threads={threads}")
    began = time.process_time()
    for _ in range(ROUNDS):
        timed(connection, "hexp(x)")
    return time.process_time() - began


def main() -> int:
    connection = database()
    connection.execute("set enable_progress_bar = false")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("app.py", "w", encoding="utf-8") as file:
            file.write(KERNEL)
        expect = hg.compile("app.py").save("app.holo", native="all")
        load(connection, "app.holo", expect)
    connection.execute(
        "create table t as select x, case when i % 10 = 3 then null else x end y from "
        f"(select i, (i * 7919 % 4001 * 0.001 - 2)::float x from range({ROWS}) r(i))"
    )
    held = connection.execute(
        "select count(hexp(y)) = count(y), max(abs(hexp(x) - exp(x)) / exp(x)) from t"
    )
    counts, worst = held.fetchone()
    print(
        f"10 % nulls: counts are {'equal' if counts else 'DIFFERENT'}; largest difference {worst:.1e}"
    )
    by_threads = measured(connection, (1, 2), ("x", "exp(x)", "hexp(x)"))
    shares = []
    for threads, (scan, own, ours) in enumerate(by_threads, 1):
        shares.append((ours - scan) / (own - scan))
        missed = ", MISSED" if shares[-1] > OF_ITS_OWN else ""
        print(
            f"threads {threads}: scan {scan:.1f} ms, exp {own:.1f}, kernel {ours:.1f}: "
            f"{shares[-1]:.3f} of its own, bar {OF_ITS_OWN}{missed}"
        )
    scan, own, ours = measured(connection, (1,), ("y", "exp(y)", "hexp(y)"))[0]
    print(f"10 % nulls, 1 thread: {(ours - scan) / (own - scan):.3f} of its own")
    faster = by_threads[0][2] / by_threads[1][2]
    missed = ", MISSED" if faster < TWO_THREADS else ""
    own = by_threads[0][1] / by_threads[1][1]
    spent = processor_time(connection, 2) / processor_time(connection, 1)
    print(
        f"2 threads: {faster:.2f} times as fast as one, bar {TWO_THREADS}{missed}; its own exp "
        f"{own:.2f}; {spent:.2f} times the processor time"
    )
    return 0 if counts and worst < 1e-5 and shares[0] <= FAR * OF_ITS_OWN else 1


if __name__ == "__main__":
    sys.exit(main())
