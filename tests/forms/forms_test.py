"""Every form of forms.py, compiled and as plain Python.

usage: forms_test.py HOLOGRAM     for each level; with HOLOGRAM_CPU_LEVEL for one

An accepted form has its value in the plain-Python run, the interpreter and native code, and becomes
PTX; a refused one is refused by the compiler and the plain-Python run, with the same words.
"""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import forms
import numpy as np

import hologram as hg
from hologram.errors import CompileError
from hologram.simulator import launch
from hologram.simulator.errors import KernelError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages
from levels import levels_here

guard_pages.install()

BY_FLAG = f"k{[body for body, _ in forms.ACCEPTED].index(forms.BY_FLAG)}"


def arguments() -> dict[str, object]:
    i = np.arange(8)
    return {
        "a": (i - 2).astype(np.int32),
        "w": i.astype(np.uint32),
        "b": (i * 36).astype(np.uint8),
        "x": (i / 4).astype(np.float32),
        "d": i / 10,
        "u": (i + 2**40).astype(np.uint64),
        "m": i % 3 == 0,
        "o": np.zeros(8),
        "q": np.zeros(8, np.bool_),
        "n": 8,
        "k": -3,
        "one": 1.0,
        "flag": True,
    }


def down(start: int, stop: int, step: int) -> float:
    value = 0.0
    for j in range(int(start), stop, step):
        value = value * 10.0 + j
    return value


def expected(text: str) -> np.ndarray:
    given = arguments()
    names = {name: given[name] for name in "awbxdu"}
    names |= {"fmod": math.fmod}
    names |= {"sqrt": math.sqrt, "floor": math.floor, "f32": np.float32, "down": down}
    names |= {"TENTH": 0.1, "fma": lambda p, q, r: float(np.longdouble(p) * q + r)}
    names |= {"a": [int(v) for v in names["a"]], "b": [int(v) for v in names["b"]]}
    names |= {"u": [int(v) for v in names["u"]], "w": range(8)}
    return np.array([float(eval(text, {**names, "i": i})) for i in range(8)])


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder: str) -> Path:
    path = Path(folder) / "accepted.py"
    parts = [forms.source(body, f"k{i}") for i, (body, _) in enumerate(forms.ACCEPTED)]
    path.write_text(forms.HEAD + "\n\n".join([*parts, *forms.KERNELS.values()]))
    return path


def compare(name: str, how: str, body: str, text: str, got: np.ndarray) -> int:
    want = expected(text)
    if got.tobytes() == want.tobytes():
        return 0
    print(f"FAIL {name}, {how}: {body}\n  got      {got}\n  expected {want}")
    return 1


def check_compiled(path: Path) -> int:
    """The interpreter and native code of this level."""
    kernels = hg.compile(path)
    failures = 0
    for number, (body, text) in enumerate(forms.ACCEPTED):
        for backend in ("interpreter", "cpu"):
            kernel = kernels[f"k{number}"].configure(backend=backend)
            given = arguments()
            kernel[1, 8](*given.values())
            failures += compare(f"k{number}", backend, body, text, given["o"])
            if backend == "cpu" and kernel.last_launch.engine != "cpu":
                print(f"FAIL k{number} ran in {kernel.last_launch}: {body}")
                failures += 1
    given = arguments() | {"flag": np.bool_(False)}
    kernels[BY_FLAG][1, 8](*given.values())
    failures += 0 if (given["o"] == 0).all() else 1
    for name in forms.KERNELS:
        out = np.zeros(8, np.float32)
        kernels[name][1, 8](out)
        if not (out == 1).all():
            print(f"FAIL {name}: {out}")
            failures += 1
    return failures


def check_plain(path: Path) -> int:
    module = module_of(path)
    failures = 0
    for number, (body, text) in enumerate(forms.ACCEPTED):
        given = arguments()
        try:
            launch(getattr(module, f"k{number}"), 1, 8)(*given.values())
        except KernelError as error:
            print(f"FAIL k{number} as plain Python: {body}\n  {error}")
            failures += 1
            continue
        failures += compare(f"k{number}", "plain Python", body, text, given["o"])
    for name in forms.KERNELS:
        out = np.zeros(8, np.float32)
        launch(getattr(module, name), 1, 8)(out)
        failures += 0 if (out == 1).all() else 1
    return failures


def check_refused(folder: str) -> int:
    failures = 0
    for number, (body, words) in enumerate(forms.REFUSED):
        path = Path(folder) / f"refused_{number}.py"
        path.write_text(forms.HEAD + forms.source(body, "k"))
        outcomes = {}
        try:
            hg.compile(path)["k"]
            outcomes["compiler"] = "accepted"
        except CompileError as error:
            outcomes["compiler"] = str(error)
        try:
            launch(module_of(path).k, 1, 8)(*arguments().values())
            outcomes["plain Python"] = "accepted"
        except KernelError as error:
            outcomes["plain Python"] = str(error)
        for how, found in outcomes.items():
            if words not in found:
                print(f"FAIL {how}: {body}\n  got      {found}\n  expected {words}")
                failures += 1
    return failures


def check_ptx(path: Path, folder: str) -> int:
    """There is PTX of each; tests/ptx assembles that of every instruction."""
    assembly = f"{folder}/forms.hasm"
    subprocess.run([sys.argv[1], "compile", str(path), "--emit", "asm", "-o", assembly], check=True)
    failures = 0
    for number in range(len(forms.ACCEPTED)):
        command = [sys.argv[1], "compile", assembly, "--entry", f"k{number}", "--emit", "ptx"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0 or ".entry" not in done.stdout:
            print(f"FAIL k{number} has no PTX: {done.stderr}")
            failures += 1
    return failures


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder)
        if "HOLOGRAM_CPU_LEVEL" in os.environ:
            return 1 if check_compiled(path) else 0
        failures = check_plain(path) + check_refused(folder)
        failures += check_ptx(path, folder)
    for level in levels_here():
        again = [sys.executable, *sys.argv]
        environment = {**os.environ, "HOLOGRAM_CPU_LEVEL": level}
        failures += subprocess.run(again, check=False, env=environment).returncode
    print(f"{len(forms.ACCEPTED)} accepted, {len(forms.REFUSED)} refused; {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
