"""The kernel files that the build writes of operations/, for tests that read kernel files."""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """A folder of them, until the process ends."""
    made = tempfile.TemporaryDirectory()
    atexit.register(made.cleanup)
    command = [sys.executable, "-I", "-S", str(ROOT / "operations/generator"), "kernels", made.name]
    subprocess.run(command, check=True, timeout=60)
    return Path(made.name)
