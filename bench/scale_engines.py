"""make bench GROUP=scale: streams and functions of SQL against engines of others, on a warm file.

Run by the Python of build/scale-venv. `relu(2x + 1) * x` of a file of f32, summed, or written to
another file, in alternating pairs; a ratio is the median over the pairs, above 1 ours is faster.
usage: scale_engines.py [--mebibytes N]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import dask
import dask.array as da
import duckdb
import numpy as np
import polars as pl
from scale import BAR, MIB, PAIRS, chain, ratio

import hologram as hg
import hologram.duckdb as hd

fused = hg.fuse(lambda x: hg.ops.relu(2.0 * x + 1.0) * x)


def by_numpy(x: Any) -> Any:
    return np.maximum(2 * x + 1, 0) * x


def timed(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def compare(name: str, n: int, ours: Callable[[], Any], peer: Callable[[], Any]) -> None:
    ratio(name, 4 * n, partial(timed, ours), partial(timed, peer), BAR)


def files(n: int, sink: int) -> None:
    def stream() -> None:
        os.lseek(sink, 0, os.SEEK_SET)
        hg.stream(chain, {"x": "x.raw", "n": n}, {"y": (sink, n)})

    def total() -> None:
        hg.stream([fused, hg.ops.sum], ["x.raw:f32"])

    x = np.memmap("x.raw", np.float32, "r")
    parts = da.from_array(x, chunks=16 * MIB // 4)
    out = np.memmap("out.raw", np.float32, "r+", shape=(n,))
    values = pl.col("x")
    lazy = pl.scan_ipc("x.arrow").select(
        (pl.max_horizontal(2.0 * values + 1.0, pl.lit(0.0, pl.Float32)) * values).sum()
    )

    def by_dask() -> Any:
        return parts.map_blocks(by_numpy, dtype="f4")

    compare(
        "chain to a file | Dask, threads, chunks of 16 MiB",
        n,
        stream,
        lambda: da.store(by_dask(), out, lock=False),
    )
    compare("chain and sum | Dask, threads", n, total, lambda: by_dask().sum().compute())
    compare("chain and sum | numpy.memmap, whole", n, total, lambda: by_numpy(x).sum())
    compare("chain and sum | Polars streaming", n, total, lambda: lazy.collect(engine="streaming"))


def in_sql() -> None:
    """The time over that of the scan alone, by Arrow; the extension and its bar are in
    tests/scale/duckdb_rates_test.py."""
    connection = duckdb.connect()
    connection.execute("create table t as select (i * 0.001)::float x from range(20000000) r(i)")
    hd.register(connection, "hexp", hg.ops.exp)
    for threads in (1, 2):
        connection.execute(f"set threads={threads}")
        queries = ("max(x)", "max(exp(x))", "max(hexp(x))")
        best = [
            min(
                timed(lambda q=q: connection.execute(f"select {q} from t").fetchall())
                for _ in "123"
            )
            for q in queries
        ]
        scan, theirs, ours = (1e3 * seconds for seconds in best)
        share = (ours - scan) / max(theirs - scan, 1e-3)
        print(
            f"DuckDB, 20 M rows, {threads} threads: scan {scan:.0f} ms, its exp {theirs:.0f}, "
            f"hexp by Arrow {ours:.0f}: {share:.2f} x"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=512)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        n = options.mebibytes * MIB // 4
        data = (np.arange(n) * 7919 % 1000).astype(np.float32)
        data.tofile("x.raw")
        pl.DataFrame({"x": data}).write_ipc("x.arrow", compression="uncompressed")
        data.tofile("out.raw")
        data.tofile("own.raw")
        sink = os.open("own.raw", os.O_RDWR)
        del data
        with dask.config.set(scheduler="threads"):
            print(f"{options.mebibytes} MiB, warm; median of {PAIRS} alternating pairs")
            files(n, sink)
        in_sql()


if __name__ == "__main__":
    main()
