#!/usr/bin/env python3
"""Pictures of the operations, drawn from what their kernels write, and the page that shows them
with formula, error and speed.

usage: operations.py HOLOGRAM OUT
HOLOGRAM is the native command. OUT gets ops/NAME.png or .svg, and operations.md, which is made of
the table python/hologram/ops/table.py and of what bench/ops.py printed: by the last `make bench`
here, else bench/figures/ops.txt.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from operation_pictures import picture_of
from operation_runs import Runs
from picture import draw

ROOT = Path(__file__).resolve().parents[1]
RUNS = (ROOT / "out/ops.txt", ROOT / "bench/figures/ops.txt")
SCALARS = {"low": -1.0, "high": 1.0, "s": 1.5, "alpha": 1.0, "slope": 0.2}
POSITIVE = {"sqrt", "rsqrt", "log", "log2", "log10"}
POINTS, SIDE, PEAK, LARGEST = 200, 96, 60, 220
LINE = re.compile(r"^(\S.*?) +100,000 +([\d,]+) +([\d.]+|-)")
# The lines of bench/ops.py that have other names.
LINES = {"scalar_add": "add, a number", "scalar_mul": "mul, a number", "cast": "cast to i32"}
HEAD = """# Operations, in pictures

The operations of `hologram.ops` with their errors in f32 and their speed; [Operations](ops.md) has
all types and rules. A picture is what the kernel of an operation on elements writes: from -4 to 4,
of roots and logarithms from 0.02 to 4; of two arguments a from left to right and b from the top
down, from -4 to 4, of powers from 0.02 to 4. Where values go beyond 60 the smallest and the largest
fiftieth are cut off.

The other pictures show a small example, with the numbers that the kernels gave; a click enlarges
them. Below the elements of a reduction is the result for those up to there. The trees of sums and
products are the order of their additions, on which their bits depend: it was found out by running
the kernels, with a number so large that it takes in all that is added before its opposite.

"""


def load_table() -> Any:
    """By itself: the package needs the built module."""
    sys.path[:0] = [str(ROOT / "operations"), str(ROOT / "python")]
    from generator import python, rows

    return python.load_table(rows.read())


def inputs(name: str, arrays: tuple[str, ...]) -> dict[str, np.ndarray]:
    low = 0.02 if name in POSITIVE or name == "pow" else -4.0
    if len(arrays) == 1:
        return {arrays[0]: np.linspace(low, 4, POINTS, dtype=np.float32)}
    side = np.linspace(low, 4, SIDE, dtype=np.float32)
    across, down = np.meshgrid(side, side)
    return dict(zip(arrays, (across, down), strict=True))


def values_of(runs: Runs, spec: Any) -> np.ndarray:
    """What the kernel of the operation writes in f32."""
    scalars = {name: SCALARS.get(name, 1) for name in spec.scalars}
    entry = f"{spec.kernel_of('f32')}_f32"
    return runs.pointwise(spec.name, entry, inputs(spec.name, spec.arrays), scalars)


def without_peaks(values: np.ndarray) -> np.ndarray:
    """Poles would leave nothing of the rest to see."""
    low, high = np.percentile(values, [2, 98])
    return np.clip(values, low, high) if abs(values).max() > PEAK else values


def error_of(spec: Any) -> str:
    if spec.bound:
        return f"`{spec.bound}`, scale = {spec.scale}"
    ulp = spec.ulp_of("f32")
    exact = {0: "exact", 0.5: "correctly rounded"}.get(ulp, f"{ulp:g} ulp")
    return exact + (f", {spec.fast:g} ulp with accuracy='fast'" if spec.fast else "")


def speeds() -> tuple[str, dict[str, str]]:
    """What the run says of itself, and the speed of each operation."""
    path = next(path for path in RUNS if path.exists())
    lines = path.read_text(encoding="utf-8").splitlines()
    about = "; ".join(line for line in lines[:2] if line.startswith(("bench/", "hologram.ops")))
    found = {}
    for match in filter(None, map(LINE.match, lines)):
        time = int(match[2].replace(",", "")) / 100_000
        peer = "" if match[3] == "-" else f", {float(match[3]):g} x NumPy"
        found[match[1].removesuffix(", rows")] = f"{time:.3g} ns an element{peer}"
    return f"{about} ({path.relative_to(ROOT)})", found


def picture(runs: Runs, spec: Any, out: Path) -> str:
    """Draws it: a plot or an image of an operation on elements. Gives the text that shows it."""
    if spec.family == "pointwise":
        draw([without_peaks(values_of(runs, spec))], out / f"ops/{spec.name}.png")
        return f"![{spec.name}](ops/{spec.name}.png){{ width=120 loading=lazy }}"
    svg = picture_of(runs, spec)
    (out / f"ops/{spec.name}.svg").write_text(svg, encoding="utf-8")
    found = re.search(r"<title>(.*)</title>.*", svg)
    width = re.search(r' width="(\d+)"', svg)
    assert found is not None and width is not None
    size = min(LARGEST, int(width[1]) // 2)
    shown = f"![{found[1]}](ops/{spec.name}.svg){{ width={size} loading=lazy }}"
    return f"[{shown}](ops/{spec.name}.svg)"


def row(spec: Any, shown: str, speed: dict[str, str]) -> str:
    measured = speed.get(LINES.get(spec.name, spec.name), "not measured")
    cells = (f"`{spec.name}`", shown, spec.formula, error_of(spec), measured)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    runs, out = Runs(str(Path(sys.argv[1]).resolve())), Path(sys.argv[2])
    (out / "ops").mkdir(exist_ok=True)
    about, speed = speeds()
    specs = load_table().TABLE.values()
    lines = [HEAD + f"Speed: float32, 100,000 elements; {about}.\n"]
    lines.append(
        "| operation | picture | formula | largest error, f32 | speed |\n|---|---|---|---|---|"
    )
    lines += [row(spec, picture(runs, spec, out), speed) for spec in specs]
    (out / "operations.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(specs)} operations, {len(speed)} lines of bench/ops.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
