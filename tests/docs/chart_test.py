"""docs/figures.svg is what bench/chart.py draws from docs/figures.md, or from what the bench prints.

usage: chart_test.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|]+), ([^|,]+) \| [^|]+ \| ([^|:]+): [^|]+ \| ([0-9.]+) \|", re.MULTILINE)


def draw(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench/chart.py"), str(source), str(folder / "out.svg")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def bars(svg: str) -> list[str]:
    return re.findall(r">(\d+\.\d\d) x<", svg)


def main() -> int:
    page = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    committed = (ROOT / "docs/figures.svg").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = draw(ROOT / "docs/figures.md", folder)
        assert done.returncode == 0, done.stderr
        drawn = (folder / "out.svg").read_text(encoding="utf-8")
        assert (
            drawn == committed
        ), "docs/figures.svg is old: bench/chart.py docs/figures.md docs/figures.svg"

        # As bench/report.cc prints lines.
        lines = ["machine: a processor; one thread; peers: none"]
        for work, size, peer, ratio in ROW.findall(page):
            times = f"{10.0:12.1f} ns   {peer:<26} {10.0:12.1f} ns"
            lines.append(
                f"{work:<34} {size:<14} {times}   ratio {float(ratio):5.3f}  bar <= 1.000  holds"
            )
        (folder / "figures.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = draw(folder / "figures.txt", folder)
        assert done.returncode == 0, done.stderr
        printed = (folder / "out.svg").read_text(encoding="utf-8")
        assert bars(printed) == bars(committed) and "a processor" in printed

        # A run of one group lacks rows: an error that names the first.
        (folder / "figures.txt").write_text(lines[0] + "\n", encoding="utf-8")
        done = draw(folder / "figures.txt", folder)
        assert done.returncode != 0 and "no figure of 'f32 add, n=16M'" in done.stderr, done.stderr
    print(f"{len(bars(committed))} bars")
    return 0


if __name__ == "__main__":
    sys.exit(main())
