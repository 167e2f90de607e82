#!/usr/bin/env python3
"""Launches of the pages have the same arguments in the playground as in Python.

usage: examples_test.py HOLOGRAM.WASM SITE
The statements before a launch are run with NumPy, and what its arguments are is compared with what
the expressions of the playground give. That the results are those of native code is a test of the
build (build_programs.py) and of the page (browser_test.py).
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WEB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(WEB))
from continued import Launch, launch_of  # noqa: E402
from examples import all_blocks, continued  # noqa: E402

FEWEST = 9


def values_in_python(launch: Launch) -> list[object]:
    """Statements that need more than NumPy make nothing that the launch needs."""
    names: dict[str, object] = {"np": np}
    for statement in launch.before:
        try:
            exec(compile(ast.Module([statement], []), "block", "exec"), names)
        except NameError:
            continue
    made = [compile(ast.Expression(value), "block", "eval") for value in launch.values]
    return [eval(code, names) for code in made]


def errors_of(wasm: str, program: dict, launch: Launch) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["node", str(WEB / "arguments.mjs"), wasm, folder],
            input=json.dumps(program), stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        made = json.loads(done.stdout)
        if made["hash"] == "":
            return [f"{program['id']} is refused"]
        errors = []
        options = list(zip(made["options"], made["options"][1:], strict=False))
        scalars = dict(text.split("=") for option, text in options if option == "--set")
        names = list(program["arguments"])
        for name, value in zip(names, values_in_python(launch), strict=True):
            if isinstance(value, np.ndarray):
                found = np.load(f"{folder}/{name}.npy")
                same = np.array_equal(found.ravel(), value.ravel())
            else:
                same = float(scalars[name]) == float(value)  # type: ignore[arg-type]
            if not same:
                errors.append(f"{program['id']}: {name} is another one in the playground")
    return errors


def reader_errors() -> list[str]:
    """Blocks whose launch is read wrongly: the arguments that the playground gets, or None where it
    cannot make the launch."""
    begin = "import numpy as np\nfrom k import f\nx = np.zeros(4)\n"
    wanted = {
        "f(x, 4)": ["zeros(4)", "4"],
        "f[2, 8](x + 1, -4)": ["(zeros(4) + 1)", "-4"],
        "x[:] = 3\nf(x, 4)": None,
        "f(np.random.rand(4), 4)": None,
        "g(x, 4)": None,
        "f(x, n=4)": None,
        "f[2](x, 4)": None,
    }
    found = {text: launch_of(begin + text) for text in wanted}
    return [
        f"{text!r} is read as {found[text]}"
        for text, arguments in wanted.items()
        if (found[text].arguments if found[text] is not None else None) != arguments
    ]


def main() -> int:
    wasm, site = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    text = (site / "playground/examples.json").read_text(encoding="utf-8")
    programs = {program["id"]: program for program in json.loads(text)}
    errors, count, blocks = reader_errors(), 0, all_blocks()
    for block in blocks:
        launched = continued(block, blocks)
        if launched is None:
            continue
        count += 1
        if block.id in programs:
            errors += errors_of(wasm, programs[block.id], launched[1])
        else:
            errors.append(f"{block.id} is not opened")
    if count < FEWEST:
        errors.append(f"{count} launches of the pages are opened, {FEWEST} were")
    for error in errors:
        print("FAIL", error)
    print(f"examples: {count} launches of kernels of earlier blocks, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
