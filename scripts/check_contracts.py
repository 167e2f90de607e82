#!/usr/bin/env python3
"""Fails if a public header has less than LIMIT per cent of comment: prints the share of each.

Public headers are what users read: what a function requires, gives, throws and owns is said there.
Lines that hold nothing but comment are counted, of all lines that are not empty. Headers in detail/
are not for users.
"""

import pathlib
import sys

LIMIT = 40


def comment_lines(text: str) -> tuple[int, int]:
    """How many lines are comment, and how many are not empty."""
    comments = total = 0
    inside = False
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped:
            continue
        total += 1
        begins = stripped.startswith("/*")
        comments += inside or begins or stripped.startswith("//")
        if inside or begins:
            inside = "*/" not in stripped
    return comments, total


def main() -> int:
    folder = pathlib.Path(__file__).resolve().parent.parent / "include" / "hologram"
    headers = sorted(path for path in folder.iterdir() if path.suffix in {".h", ".hpp"})
    errors = []
    for path in headers:
        comments, total = comment_lines(path.read_text())
        share = 100 * comments / max(total, 1)
        print(f"{share:5.1f} % comment, {total:4} lines  {path.name}")
        if share < LIMIT:
            errors.append(
                f"{path.name}: error: {share:.1f} % of comment, expected at least {LIMIT}"
            )
    for error in errors:
        print(error)
    if errors:
        print(f"contracts: {len(errors)} errors")
    else:
        print(f"contracts: ok, {len(headers)} public headers")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
