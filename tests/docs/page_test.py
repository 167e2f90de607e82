"""Executes pages of docs/ and README.md: writes files, runs commands, compares output.

usage: page_test.py HOLOGRAM PAGE... [--module FOLDER] [--install CMAKE BUILD] [--engines]

A block ```LANGUAGE file=NAME is a file. Lines of ```console blocks that begin with "$ " are commands,
the lines up to the next one what they print, output and errors together; "..." stands for anything
in a line, on a line of its own for any lines. ```console needs=module needs the Python module, which
is in FOLDER, or is that of an installed wheel if FOLDER is "installed"; needs=scale the packages of
scripts/scale.lock, which --engines says are there, needs=mpi also mpirun. Without them the block is
left out, and a line says so. $PREFIX is where `cmake --install` put BUILD, or what the caller's environment
has. All blocks of a page share a folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)(?: (file|needs)=(\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
FEWEST_COMMANDS = 2
LIMIT_SECONDS = 300


def matches(expected: str, actual: str) -> bool:
    pattern = ""
    for line in expected.splitlines(keepends=True):
        if line == "...\n":
            pattern += "(?:.*\n)*"
        else:
            pattern += re.escape(line).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, actual) is not None


class Page:
    def __init__(self, path: Path, options: argparse.Namespace, folder: Path) -> None:
        self.path = path
        self.module = options.module
        self.engines = options.engines
        self.work = folder / "pages"
        programs = folder / "bin"
        self.work.mkdir()
        programs.mkdir()
        # Not a link: Python looks for the packages of an environment beside the name it is called by.
        python = programs / "python3"
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        (programs / "hologram").symlink_to(Path(options.hologram).resolve())
        self.environment = dict(os.environ)
        self.environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
        if options.module == "installed":
            self.environment.pop("PYTHONPATH", None)
        else:
            self.environment["PYTHONPATH"] = options.module or str(ROOT / "python")
        self.commands = self.failures = self.skipped = 0
        if "$PREFIX" in path.read_text(encoding="utf-8") and options.install:
            cmake, build = options.install
            prefix = folder / "prefix"
            subprocess.run(
                [cmake, "--install", build, "--prefix", prefix], check=True, capture_output=True
            )
            self.environment["PREFIX"] = str(prefix)

    def run_command(self, command: str, expected: str) -> None:
        result = subprocess.run(
            command,
            shell=True,
            cwd=self.work,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        actual = result.stdout.replace(f"{self.work}/", "")
        self.commands += 1
        if not matches(expected, actual):
            self.failures += 1
            print(f"FAIL {self.path.name} $ {command}\nexpected:\n{expected}actual:\n{actual}")

    def missing(self, need: str) -> str:
        """What of that there is not; empty: it is there."""
        if not self.module:
            return "Python module"
        if need in ("scale", "mpi") and not self.engines:
            return "package of scripts/scale.lock"
        return "mpirun" if need == "mpi" and shutil.which("mpirun") is None else ""

    def run(self) -> None:
        for kind, word, value, body in BLOCK.findall(self.path.read_text(encoding="utf-8")):
            if word == "file":
                file = self.work / value
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(body, encoding="utf-8")
            elif kind == "console":
                if word == "needs" and (missing := self.missing(value)):
                    print(f"{self.path.name}: SKIPPED, there is no {missing}: {body}")
                    self.skipped += 1
                    continue
                for block in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                    self.run_command(*block.split("\n", 1))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--module")
    parser.add_argument("--install", nargs=2)
    parser.add_argument("--engines", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for path in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(Path(path), options, Path(folder))
            page.run()
            print(f"{page.commands} commands of {page.path.name}, {page.failures} failed")
            wrong += page.failures != 0 or page.commands + page.skipped < FEWEST_COMMANDS
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
