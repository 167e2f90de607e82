#!/usr/bin/env python3
"""Python programs print the same in the page as natively: operations and kernels of the package,
over the binding of web/native.

usage: programs_test.py SITE
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent))
import whole  # noqa: E402

FEWEST_LINES = 200


def main() -> int:
    site, errors, lines = Path(sys.argv[1]), 0, 0
    if not whole.has_numpy(site / "playground"):
        print("programs: SKIPPED, this site was built without NumPy")
        return 0
    for path in sorted((TESTS / "programs").glob("*.py")):
        program = {"python": path.read_text(encoding="utf-8"), "files": {}, "before": []}
        wanted = whole.printed(program).splitlines()
        command = ["node", str(TESTS / "run_program.mjs"), str(site / "playground"), str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        found = done.stdout.splitlines()
        different = list(difflib.unified_diff(wanted, found, "native", "page", lineterm="", n=0))
        if different or done.returncode != 0:
            errors += 1
            print(f"FAIL {path.name}", *different[:40], sep="\n")
        lines += len(found)
    if lines < FEWEST_LINES:
        errors += 1
        print(f"FAIL the programs print {lines} lines, at least {FEWEST_LINES} are expected")
    print(f"programs: {lines} lines of output compared with native Python, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
