"""Kernels as functions of SQL in DuckDB: values, nulls, filters, errors; the rate beside DuckDB's own.

usage: duckdb_test.py
"""

from __future__ import annotations

import time
from typing import Any

import duckdb
import numpy as np
from columns_test import filled, quotient, refused, revenue
from numbers_of_tests import same

import hologram as hg
import hologram.duckdb as hd

ROWS = 100_003


def connected() -> Any:
    connection = duckdb.connect()
    connection.execute(
        f"create table t as select (i % 977 * 0.25)::float x, (i % 13 * 0.5)::float y, "
        f"(i % 7)::int a, (i % 5)::int b from range({ROWS}) r(i)"
    )
    hd.register(connection, "revenue", revenue)
    hd.register(connection, "quotient", quotient)
    hd.register(connection, "hsqrt", hg.ops.sqrt)
    hd.register(connection, "first_of", filled, nulls="pass")
    return connection


def column(connection: Any, sql: str) -> Any:
    return connection.execute(sql).fetchnumpy()["v"]


def values() -> None:
    connection = connected()
    x, y = (column(connection, f"select {name} v from t") for name in "xy")
    expected = x * (np.float32(1) - y)
    assert same(column(connection, "select revenue(x, y) v from t"), expected)
    where = column(connection, "select revenue(x, y) v from t where x > 100 and y < 3")
    assert same(where, expected[(x > 100) & (y < 3)])
    assert same(column(connection, "select hsqrt(x) v from t"), hg.ops.sqrt(x))
    joined = "select revenue(t.x, u.y) v from t join (select 3.0::float y) u on true"
    assert same(column(connection, joined), x * (np.float32(1) - np.float32(3)))
    for threads in (1, 2):
        connection.execute(f"set threads={threads}")
        total = connection.execute("select max(revenue(x, y)) from t").fetchone()[0]
        assert total == float(expected.max())


def nulls() -> None:
    connection = connected()
    holes = "(select case when i % 3 = 0 then null else i end::float x from range(9) r(i))"
    found = connection.execute(f"select hsqrt(x * x) from {holes}").fetchall()
    assert found == [(None if k % 3 == 0 else float(k),) for k in range(9)]
    found = connection.execute(f"select first_of(x, 100::float) from {holes}").fetchall()
    assert found == [(100.0 if k % 3 == 0 else float(k),) for k in range(9)]
    divided = "select quotient(a, nullif(b, 0)) v from t limit 5"
    assert connection.execute(divided).fetchall() == [(None,), (1,), (1,), (1,), (1,)]


def errors() -> None:
    connection = connected()
    try:
        connection.execute("select quotient(a, b) from t").fetchall()
    except duckdb.Error as error:
        assert "division by zero" in str(error), error
    else:
        raise AssertionError("a division by zero is no error")
    refused(lambda: hd.register(connection, "f", hg.ops.sum), "on elements")
    refused(lambda: hd.register(connection, "f", hg.ops.exp, kind="i32"), "not i32")
    refused(lambda: hd.register(connection, "f", hg.ops.exp, kind="f16"), "not a type of SQL")


def main() -> None:
    for test in (values, nulls, errors):
        start = time.perf_counter()
        test()
        print(f"{test.__name__}: ok, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
