#!/usr/bin/env python3
"""The speed of the page's engines beside native code, in headless Chromium: ratios are printed.

usage: speeds.py HOLOGRAM SITE
Medians of runs that take turns: the interpreter on an addition of a million f32, and the Mandelbrot
set of bench/wasm.py, compiled to WebAssembly, against native code of v2; one thread each.
"""

from __future__ import annotations

import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "bench")]
from browser import Browser, serve  # noqa: E402
from wasm import MANDELBROT, mandelbrot_options, native  # noqa: E402

RUNS = 5
SIZE = 1_000_000
INTERPRETER_BAR, MANDELBROT_BAR = 0.15, 0.5

# The median of launches, in us; `kernel` launches once.
MEDIAN = """const median = (kernel, count) => {
  const times = [];
  for (let k = 0; k < 2 * count; ++k) {
    const start = performance.now();
    kernel();
    if (k >= count) times.push(1000 * (performance.now() - start));
  }
  return times.sort((a, b) => a - b)[count >> 1];
};"""
PREPARE = """(async (json, wasm) => {
  MEDIAN
  const { load, loadCompiled } = await import(String(new URL('hologram.js', location)));
  const engine = await load(await (await fetch('hologram.wasm')).arrayBuffer());
  const { vector_add: add } = engine.compileJson(json).kernels;
  const [x, y, z] = [0, 1, 2].map((k) => Float32Array.from({ length: SIZE }, (_, i) => i + k));
  globalThis.interpreted = () => median(() => add.launch(x, y, z, SIZE), 5);
  const bytes = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
  const { kernels, heap, fused } = await loadCompiled(bytes);
  const { values, config } = LAUNCH;
  const given = values.map((it) => (typeof it === 'object' ? heap.array(it.type, it.size) : it));
  globalThis.compiled = () => median(() => kernels.mandelbrot.launch(...given, config), 20);
  return fused;
})"""


def prepare(browser: Browser, hologram: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for source, form in (("elementwise/vector_add", "json"), ("simulation/mandelbrot", "wasm")):
            command = [hologram, "compile", f"kernels/{source}.py", "--emit", form]
            subprocess.run([*command, "-o", f"{folder}/{form}"], cwd=ROOT, check=True)
        text = Path(folder, "json").read_text(encoding="utf-8")
        wasm = base64.b64encode(Path(folder, "wasm").read_bytes()).decode()
    script = (
        PREPARE.replace("MEDIAN", MEDIAN)
        .replace("SIZE", str(SIZE))
        .replace("LAUNCH", json.dumps(MANDELBROT))
    )
    return browser.evaluate(f"{script}({json.dumps(text)}, {json.dumps(wasm)})")


def compare(name: str, browser: Browser, script: str, theirs: Any, bar: float) -> None:
    pairs = [(browser.evaluate(script), theirs()) for _ in range(RUNS)]
    ours, native_us = (statistics.median(times) for times in zip(*pairs, strict=True))
    speed = statistics.median(native_time / us for us, native_time in pairs)
    verdict = "held" if speed >= bar else "missed"
    print(f"{name}: page {ours:.0f} us, native {native_us:.0f} us, {speed:.2f} x the speed, "
          f"bar {bar}: {verdict}")  # fmt: skip


def main() -> int:
    hologram, site = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    add = ["--size", str(SIZE), "--backend", "interpreter"]
    add_file, picture_file = (
        f"kernels/{name}.py" for name in ("elementwise/vector_add", "simulation/mandelbrot")
    )
    with serve(site) as address:
        browser = Browser([])
        browser.open(f"{address}/playground/live.html")
        fused = prepare(browser, hologram)
        compare(
            f"interpreter, f32 add of {SIZE:,}", browser, "interpreted()",
            lambda: native(hologram, add_file, add, None),
            INTERPRETER_BAR,
        )  # fmt: skip
        compare(
            f"Mandelbrot, {'fused' if fused else 'software'} madd", browser, "compiled()",
            lambda: native(hologram, picture_file, mandelbrot_options(), "v2"),
            MANDELBROT_BAR,
        )  # fmt: skip
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
