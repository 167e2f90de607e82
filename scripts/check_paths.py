#!/usr/bin/env python3
"""Every path that a comment names exists: "Tested by tests/cli", "runtime/native/elf_file.h"; so does
every path in the pages for those who change the tree.

A path begins with a folder of the tree, or of src/, include/, python/ or of the file's own folder if
it ends with a suffix of ours. `*` is a wildcard. Files that git ignores do not count: other machines
lack them. usage: check_paths.py
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
C_LIKE = {".h", ".hpp", ".cc", ".c", ".def", ".inc", ".map"}
HASHED = {".py", ".pyi", ".sh", ".cmake", ".txt"}
SUFFIX = r"\.(?:h|hpp|cc|c|def|inc|map|py|sh|cmake|md|txt|json)\b"
TOP = ("bench", "cmake", "docs", "examples", "fuzz", "include", "kernels", "operations")
TOP += ("python", "scripts", "src", "tests", "tools")
# Paths below the root, and paths below another folder that end like a file.
PATH = re.compile(rf"(?<![\w./$}}<-])(?:(?:{'|'.join(TOP)})/[\w./*-]+|[\w-]+(?:/[\w*-]+)+{SUFFIX})")
COMMENT = {True: re.compile(r"//.*|/\*(?s:.*?)\*/"), False: re.compile(r"#.*")}
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
DOCSTRING = re.compile(r'^(?:\s*|#![^\n]*\n)"""(.*?)"""', re.S)
# What a script makes, and a file of Linux. Everything below build/ is made, too.
ELSEWHERE = {"fuzz/findings", "tools/perf/Documentation/jitdump-specification.txt"}
# A placeholder: kernels/FOLDER/NAME.py.
PLACEHOLDER = re.compile(r"(?:^|/)[A-Z]+(?:[/.]|$)")
PAGES = ("docs/architecture.md", "docs/testing.md", "docs/trust.md", "CONTRIBUTING.md")
BASES = ("", "src", "include", "python", "python/hologram", "tests", "tools", "tools/hologram")


def comments(path: pathlib.Path) -> list[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [(text.count("\n", 0, m.start()) + 1, m[1]) for m in CODE.finditer(text)]
    found = list(COMMENT[path.suffix in C_LIKE].finditer(text))
    if path.suffix == ".py" and (doc := DOCSTRING.match(text)):
        found.append(doc)
    return [(text.count("\n", 0, match.start()) + 1, match[0]) for match in found]


def git_files(*options: str) -> list[str]:
    command = ["git", "ls-files", *options]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def with_folders(files: list[str]) -> set[pathlib.Path]:
    known = set()
    for file in files:
        path = ROOT / file
        known.update((path, *path.parents))
    return known


def exists(name: str, folder: pathlib.Path, known: set[pathlib.Path]) -> bool:
    bases = (*(ROOT / base for base in BASES), folder)
    return any(
        pathlib.Path(os.path.normpath(p)) in known for base in bases for p in base.glob(name)
    )


def main() -> int:
    known = with_folders(git_files("--cached", "--others", "--exclude-standard"))
    count = errors = 0
    for file in git_files():
        path = ROOT / file
        if (file not in PAGES and path.suffix not in C_LIKE | HASHED) or not path.exists():
            continue
        if path.suffix == ".txt" and path.name != "CMakeLists.txt":
            continue
        for line, text in comments(path):
            for match in PATH.finditer(text):
                count += 1
                name = match[0].rstrip("./-")
                if PLACEHOLDER.search(name) or name in ELSEWHERE or name.startswith("build/"):
                    continue
                if exists(name, path.parent, known):
                    continue
                errors += 1
                place = line + text.count("\n", 0, match.start())
                print(f"{file}:{place}: error: {name} does not exist")
    print(f"paths in comments: {errors} errors" if errors else f"paths in comments: ok, {count}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
