"""What the tests of the extension of DuckDB share: bundles, databases, and how tests run."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import hologram as hg
import hologram.duckdb as hd

ROWS = 100_003
KERNELS = Path(__file__).with_name("column_kernels.py")
TYPES = {
    "i8": ("TINYINT", "i1"),
    "i16": ("SMALLINT", "i2"),
    "i32": ("INTEGER", "i4"),
    "i64": ("BIGINT", "i8"),
    "u8": ("UTINYINT", "u1"),
    "u16": ("USMALLINT", "u2"),
    "u32": ("UINTEGER", "u4"),
    "u64": ("UBIGINT", "u8"),
    "f32": ("FLOAT", "f4"),
    "f64": ("DOUBLE", "f8"),
}
SAME = """
def same_{0}(x: DeviceArray[{0}], out: DeviceArray[{0}], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i]
"""


def write_bundles() -> dict[str, str]:
    """app.holo and others, in the folder where we are, and their hashes."""
    source = KERNELS.read_text(encoding="utf-8")
    head = source[source.index("from") : source.index("\n\n\n")]
    every = f"from hologram.lang import {', '.join(TYPES)}, f16\n"
    sames = "".join(SAME.format(kind) for kind in (*TYPES, "f16"))
    sources = {"app": source.replace(head, head + "\n" + every) + sames}
    # Files of one kernel, and how it is called there.
    for stem, kernel, name in (
        ("blur", "blur", "blur"),
        ("clash", "revenue", "revenue"),
        ("tanh", "revenue", "tanh"),
        ("word", "revenue", "coalesce"),
        ("other", "positive", "positive"),
        ("cases", "positive", "POSITIVE"),
    ):
        one = source[source.index(f"def {kernel}(") :].split("\n\n\n")[0]
        sources[stem] = f"{head}\n\n\n{one.replace(kernel, name, 1)}\n"
    sources["cases"] += sources["other"].removeprefix(head)
    hashes = {}
    for stem, text in sources.items():
        Path(f"{stem}.py").write_text(text, encoding="utf-8")
        hashes[f"{stem}.holo"] = hg.compile(f"{stem}.py").save(f"{stem}.holo", native="all")
    return hashes


def database(path: str = ":memory:") -> Any:
    return duckdb.connect(path, config={"allow_unsigned_extensions": "true"})


def load(
    connection: Any, path: str, expect: str | None, nulls: str = "through", more: bool = False
) -> list[str]:
    """The functions that were made."""
    connection.execute(f"LOAD '{hd.extension()}'")
    rows = connection.execute(
        "SELECT function FROM hologram_load(?, ?, nulls := ?, more := ?)",
        [path, expect, nulls, more],
    ).fetchall()
    return [row[0] for row in rows if row[0] is not None]


def connected(hashes: dict[str, str], **named: Any) -> Any:
    connection = database()
    load(connection, "app.holo", hashes["app.holo"], **named)
    connection.execute(
        f"create table t as select (i % 977 * 0.25)::float x, (i % 13 * 0.5)::float y, "
        f"(i % 7)::int a, (i % 5)::int b from range({ROWS}) r(i)"
    )
    return connection


def column(connection: Any, sql: str) -> Any:
    return connection.execute(sql).fetchnumpy()["v"]


def refused(connection: Any, sql: str, *words: str) -> None:
    try:
        connection.execute(sql).fetchall()
    except duckdb.Error as error:
        for one in words:
            assert one in str(error), (sql, one, str(error))
    else:
        raise AssertionError(f"not refused: {sql}")


def run(tests: tuple[Callable[[dict[str, str]], None], ...]) -> None:
    """All, or those that are named, in a folder with the bundles."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        hashes = write_bundles()
        for test in tests:
            if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
                continue
            start = time.perf_counter()
            test(hashes)
            print(f"{test.__name__}: ok, {time.perf_counter() - start:.1f} s", flush=True)
