"""hologram debug where debugpy is not there, and its errors before a debugger is asked for.

usage: without_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = """from hologram.lang import DeviceArray, f32, get_global_id, kernel, u32

@kernel
def work(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = 2.0
"""
LAUNCH = ["work.py", "--out", "x=x.npy:f32:10", "--set", "n=10"]


def main() -> int:
    hologram = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "work.py").write_text(KERNEL, encoding="utf-8")
        # Found before any other, it is as if none were installed.
        (place / "none").mkdir()
        hidden = "raise ModuleNotFoundError(\"No module named 'debugpy'\", name='debugpy')\n"
        (place / "none" / "debugpy.py").write_text(hidden, encoding="utf-8")
        environment = {
            **os.environ,
            "PYTHONPATH": str(place / "none"),
            "HOLOGRAM_PYTHON": sys.executable,
        }

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [hologram, "debug", *words],
                cwd=place,
                env=environment,
                capture_output=True,
                text=True,
            )

        for words, message in (
            (LAUNCH, "hologram debug needs the Python package debugpy, which "),
            (LAUNCH, "pip install debugpy"),
            (["work.hasm"], "expected a .py file"),
            (LAUNCH[:3], "scalar 'n' is missing"),
            ([*LAUNCH, "--listen", "70000"], "--listen: expected 0 to 65535, found 70000"),
            (["none.py"], "none.py: no such file"),
        ):
            failed = run(*words)
            assert failed.returncode == 1 and message in failed.stderr, (words, failed.stderr)
        assert run(*LAUNCH, "--lane", "x").returncode == 2
        assert not (place / "x.npy").exists()
    print("debug: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
