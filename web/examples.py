"""The examples of the pages, Python blocks and commands, and which of them the playground opens.

A block that is a kernel file is opened: the compiler and the verifier take its text as it is,
whatever else is in it. The comment before an example of language.md has its arguments. One that
launches a kernel of an earlier block, or a standard one, is opened with that kernel and its
arguments (continued.py), and so is a command on such a file (commands.py). The others run as whole
programs, but for those that have a reason (whole.py).
"""

from __future__ import annotations

import ast
import json
import subprocess
import tempfile
from pathlib import Path

import whole
from blocks import ROOT, Block, all_blocks, all_pages
from commands import Command, commands_of
from continued import Launch, launch_of


def all_commands() -> list[Command]:
    return [command for page, text in all_pages() for command in commands_of(page, text)]


def has_kernel(text: str) -> bool:
    """Whether a function of the module has arrays: anything else has no kernel for a page."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return any(
        "DeviceArray" in ast.unparse(argument.annotation)
        for function in functions
        for argument in function.args.args
        if argument.annotation is not None
    )


def has_more(text: str) -> bool:
    """Whether the block does more than define kernels: that part needs Python and NumPy."""
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return not all(
        isinstance(node, quiet)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.parse(text).body
    )


Values = dict[str, tuple[list[str], list[str]]]


def values_of(text: str) -> Values:
    """`x = 1 2 3; A(2x3) = 1`: extents, if there are some, and values by name."""
    found = {}
    for item in filter(str.strip, text.split(";")):
        name, _, values = item.partition("=")
        name, _, shape = name.strip().rstrip(")").partition("(")
        found[name] = (shape.split("x") if shape else [], values.split())
    return found


def array_text(extents: list[str], values: list[str]) -> str:
    if len(values) == 1:
        return f"full({values[0]}, {', '.join(extents)})"
    listed = f"[{', '.join(values)}]"
    return listed if len(extents) == 1 else f"reshape({listed}, {', '.join(extents)})"


def texts_for(document: dict, block: Block) -> dict[str, str]:
    """The arguments as expressions, if the page has them (tests/docs/language_test.py)."""
    given, expected = values_of(block.given), values_of(block.expected)
    kernels = [k for k in document["kernels"] if block.entry.startswith(k["name"])]
    if not given or not kernels:
        return {}
    lengths = [len(values) for _, values in (*given.values(), *expected.values())]
    size = given["n"][1][0] if "n" in given else str(max(lengths))
    texts = {}
    for parameter in max(kernels, key=lambda k: len(k["name"]))["params"]:
        name, kind = parameter["name"], parameter["type"]["kind"]
        if kind == "scalar":
            texts[name] = given[name][1][0]
        elif kind == "device_array":
            extents, values = given.get(name) or (expected[name][0], ["0"])
            texts[name] = array_text(extents or [size], values)
    return texts


def continued(block: Block, blocks: list[Block]) -> tuple[Block, Launch] | None:
    """The last block before it on its page that has the kernel that it launches, and the launch."""
    launch = None if has_kernel(block.text) else launch_of(block.text)
    if launch is None:
        return None
    if launch.is_standard:
        return standard_block(launch.kernel), launch
    before = [other for other in blocks if other.page == block.page and other.number < block.number]
    head = f"def {launch.kernel}("
    found = [other for other in before if head in other.text and has_kernel(other.text)]
    return (found[-1], launch) if found else None


def standard_block(kernel: str) -> Block:
    """The file of a kernel of hg.kernels."""
    files = sorted((ROOT / "kernels").rglob("*.py"))
    [path] = [path for path in files if f"def {kernel}(" in path.read_text(encoding="utf-8")]
    return Block("", 0, path.read_text(encoding="utf-8"), 0, kernel, "", "")


def texts_of(document: dict, launch: Launch) -> dict[str, str]:
    kernels = {kernel["name"]: kernel for kernel in document["kernels"]}
    parameters = kernels[launch.kernel]["params"]
    texts: dict[str, str] = {}
    arrays: dict[str, str] = {}  # names by texts: what is made of an argument before it
    for parameter, given in zip(parameters, launch.arguments, strict=True):
        text, name = given, parameter["name"]
        for known, short in arrays.items():
            text = text.replace(known, short)
        if parameter["type"]["kind"] == "device_array":
            arrays.setdefault(given, name)
        texts[name] = ast.unparse(ast.parse(text, mode="eval"))  # no brackets but those it needs
    return texts


def program_of(hologram: str, block: Block, launch: Launch | None, name: str) -> dict | None:
    """For the playground, if the command takes the block."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(block.text, encoding="utf-8")
        made = subprocess.run(
            [hologram, "compile", "kernel.py", "--emit", "json", "-o", "kernel.json"],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        checked = subprocess.run(
            [hologram, "verify", "kernel.py"],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        for done in (made, checked):
            if done.returncode != 0:
                print(f"{name} is not opened: {done.stderr.splitlines()[0]}")
                return None
        text = Path(folder, "kernel.json").read_text(encoding="utf-8").strip()
    page, _, number = name.removeprefix("doc-").rpartition("-")
    title = f"{page}.md, example {number}"
    note = [f'From the page <a href="../{page}.html">{page}</a>.']
    if launch is not None and launch.is_standard:
        note.append("It launches one of the standard kernels, which is shown here.")
    elif launch is not None:
        note.append(f"It launches the kernel of example {block.number}, which is shown here.")
    elif has_more(block.text):
        note.append("The page runs the kernels; what else is in the file needs Python with NumPy.")
    program = {"id": name, "title": title, "text": note, "python": block.text, "json": text}
    if launch is not None:
        shape = {"grid": launch.grid, "block": launch.block}
        arguments = texts_of(json.loads(text), launch)
        return {**program, **shape, "entry": launch.kernel, "arguments": arguments}
    if block.entry:
        program["entry"] = block.entry
    return {**program, "arguments": texts_for(json.loads(text), block)}


def program_of_command(hologram: str, command: Command) -> dict | None:
    block = Block(command.page, 0, command.source, 0, command.entry, "", "")
    if not has_kernel(command.source):
        return None
    program = program_of(hologram, block, None, command.id)
    if program is None:
        return None
    words = f'A command of the page <a href="../{command.page}.html">{command.page}</a>, on'
    program["title"] = f"{command.page}.md, a command on {command.file}"
    program["text"] = [f"{words} {command.file}."]
    shape = {"grid": command.grid, "block": command.lanes}
    return {**program, "view": command.view, "arguments": command.arguments, **shape}


def load_examples(hologram: str, with_numpy: bool) -> list[dict]:
    blocks, found = all_blocks(), []
    for block in blocks:
        if has_kernel(block.text):
            found.append(program_of(hologram, block, None, block.id))
        elif (launched := continued(block, blocks)) is not None:
            found.append(program_of(hologram, *launched, block.id))
    found += [program_of_command(hologram, command) for command in all_commands()]
    programs = [program for program in found if program is not None]
    opened, pages = {program["id"] for program in programs}, dict(all_pages())
    for block in blocks:
        if block.id not in opened and whole.reason_of(block, with_numpy) == "":
            programs.append(whole.program_of(block, blocks, pages[block.page]))
    return programs
