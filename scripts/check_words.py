#!/usr/bin/env python3
"""Fails if headers, documents or messages use the turns of phrase that docs/writing.md replaces.

Counted are the comments of headers, the text of Markdown pages outside of code, and the strings of
C++ sources and of the Python package. Each kind has a limit; with --list every hit is printed. A
line of Markdown has at most WIDTH characters, tables and links excepted.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 120
# What is counted where, and how many hits may stay. Lower a limit when its count falls.
LIMITS = {"headers": 20, "documents": 92, "messages": 57}
TURNS = re.compile(
    r"^[^\w\[]*What\b(?!'s)(?!.*\?)"  # a clause in place of a noun: "What a launch reads."
    r"|[.;] What\b(?!.*\?)"
    r"|(?<!there )(?<!There )\b(?:is|are|was|were|becomes) no\b(?! longer| more| less| such)"
    r"|\b(?:told|tells?|stands?|somebody|nobody|whoever|whatever runs)\b"
    r"|\bso (?:many|much)\b|\bgo(?:es)? by\b|\bsays\b|\blies?\b"
)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
GENERATED = {"docs/kernels.md", "docs/ops.md", "docs/isa.md"}


def comment_of(line: str) -> str:
    """What stands behind `//`, between `/*` and `*/`, or after the `*` that begins a line."""
    found = re.search(r"//(.*)|/\*(.*?)(?:\*/|$)|^\s*\*(.*)", line)
    return next((text for text in found.groups() if text), "") if found else ""


def markdown_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def lines_of(root: Path, name: str) -> tuple[str, list[tuple[int, str]]]:
    path = root / name
    if name.endswith(".md"):
        return "documents", list(markdown_lines(path))
    text = path.read_text(encoding="utf-8").splitlines()
    if name.endswith((".h", ".hpp")):
        return "headers", [(number, comment_of(line)) for number, line in enumerate(text, 1)]
    strings = [
        (number, " ".join(STRING.findall(line)))
        for number, line in enumerate(text, 1)
        if '"' in line and not line.lstrip().startswith(("//", "#", '"""'))
    ]
    return "messages", strings


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    git = [
        "git",
        "-C",
        str(root),
        "ls-files",
        "-z",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "docs",
        "*.h",
        "*.hpp",
        "include",
        "src",
        "tools",
        "python",
        ":!python/tests",
    ]
    listed = subprocess.run(git, capture_output=True, check=True).stdout.decode().split("\0")
    names = [name for name in listed if name.endswith((".md", ".h", ".hpp", ".cc", ".py"))]
    hits: dict[str, list[str]] = {kind: [] for kind in LIMITS}
    errors = 0
    for name in names:
        kind, lines = lines_of(root, name)
        # Pages that scripts write have the width of the others; their words are counted in the
        # sources that they are made of. docs/writing.md has the words that it replaces.
        has_own_words = name not in GENERATED and name != "docs/writing.md"
        for number, text in lines:
            # Names in backquotes are kept in the count of characters only.
            if has_own_words and (found := TURNS.search(re.sub(r"`[^`]*`", "``", text))):
                hits[kind].append(f"{name}:{number}: '{found[0].strip()}': {text.strip()}")
            wide = (
                kind == "documents"
                and len(text) > WIDTH
                and not text.startswith(("|", "<!--", "    "))
            )
            if wide and "](" not in text:
                errors += 1
                print(f"{name}:{number}: error: {len(text)} characters, the limit is {WIDTH}")
    for kind, found_lines in hits.items():
        if "--list" in sys.argv[1:]:
            print("\n".join(found_lines))
        if len(found_lines) > LIMITS[kind]:
            errors += 1
            print("\n".join(found_lines[:20]))
            print(
                f"{kind}: error: {len(found_lines)} lines with turns of phrase that docs/writing.md "
                f"replaces, the limit is {LIMITS[kind]}"
            )
    if not errors:
        counts = ", ".join(f"{len(lines)} in {kind}" for kind, lines in hits.items())
        print(f"words: ok, {counts}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
