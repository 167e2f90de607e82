"""Progress: a bar on a terminal from the first second on, which goes away; nothing elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

PROGRAM = """
import time
import numpy as np
import hologram as hg
from hologram.bars import Line

def slow(x):
    time.sleep(0.1)
    return hg.ops.exp(x)

for step in hg.progress(range(13), "steps"):
    time.sleep(0.1)
x = np.zeros(13_000, np.float32)
hg.stream(slow, [x], [np.empty_like(x)], window=4000)
with Line("short"):
    time.sleep(0.1)
print("done")
"""
BAR = r"hologram: {}, 1 s  \[=+ +\] \d+ %, \d+ s left\x1b\[K"


def run(**variables: str) -> tuple[str, str]:
    """What it prints, and what it says: as bytes, as texts would have other ends of lines."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode(), done.stderr.decode()


def test_nothing_is_shown_where_nobody_looks() -> None:
    assert run() == ("done\n", "")


def test_bars() -> None:
    printed, said = run(HOLOGRAM_PROGRESS="always")
    assert printed == "done\n"
    assert re.search(BAR.format("steps"), said), repr(said)
    assert re.search(BAR.format("streaming"), said), repr(said)
    assert "short" not in said
    assert said.endswith("\r\x1b[K") and "\n" not in said


def test_a_circuit() -> None:
    program = """
from hologram import qsim
circuit = qsim.Circuit(20)
for _ in range(10):
    for k in range(2000):
        circuit.u(0.1 * k, 0.2, 0.3, k % 20).cx(k % 20, (k + 1) % 20)
    circuit.state()
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    said = child.stderr.read(40)
    child.kill()
    child.communicate()
    assert said.startswith(b"\rhologram: simulating a circuit, 1 s"), said


def test_a_terminal() -> None:
    ours, theirs = pty.openpty()
    program = "import time, hologram as hg\nfor _ in hg.progress([1]): time.sleep(1.1)"
    child = subprocess.Popen([sys.executable, "-c", program], stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 1000):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert child.wait() == 0
    assert said == b"\rhologram: working, 1 s  [                    ] 0 %\x1b[K\r\x1b[K"


def test_names_are_shown_without_control_characters() -> None:
    program = "import time, hologram as hg\nfor _ in hg.progress([1], {!r}): time.sleep(1.1)"
    name = "a\x1b[2J\rb\ud800" + "c" * 1000
    done = subprocess.run(
        [sys.executable, "-c", program.format(name)],
        env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
        capture_output=True,
        check=True,
    )
    assert done.stderr.startswith(rb"\rhologram: a\x1b[2J\rb\ud800ccc".replace(rb"\r", b"\r", 1))
    assert done.stderr.count(b"\r") == 2 and len(done.stderr) < 300
