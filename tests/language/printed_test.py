"""What kernels print with formats, and the messages of asserts with values: the same text in the
interpreter, in native code of every level and as plain Python, and Python's own of the number.

usage: printed_test.py
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import guarded  # noqa: F401
import numpy as np
from levels import levels_here

import hologram as hg
from hologram.errors import CompileError
from hologram.simulator import launch

sys.dont_write_bytecode = True
OF_FLOATS = (
    ".3f", "10.2f", "<9.1f|", "^+11.3f", "08.2f", ".0f", "e", ".2e", "012.4E", "g", ".10g", "G",
    ".1%", "+", " ", "12", "x^14", "0>9", ",.2f", "_", ".3", ".12", "-.4f", ",", "*=+15.2e", "F",
)  # fmt: skip
OF_INTEGERS = (
    "d", "5d", "05d", "+d", "x", "08x", "#x", "#06X", "b", "#o", ",", "_x", "<7", "^9", "*=+8",
    ".1f", "e", "%", "12,.1f", "_b", ">+4",
)  # fmt: skip
FLOATS = (
    0.1,
    -0.1,
    1.5,
    2.5,
    -0.0,
    1e-5,
    123456.789,
    9.995,
    1e16,
    3e38,
    float("inf"),
    float("nan"),
)
INTEGERS = (0, 1, -1, 255, -4096, 123456789, 2**31 - 1, -(2**31))
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
REFUSED = (
    ('print(f"{x[i]:d}")', "':d' is not a format of f32 here"),
    ('print(f"{x[i]:.3q}")', "':.3q' is not a format of f32 here"),
    ('print(f"{i:.3d}")', "':.3d' is not a format of u32 here"),
    ('print(f"{i:*>+10,.2f}")', "is not a format of u32 here"),
    ('print(f"{x[i] < 1.0:5}")', "a bool has no format"),
    ('print(f"{x[i]:{i}}")', "is known when compiling"),
    ('print(f"{x[i]!a}")', "`!a`"),
    ('assert x[i] > 1.0, f"{x[i]:x}"', "':x' is not a format of f32 here"),
    ('assert x[i] > 1.0, f"{i > 1}"', "a bool has no format, and no place in the message"),
    ('assert x[i] > 1.0, f"a\\n{i}"', "one line of text"),
    ("assert x[i] > 1.0, x", "the message of an `assert` is a string"),
)
ASSERTS = (
    ('assert x[i] < 2.0, f"x[{i}] is {x[i]:.2f} of {n}"', "x[2] is 2.70 of 3: x[i] < 2.0 (i = 2)"),
    ('assert x[i] < 2.0, f"{{x[i]}} is {x[i]}"', "{x[i]} is 2.7: x[i] < 2.0 (i = 2)"),
    ('assert x[i] < 2.0 or i < 2, f"{x[i]:8.3e}|"', "2.700e+00|: x[i] < 2.0 or i < 2 (i = 2)"),
    ('assert x[i] < 2.0, f"{x[i + 1] if i < 2 else -1.0:g}"', "-1: x[i] < 2.0 (i = 2)"),
    ('t = x[i] * 2.0\n        assert t < 4.0, f"{t=}"', "t=5.4: t < 4.0 (t = 5.4)"),
    ('p = vec2(x[i], 1.0)\n        assert p.x < 2.0, f"{p}"', "vec2(2.7, 1.0): p.x < 2.0 (p_x = 2.7)"),
    ('assert x[i] < 2.0, f"plain"', "plain: x[i] < 2.0 (i = 2)"),
)  # fmt: skip
HEAD = "from hologram.lang import *\n\n\n"


def kernel(name: str, kind: str, body: str) -> str:
    lines = f"def {name}(x: DeviceArray[{kind}], n: u32):\n    i = get_global_id()\n"
    return f"{lines}    if i < n:\n        {body}\n\n\n"


def text_of(formats: tuple[str, ...]) -> str:
    return 'print(f"' + " ".join(f"{{x[i]:{f.rstrip('|')}}}" for f in formats) + '")'


def lines_of(kind: str, values: np.ndarray, formats: tuple[str, ...]) -> list[str]:
    """Of Python, of the number in f64; without a type the digits are those of its own type."""
    rows = []
    for value in values:
        texts = []
        for spec in (f.rstrip("|") for f in formats):
            number: Any = int(value) if kind == "i32" else float(value)
            if kind != "i32" and spec[-1] not in "eEfFgG%" and "." not in spec:
                number = float(str(value))
            texts.append(format(number, spec))
        rows.append(" ".join(texts))
    return rows


def numbers(kind: str) -> np.ndarray:
    if kind == "i32":
        return np.array(INTEGERS, np.int32)
    with np.errstate(over="ignore"):
        return np.array(FLOATS).astype(TYPES[kind])


def printed(run: Any) -> list[str]:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run()
    return shown.getvalue().splitlines()


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ways(path: Path, name: str, plain: bool) -> dict[str, Any]:
    """Ways to launch the kernel on one block of 32 lanes."""
    compiled = hg.compile(path)[name]
    found = {b: compiled.configure(grid=1, block=32, backend=b) for b in ("interpreter", "cpu")}
    if plain:
        found["plain Python"] = launch(getattr(load(path), name), 1, 32)
    return found


def check_prints(path: Path, plain: bool) -> list[str]:
    wrong = []
    for kind in (*TYPES, "i32"):
        formats = OF_INTEGERS if kind == "i32" else OF_FLOATS
        values = numbers(kind)
        wanted = lines_of(kind, values, formats)
        for way, run in ways(path, f"print_{kind}", plain).items():
            got = printed(lambda run=run, values=values: run(values, len(values)))
            wrong += [
                f"{kind}, {way}:\n  got      {a}\n  expected {b}"
                for a, b in zip(got, wanted, strict=False)
                if a != b
            ]
            if len(got) != len(wanted):
                wrong.append(f"{kind}, {way}: {len(got)} lines, expected {len(wanted)}")
    return wrong


def check_asserts(path: Path, plain: bool) -> list[str]:
    wrong = []
    for number, (_, words) in enumerate(ASSERTS):
        for way, run in ways(path, f"assert_{number}", plain).items():
            x = np.array([0.1, 1.5, 2.7], np.float32)
            try:
                run(x, 3)
                text = "no fault"
            except Exception as error:  # of which kind depends on the way
                text = str(error)
            # As plain Python a float that is listed behind the text has the digits of f64.
            wanted, text = words, text.split("\n")[0]
            if way == "plain Python":
                wanted, text = words.rpartition(" (")[0], text.rpartition(" (")[0]
            if not text.endswith(f"assertion failed: {wanted}"):
                wrong.append(f"assert {number}, {way}:\n  got      {text}\n  expected {words}")
    return wrong


def check_refused(folder: Path) -> list[str]:
    wrong = []
    for number, (body, words) in enumerate(REFUSED):
        path = folder / f"refused_{number}.py"
        path.write_text(HEAD + kernel("k", "f32", body))
        try:
            hg.compile(path)["k"]
            text = "is accepted"
        except CompileError as error:
            text = str(error)
        if words not in text or text.count("error:") != 1:
            wrong.append(f"{body}:\n  got      {text}\n  expected {words}")
    return wrong


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "printed.py"
        text = HEAD
        for kind in (*TYPES, "i32"):
            text += kernel(
                f"print_{kind}", kind, text_of(OF_INTEGERS if kind == "i32" else OF_FLOATS)
            )
        for number, (body, _) in enumerate(ASSERTS):
            text += kernel(f"assert_{number}", "f32", body)
        path.write_text(text)
        plain = "HOLOGRAM_CPU_LEVEL" not in os.environ
        wrong = check_prints(path, plain) + check_asserts(path, plain)
        if plain:
            wrong += check_refused(folder)
    for line in wrong:
        print("FAIL", line)
    failures = len(wrong)
    for level in levels_here() if plain else ():
        environment = {**os.environ, "HOLOGRAM_CPU_LEVEL": level}
        again = [sys.executable, *sys.argv]
        failures += subprocess.run(again, check=False, env=environment).returncode
    if plain:
        count = len(OF_FLOATS) + len(OF_INTEGERS)
        print(f"{count} formats, {len(ASSERTS)} messages, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
