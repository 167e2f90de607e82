"""hologram debug under a scripted client: breakpoints, conditions, stepping, the values of a lane and
of all lanes, one lane alone, barriers, faults; the outputs are those of compiled code.

Needs debugpy (scripts/seeing.sh). HOLOGRAM_COMMAND is the command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dap_client
import dap_session
import numpy as np
import pytest

pytest.importorskip("debugpy")
HOLOGRAM = os.environ["HOLOGRAM_COMMAND"]
KERNEL = """import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32


@hg.kernel
def work(x: DeviceArray[f32], y: DeviceArray[f32], n: u32, a: f32):
    i = get_global_id()
    if i < n:
        total = x[i]
        for k in range(3):
            total = total * a + 1.0
        y[i] = total
"""
BLOCKS = """from hologram.lang import DeviceArray, barrier, f32, get_local_id, kernel, shared, u32


@kernel(block=8)
def turn(x: DeviceArray[f32]):
    i = get_local_id()
    tile = shared(f32, 8)
    tile[i] = x[i]
    barrier()
    other = tile[7 - i]
    x[i] = other
"""
ARGUMENTS = ["--in", "x=x.npy", "--out", "y=y.npy:f32:10", "--set", "n=10", "--set", "a=0.5"]


@contextmanager
def debugged(folder: Path, *words: str) -> Iterator[dap_session.Session]:
    with dap_session.debugged(HOLOGRAM, sys.executable, folder, *words) as session:
        yield session


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "work.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "turn.py").write_text(BLOCKS, encoding="utf-8")
    np.save(tmp_path / "x.npy", np.arange(10, dtype=np.float32))
    return tmp_path


def expected(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    for _ in range(3):
        y = y * np.float32(0.5) + np.float32(1.0)
    return y


def test_a_condition_steps_and_the_values_of_all_lanes(place: Path) -> None:
    file = place / "work.py"
    with debugged(place, "work.py", *ARGUMENTS) as session:
        session.start(file, {"line": 11, "condition": "i == 3 and k == 1"})
        assert session.stopped() == (11, "breakpoint")
        assert session.frame()["name"] == "work" and session.frame()["source"]["path"] == str(file)
        values = session.variables()
        assert values["i"] == "3" and values["k"] == "1" and "2.5" in values["total"], values
        # Lanes behind this one have not run, but their values are known.
        totals = session.evaluate("[float(t) for t in lanes('total').values()]")
        assert totals == str([0.5 * x + 1.0 for x in range(10)]), totals
        assert session.evaluate("lanes('i * 2')[9]") == "18"
        assert "NameError" in session.evaluate("lanes('nothing(')") or "SyntaxError" in (
            session.evaluate("lanes('nothing(')")
        )
        session.go("next")
        assert session.stopped() == (10, "step")
        assert session.evaluate("float(total)") == "2.25"
        session.go("next")
        assert session.stopped()[0] == 11
        assert session.evaluate("k") == "2"
        assert session.finish() == (0, "")
    assert np.array_equal(np.load(place / "y.npy"), expected(np.load(place / "x.npy")))


def test_one_lane(place: Path) -> None:
    with debugged(place, "work.py", *ARGUMENTS, "--lane", "7") as session:
        session.start(place / "work.py", {"line": 9})
        # Before its first line, without a breakpoint.
        assert session.stopped()[0] == 7
        assert session.frame()["name"] == "work"
        assert session.frame()["source"]["path"] == str(place / "work.py")
        assert "i" not in session.variables() and session.variables()["n"] == "10"
        session.go("next")
        assert session.stopped() == (8, "step")
        assert session.evaluate("i") == "7"
        session.go()
        assert session.stopped() == (9, "breakpoint")
        assert session.evaluate("list(lanes('i'))") == str(list(range(10)))
        assert session.finish() == (0, "")  # and no other lane stops
    assert np.array_equal(np.load(place / "y.npy"), expected(np.load(place / "x.npy")))


def test_lanes_with_barriers(place: Path) -> None:
    np.save(place / "x.npy", np.arange(8, dtype=np.float32))
    words = ["turn.py", "--in", "x=x.npy", "--out", "x=z.npy", "--lane", "2"]
    with debugged(place, *words) as session:
        session.start(place / "turn.py", {"line": 11})
        assert session.stopped()[0] == 6
        session.go()
        assert session.stopped() == (11, "breakpoint")
        assert session.evaluate("(i, float(other))") == "(2, 5.0)"
        others = session.evaluate("[float(v) for v in lanes('other').values()]")
        assert others == str([7.0 - i for i in range(8)])
        assert session.finish() == (0, "")
    assert np.load(place / "z.npy").tolist() == [7.0 - i for i in range(8)]


def test_a_lane_that_there_is_not(place: Path) -> None:
    with debugged(place, "work.py", *ARGUMENTS, "--lane", "1000") as session:
        session.start(place / "work.py", {"line": 9})
        session.process.wait(dap_client.TIMEOUT)
        session.client.close()
        said = session.process.communicate(timeout=dap_client.TIMEOUT)[1]
    assert (session.process.returncode, said) == (
        0,
        "hologram: note: the launch has no lane 1000\n",
    )


def test_a_fault_is_told_and_nothing_is_written(place: Path) -> None:
    words = [word if word != "n=10" else "n=11" for word in ARGUMENTS]
    with debugged(place, "work.py", *words, "--grid", "1") as session:
        session.start(place / "work.py", {"line": 9, "condition": "i == 10"})
        assert session.stopped()[0] == 9
        code, said = session.finish()
    assert code == 1 and "work.py:9:17: error: x[i] reads element 10 of 10" in said, said
    assert not (place / "y.npy").exists()
