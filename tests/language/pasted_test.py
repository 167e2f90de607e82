"""Every program of pasted/: the values that its author expected, with the same bits in the interpreter, in
native code, of a function of a running program and as plain Python, and PTX; or refused, in the words of refused.txt.

usage: pasted_test.py [--only WORDS | --bless]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import guarded  # noqa: F401
import numpy as np
from pasted import (
    PROGRAMS,
    Program,
    algebra,
    bits,
    coding,
    images,
    reductions,
    searching,
    signals,
    simulation,
    textbooks,
    values,
)

import hologram as hg
from hologram.simulator import launch

sys.dont_write_bytecode = True
LISTS = (
    algebra,
    bits,
    coding,
    images,
    reductions,
    searching,
    signals,
    simulation,
    textbooks,
    values,
)  # each adds some
WORDS = Path(__file__).with_name("pasted") / "refused.txt"
HEAD = "import math\nfrom typing import NamedTuple\n\nimport numpy as np\n\nfrom hologram.lang import *\n\n\n"


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    kernels = [value for value in vars(module).values() if hasattr(value, "_atlas_kernel")]
    assert len(kernels) == 1
    return kernels[0]._atlas_kernel


def refusal(path: Path) -> str | None:
    """The words of its errors, each on a line, without places."""
    try:
        hg.compile(path)
    except hg.CompileError as error:
        lines = str(error).splitlines()
        return "\n".join(line.partition("error: ")[2] for line in lines if ": error: " in line)
    return None


def said(error: Exception) -> str:
    """The words of a launch that is refused."""
    return str(error).splitlines()[0].partition(": error: ")[2]


def ways(program: Program, path: Path) -> dict[str, Callable[..., Any]]:
    function = load(path)
    plain = launch(function) if program.shape is None else launch(function, *program.shape)
    found: dict[str, Callable[..., Any]] = {"plain Python": plain}
    kernel = hg.kernel(function)
    for engine in ("interpreter", "cpu"):
        configured = kernel.configure(backend=engine)
        found[engine] = configured if program.shape is None else configured[program.shape]
    return found


def outputs(program: Program, path: Path) -> dict[str, list[Any]]:
    found = {}
    for way, run in ways(program, path).items():
        arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments()]
        run(*arguments)
        found[way] = [a for a in arguments if isinstance(a, np.ndarray)]
    return found


def bytes_of(array: Any) -> bytes:
    """Without what is between the fields of records."""
    fields = array.dtype.names
    return array.tobytes() if fields is None else b"".join(array[f].tobytes() for f in fields)


def same(found: Any, wanted: Any, near: float) -> bool:
    if found.dtype.names is not None:
        return all(np.array_equal(found[name], wanted[name]) for name in found.dtype.names)
    if not near:
        return bool(np.array_equal(found, np.asarray(wanted).astype(found.dtype)))
    return bool(np.allclose(found, wanted, rtol=near, atol=near))


def check(program: Program, folder: Path, known: dict[str, str]) -> str | None:
    path = folder / f"pasted_{PROGRAMS.index(program)}.py"
    path.write_text(HEAD + program.text + "\n")
    refused = refusal(path)
    if refused != known.get(program.name):
        return f"{refused or 'is accepted'}\n  expected: {known.get(program.name) or 'accepted'}"
    if refused is not None:
        return None
    try:
        found = outputs(program, path)
    except Exception as error:  # whatever it is, the program does not run
        fault = f"{type(error).__name__}: {error}"
        return None if known.get(f"{program.name} (launch)") == said(error) else fault
    first = found["interpreter"]
    for way, arrays in found.items():
        if any(bytes_of(a) != bytes_of(b) for a, b in zip(arrays, first, strict=True)):
            return f"{way} gives {arrays}, the interpreter {first}"
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments()]
    with np.errstate(all="ignore"):
        wanted = program.want(*given)
    several = wanted if isinstance(wanted, tuple) else (wanted,)
    for one, other in zip(first[-len(several) :], several, strict=True):
        if not same(one, other, program.near):
            return f"gives {one}, expected {other}"
    return None if program.without_ptx else ptx(path)


def ptx(path: Path) -> str | None:
    kernels = hg.compile(path)
    for name in kernels:
        try:
            if ".visible .entry" not in kernels[name].ptx():
                return f"{name} has no PTX"
        except hg.UnsupportedError as error:
            return str(error)
    return None


def read() -> dict[str, str]:
    """Blocks: the name of a program and the lines of its errors, indented."""
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
    for number, program in enumerate(PROGRAMS):
        path = folder / f"blessed_{number}.py"
        path.write_text(HEAD + program.text + "\n")
        refused = refusal(path)
        name = program.name
        if refused is None:
            try:
                outputs(program, path)
            except hg.Error as error:
                refused, name = said(error), f"{name} (launch)"
        if refused is not None:
            text.append("\n".join([name, *(f"  {line}" for line in refused.splitlines())]))
    WORDS.write_text("\n".join(text) + "\n")


def main() -> int:
    assert len(LISTS) == 10 and len({program.name for program in PROGRAMS}) == len(PROGRAMS)
    words = " ".join(sys.argv[2:]) if sys.argv[1:2] == ["--only"] else ""
    chosen = [program for program in PROGRAMS if words in program.name]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["--bless"]:
            bless(Path(folder))
        known = read()
        for program in chosen:
            problem = check(program, Path(folder), known)
            if problem is not None:
                failures += 1
                print(f"FAIL {program.name}: {problem}")
    refused = sum(
        1 for program in chosen if {program.name, f"{program.name} (launch)"} & set(known)
    )
    print(f"{len(chosen) - refused} programs accepted, {refused} refused, {failures} failures")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
