"""The end of the interpreter while another thread is in a call that lets others run."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
pytest.importorskip("numpy")

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = """
import itertools, sys, threading, time
import numpy as np
import hologram as hg

def work():
    x = np.ones(4, np.float32)
    for k in itertools.count():
        CALL

threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
sys.exit(7)
"""
CALLS = {
    "fuse": "hg.fuse(lambda x: x * float(k) + 1)(x)",
    "compile": f"hg.compile({str(HERE / 'binding_kernels.py')!r})",
    "registry": "hg.Executor().kernel('vector_add')",
}


@pytest.mark.parametrize("name", CALLS)
def test_the_process_ends_with_its_own_status(name: str) -> None:
    program = PROGRAM.replace("CALL", CALLS[name])
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (7, "")
