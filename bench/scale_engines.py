"""make bench GROUP=scale: streams and functions of SQL against engines of others, on a warm file.

Run by the Python of build/scale-venv. `relu(2x + 1) * x` of a file of f32, summed, or written to
another file, in alternating pairs; a ratio is the median over the pairs, above 1 ours is faster.
usage: scale_engines.py [--mebibytes N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import duckdb
import numpy as np
import polars as pl

import hologram as hg
import hologram.duckdb as hd
from hologram.lang import DeviceArray, f32, get_global_id, u32

PAIRS = 5
MIB = 1 << 20
BAR = 1.5
SQL_BAR = 0.15  # of its own, over the scan: that of an extension for the C interface


@hg.kernel
def chain(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        t = 2.0 * x[i] + 1.0
        y[i] = max(t, 0.0) * x[i]


fused = hg.fuse(lambda x: hg.ops.relu(2.0 * x + 1.0) * x)


def by_numpy(x: Any) -> Any:
    return np.maximum(2 * x + 1, 0) * x


def timed(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def ratio(
    name: str, size: int, ours: Callable[[], Any], peer: Callable[[], Any], bar: float = BAR
) -> None:
    ours(), peer()  # first touches
    pairs = [(timed(ours), timed(peer)) for _ in range(PAIRS)]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    times = statistics.median(them / own for own, them in pairs)
    missed = "" if times >= bar else f", bar {bar}, MISSED"
    print(
        f"{name:<48} {size / mine / 1e9:6.2f} {size / other / 1e9:6.2f} GB/s {times:6.2f} x{missed}"
    )


def files(n: int, sink: int) -> None:
    def stream() -> None:
        os.lseek(sink, 0, os.SEEK_SET)
        hg.stream(chain, {"x": "x.raw", "n": n}, {"y": (sink, n)})

    x = np.memmap("x.raw", np.float32, "r")
    parts = da.from_array(x, chunks=16 * MIB // 4)
    out = np.memmap("out.raw", np.float32, "r+", shape=(n,))
    ratio(
        "chain to a file | Dask, threads, chunks of 16 MiB",
        4 * n,
        stream,
        lambda: da.store(parts.map_blocks(by_numpy, dtype="f4"), out, lock=False),
    )
    ratio(
        "chain to a file | numpy.memmap, windows of 1 MiB",
        4 * n,
        stream,
        lambda: _windows(x, out),
    )
    own = lambda: hg.stream([fused, hg.ops.sum], ["x.raw:f32"])  # noqa: E731
    ratio(
        "chain and sum | Dask, threads",
        4 * n,
        own,
        lambda: parts.map_blocks(by_numpy).sum().compute(),
    )
    ratio("chain and sum | numpy.memmap, whole", 4 * n, own, lambda: by_numpy(x).sum())
    values = pl.col("x")
    lazy = pl.scan_ipc("x.arrow").select(
        (pl.max_horizontal(2.0 * values + 1.0, pl.lit(0.0, pl.Float32)) * values).sum()
    )
    ratio("chain and sum | Polars streaming", 4 * n, own, lambda: lazy.collect(engine="streaming"))


def _windows(x: Any, out: Any) -> None:
    step = MIB // 4
    for at in range(0, x.size, step):
        out[at : at + step] = by_numpy(x[at : at + step])


def in_sql() -> None:
    """Above the scan alone, as the bar of DuckDB's extension is told; this way goes by Arrow."""
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
        missed = ", MISSED" if share > SQL_BAR else ""
        print(
            f"DuckDB, 20 M rows, {threads} threads: scan {scan:.0f} ms, its exp {theirs:.0f}, "
            f"hexp by Arrow {ours:.0f}: {share:.2f} x, bar {SQL_BAR}{missed}"
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
