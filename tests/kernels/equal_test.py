#!/usr/bin/env python3
"""Kernels that compute the same thing have one circuit and one id.

usage: equal_test.py HOLOGRAM
Each file of equal/ is one kernel in ten ways, under one signature. By way of the canonical circuit all ten
have one text and one program id; as they are written they have many. Different kernels differ.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).with_name("equal")
KERNELS, WAYS = 8, 10


def ids(hologram: str, path: Path, bundle: str, *options: str) -> list[str]:
    command = [hologram, "compile", path.name, "-o", bundle, "--native", "none", *options]
    subprocess.run(command, cwd=FOLDER, check=True)
    command = [hologram, "inspect", bundle, "--json"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [program["id"] for program in json.loads(text)["programs"]]


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    failures = []
    seen: dict[str, str] = {}
    files = sorted(FOLDER.glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            ways = re.findall(r"^def (\w+)\((?:x|first|position):", path.read_text(), re.MULTILINE)
            command = [hologram, "compile", path.name, "--emit", "circuit"]
            text = subprocess.run(
                command, cwd=FOLDER, capture_output=True, text=True, check=True
            ).stdout
            circuits = [line for line in text.splitlines() if not line.startswith("//")]
            canonical = ids(hologram, path, f"{folder}/c.holo", "--canonical")
            written = ids(hologram, path, f"{folder}/w.holo")
            if not len(ways) == len(circuits) == len(canonical) == len(written) == WAYS:
                failures.append(f"{path.name}: {len(ways)} ways, {len(circuits)} circuits")
                continue
            for way, circuit, identity in zip(ways, circuits, canonical):
                if circuit != circuits[0]:
                    failures.append(f"{path.name}: {way} is {circuit}, not {circuits[0]}")
                if identity != canonical[0]:
                    failures.append(f"{path.name}: {way} has another id")
            if len(set(written)) < WAYS // 2:
                failures.append(f"{path.name}: as written only {len(set(written))} programs")
            if canonical[0] in seen:
                failures.append(f"{path.name} and {seen[canonical[0]]} are one program")
            seen[canonical[0]] = path.name
            print(f"{path.stem}: {len(set(written))} programs as written, 1 by its circuit")
            print(f"  {circuits[0]}")
    if len(files) < KERNELS:
        failures.append(f"{len(files)} kernels, expected {KERNELS}")
    for failure in failures:
        print("FAIL", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
