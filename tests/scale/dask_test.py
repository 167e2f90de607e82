"""hologram on Dask: bits that depend neither on chunks nor on schedulers, in threads and in the
processes of a local cluster; kernels and functions that travel; threads of launches there.

usage: dask_test.py
"""

from __future__ import annotations

import logging
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask
import dask.array as da
import numpy as np
import threadpoolctl
from distributed import Client, LocalCluster
from numbers_of_tests import numbers, same

import hologram as hg
import hologram.dask as hd
import hologram.threadpoolctl
from hologram.lang import DeviceArray, f32, get_global_id, u32

CHUNKS = (100_000, 40_960, 333_333)


@hg.kernel
def smoothed(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2], rows: u32, columns: u32):
    j = get_global_id(0)
    i = get_global_id(1)
    if i > 0 and i + 1 < rows and j > 0 and j + 1 < columns:
        dst[i, j] = (src[i - 1, j] + src[i + 1, j] + src[i, j - 1] + src[i, j + 1]) * 0.25


def step(block: Any) -> Any:
    block = np.ascontiguousarray(block)
    out = block.copy()
    rows, columns = block.shape
    smoothed.configure(grid=(-(-columns // 64), rows), block=(64, 1))(block, out, rows, columns)
    return out


def reductions() -> None:
    x = numbers()
    for chunk in CHUNKS:
        d = da.from_array(x, chunks=chunk)
        for scheduler in ("sync", "threads"):
            with dask.config.set(scheduler=scheduler):
                for name in "sum mean min max prod norm argmin argmax any all".split():
                    assert same(getattr(hd, name)(d).compute(), getattr(hg.ops, name)(x)), name
                assert same(hd.dot(d, d).compute(), hg.ops.dot(x, x))
                assert same(
                    hd.mse(d, d + np.float32(1)).compute(), hg.ops.mse(x, x + np.float32(1))
                )
                assert same(hg.ops.sum(d).compute(), hg.ops.sum(x))
    m = x[:900_000].reshape(900, 1000)
    for shape in ((100, 1000), (333, 77), (900, 1)):
        d = da.from_array(m, chunks=shape)
        for axis in (None, 0, 1):
            for name in ("sum", "mean", "max"):
                found = getattr(hd, name)(d, axis=axis, keepdims=axis == 1).compute()
                assert same(found, getattr(hg.ops, name)(m, axis=axis, keepdims=axis == 1))
        assert same(hd.softmax(d).compute(), hg.ops.softmax(m))
        assert same(hd.stencil(step, d).compute(), step(m)), shape
    half = x[:50_000].astype("f2")
    assert same(hd.sum(da.from_array(half, chunks=7_000)).compute(), hg.ops.sum(half))


def elements() -> None:
    x = numbers()
    d = da.from_array(x, chunks=CHUNKS[0])
    assert isinstance(hg.ops.exp(d), da.Array)
    assert same(hg.ops.exp(d).compute(), hg.ops.exp(x))
    assert same(hg.ops.exp(d, accuracy="fast").compute(), hg.ops.exp(x, accuracy="fast"))
    assert same(hg.ops.clip(d, -1.0, 1.0).compute(), hg.ops.clip(x, -1.0, 1.0))
    assert same(hg.ops.add(d, x).compute(), x + x)
    assert same(hg.ops.add(d, 1.5).compute(), hg.ops.add(x, 1.5))
    assert same(hg.ops.exp.ufunc(d).compute(), hg.ops.exp(x))
    assert same(hg.ops.add(da.ones(10, chunks=3, dtype="f4"), 1.0).compute(), np.full(10, 2, "f4"))


def processes() -> None:
    """Chunks that came over the network lie at any address, kernels and lambdas travel."""
    x = numbers()
    chain = hg.fuse(lambda a: hg.ops.relu(2.0 * a + 1.0) * a)
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.ERROR
    )
    with cluster, Client(cluster) as client:
        for chunk in CHUNKS:
            d = da.from_array(x, chunks=chunk)
            assert same(hd.sum(d).compute(), hg.ops.sum(x))
            assert same(hd.mean(d).compute(), hg.ops.mean(x))
            assert same(d.map_blocks(hg.ops.exp).compute(), hg.ops.exp(x))
            assert same(d.map_blocks(chain).compute(), chain(x))
        for size in (1000, 12_345, 100_001):
            sent = client.scatter(x[:size])
            assert same(client.submit(hg.ops.sum, sent).result(), hg.ops.sum(x[:size]))
            assert same(client.submit(hg.ops.exp, sent).result(), hg.ops.exp(x[:size]))
        assert client.submit(hg.get_threads).result() == 1, "OMP_NUM_THREADS of workers"
        m = x[:900_000].reshape(900, 1000)
        d = da.from_array(m, chunks=(300, 1000))
        assert same(d.map_overlap(step, depth=1, boundary="none").compute(), step(m))
        refused = client.submit(hg.ops.exp, "text")
        error = refused.exception()
        assert isinstance(error, hg.ArgumentError), error
        assert "'x' expects an array" in str(error)


def travel() -> None:
    text = pickle.dumps(smoothed)
    first = pickle.loads(text)
    start = time.perf_counter()
    again = [pickle.loads(text) for _ in range(1000)]
    took = time.perf_counter() - start
    print(f"1,000 loads of a kernel: {took * 1e3:.2f} ms, {len(set(map(id, again)))} object")
    assert all(one is first for one in again)


def pools() -> None:
    def of_hologram() -> list[int]:
        return [
            pool["num_threads"]
            for pool in threadpoolctl.threadpool_info()
            if pool["user_api"] == "hologram"
        ]

    before = hg.get_threads()
    assert of_hologram() == [before]
    with threadpoolctl.threadpool_limits(1):
        assert of_hologram() == [1]
        assert hg.get_threads() == 1
    assert hg.get_threads() == before


def callers() -> None:
    """Two threads of the program that call at once, with the default and with one thread each."""
    blocks = [np.random.default_rng(k).standard_normal((512, 512)).astype("f4") for k in range(2)]
    outs = [np.empty_like(block) for block in blocks]

    def rounds(k: int, limit: int | None) -> None:
        def work() -> None:
            for _ in range(300):
                hg.ops.softmax(blocks[k], out=outs[k])

        if limit is None:
            work()
        else:
            hg.threads(limit)(work)()

    rates = []
    with ThreadPoolExecutor(2) as pool:
        for limit in (None, 1) * 5:
            start = time.perf_counter()
            list(pool.map(lambda k, limit=limit: rounds(k, limit), range(2)))
            rates.append(time.perf_counter() - start)
    ratios = sorted(one / default for default, one in zip(rates[::2], rates[1::2], strict=True))
    print(f"softmax of two callers, default over one thread each: {ratios[2]:.2f}")
    for block, out in zip(blocks, outs, strict=True):
        assert same(out, hg.ops.softmax(block))


def main() -> None:
    for test in (reductions, elements, travel, pools, callers, processes):
        start = time.perf_counter()
        test()
        print(f"{test.__name__}: ok, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
