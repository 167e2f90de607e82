"""The circuits of examples/: what they must measure, and the pictures that are written of them.

usage: qasm_examples_test.py HOLOGRAM EXAMPLES [--kernels]

With --kernels, that the standard kernels give the same counts, in f64 and f32.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SHOTS = 10_000

# What is measured, and how often at least and at most, in shares; nothing else is, except of Grover's.
EXPECTED = {
    "grover.qasm": {"1011": (0.95, 0.97)},  # sin(7 asin(1/4))^2
    "qasm/bell.qasm": {"00": (0.48, 0.52), "11": (0.48, 0.52)},
    "qasm/ghz.qasm": {"00000": (0.48, 0.52), "11111": (0.48, 0.52)},
    "qasm/w.qasm": {"001": (0.31, 0.36), "010": (0.31, 0.36), "100": (0.31, 0.36)},
    "qasm/deutsch-jozsa.qasm": {bits: (0.23, 0.27) for bits in ("001", "011", "101", "111")},
    "qasm/bernstein-vazirani.qasm": {"10110": (1, 1)},
    "qasm/fourier.qasm": {"011": (1, 1)},
    "qasm/phase-estimation.qasm": {"0101": (1, 1)},
}
BEGINNINGS = {".svg": b"<svg ", ".png": b"\x89PNG\r\n\x1a\n"}


def problem_of(command: str, path: Path, expected: dict[str, tuple[float, float]]) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix, other in ((".svg", ".png"), (".png", ".svg")):
            pictures = [f"{folder}/circuit{suffix}", f"{folder}/counts{other}"]
            options = ["--draw", pictures[0], "--histogram", pictures[1]]
            line = [command, "qsim", str(path), "--shots", str(SHOTS), *options]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stderr
            for picture in pictures:
                content = Path(picture).read_bytes()
                if not content.startswith(BEGINNINGS[Path(picture).suffix]) or len(content) < 150:
                    return f"{picture} is no picture"
    counts = {
        bits: int(count) for bits, count in (row.split() for row in done.stdout.split("\n")[:-1])
    }
    if sum(counts.values()) != SHOTS:
        return f"{sum(counts.values())} shots"
    for bits, (least, most) in expected.items():
        if not least <= counts.get(bits, 0) / SHOTS <= most:
            return f"{bits} {counts.get(bits, 0)}"
    if path.name != "grover.qasm" and set(counts) != set(expected):
        return f"measured {sorted(counts)}"
    return None


def unnamed_problem(command: str, path: Path) -> str | None:
    """Without options both pictures are in the current folder, with others there is none."""
    line = [command, "qsim", str(path.resolve())]
    with tempfile.TemporaryDirectory() as folder:
        for options in (["--json"], ["--no-pictures"]):
            subprocess.run([*line, *options], capture_output=True, check=True, cwd=folder)
        if found := os.listdir(folder):
            return f"files that nobody asked for: {found}"
        done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=folder)
        names = [f"{path.stem}-circuit.svg", f"{path.stem}-counts.svg"]
        if sorted(os.listdir(folder)) != names:
            return f"the folder has {os.listdir(folder)}"
        if done.stderr != "".join(f"wrote '{name}'\n" for name in names):
            return done.stderr
        for name in names:
            if not Path(folder, name).read_bytes().startswith(BEGINNINGS[".svg"]):
                return f"{name} is no picture"
            Path(folder, name).unlink()
            Path(folder, name).mkdir()  # cannot be written
        again = subprocess.run(line, capture_output=True, text=True, check=True, cwd=folder)
        if again.stdout != done.stdout or again.stderr.count("note: ") != len(names):
            return again.stderr
    return None


def kernels_problem(command: str, path: Path) -> str | None:
    """The counts by kernels are those without, as no probability is near a limit of both."""
    line = [command, "qsim", str(path), "--shots", "100", "--no-pictures"]
    expected = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    for options in (["--kernels"], ["--kernels", "--single"], ["--kernels", "--threads", "1"]):
        done = subprocess.run([*line, *options], capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stdout != expected:
            return f"{' '.join(options)}: {done.stderr}{done.stdout}"
    return None


def main() -> int:
    command, examples = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    there = {str(path.relative_to(examples)) for path in examples.rglob("*.qasm")}
    failed = 0
    if there != set(EXPECTED):
        failed += 1
        print(f"FAIL not both in {examples} and in this test: {sorted(there ^ set(EXPECTED))}")
    for name in sorted(there & set(EXPECTED)):
        wrong = problem_of(command, examples / name, EXPECTED[name])
        if wrong is None:
            wrong = unnamed_problem(command, examples / name)
        if wrong is None and "--kernels" in sys.argv:
            wrong = kernels_problem(command, examples / name)
        if wrong is not None:
            failed += 1
            print(f"FAIL {name}: {wrong}")
    print(f"{len(there)} circuits, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
