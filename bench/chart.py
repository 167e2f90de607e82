#!/usr/bin/env python3
"""Draws figures of a bench run as a bar chart: how many times as fast as the peer.

usage: chart.py FIGURES OUT.svg                   FIGURES is what hologram_bench printed
       chart.py --measure BENCH FIGURES OUT.svg   runs BENCH, a hologram_bench, for these rows first

The rows of the chart are named in ROWS; one that FIGURES lacks is an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

# Work as the bench names it, the beginning of its peer, and what the chart calls it.
ROWS = (
    ("f32 add, n=16M", "C loop", "add, 16 M elements"),
    ("f32 exp precise, n=3072", "SLEEF", "exp within 1 ulp"),
    ("f32 sum, n=65536", "C loop", "sum, 65,536 elements"),
    ("f32 max, n=3072", "C loop", "max, 3,072 elements"),
    ("softmax precise, 16 x 4096", "three passes", "softmax, 16 x 4,096"),
    ("transpose, tiles, 1024 x 1024", "C loop", "transpose, 1,024 x 1,024"),
    ("Mandelbrot, 256 rounds, 1024 x 1024", "AVX-512", "Mandelbrot"),
    ("n-body velocities, n=1024", "AVX-512", "n-body"),
)
PRINTED = re.compile(r"^(.{34}) (.{14}) +\S+ ns   (.{26}) +\S+ ns   ratio +([0-9.]+)", re.MULTILINE)
MACHINE = re.compile(r"^machine: ([^;\n]+); measured (\d{4}-\d\d-\d\d);", re.MULTILINE)
WIDTH, LEFT, TOP, STEP, LARGEST = 720, 330, 76, 30, 6.0
SCALE = (WIDTH - LEFT - 70) / LARGEST


def read_figures(path: Path) -> tuple[str, dict[tuple[str, str], float]]:
    """Machine and date, and ratios of times (ours : peer) by work and peer."""
    text = path.read_text(encoding="utf-8")
    found: dict[tuple[str, str], float] = {}
    for work, size, peer, ratio in PRINTED.findall(text):
        found[f"{work.strip()}, {size.strip()}", peer.strip()] = float(ratio)
    if machine := MACHINE.search(text):
        return f"{machine[1]}, measured {machine[2]}", found
    sys.exit(f"{path}: error: no line names the machine and the day")


def measure(bench: Path, target: Path) -> None:
    """Writes and prints what the bench says of the rows, in one run."""
    filters = [
        f"{work.rpartition(', ')[0]} {work.rpartition(', ')[2]} {peer}" for work, peer, _ in ROWS
    ]
    filters.append(
        "streaming n=16M"
    )  # the part of a group, without which its lines are not looked at
    done = subprocess.run([bench, *filters], stdout=subprocess.PIPE, text=True, check=True)
    target.write_text(done.stdout, encoding="utf-8")
    print(done.stdout, end="")


def text(x: float, y: float, content: str, attributes: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(content)}</text>'


def draw(machine: str, rows: list[tuple[str, str, float]]) -> str:
    height = TOP + STEP * len(rows) + 30
    one = LEFT + SCALE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13" fill="#222">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(16, 26, "Speed relative to the peer (longer is faster)", ' font-size="16"'),
        text(16, 48, f"{machine}, float32, one thread", ' fill="#666"'),
    ]
    for row, (name, peer, times) in enumerate(rows):
        y = TOP + row * STEP
        colour = "#2a78b5" if times >= 1 else "#c0602a"
        lines += [
            text(LEFT - 10, y + 9, name, ' text-anchor="end"'),
            text(
                LEFT - 10,
                y + 21,
                f"against {peer}",
                ' text-anchor="end" font-size="10" fill="#666"',
            ),
            f'<rect x="{LEFT}" y="{y}" width="{SCALE * min(times, LARGEST):.1f}" height="20" '
            f'fill="{colour}"/>',
            text(max(one, LEFT + SCALE * min(times, LARGEST)) + 6, y + 15, f"{times:.2f} x"),
        ]
    bottom = TOP + len(rows) * STEP
    lines += [
        f'<path d="M{one:.1f} {TOP - 6}V{bottom}" stroke="#222" stroke-dasharray="4 3"/>',
        text(one, bottom + 16, "as fast as the peer", ' text-anchor="middle" font-size="11"'),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    if sys.argv[1:2] == ["--measure"] and len(sys.argv) == 5:
        measure(Path(sys.argv[2]), Path(sys.argv[3]))
    elif len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = Path(sys.argv[-2]), Path(sys.argv[-1])
    machine, found = read_figures(source)
    rows = []
    for work, peer_start, name in ROWS:
        peers = [key for key in found if key[0] == work and key[1].startswith(peer_start)]
        if not peers:
            sys.exit(f"{source}: error: no figure of '{work}' against '{peer_start}...'")
        rows.append((name, peers[0][1], 1 / found[peers[0]]))
    target.write_text(draw(machine, rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
