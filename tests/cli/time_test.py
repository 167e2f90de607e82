"""`hologram run --time` and `hologram bench`: their lines, what they count, and that the results of a
run stay those of one launch.

usage: time_test.py HOLOGRAM
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

KERNEL = """from hologram.lang import *


def k(a: DeviceArray[f32], c: DeviceArray[f32], d: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = c[i] + a[i]
        d[i] = a[i]
"""
COUNT = 5000
STEP = re.compile(
    r"hologram: time: (front end|verify|compile|launch|run) +(\d+\.\d+) ms(?:  (.*))?"
)
MEMORY = re.compile(
    r"hologram: time: memory +(\d+\.\d+) GB/s  ([\d.]+) MB, each array once per direction; "
    r"(\d+) % of (\d+\.\d+) GB/s, c = a \+ b over as many bytes"
)


def run(command: str, folder: str, file: str, *more: str) -> list[str]:
    arguments = ["--in=a=a.npy", "--in=c=c.npy", "--out=c=o.npy", f"--out=d=d.npy:f32:{COUNT}"]
    result = subprocess.run(
        [command, "run", file, *arguments, f"--set=n={COUNT}", "--time", *more],
        cwd=folder,
        env={**os.environ, "HOLOGRAM_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout == "", result.stdout
    return result.stderr.splitlines()


def check(lines: list[str], steps: list[str], engine: str) -> None:
    found = [STEP.fullmatch(line) for line in lines[:-1]]
    assert all(found), lines
    assert [match[1] for match in found if match] == steps, lines
    by_name = {match[1]: match for match in found if match}
    assert re.fullmatch(engine, by_name["compile"][3]), lines
    written = "the first one, whose results were written"
    asked = "; interpreted: the interpreter was asked for" if engine == "interpreter" else ""
    assert by_name["launch"][3].split(";")[0] == written, lines
    assert by_name["launch"][3].startswith(written + asked), lines
    repeated = re.fullmatch(r"median of (\d+) more, on copies", by_name["run"][3])
    assert repeated and int(repeated[1]) >= 1, lines
    memory = MEMORY.fullmatch(lines[-1])
    assert memory, lines
    # a and d once, c twice.
    moved = 4 * 4 * COUNT
    assert float(memory[2]) == moved / 1e6, lines
    rate = moved / (float(by_name["run"][2]) * 1e6)
    assert abs(rate / float(memory[1]) - 1) < 0.05, lines
    share = 100 * float(memory[1]) / float(memory[4])
    assert abs(share - float(memory[3])) < 1.5, lines


def check_bench(command: str, folder: str) -> None:
    def bench(*more: str) -> str:
        arguments = [command, "bench", "k.py", "--size=1000,5000", "--backend=interpreter", *more]
        result = subprocess.run(
            arguments, cwd=folder, capture_output=True, text=True, timeout=60, check=True
        )
        assert result.stderr == "", result.stderr
        return result.stdout

    rows = json.loads(bench("--json"))["rows"]
    assert [row["n"] for row in rows] == [1000, 5000], rows
    for row in rows:
        assert row["kernel"] == "k" and row["engine"] == "interpreter", row
        rate = 4 * 4 * row["n"] / row["seconds"]
        assert abs(rate / row["bytes_per_second"] - 1) < 0.01, row
        assert row["launches"] >= 1 and row["probe_bytes_per_second"] > 0, row
    lines = bench().splitlines()
    row_form = (
        r"k +(1000|5000) +[\d.]+ us +\d+ launches +[\d.]+ GB/s +\d+ % of +[\d.]+  interpreter"
    )
    assert len(lines) == 2 and all(re.fullmatch(row_form, line) for line in lines), lines
    ranked = [command, "bench", "ranked.py", "--size=1000", "--backend=interpreter", "--json"]
    result = subprocess.run(
        ranked, cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    (row,) = json.loads(result.stdout)["rows"]
    rate = 2 * 4 * 10**3 / row["seconds"]  # 10 x 10 x 10 elements, in and out
    assert abs(rate / row["bytes_per_second"] - 1) < 0.01, row


RANKED = """from hologram.lang import DeviceArray, f32, get_global_id, kernel


@kernel
def cube(a: DeviceArray[f32, 3], b: DeviceArray[f32, 3]):
    i = get_global_id()
    rows, columns, layers = a.shape
    if i < rows:
        for j in range(columns):
            for k in range(layers):
                b[i, j, k] = a[i, j, k] + 1.0
"""


def main() -> int:
    command = os.path.abspath(sys.argv[1])
    os.environ["HOLOGRAM_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "k.py"), "w", encoding="ascii") as file:
            file.write(KERNEL)
        with open(os.path.join(folder, "ranked.py"), "w", encoding="ascii") as file:
            file.write(RANKED)
        a = np.arange(COUNT, dtype=np.float32)
        np.save(os.path.join(folder, "a.npy"), a)
        np.save(os.path.join(folder, "c.npy"), a * 2)
        steps = ["front end", "verify", "compile", "launch", "run"]
        check(run(command, folder, "k.py"), steps, r"interpreter|native \((jit|cache), v[234]\)")
        check(run(command, folder, "k.py", "--backend=interpreter"), steps, "interpreter")
        assert np.array_equal(np.load(os.path.join(folder, "o.npy")), a * 3)
        compiled = [command, "compile", "k.py", "--native", "none"]
        subprocess.run(compiled, cwd=folder, check=True)
        steps.remove("verify")
        lines = run(command, folder, "k.holo", "--backend=interpreter")
        check(lines, steps, "interpreter")
        check_bench(command, folder)
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
