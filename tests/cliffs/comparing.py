"""What the tests of this folder share: launches whose outcomes are compared, on each level."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import hologram as hg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages
from levels import levels_here

guard_pages.install()


def outcome(call, data):
    """The arrays after a launch, or the words of its fault."""
    data = [a.copy() if isinstance(a, np.ndarray) else a for a in data]
    try:
        call(*data)
    except hg.errors.Error as error:
        return str(error)
    return [a.tobytes() for a in data if isinstance(a, np.ndarray)]


def agree(kernel, data, grid, faults=None, threads=3) -> None:
    """The interpreter and native code, on one thread and on several, leave the same. `faults` says
    whether there must be a fault; None: either."""
    results = []
    for engine, used in (("interpreter", 1), ("cpu", 1), ("cpu", threads)):
        call = kernel.configure(backend=engine, threads=used, deterministic=False)
        results.append(outcome(call[grid], data))
    words = [r for r in results if isinstance(r, str)]
    if results[0] != results[1] or results[0] != results[2]:
        sys.exit(f"{kernel.__name__} {grid}: the engines differ {words}")
    if faults is not None and faults != bool(words):
        sys.exit(f"{kernel.__name__} {grid}: a fault {'missing' if faults else words}")


def on_each_level(check) -> None:
    """Runs `check` in a process for each level, or here for the one that HOLOGRAM_CPU_LEVEL names."""
    level = os.environ.get("HOLOGRAM_CPU_LEVEL")
    if level:
        check()
        print(f"{level}: interpreter and native code agree")
        return
    for level in levels_here():
        environment = {**os.environ, "HOLOGRAM_CPU_LEVEL": level}
        subprocess.run([sys.executable, sys.argv[0]], check=True, env=environment)
