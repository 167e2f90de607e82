"""Columns of Arrow with nulls, of Polars and pandas.

usage: columns_test.py
"""

from __future__ import annotations

import statistics
import timeit
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numbers_of_tests import same

import hologram as hg
import hologram.arrow as ha
from hologram.lang import DeviceArray, f32, get_global_id, i32, u8, u32


@hg.kernel
def revenue(price: DeviceArray[f32], off: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = price[i] * (1.0 - off[i])


@hg.kernel
def quotient(x: DeviceArray[i32], y: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] // y[i]


@hg.kernel
def filled(
    x: DeviceArray[f32],
    x_valid: DeviceArray[u8],
    y: DeviceArray[f32],
    y_valid: DeviceArray[bool],
    out: DeviceArray[f32],
    out_valid: DeviceArray[u8],
    n: u32,
):
    """The first of two that is there, as COALESCE in SQL."""
    i = get_global_id()
    if i < n:
        if x_valid[i] != 0:
            out[i] = x[i]
            out_valid[i] = 1
        elif y_valid[i]:
            out[i] = y[i]
            out_valid[i] = 1


@hg.kernel
def marked(x: DeviceArray[i32], x_valid: DeviceArray[u8], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] if x_valid[i] != 0 else -1


def column(values: Any, valid: Any) -> Any:
    """With what the caller likes under its nulls."""
    data = pa.array(values)
    bits = pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(data.type, len(values), [bits, data.buffers()[1]])


def refused(run: Any, words: str) -> None:
    try:
        run()
    except (hg.Error, TypeError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"nothing was refused: {words}")


def nulls() -> None:
    random = np.random.default_rng(1)
    for size in (0, 1, 7, 8, 9, 63, 65, 2048, 100_003):
        x = random.standard_normal(size).astype("f4")
        y = random.random(size).astype("f4")
        left, right = random.random(size) < 0.8, random.random(size) < 0.9
        plain = ha.call(hg.ops.exp, pa.array(x))
        assert plain.null_count == 0
        assert same(plain.to_numpy(zero_copy_only=False), hg.ops.exp(x))
        # What lies under a null changes nothing.
        poisoned = np.where(left, x, np.float32(np.nan)).astype("f4")
        a, b = column(poisoned, left), column(y, right)
        both = left & right
        for first in {0, min(3, size), min(8, size)}:
            made = ha.call(revenue, a[first:], b[first:])
            made.validate(full=True)
            assert made.null_count == int((~both[first:]).sum())
            expected = (x * (np.float32(1) - y))[first:]
            kept = made.to_numpy(zero_copy_only=False)[both[first:]]
            assert same(kept.astype("f4"), expected[both[first:]])
            assert made.is_valid().to_pylist() == both[first:].tolist()
        with_nulls = size - int(left.sum())
        if with_nulls:
            refused(lambda a=a: ha.call(hg.ops.exp, a, nulls="refuse"), "has nulls")


def faults_under_nulls() -> None:
    x, y = np.arange(9, dtype="i4"), np.array([1, 0, 2, 0, 3, 4, 5, 6, 0], "i4")
    made = ha.call(quotient, pa.array(x), column(y, y != 0))
    made.validate(full=True)
    assert made.to_pylist() == [None if b == 0 else a // b for a, b in zip(x.tolist(), y.tolist())]
    refused(lambda: ha.call(quotient, pa.array(x), pa.array(y)), "division by zero")
    assert ha.call(quotient, pa.array(x), column(y * 0, y < 0)).null_count == 9


def passed() -> None:
    """Kernels that see nulls: what lies under them never counts."""
    random = np.random.default_rng(4)
    for size in (0, 1, 7, 9, 64, 2048, 10_001):
        x, y = (random.standard_normal(size).astype("f4") for _ in range(2))
        left, right = random.random(size) < 0.7, random.random(size) < 0.7
        poisoned = np.where(left, x, np.float32(np.nan)).astype("f4")
        a, b = column(poisoned, left), column(y, right)
        for first in {0, min(3, size), min(8, size)}:
            made = ha.call(filled, a[first:], b[first:], nulls="pass")
            made.validate(full=True)
            assert made.equals(pc.coalesce(a[first:], b[first:]))
    ints = pa.array([5, None, 7], pa.int32())
    assert ha.call(marked, ints, nulls="pass").to_pylist() == [5, -1, 7]
    assert ha.call(marked, ints[2:], nulls="pass").to_pylist() == [7]
    chunked = pa.chunked_array([ints, ints[1:]])
    assert ha.call(marked, chunked, nulls="pass").to_pylist() == [5, -1, 7, -1, 7]
    refused(lambda: ha.call(revenue, a, b, nulls="pass"), "'NAME_valid'")
    refused(lambda: ha.call(hg.ops.exp, a, nulls="pass"), "is for kernels")
    refused(lambda: ha.call(marked, a, nulls="pass"), "a column of i32, found float")
    refused(lambda: ha.call(marked, nulls="pass"), "takes the columns x, found 0")
    refused(lambda: ha.call(filled, a, b[1:], nulls="pass"), "different lengths")
    refused(lambda: ha.call(marked, Foreign(ints), nulls="pass"), "arrays of pyarrow")


def what_is_refused() -> None:
    x = pa.array(np.ones(5, "f4"))
    refused(lambda: ha.call(hg.ops.add, x), "expected 2 columns of one type")
    refused(lambda: ha.call(hg.ops.add, x, pa.array(np.ones(5))), "found f32, f64")
    refused(lambda: ha.call(hg.ops.add, x, x[1:]), "different lengths")
    refused(lambda: ha.call(hg.ops.sum, x), "on elements")
    refused(lambda: ha.call(revenue, x, pa.array(np.ones(5))), "takes columns of f32, f32")
    refused(lambda: ha.call(hg.ops.exp, pa.array(["a"])), "integers or floats")
    refused(lambda: ha.call(hg.ops.exp, pa.array([True])), "integers or floats")
    refused(lambda: ha.call(hg.ops.exp, x, nulls="drop"), "'nulls' expects")
    refused(lambda: ha.call(hg.ops.exp), "expected one column")


def others() -> None:
    plain = pa.array(np.linspace(0, 1, 2048, dtype="f4"))
    assert same(hg.ops.exp(plain), hg.ops.exp(np.asarray(plain)))
    assert same(hg.ops.add(plain, 1.0, out=np.empty(2048, "f4")), np.asarray(plain) + np.float32(1))
    refused(lambda: hg.ops.exp(pa.array([1.0, None])), "has nulls; hologram.arrow.call takes them")
    refused(lambda: hg.ops.exp(pa.array(["a"])), "exp: ")
    x = np.random.default_rng(2).standard_normal(1000).astype("f4")
    chunked = pa.chunked_array([x[:300], x[300:]])
    assert same(ha.call(hg.ops.exp, chunked).to_numpy(), hg.ops.exp(x))
    assert same(pa.array(ha.call(hg.ops.exp, Foreign(pa.array(x)))).to_numpy(), hg.ops.exp(x))
    series = pd.Series(x)
    assert isinstance(hg.ops.exp(series), pd.Series)
    assert same(hg.ops.exp(series).to_numpy(), hg.ops.exp(x))
    frame = pl.DataFrame({"x": x})
    assert same(hg.ops.exp(frame["x"]).to_numpy(), hg.ops.exp(x))
    by_batches = frame.select(
        pl.col("x").map_batches(lambda s: hg.ops.exp(s.to_numpy()), return_dtype=pl.Float32)
    )
    assert same(by_batches["x"].to_numpy(), hg.ops.exp(x))
    holes = pl.Series("x", [1.0, None, 3.0], pl.Float32)
    made = pl.from_arrow(ha.call(hg.ops.mul, *[holes.to_arrow()] * 2))
    assert made.to_list() == [1.0, None, 9.0]


class Foreign:
    """A column of no library that is known."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


def rates() -> None:
    random = np.random.default_rng(3)
    x = pa.array(random.standard_normal(2048).astype("f4"))
    holes = column(np.asarray(x), random.random(2048) < 0.9)
    for name, array in (("no nulls", x), ("10 % nulls", holes)):
        rows = []
        for _ in range(7):
            pair = [
                min(timeit.repeat(run, number=2000, repeat=2)) / 2000 * 1e6
                for run in (lambda a=array: ha.call(hg.ops.exp, a), lambda a=array: pc.exp(a))
            ]
            rows.append(pair)
        own, peer = (statistics.median(times) for times in zip(*rows, strict=True))
        print(f"exp of 2,048 rows, {name}: {own:.2f} us, pyarrow.compute {peer:.2f}")


def by_way_of_numpy() -> None:
    x = pa.array(np.linspace(0, 1, 2048, dtype="f4"))
    runs = (lambda: hg.ops.exp(x), lambda: hg.ops.exp(np.asarray(x)))
    own, other = (min(timeit.repeat(run, number=2000, repeat=7)) / 2000 * 1e6 for run in runs)
    print(f"hg.ops.exp(pa.Array): {own:.2f} us, of numpy.asarray {other:.2f}")


def main() -> None:
    for test in (
        nulls,
        faults_under_nulls,
        passed,
        what_is_refused,
        others,
        rates,
        by_way_of_numpy,
    ):
        test()
        print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()
