"""Every form of tries/: accepted with the values that its author expected, in the interpreter, in native code and as
plain Python, and PTX; or refused, in the words of refused.txt, which say what to write.

usage: first_tries_test.py [--only WORDS | --bless]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

import guarded  # noqa: F401
import numpy as np
from device import missing
from tries import (
    FORMS,
    KINDS,
    Form,
    N,
    control,
    fifth,
    fourth,
    functions,
    helpers,
    later,
    numbers,
    parallel,
    second,
    third,
)

import hologram as hg
from hologram.simulator import launch

sys.dont_write_bytecode = True
LISTS = (
    control,
    numbers,
    functions,
    helpers,
    parallel,
    later,
    second,
    third,
    fourth,
    fifth,
)  # each adds its forms
WORDS = Path(__file__).with_name("tries") / "refused.txt"
BLOCK = 32
HEAD = "from hologram.lang import DeviceArray, f32, f64, get_global_id, i32, i64, u32, u64\n"
# NumPy's power is not rounded as `sqrt` is, nor are its sine and cosine.
NEAR = ("square root by power", "roots of unity", "cis of a double")


def source(form: Form) -> str:
    kind = KINDS[form.kind][0]
    body = "\n".join(f"        {line}" if line else "" for line in form.body.split("\n"))
    kernel = f"def k(x: DeviceArray[{kind}], y: DeviceArray[{kind}], n: u32):\n    i = get_global_id()\n    if i < n:\n"
    return f"{HEAD}\n{form.before}\n\n\n{kernel}{body}\n"


def refusal(path: Path) -> str | None:
    """The words of its errors, each on a line, without places."""
    try:
        hg.compile(path)
    except hg.CompileError as error:
        lines = str(error).splitlines()
        return "\n".join(line.partition("error: ")[2] for line in lines if ": error: " in line)
    return None


def outputs(form: Form, path: Path) -> dict[str, Any]:
    x = KINDS[form.kind][1]
    found: dict[str, Any] = {}
    shape = {"grid": N // BLOCK, "block": BLOCK}
    for engine in ("interpreter", "cpu"):
        y = np.zeros_like(x)
        hg.compile(path)["k"].configure(backend=engine, **shape)(x.copy(), y, N)
        found[engine] = y
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    y = np.zeros_like(x)
    launch(module.k, N // BLOCK, BLOCK)(x.copy(), y, N)
    found["plain Python"] = y
    return found


def agrees(form: Form, found: Any, wanted: Any) -> bool:
    if form.name in NEAR:
        return bool(np.allclose(found, wanted, rtol=2e-6, equal_nan=True))
    return bool(np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f"))


def check(form: Form, folder: Path, known: dict[str, str]) -> str | None:
    path = folder / f"try_{FORMS.index(form)}.py"
    path.write_text(source(form))
    refused = refusal(path)
    if refused != known.get(form.name):
        return f"{refused or 'is accepted'}\n  expected: {known.get(form.name) or 'accepted'}"
    if refused is not None:
        return None
    try:
        found = outputs(form, path)
    except Exception as error:  # a fault is an answer, too
        fault = f"fault: {str(error).partition(': ')[2]}"
        return None if known.get(form.name, known.get(f"{form.name} (fault)")) == fault else fault
    x = KINDS[form.kind][1]
    with np.errstate(all="ignore"):
        wanted = np.asarray(form.want(x.copy())).astype(x.dtype)
    for way, result in found.items():
        if result.tobytes() != found["interpreter"].tobytes():
            return f"{way} gives {result}, the interpreter {found['interpreter']}"
        if not agrees(form, result, wanted):
            return f"gives {result}, expected {wanted}"
    return missing(hg.compile(path))


def read() -> dict[str, str]:
    """Blocks: the name of a form and the lines of its errors, indented."""
    known: dict[str, list[str]] = {}
    name = ""
    for line in WORDS.read_text().splitlines():
        if line.startswith("  "):
            known[name].append(line[2:])
        elif line:
            name = line
            known[name] = []
    return {name: "\n".join(lines) for name, lines in known.items()}


def bless(folder: Path) -> None:
    """Writes refused.txt anew. A reader of the diff checks that each refusal says what to write."""
    text = []
    for form in FORMS:
        path = folder / f"try_{FORMS.index(form)}.py"
        path.write_text(source(form))
        refused = refusal(path)
        name = form.name
        if refused is None:
            try:
                outputs(form, path)
            except Exception as error:
                refused, name = f"fault: {str(error).partition(': ')[2]}", f"{name} (fault)"
        if refused is not None:
            text.append("\n".join([name, *(f"  {line}" for line in refused.splitlines())]))
    WORDS.write_text("\n".join(text) + "\n")


def main() -> int:
    assert len(LISTS) == 10 and len({form.name for form in FORMS}) == len(FORMS)
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["--bless"]:
            bless(Path(folder))
        words = " ".join(sys.argv[2:]) if sys.argv[1:2] == ["--only"] else ""
        chosen = [form for form in FORMS if words in form.name]
        known = read()
        failures = 0
        for form in chosen:
            problem = check(form, Path(folder), known)
            if problem is not None:
                failures += 1
                print(f"FAIL {form.name}: {problem}")
    refused = sum(1 for form in chosen if form.name in known)
    print(f"{len(chosen) - refused} forms accepted, {refused} refused, {failures} failures")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
