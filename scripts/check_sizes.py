#!/usr/bin/env python3
"""Fails if a hand-written source file has more than LIMIT lines, or README.md too many words.

Tables (.def), documents, data and golden files are exempt: they grow with what they list.
"""

import pathlib
import subprocess
import sys

LIMIT = 1000
README_WORDS = 900
SOURCES = {".h", ".hpp", ".cc", ".c", ".inc", ".py", ".cmake", ".sh"}


def source_files(root: pathlib.Path) -> list[pathlib.Path]:
    """The tracked files, or every file where this is no checkout."""
    git = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", "out/", ".git/"))]
    paths = [root / name for name in names]
    return sorted(path for path in paths if path.suffix in SOURCES and path.is_file())


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    errors = 0
    longest = (0, "")
    files = source_files(root)
    for path in files:
        lines = len(path.read_bytes().splitlines())
        name = str(path.relative_to(root))
        longest = max(longest, (lines, name))
        if lines > LIMIT:
            errors += 1
            print(f"{name}: error: {lines} lines, the limit is {LIMIT}")
    words = len((root / "README.md").read_text(encoding="utf-8").split())
    if words > README_WORDS:
        errors += 1
        print(f"README.md: error: {words} words, the limit is {README_WORDS}; move some to docs/")
    if errors:
        print(f"sizes: {errors} files are too long")
    else:
        print(f"sizes: ok, {len(files)} files, the longest is {longest[1]} with {longest[0]} lines")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
