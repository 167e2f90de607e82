"""`hologram kernels` without a name: short, by groups, and each standard kernel once.

usage: kernels_test.py HOLOGRAM        needs stdlib.holo where the command looks for it
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SUMMARIES = Path(__file__).parents[2] / "python/hologram/standard_kernels.txt"


def main() -> int:
    environment = {
        name: value for name, value in os.environ.items() if name != "HOLOGRAM_KERNEL_PATH"
    }

    def kernels(*arguments: str) -> str:
        command = [sys.argv[1], "kernels", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    everything = [entry["name"] for entry in json.loads(kernels("--json"))["kernels"]]
    of_ops = [name for name in everything if name.startswith("op_")]
    standard = sorted(set(everything) - set(of_ops))
    assert len(standard) > 100 and len(of_ops) > 1000, (len(standard), len(of_ops))

    rows = [line.split("\t") for line in SUMMARIES.read_text(encoding="utf-8").splitlines()]
    known = sorted(name for row in rows if len(row) == 3 for name in row[1].split())
    assert known == standard, set(known) ^ set(standard)

    text = kernels()
    words = text.split()
    assert "op_add_f32" not in words and "Others" not in words
    for row in rows:
        if len(row) == 1:
            assert f"\n{row[0]}\n" in f"\n{text}", row
        else:
            assert all(name in words for name in row[1].split()) and row[2] in text, row
    lines = text.splitlines()
    assert len(lines) < 1.3 * len(rows) and max(map(len, lines)) <= 120, len(lines)
    assert f"{len(standard)} standard kernels" in text and f"lists {len(of_ops)} more" in text, text

    assert len(kernels("--all").splitlines()) == len(everything)
    place, signature = kernels("vector_add").splitlines()
    assert place.split()[:2] == ["vector_add", "built-in"] and place.endswith("stdlib.holo"), place
    assert signature == "vector_add(a: in f32[], b: in f32[], c: out f32[], n: u32)", signature
    beginning = kernels("vector_m").splitlines()
    assert [line.split()[0] for line in beginning] == ["vector_max", "vector_min", "vector_mul"]

    # Where run takes a name, bench does.
    command = [sys.argv[1], "bench", "vector_add", "--size", "1000"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("vector_add  "), done
    print(f"{len(standard)} kernels on {len(lines)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
