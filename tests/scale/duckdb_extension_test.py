"""Bundles as functions of SQL: the extension of DuckDB in a real one. Values, types, scalars, nulls,
errors.

usage: duckdb_extension_test.py [TEST]...
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from duckdb_bundles import ROWS, TYPES, column, connected, database, refused, run
from numbers_of_tests import same

import hologram.duckdb as hd

# ---- Values


def lists_kernels(hashes: dict[str, str]) -> None:
    connection = database()
    connection.execute(f"LOAD '{hd.extension()}'")
    call = f"CALL hologram_load('app.holo', '{hashes['app.holo']}')"
    rows = {row[0]: row[1:] for row in connection.execute(call).fetchall()}
    assert rows["revenue"][0] == "revenue(FLOAT, FLOAT) -> FLOAT", rows
    assert rows["revenue"][1].startswith("native (bundle"), rows
    assert rows["axpy"][0] == "axpy(FLOAT, FLOAT, INTEGER, FLOAT) -> FLOAT", rows
    for name, words in {
        "blur": "element by element",
        "ramp": "element by element",
        "total": "one to write",
        "first_of": "one to write",
        "same_f16": "'x' is of a type that SQL does not have",
    }.items():
        assert rows[name][0] is None, rows[name]
        assert words in rows[name][2], rows[name]


def values(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    x, y = (column(connection, f"select {name} v from t") for name in "xy")
    expected = x * (np.float32(1) - y)
    assert same(column(connection, "select revenue(x, y) v from t"), expected)
    where = column(connection, "select revenue(x, y) v from t where x > 100 and y < 3")
    assert same(where, expected[(x > 100) & (y < 3)])
    joined = "select revenue(t.x, u.y) v from t join (select 3.0::float y) u on true"
    assert same(column(connection, joined), x * np.float32(-2))
    dictionary = (
        "select revenue(u.y, t.y) v from t join (select i y, i k from range(7) r(i)) u on t.a = u.k"
    )
    found = column(connection, f"{dictionary} order by t.rowid")
    a = column(connection, "select a v from t").astype("f4")
    assert same(found, a * (np.float32(1) - y))
    case = "select revenue(case when x > 50 then x else 1.5::float end, y) v from t"
    assert same(
        column(connection, case), np.where(x > 50, x, np.float32(1.5)) * (np.float32(1) - y)
    )
    assert same(
        column(connection, "select revenue(2, y) v from t"), np.float32(2) * (np.float32(1) - y)
    )
    assert connection.execute(
        "select revenue(2, 0.5), revenue(revenue(8, 0.5), 0.25)"
    ).fetchall() == [(1.0, 3.0)]
    assert same(column(connection, "select positive(x - 100) v from t"), np.maximum(x - 100, 0))
    for rows in (0, 1, 2, 63, 64, 65, 2047, 2048, 2049, 4097):
        found = column(connection, f"select revenue(x, y) v from t limit {rows}")
        assert same(found, expected[:rows]), rows
    connection.execute("create table none as select x, y from t where false")
    assert connection.execute("select revenue(x, y) from none").fetchall() == []
    assert connection.execute("select max(revenue(x, y)) from none").fetchall() == [(None,)]
    grouped = "select a, max(revenue(x, y)) from t group by a order by a"
    assert connection.execute(grouped).fetchall() == [
        (k, float(expected[a == k].max())) for k in range(7)
    ]


def types(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    for kind, (sql, dtype) in TYPES.items():
        if kind[0] == "f":
            edges = np.array([0, -0.0, 1.5, -np.inf, np.inf, np.nan, 1e-45], dtype)
        else:
            info = np.iinfo(dtype)
            edges = np.array([info.min, info.max, 0, 1, 77], dtype)
        given = np.resize(edges, 5000)
        table = pa.table({"x": given})
        connection.register("given", table)
        found = connection.execute(f"select same_{kind}(x) v, typeof(same_{kind}(x)) t from given")
        found = found.fetchnumpy()
        assert same(found["v"], given), kind
        assert set(found["t"]) == {sql}, kind
        connection.unregister("given")


def scalars(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    x, y = (column(connection, f"select {name} v from t") for name in "xy")
    a, b = (column(connection, f"select {name} v from t") for name in "ab")
    found = column(connection, "select axpy(2.5::float, x, 3, y) v from t")
    assert same(found, (np.float32(2.5) * x + y) + np.float32(3))
    found = column(connection, "select axpy(a::float, x, b, y) v from t")
    assert same(found, (a.astype("f4") * x + y) + b.astype("f4"))
    found = column(connection, "select axpy((x > 100)::int::float, x, 0, y) v from t")
    assert same(found, np.where(x > 100, x + y, y))
    assert connection.execute("select axpy(null, 1, 2, 3), axpy(1, 1, null, 3)").fetchall() == [
        (None, None)
    ]


# ---- Nulls


def poisoned(values: Any, valid: Any, poison: Any) -> Any:
    """A column of Arrow with that under its nulls."""
    data = pa.array(np.where(valid, values, poison).astype(values.dtype))
    bits = pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(data.type, len(values), [bits, data.buffers()[1]])


def nulls(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    connection.execute(
        f"create table u as select case when i % 10 = 0 then null else i end::float x, "
        f"case when i % 7 = 3 then null else i % 3 end::float y from range({ROWS}) r(i)"
    )
    either = sum(k % 10 == 0 or k % 7 == 3 for k in range(ROWS))
    for sql, count in (
        ("count(revenue(x, 0.5))", ROWS - len(range(0, ROWS, 10))),
        ("count(revenue(x, y))", ROWS - either),
        ("count(axpy(x, y, 1, y))", ROWS - either),
    ):
        for threads in (1, 2):
            connection.execute(f"set threads={threads}")
            assert connection.execute(f"select {sql} from u").fetchone()[0] == count, sql
    where = "select count(revenue(x, y)) from u where x is not null and y is not null"
    assert connection.execute(where).fetchone()[0] == ROWS - either
    assert connection.execute("select revenue(null, null), revenue(1, null)").fetchall() == [
        (None,) * 2
    ]
    assert (
        connection.execute("select revenue(x, y) from u where x is null limit 3").fetchall()
        == [(None,)] * 3
    )


def poison(hashes: dict[str, str]) -> None:
    """What lies under nulls changes no value and makes no error, and it is really there."""
    connection = connected(hashes)
    passing = connected(hashes, nulls="pass")
    rng = np.random.default_rng(3)
    for trial in range(25):
        rows = int(rng.integers(1, 5000))
        share = rng.random()
        x = rng.integers(-1000, 1000, rows).astype("i4")
        y = rng.integers(1, 50, rows).astype("i4")
        vx, vy = (rng.random(rows) < share for _ in "xy")
        results = []
        for under_x, under_y in ((0, 1), (-(2**31), 0), (2**31 - 1, -1)):
            table = pa.table({"x": poisoned(x, vx, under_x), "y": poisoned(y, vy, under_y)})
            connection.register("p", table)
            results.append(connection.execute("select quotient(x, y) from p").fetchall())
            connection.unregister("p")
            passing.register("p", table)
            seen = column(passing, "select raw(x) v from p")
            passing.unregister("p")
            there = np.where(vx, x, np.int64(under_x) + 1000).astype("i4")
            assert same(seen, there), trial
        expected = [
            (int(p) // int(q),) if one and other else (None,)
            for p, q, one, other in zip(x, y, vx, vy, strict=True)
        ]
        assert results == [expected] * 3, trial
    bad = pa.table({"x": poisoned(x, vx | True, 1), "y": poisoned(y * 0, vy | True, 1)})
    connection.register("p", bad)
    refused(connection, "select quotient(x, y) from p", "division by zero")


def other_nulls(hashes: dict[str, str]) -> None:
    connection = connected(hashes, nulls="refuse")
    assert connection.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]
    words = "revenue: an argument is NULL, and the bundle was loaded with nulls := 'refuse'"
    refused(connection, "select revenue(nullif(x, 5), y) from t", words)
    refused(connection, "select revenue(null, 1)", words)
    connection = connected(hashes, nulls="pass")
    holes = "(select case when i % 3 = 0 then null else i end::float x, 100::float y from range(9) r(i))"
    found = connection.execute(
        f"select first_of(x, y), first_of(null, y), first_of(x, null) from {holes}"
    )
    assert found.fetchall() == [
        (100.0, 100.0, None) if k % 3 == 0 else (float(k), 100.0, float(k)) for k in range(9)
    ]
    assert connection.execute("select first_of(null, null), first_of(1, null)").fetchall() == [
        (None, 1.0)
    ]
    names = connection.execute("select function_name from duckdb_functions()").fetchall()
    assert ("first_of",) in names and ("revenue",) not in names  # it has no mask


# ---- Errors


def faults(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    words = ("app.py:", "division by zero: x[i] // y[i]")
    refused(connection, "select quotient(a, b) from t", *words, "(i = 0)")
    refused(connection, "select quotient(1, 0)", *words)
    refused(connection, "select quotient(i::int, 5000 - i::int) from range(6000) r(i)", *words)
    found = connection.execute("select quotient(a, nullif(b, 0)) v from t limit 5").fetchall()
    assert found == [(None,), (1,), (1,), (1,), (1,)]
    assert connection.execute("select quotient(7, 2)").fetchall() == [(3,)]
    found = connection.execute(
        "select case when b = 0 then -1 else quotient(a, b) end from t limit 3"
    )
    assert found.fetchall() == [(-1,), (1,), (1,)]
    assert connection.execute("select try(quotient(1, 0))").fetchall() == [(None,)]


def arguments(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    for wrong in ("revenue(1)", "revenue(1, 2, 3)", "revenue([1], 1)", "revenue()", "revenue({'a': 1}, 1)",
                  "revenue(date '2020-01-01', 1)", "revenue(1e300::double, 1)"):  # fmt: skip
        refused(connection, f"select {wrong}", "No function matches")
    refused(connection, "select revenue('price', 1)", "Could not convert")
    load = f"CALL hologram_load('app.holo', '{hashes['app.holo']}'"
    other = database()
    other.execute(f"LOAD '{hd.extension()}'")
    refused(other, "CALL hologram_load()", "No function matches")
    refused(other, "CALL hologram_load(NULL, NULL)", "the path is NULL")
    refused(
        other,
        f"{load}, nulls := 'skip')",
        "nulls expects one of through, refuse, pass, found 'skip'",
    )
    refused(other, f"{load}, nulls := NULL)", "nulls expects one of")
    refused(other, f"{load}, no := 1)")
    other.execute("set enable_external_access = false")
    refused(other, f"{load})", "enable_external_access")


if __name__ == "__main__":
    run((lists_kernels, values, types, scalars, nulls, poison, other_nulls, faults, arguments))
