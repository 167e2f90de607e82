"""The pictures of docs/seeing.md that are the same on every machine are those that its commands make.

usage: pictures_test.py BUILD         by a Python with debugpy and NumPy
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = ("flow", "walk", "circuit", "pipeline", "debugger")


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "scripts/seeing_pictures.py"), sys.argv[1]]
        subprocess.run([*command, sys.executable, folder, *NAMES], check=True)
        for name in NAMES:
            made = (Path(folder) / f"seeing-{name}.svg").read_bytes()
            if made != (ROOT / f"docs/seeing-{name}.svg").read_bytes():
                wrong.append(name)
    if wrong:
        print(f"FAIL: scripts/seeing_pictures.py makes others: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
