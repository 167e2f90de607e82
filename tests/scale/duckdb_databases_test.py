"""The extension of DuckDB: trust, hostile files, names that are taken, and what becomes of databases,
files, processes and threads.

usage: duckdb_databases_test.py [TEST]...
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb_bundles import column, connected, database, load, refused, run
from numbers_of_tests import same

import hologram.duckdb as hd


def trust(hashes: dict[str, str]) -> None:
    for wrong, words in (
        ("0" * 64, "expected trust hash"),
        ("00", "64 hexadecimal"),
        ("", "64 hexadecimal"),
        ("x" * 64, "64 hexadecimal"),
        (hashes["other.holo"], "expected trust hash"),
    ):
        connection = database()
        connection.execute(f"LOAD '{hd.extension()}'")
        refused(connection, f"CALL hologram_load('app.holo', '{wrong}')", words)
        refused(connection, "select revenue(1, 2)", "does not exist")
    rows = connection.execute("CALL hologram_load('app.holo', NULL)").fetchall()
    engines = {row[2] for row in rows if row[1] is not None}
    assert not any("bundle" in engine for engine in engines), engines
    assert connection.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]


def hostile_files(hashes: dict[str, str]) -> None:
    data = Path("other.holo").read_bytes()
    connection = database()
    connection.execute(f"LOAD '{hd.extension()}'")
    os.makedirs("folder.holo", exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkfifo("pipe.holo")
    Path("empty.holo").write_bytes(b"")
    Path("text.holo").write_text("select 1;\n" * 1000)
    for name in ("missing.holo", "folder.holo", "pipe.holo", "empty.holo", "text.holo", "/dev/zero", "",
                 "no/such/folder.holo", "app.py"):  # fmt: skip
        for expect in ("NULL", f"'{hashes['other.holo']}'"):
            refused(connection, f"CALL hologram_load('{name}', {expect})", name)
    random.seed(5)
    cuts = [*range(300), *random.sample(range(300, len(data)), 100)]
    for cut in cuts:
        Path("cut.holo").write_bytes(data[:cut])
        refused(connection, "CALL hologram_load('cut.holo', NULL)", "cut.holo")


def damage(hashes: dict[str, str]) -> None:
    """A changed file is refused, or what has changed is not for this processor. Without the hash
    it may have other kernels, which are verified."""
    data = Path("clash.holo").read_bytes()
    random.seed(6)
    refusals = 0
    for trial in range(80):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
        Path("bad.holo").write_bytes(changed)
        connection = database()
        expect = hashes["clash.holo"] if trial % 2 == 0 else None
        try:
            load(connection, "bad.holo", expect)
        except duckdb.Error:
            refusals += 1
            continue
        finally:
            with contextlib.suppress(duckdb.Error):
                load(connection, "other.holo", hashes["other.holo"])  # lets the database close
        names = connection.execute("select function_name from duckdb_functions()").fetchall()
        if expect is not None or ("revenue",) in names:
            found = connection.execute("select revenue(2, 0.5)").fetchall()
            assert found == [(1.0,)] or expect is None, found
    assert 10 < refusals < 80, refusals


def shapes(hashes: dict[str, str]) -> None:
    connection = database()
    connection.execute(f"LOAD '{hd.extension()}'")
    call = f"CALL hologram_load('blur.holo', '{hashes['blur.holo']}')"
    refused(
        connection,
        call,
        "blur.holo: no kernel is a function of columns; 'blur': ",
        "element by element",
    )
    assert connection.execute("select 1").fetchall() == [(1,)]


def names(hashes: dict[str, str]) -> None:
    connection = database()
    connection.execute(f"LOAD '{hd.extension()}'")
    before = connection.execute("select tanh(0.5)").fetchall()
    for name, taken in (("tanh.holo", "tanh"), ("word.holo", "coalesce")):
        refused(connection, f"CALL hologram_load('{name}', '{hashes[name]}')",
                f"DuckDB has '{taken}' already; no function was made")  # fmt: skip
    assert connection.execute("select tanh(0.5), coalesce(null, 3)").fetchall() == [(*before[0], 3)]
    refused(
        connection,
        f"CALL hologram_load('cases.holo', '{hashes['cases.holo']}')",
        "two kernels are called 'positive' in SQL, where case makes no difference",
    )
    connection.execute("create macro Revenue(a, b) as a + b")
    load = f"CALL hologram_load('app.holo', '{hashes['app.holo']}', more := true)"
    refused(connection, load, "'revenue' already")
    refused(connection, "select quotient(1, 1)", "does not exist")
    connection.execute("drop macro revenue")
    connection.execute(load)
    refused(connection, load, " already; no function was made")
    refused(
        connection,
        f"CALL hologram_load('clash.holo', '{hashes['clash.holo']}')",
        "'revenue' already",
    )
    assert connection.execute("select REVENUE(2, 0.5)").fetchall() == [(1.0,)]


# ---- What remains


def several_loads(hashes: dict[str, str]) -> None:
    connection = database()
    made = load(connection, "clash.holo", hashes["clash.holo"], more=True)
    assert made == ["revenue(FLOAT, FLOAT) -> FLOAT"]
    assert load(connection, "other.holo", hashes["other.holo"]) == ["positive(FLOAT) -> FLOAT"]
    call = f"CALL hologram_load('app.holo', '{hashes['app.holo']}')"
    refused(connection, call, "was called in this database, and ended it", "more := true")
    other = connection.cursor()
    assert other.execute("select revenue(2, 0.5), positive(3)").fetchall() == [(1.0, 3.0)]
    other.close()
    assert connection.execute("select revenue(2, 0.5), positive(3)").fetchall() == [(1.0, 3.0)]
    second = database()
    refused(second, "select revenue(2, 0.5)", "does not exist")
    load(second, "app.holo", hashes["app.holo"])
    assert second.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]
    os.rename("app.holo", "gone.holo")
    assert second.execute("select revenue(x, 0.5) from range(3) r(x)").fetchall() == [
        (0.0,),
        (0.5,),
        (1.0,),
    ]
    os.rename("gone.holo", "app.holo")
    prepared = database()
    prepared.execute(f"LOAD '{hd.extension()}'")
    prepared.execute(f"PREPARE p AS {call.replace('CALL', 'FROM')}")
    prepared.execute(f"EXPLAIN {call}")
    refused(prepared, "select revenue(2, 0.5)", "does not exist")
    prepared.execute("EXECUTE p")
    assert prepared.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]


def read_only(hashes: dict[str, str]) -> None:
    """Functions are made where nothing is written, too."""
    duckdb.connect("read.db").execute("create table t as select 2 x").close()
    config = {"allow_unsigned_extensions": "true"}
    connection = duckdb.connect("read.db", read_only=True, config=config)
    load(connection, "app.holo", hashes["app.holo"])
    assert connection.execute("select revenue(x, 0.5) from t").fetchall() == [(1.0,)]


INTERPRETED = """
import duckdb
import hologram.duckdb as hd
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(f"LOAD '{hd.extension()}'")
rows = connection.execute("CALL hologram_load('app.holo', NULL)").fetchall()
print({row[2] for row in rows if row[1] is not None})
print(connection.execute("select sum(revenue(x, 0.5)) from range(5000) r(x)").fetchall())
try:
    connection.execute("select quotient(1, 0)").fetchall()
except duckdb.Error as error:
    print(error)
"""


def without_code(hashes: dict[str, str]) -> None:
    """Without the hash and without the compiler plugin kernels are interpreted."""
    environment = {**os.environ, "HOLOGRAM_JIT": "/nowhere.so", "HOLOGRAM_CACHE_DIR": ""}
    command = [sys.executable, "-c", INTERPRETED]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "{'interpreter'}\n[(6248750.0,)]\n" in done.stdout, done
    assert "division by zero: x[i] // y[i]" in done.stdout, done


def transactions(hashes: dict[str, str]) -> None:
    """Functions are no part of a transaction of the caller: one that has begun does not see them."""
    connection = database()
    connection.execute(f"LOAD '{hd.extension()}'")
    connection.execute("begin")
    connection.execute(f"CALL hologram_load('app.holo', '{hashes['app.holo']}')")
    connection.execute("rollback")
    assert connection.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]


OTHER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print(connection.execute("select count(*) from t").fetchone()[0])
"""


def files_close(hashes: dict[str, str]) -> None:
    """A database in a file is closed with its last connection, so that others can open it."""
    for path in ("one.db", "two.db"):
        connection = database(path)
        connection.execute("create table t as select 1 x")
        load(connection, "other.holo", hashes["other.holo"], more=path == "two.db")
        if path == "two.db":
            load(connection, "clash.holo", hashes["clash.holo"])
        assert connection.execute("select positive(x) from t").fetchall() == [(1.0,)]
        connection.close()
        assert not Path(f"{path}.wal").exists()
        done = subprocess.run([sys.executable, "-c", OTHER, path], capture_output=True, text=True)
        assert done.stdout == "1\n", done


ENDING = """
import duckdb, sys
import hologram.duckdb as hd
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
duckdb.set_default_connection(connection)
connection.execute("set enable_progress_bar = false")
connection.execute(f"LOAD '{hd.extension()}'")
more = "true" if len(sys.argv) > 3 else "false"
connection.execute(f"CALL hologram_load('{sys.argv[1]}', '{sys.argv[2]}', more := {more})")
print(connection.execute("select revenue(2, 0.5)").fetchall())
keep = connection.execute("select revenue(x, 0.5) from range(1000000) r(x)")
keep.fetchone()
"""


def processes_end(hashes: dict[str, str]) -> None:
    for more in ((), ("more",)):
        done = subprocess.run(
            [sys.executable, "-c", ENDING, "app.holo", hashes["app.holo"], *more],
            capture_output=True, text=True)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "[(1.0,)]\n", ""), done


def side_by_side(tasks: list[Callable[[], None]]) -> None:
    """Each in a thread of its own; raises what the first of them raises."""
    wrong: list[BaseException] = []

    def run_one(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run_one, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in wrong:
        raise error


def many_threads(hashes: dict[str, str]) -> None:
    connection = connected(hashes)
    connection.execute("set threads=8")
    x, y = (column(connection, f"select {name} v from t") for name in "xy")
    expected = x * (np.float32(1) - y)

    def work(cursor: Any) -> None:
        for _ in range(10):
            assert same(column(cursor, "select revenue(x, y) v from t"), expected)
            refused(cursor, "select quotient(a, b) from t", "division by zero")
            cursor.execute("select sum(collatz(a::uinteger)) from t").fetchall()

    side_by_side([partial(work, connection.cursor()) for _ in range(8)])


def many_databases(hashes: dict[str, str]) -> None:
    def work() -> None:
        for _ in range(5):
            own = database()
            load(own, "app.holo", hashes["app.holo"])
            assert own.execute("select revenue(2, 0.5)").fetchall() == [(1.0,)]
            own.close()

    side_by_side([work] * 6)


def race(hashes: dict[str, str]) -> None:
    """Of several who load the same, one does."""
    shared = database()
    shared.execute(f"LOAD '{hd.extension()}'")
    made: list[str] = []

    def work(cursor: Any) -> None:
        try:
            cursor.execute(f"CALL hologram_load('app.holo', '{hashes['app.holo']}', more := true)")
            made.append("made")
        except duckdb.Error as error:
            made.append("refused" if " already; no function was made" in str(error) else str(error))

    side_by_side([partial(work, shared.cursor()) for _ in range(6)])
    assert sorted(made) == ["made"] + ["refused"] * 5, made


if __name__ == "__main__":
    run((trust, hostile_files, damage, shapes, names, several_loads, read_only, without_code, transactions, files_close,
         processes_end, many_threads, many_databases, race))  # fmt: skip
