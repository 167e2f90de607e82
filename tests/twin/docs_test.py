"""Executes docs/debugging.md: writes its files, runs its commands, compares what they print.

usage: docs_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "debugging.md")


def run(command: str, folder: str, hologram: str) -> str:
    path = os.pathsep.join([folder + "/bin", os.environ["PATH"]])
    environment = dict(os.environ, PATH=path, PYTHONPATH=os.path.join(ROOT, "python"))
    result = subprocess.run(
        command,
        shell=True,
        cwd=folder + "/pages",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return result.stdout.replace(folder + "/pages/", "")


def main() -> int:
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    commands = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/pages")
        os.makedirs(f"{folder}/bin")
        os.symlink(sys.executable, f"{folder}/bin/python3")
        os.symlink(os.path.abspath(sys.argv[1]), f"{folder}/bin/hologram")
        for kind, name, body in re.findall(
            r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", text, re.M | re.S
        ):
            if kind == "python":
                with open(f"{folder}/pages/{name}", "w", encoding="utf-8") as file:
                    file.write(body)
                continue
            for block in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command, _, expected = block.partition("\n")
                actual = run(command, folder, sys.argv[1])
                commands += 1
                if actual != expected:
                    failures += 1
                    print(f"FAIL $ {command}\nexpected:\n{expected}actual:\n{actual}")
    print(f"{commands} commands of debugging.md, {failures} failed")
    return 1 if failures or commands < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
