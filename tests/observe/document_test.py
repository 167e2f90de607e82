"""Runs the Python of docs/seeing.md and compares what it prints with the listing behind it.

usage: document_test.py DOCUMENT
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

# A block of Python, and a block without a language directly after it that is no command.
PAIR = re.compile(r"^```python\n(.*?)^```\n\n```\n(?!\$ )(.*?)^```$", re.M | re.S)


def main() -> int:
    pairs = PAIR.findall(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    wrong = 0
    for program, expected in pairs:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "listing.py"
            path.write_text(program, encoding="utf-8")
            run = subprocess.run(
                [sys.executable, str(path)], cwd=folder, capture_output=True, text=True
            )
        if run.returncode != 0 or run.stdout != expected:
            wrong += 1
            print(f"FAIL expected:\n{expected}\nfound:\n{run.stdout}{run.stderr}")
    print(f"{len(pairs)} listings, {wrong} wrong")
    return 1 if wrong or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
