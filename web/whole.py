"""Python blocks of the pages that run as whole programs, in Python with the package: those that are
not kernel files. not_opened.json has the reason for each of the others.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import ROOT, Block

REASONS: dict[str, str] = json.loads(
    Path(__file__).with_name("not_opened.json").read_text(encoding="utf-8")
)
# What differs in a page: the engine, as the package calls it, and NumPy's own integers, which have
# 32 bits there, so that it does not write their type.
IN_A_PAGE = ((re.compile(r"native \([^)]*\)"), "interpreter"), (re.compile(", dtype=int32"), ""))
WITHOUT_NUMPY = {"hologram.cycle768", "hologram.lang"}
# What the page says before it loads them; pages.py knows how large they are.
LOADS_PYTHON, LOADS_NUMPY = "Python", "Python and NumPy"
NO_NUMPY = "It needs NumPy, which this site was built without."
RUN = re.compile(r"^\$ python3 (\w+\.py)$", re.MULTILINE)


def files_before(block: Block, blocks: list[Block]) -> dict[str, str]:
    """The files that the page shows before a block."""
    before = [b for b in blocks if b.page == block.page and b.number < block.number]
    return {other.file: other.text for other in before if other.file}


def commands_before(block: Block, page: str) -> list[str]:
    """The programs that the page has run before a block; what they write, it may read."""
    return RUN.findall(page[: block.end - len(block.text)])


def needs_numpy(text: str) -> bool:
    """Whether a program imports NumPy, itself or by the parts of the package that it uses."""
    imports: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "hologram":
            imports += [f"hologram.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append(node.module or "")
    return any(
        name == "numpy" or name.startswith("hologram") for name in {*imports} - WITHOUT_NUMPY
    )


def foreign_imports(block: Block, files: dict[str, str]) -> list[str]:
    """Modules that a program imports and a page does not have."""
    imports: set[str] = set()
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Import):
            imports |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imports.add(node.module.split(".")[0])
    shown = {name.removesuffix(".py") for name in files}
    return sorted(imports - sys.stdlib_module_names - shown - {"hologram", "numpy"})


def has_numpy(playground: Path) -> bool:
    """Whether a site has NumPy for its programs."""
    text = (playground / "pyodide/pyodide-lock.json").read_text(encoding="utf-8")
    return "numpy" in json.loads(text)["packages"]


def reason_of(block: Block, with_numpy: bool) -> str:
    """Why the playground does not open a block; empty if it does."""
    if block.id in REASONS:
        return REASONS[block.id]
    return NO_NUMPY if not with_numpy and needs_numpy(block.text) else ""


def program_of(block: Block, blocks: list[Block], page: str) -> dict:
    files = files_before(block, blocks)
    if foreign := foreign_imports(block, files):
        raise SystemExit(
            f"{block.page}.md: example {block.number} imports {', '.join(foreign)}, which a page"
            f" does not have; not_opened.json needs a reason for {block.id}"
        )
    reads = re.findall(r'"(\w+\.(?:npy|raw|holo))"', block.text)
    makers = [name for name in commands_before(block, page) if name in files]
    needed = [name for name in makers if any(f'save("{r}"' in files[name] for r in reads)]
    imported = [name for name in files if re.search(rf"\b{name.removesuffix('.py')}\b", block.text)]
    wanted = {name: files[name] for name in files if name in imported or name in needed}
    for name in needed:
        text = files[name]
        wanted |= {f: files[f] for f in files if re.search(rf"\b{f.removesuffix('.py')}\b", text)}
    link = f'<a href="../{block.page}.html">{block.page}</a>'
    return {
        "id": block.id,
        "title": f"{block.page}.md, example {block.number}",
        "text": [f"From the page {link}. It runs as a whole, its kernels in the interpreter."],
        "python": block.text,
        "program": True,
        "loads": LOADS_NUMPY if needs_numpy(block.text) else LOADS_PYTHON,
        "files": wanted,
        "before": needed,
    }  # fmt: skip


def printed(program: dict) -> str:
    """What it prints natively, but for IN_A_PAGE."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "build/release/python"),
        "HOLOGRAM_JIT": str(ROOT / "build/release/lib/libhologram_jit.so"),
        "HOLOGRAM_CACHE_DIR": "",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**program["files"], "program.py": program["python"]}.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        for name in [*program["before"], "program.py"]:
            done = subprocess.run(
                [sys.executable, name],
                cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
    text = done.stdout.replace(f"{Path(folder).resolve()}/", "")
    for pattern, there in IN_A_PAGE:
        text = pattern.sub(there, text)
    return text
