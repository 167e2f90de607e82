"""make bench GROUP=wasm: compiled kernels in Node beside native code on one thread.

usage: wasm.py HOLOGRAM
Medians of alternating runs: the times move with the machine, the ratios less. The bars are ratios
too: exp of 65,536 numbers in 45 us where native code of the best level takes 6.5, and Mandelbrot of
512 x 512 with 256 rounds at half the speed of native code for v2.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "web/tests"))
from compiled_test import node

RUNS = 5
SIDE, ROUNDS = 512, 256
POINTS = {"x0": -2.2, "y0": -1.4, "dx": 2.8 / SIDE, "dy": 2.8 / SIDE}
EXP = {
    "kernel": "vector_exp",
    "values": [
        {"type": "f32", "size": 65536, "from": -9, "step": 1 / 4096},
        {"type": "f32", "size": 65536, "from": 0, "step": 0},
        65536,
    ],
    "config": {},
    "launches": 2000,
}
MANDELBROT = {
    "kernel": "mandelbrot",
    "values": [
        {"type": "u32", "size": SIDE * SIDE, "from": 0, "step": 0},
        *(SIDE, SIDE, *POINTS.values(), ROUNDS),
    ],
    "config": {"grid": [SIDE // 16, SIDE // 16], "block": [16, 16]},
    "launches": 20,
}


def in_node(hologram: str, source: str, launch: dict, folder: str) -> tuple[float, bool]:
    wasm = f"{folder}/{launch['kernel']}.wasm"
    if not Path(wasm).exists():
        compiling = [hologram, "compile", source, "--emit", "wasm", "-o", wasm]
        subprocess.run(compiling, cwd=ROOT, check=True)
    command = [*node(), str(ROOT / "web/tests/time_launches.mjs"), wasm, json.dumps(launch)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    return found["us"], found["fused"]


def native(hologram: str, source: str, options: list[str], level: str | None) -> float:
    environment = dict(os.environ)
    if level is not None:
        environment["HOLOGRAM_CPU_LEVEL"] = level
    command = [hologram, "bench", source, "--threads", "1", *options]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return float(re.findall(r"([\d.]+) us", done.stdout)[-1])


@dataclass(frozen=True)
class Row:
    name: str
    source: str
    launch: dict
    options: list[str]  # of `hologram bench`
    level: str | None  # of native code


def compare(hologram: str, row: Row) -> float:
    """Time in Node / time of native code."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for _ in range(RUNS):
            us, fused = in_node(hologram, row.source, row.launch, folder)
            pairs.append((us, native(hologram, row.source, row.options, row.level)))
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    madd = "fused madd" if fused else "software madd"
    print(
        f"{row.name}: Node, {madd}, {ours:.1f} us; native {row.level or 'code'} on one thread "
        f"{theirs:.1f} us; {ratio:.2f} x the time, {1 / ratio:.2f} x the speed"
    )
    return ratio


def mandelbrot_options() -> list[str]:
    options = ["--size", str(SIDE * SIDE), "--grid", f"{SIDE // 16},{SIDE // 16},1"]
    options += ["--block", "16,16,1"]
    sizes = {"width": SIDE, "height": SIDE, **POINTS, "limit": ROUNDS}
    for key, value in sizes.items():
        options += ["--set", f"{key}={value}"]
    return options


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    source = "kernels/elementwise/vector_exp.py"
    exp = compare(hologram, Row("exp of 65,536", source, EXP, ["--size", "65536"], None))
    print(f"  bar: at most {45 / 6.5:.2f} x the time: {'held' if exp <= 45 / 6.5 else 'missed'}")
    options = mandelbrot_options()
    name = f"Mandelbrot {SIDE} x {SIDE}, {ROUNDS} rounds"
    source = "kernels/simulation/mandelbrot.py"
    picture = compare(hologram, Row(name, source, MANDELBROT, options, "v2"))
    print(f"  bar: at least 0.50 x the speed: {'held' if picture <= 2 else 'missed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
