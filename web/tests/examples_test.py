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
from blocks import all_blocks  # noqa: E402
from commands import commands_of  # noqa: E402
from continued import Launch, launch_of  # noqa: E402
from examples import continued  # noqa: E402

FEWEST = 12
FAULTS = {"doc-python-6"}  # the page shows its error


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
        refused = made["hash"] == ""
        errors = []
        if refused != (program["id"] in FAULTS):
            errors.append(f"{program['id']} is {'refused' if refused else 'not refused'}")
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
        "for a in ((x, 4), (x, 5)):\n    try:\n        f(*a)\n    finally:\n        pass": [
            "zeros(4)",
            "4",
        ],
        "if x:\n    x = np.ones(3)\nelse:\n    f(x, 4)": ["zeros(4)", "4"],
        "files = hg.load('f.holo')\nfiles.f(x, 3)": ["zeros(4)", "3"],
        "hg.kernels.fill(x, 2.0)": ["zeros(4)", "2.0"],
        "f(np.array([1, 2], 'i4'), 2)": ["[1, 2]", "2"],
    }
    found = {text: launch_of(begin + text) for text in wanted}
    return [
        f"{text!r} is read as {found[text]}"
        for text, arguments in wanted.items()
        if (found[text].arguments if found[text] is not None else None) != arguments
    ]


PAGE = """
```python file=k.py
def f(x):
    x[i + 1] = 2.0
```

```console
$ python3 -c "import numpy; numpy.save('x.npy', 2 * numpy.arange(8, dtype='f4'))"
$ hologram run k.py --in x=x.npy --out y=y.npy:f32:2x4 --set n=8 --grid 2 --block 4; ls y.npy
$ hologram verify k.py --explain --level v4 | head -n 1
$ hologram compile k.py -o k.holo 2>&1
$ sed -i 's/x\\[i + 1\\]/x[i]/' k.py
$ hologram run k.holo --in x=x.npy --stream
$ hologram run k.py --in x=other.npy --set n=8
$ hologram run k.py --in x=x.npy --set n=8 --time
$ hologram run other.py --in x=x.npy
$ sed -i 's/x.*//' k.py
$ hologram run k.py --in x=x.npy
$ hologram run 'k.py
```
"""


def command_errors() -> list[str]:
    """What is read of a page's commands: those that are opened, the file as it is by then, and the
    arguments; a file that a command makes in another way is not known."""
    found = [
        (c.view, c.source.splitlines()[-1].strip(), c.arguments, c.grid, c.lanes)
        for c in commands_of("p", PAGE)
    ]
    arguments = {"x": "2 * arange(8)", "y": "zeros(2, 4)", "n": "8"}
    wanted = [
        ("result", "x[i + 1] = 2.0", arguments, "2", "4"),
        ("explain", "x[i + 1] = 2.0", {}, "", ""),
        ("result", "x[i] = 2.0", {"x": "2 * arange(8)", "n": "8"}, "", ""),
    ]
    return [] if found == wanted else [f"the commands are read as {found}"]


def main() -> int:
    wasm, site = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    text = (site / "playground/examples.json").read_text(encoding="utf-8")
    programs = {program["id"]: program for program in json.loads(text)}
    errors, count, blocks = [*reader_errors(), *command_errors()], 0, all_blocks()
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
