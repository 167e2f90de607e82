"""Programs with values of several numbers against the same without: equal bits on all engines, PTX, fewer
lines, and with --time the ratio of their times.

usage: programs_test.py [--time]
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import guarded  # noqa: F401
import numpy as np
from device import engines, is_without, missing

import hologram as hg

sys.dont_write_bytecode = True
HERE = Path(__file__).parent / "programs"
MOST_LINES = 0.6
PAIRS = 30


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"programs_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(name: str) -> dict[str, int]:
    """Of code, by program; parameters do not count, which the forms do not change."""
    found: dict[str, int] = {}
    program, parameters = "", False
    for line in (HERE / f"{name}.py").read_text().split("\n"):
        if line.startswith("# program: "):
            program = line.removeprefix("# program: ")
            found[program] = 0
        elif line.startswith("def ") and line.endswith("("):
            parameters = True
        elif line == "):":
            parameters = False
        elif program and line.strip() and not parameters:
            found[program] += 1
    return found


def arguments(name: str, scale: int) -> tuple[int, list[Any]]:
    """The lanes of a launch, and its arguments in the flat layout."""
    rng = np.random.default_rng(7)

    def floats(*shape: int) -> Any:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    if name == "rays":
        side = 32 * scale
        return side * side, [side, side, np.zeros(side * side, np.float32)]
    if name == "particles":
        count, grid = 256 * scale, 32
        x = rng.uniform(0.2, 0.8, (count, 2)).astype(np.float32)
        values = [x, floats(count, 2), floats(count, 2, 2), np.abs(floats(count)), grid]
        cells = [np.zeros((grid, grid, 2), np.float32), np.zeros((grid, grid), np.float32)]
        return count, [*values, 1e-4, 0.5, 400.0, *cells]
    if name == "fourier":
        count = 1024 * scale
        x = rng.uniform(-1, 1, (count, 2))
        return count // 2, [x, np.zeros_like(x), count, count // 8]
    if name == "cloth":
        count = 256 * scale
        ends = rng.integers(0, count, (2 * count, 2)).astype(np.int32)
        ends[:, 1] = (ends[:, 0] + 1 + ends[:, 1] % 7) % count
        values = [floats(count, 3), floats(count, 3), ends, np.abs(floats(2 * count))]
        return 2 * count, [*values, 10.0, 0.5, np.zeros((count, 3), np.float32)]
    count = 64 * scale
    values = [floats(count, 3), np.abs(floats(count)), floats(count, 3)]
    return count, [*values, 0.01, 0.001, count]


def of_forms(name: str, values: list[Any]) -> list[Any]:
    """The same arrays where they are complex; vectors are taken as they are."""
    if name != "fourier":
        return values
    return [v.view(np.complex128).reshape(-1) if isinstance(v, np.ndarray) else v for v in values]


def flat(values: list[Any]) -> list[Any]:
    """Without the last dimension for those that the plain program has as one."""
    return [v.reshape(-1) if isinstance(v, np.ndarray) and v.ndim > 1 else v for v in values]


def launches(name: str, scale: int) -> tuple[list[Callable[[], None]], list[list[Any]]]:
    """Both forms as calls, and their arguments, with copies of the arrays for each."""
    runs: list[Callable[[], None]] = []
    given: list[list[Any]] = []
    for form in ("plain", "forms"):
        lanes, values = arguments(name, scale)
        kernel = hg.kernel(getattr(load(form), name)._atlas_kernel)
        mine = of_forms(name, values) if form == "forms" else flat(values)
        if name == "particles" and form == "plain":
            mine[-2:] = values[-2:]
        plain = kernel
        if hasattr(kernel, "plain"):  # what the launch takes apart is not measured
            plain = kernel.plain()
            mine = [
                v.view(np.float64) if name == "fourier" and isinstance(v, np.ndarray) else v
                for v in mine
            ]
            mine = [
                v.reshape(-1)
                if isinstance(v, np.ndarray)
                and v.ndim > 1
                and not (name == "particles" and len(v) == 32)
                else v
                for v in mine
            ]
        launch = plain.configure(grid=-(-lanes // 256), block=256, threads=1)
        runs.append(lambda launch=launch, mine=mine: launch(*mine))
        given.append(mine)
    return runs, given


def compare(name: str) -> str | None:
    """Bits of both, of the forms also through their own call and as plain Python."""
    runs, given = launches(name, 1)
    for run in runs:
        run()
    for one, other in zip(*given, strict=True):
        if isinstance(one, np.ndarray) and one.tobytes() != other.tobytes():
            return f"{name}: the forms give other bits"
    lanes, values = arguments(name, 1)
    mine = of_forms(name, values)
    hg.kernel(getattr(load("forms"), name)._atlas_kernel)[-(-lanes // 256), 256](*mine)
    for one, other in zip(given[0], mine, strict=True):
        if isinstance(one, np.ndarray) and one.tobytes() != other.tobytes():
            return f"{name}: the call takes its arguments apart wrongly"
    return on_engines(name, mine)


def on_engines(name: str, wanted: list[Any]) -> str | None:
    """Bits of the forms on each engine, a CUDA device if there is one too, and whether they have PTX."""
    for engine in engines():
        lanes, values = arguments(name, 1)
        mine = of_forms(name, values)
        kernel = hg.kernel(getattr(load("forms"), name)._atlas_kernel)
        try:
            kernel.configure(grid=-(-lanes // 256), block=256, backend=engine)(*mine)
        except hg.UnsupportedError as error:
            if engine != "cuda" or not is_without(error):
                return f"{name}: {error}"
            continue
        for one, other in zip(wanted, mine, strict=True):
            if isinstance(one, np.ndarray) and one.tobytes() != other.tobytes():
                return f"{name}: {engine} gives other bits"
    return missing(hg.compile(HERE / "forms.py", entry=name))


def ratio(name: str) -> float:
    """Median of pairs, which alternate, of processor time: what others do on the machine is left out."""
    runs, _ = launches(name, 8)
    ratios = []
    for run in runs:
        run()
    for turn in range(PAIRS):
        times = {}
        for which in (0, 1) if turn % 2 else (1, 0):
            rounds, start = 0, time.process_time()
            while time.process_time() - start < 0.02:
                runs[which]()
                rounds += 1
            times[which] = (time.process_time() - start) / rounds
        ratios.append(times[1] / times[0])
    return statistics.median(ratios)


def main() -> int:
    before, after = lines("plain"), lines("forms")
    failures = 0
    for name in before:
        share = after[name] / before[name]
        problem = compare(name)
        if problem is None and share > MOST_LINES:
            problem = f"{name}: {after[name]} of {before[name]} lines is more than {MOST_LINES}"
        timed = f", {ratio(name):.3f} of the time" if "--time" in sys.argv else ""
        print(f"{name}: {after[name]} lines for {before[name]} ({share:.2f}){timed}")
        if problem is not None:
            failures += 1
            print(f"FAIL {problem}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
