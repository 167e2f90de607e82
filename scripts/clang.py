#!/usr/bin/env python3
"""Runs the compile commands of a build folder with -fsyntax-only. usage: clang.py BUILD JOBS"""

from __future__ import annotations

import json
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def check(entry: dict[str, str]) -> tuple[str, str]:
    """The file of one command and what the compiler says of it: empty if nothing."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    words[output : output + 2] = ["-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], done.stderr if done.returncode or done.stderr else ""


def main() -> int:
    build, jobs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    # What the build writes itself is not there yet, and a library of others is not ours to mend.
    there = [e for e in entries if pathlib.Path(e["file"]).exists() and "nanobind" not in e["file"]]
    failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for file, text in pool.map(check, there):
            if text:
                failed += 1
                print(f"{file}\n{text}", flush=True)
    print(f"{len(there) - failed} of {len(there)} files pass; {len(entries) - len(there)} left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
