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


def run(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_shown_where_nobody_looks() -> None:
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_bars() -> None:
    done = run(HOLOGRAM_PROGRESS="always")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert re.search(BAR.format("steps"), done.stderr), repr(done.stderr)
    assert re.search(BAR.format("streaming"), done.stderr), repr(done.stderr)
    assert "short" not in done.stderr
    assert done.stderr.endswith("\r\x1b[K") and "\n" not in done.stderr


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
