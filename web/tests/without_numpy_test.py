#!/usr/bin/env python3
"""A site that is built without NumPy: each block of the pages has a link to a program that runs
there or a reason, and a program that imports NumPy ends with a message that it is missing.

usage: without_numpy_test.py SITE
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent))
import pages  # noqa: E402
import whole  # noqa: E402
from blocks import all_blocks, all_pages  # noqa: E402

FEWEST_REASONS = 9
SEARCH = "import hologram.cycle768 as c\n\nprint(c.POSITIONS)\n"


def copied(site: Path, folder: Path) -> Path:
    """The playground of the site, without NumPy."""
    playground = folder / "playground"
    shutil.copytree(site / "playground", playground, ignore=shutil.ignore_patterns("numpy-*.whl"))
    lock = playground / "pyodide/pyodide-lock.json"
    subprocess.run(
        [sys.executable, str(TESTS.parent / "pyodide_lock.py"), str(lock), str(lock.parent)],
        check=True,
    )
    return playground


def run(playground: Path, text: str) -> tuple[str, str]:
    """What a program prints, and its error."""
    path = playground / "tried.py"
    path.write_text(text, encoding="utf-8")
    command = ["node", str(TESTS / "run_program.mjs"), str(playground), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr.strip()


def program_errors(playground: Path) -> list[str]:
    wanted = {
        "print(6 * 7)\n": ("42\n", ""),
        SEARCH: ("768\n", ""),
        "import numpy as np\n": (
            "",
            "program.py:1:1: error: ModuleNotFoundError: No module named 'numpy'; "
            "this site was built without NumPy",
        ),
    }
    found = {text: run(playground, text) for text in wanted}
    return [f"{t!r}: {found[t]}, expected {w}" for t, w in wanted.items() if found[t] != w]


def page_errors(site: Path) -> tuple[list[str], int]:
    """Of the pages as they are laid out, and how many blocks are not run for want of NumPy."""
    text = (site / "playground/examples.json").read_text(encoding="utf-8")
    runs = {
        program["id"]: program
        for program in json.loads(text)
        if not program.get("loads", "").startswith(whole.LOADS_NUMPY)
    }
    laid = "".join(pages.with_buttons(page, text, runs, False) for page, text in all_pages())
    links = re.findall(r'href="playground/index.html#(doc-[^"]+)"', laid)
    reasons = re.findall(rf'id="([^"]+)">Not run in the browser: {whole.NO_NUMPY}', laid)
    errors = [f"{name} has a link and is not there" for name in links if name not in runs]
    listed = {*links, *reasons, *whole.REASONS}
    errors += [
        f"{b.id} has neither a link nor a reason" for b in all_blocks() if b.id not in listed
    ]
    return errors, len(reasons)


def main() -> int:
    site = Path(sys.argv[1]).resolve()
    errors, count = page_errors(site)
    if count < FEWEST_REASONS:
        errors.append(f"{count} blocks need NumPy, {FEWEST_REASONS} did")
    with tempfile.TemporaryDirectory() as folder:
        errors += program_errors(copied(site, Path(folder)))
    for error in errors:
        print("FAIL", error)
    print(f"without NumPy: {count} blocks are not run, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
