#!/usr/bin/env python3
"""Prints how many lines of product code there are, by folder, now and at other commits.

usage: product_lines.py [COMMIT...]

Product code is what is built into the library, the compiler plugin, the command and the Python
package: C, C++ and Python in the folders below, without tests and without what a script writes. Two
numbers for each folder: all lines, and those that hold something else than a comment or a docstring.
"""

from __future__ import annotations

import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "operations", "python/hologram", "python/binding", "tools")
SUFFIXES = (".cc", ".h", ".hpp", ".c", ".def", ".inc", ".py", ".pyi")
WRITTEN = (
    *("src/frontend/library.inc", "src/frontend/number_rules.inc", "src/doctor/published.inc"),
    *(f"include/hologram/detail/operation_{part}.inc" for part in ("names", "methods", "terms")),
    "python/hologram/_elementwise.pyi",
)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def git(*arguments: str, text: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], input=text, capture_output=True, check=True
    ).stdout


def files_now() -> Iterator[tuple[str, str]]:
    for name in git("ls-files", "--", *FOLDERS).decode().splitlines():
        if (ROOT / name).exists():
            yield name, (ROOT / name).read_text(encoding="utf-8", errors="replace")


def files_at(commit: str) -> Iterator[tuple[str, str]]:
    names = git("ls-tree", "-r", "--name-only", commit, "--", *FOLDERS).decode().splitlines()
    asked = "".join(f"{commit}:{name}\n" for name in names).encode()
    answer = io.BytesIO(git("cat-file", "--batch", text=asked))
    for name in names:
        size = int(answer.readline().split()[2])
        yield name, answer.read(size).decode("utf-8", errors="replace")
        answer.readline()


def python_code(text: str) -> int:
    """Lines with a token that is neither a comment nor a string that is a statement."""
    lines: set[int] = set()
    at_start = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            continue
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            at_start = True
            continue
        if not (at_start and token.type == tokenize.STRING):
            lines.update(range(token.start[0], token.end[0] + 1))
        at_start = False
    return len(lines)


def c_code(text: str) -> int:
    bare = COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"), text)
    return sum(1 for line in bare.splitlines() if line.strip())


def count(files: Iterator[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    sums = dict.fromkeys(FOLDERS, (0, 0))
    for name, text in files:
        if not name.endswith(SUFFIXES) or name in WRITTEN:
            continue
        folder = next(folder for folder in FOLDERS if name.startswith(folder + "/"))
        code = python_code(text) if name.endswith((".py", ".pyi")) else c_code(text)
        lines, before = sums[folder]
        sums[folder] = (lines + text.count("\n"), before + code)
    return sums


def main() -> int:
    counted = [("now", count(files_now()))]
    counted += [(commit, count(files_at(commit))) for commit in sys.argv[1:]]
    print(f"{'lines / of code':20}" + "".join(f"{name[:16]:>20}" for name, _ in counted))
    for folder in (*FOLDERS, "all"):
        row = ""
        for _, sums in counted:
            pairs = list(sums.values()) if folder == "all" else [sums[folder]]
            lines, code = (sum(pair[k] for pair in pairs) for k in (0, 1))
            row += f"{f'{lines:,} / {code:,}':>20}"
        print(f"{folder:20}{row}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
