"""docs/figures.svg is what bench/chart.py draws from bench/figures/chart.txt, what the bench printed.

usage: chart_test.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "bench/figures/chart.txt"


def draw(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench/chart.py"), str(source), str(folder / "out.svg")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def bars(svg: str) -> list[str]:
    return re.findall(r">(\d+\.\d\d) x<", svg)


def main() -> int:
    figures = FIGURES.read_text(encoding="utf-8")
    committed = (ROOT / "docs/figures.svg").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = draw(FIGURES, folder)
        assert done.returncode == 0, done.stderr
        drawn = (folder / "out.svg").read_text(encoding="utf-8")
        assert drawn == committed, "docs/figures.svg is of another run: make bench GROUP=chart"
        day = re.search(r"^machine: .*; measured (\S+);", figures, re.MULTILINE)
        assert day is not None and f"measured {day[1]}," in committed

        # A run of one group lacks rows: an error that names the first.
        (folder / "figures.txt").write_text(figures.splitlines()[0] + "\n", encoding="utf-8")
        done = draw(folder / "figures.txt", folder)
        assert done.returncode != 0 and "no figure of 'f32 add, n=16M'" in done.stderr, done.stderr
        (folder / "figures.txt").write_text("machine: x; one thread\n", encoding="utf-8")
        done = draw(folder / "figures.txt", folder)
        assert done.returncode != 0 and "names the machine and the day" in done.stderr, done.stderr
    print(f"{len(bars(committed))} bars")
    return 0


if __name__ == "__main__":
    sys.exit(main())
