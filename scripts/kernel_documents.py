#!/usr/bin/env python3
"""Writes what is known of kernels/: docs/kernels.md, tables of docs/testing.md and docs/sigmatics.md, and the list
of names that `hologram kernels` and `hologram.kernels.overview()` print.

usage: kernel_documents.py HOLOGRAM [--check]

docs/kernels.md is made of the docstrings of the files but those of kernels/ops, which docs/ops.md
documents. They have a fixed form: the first paragraph says what is computed, then come lines that
start with "Arrays:", "Launch:" and "Accuracy:" (each may go on), then anything else. The table of
docs/testing.md counts what the verifier makes of every access, that of docs/sigmatics.md which
kernels are circuits and what that saves. --check writes nothing and fails if a document is not what
would be written, or a docstring has another form.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "kernels"
SUMMARY_WIDTH = 80
LABELS = ("Arrays", "Launch", "Accuracy")
GROUPS = {
    "elementwise": "Element by element",
    "activation": "Activations",
    "reduce": "Reductions, running sums, histograms",
    "linalg": "Vectors and matrices",
    "movement": "Moving elements",
    "nn": "Layers of neural networks",
    "loss": "Losses",
    "sort": "Sorting and selecting",
    "search": "Searching and optimising",
    "qsim": "Quantum circuits",
    "random": "Random numbers",
    "image": "Pictures",
    "simulation": "Simulation",
    "ops": "Operations of `hologram.ops`",
}
HEAD = """# Kernels

The standard library: one file each in `kernels/`, written to be read, and compiled in `stdlib.holo`, which wheels and
packages bring along: `hg.kernels.vector_add(a, b, c, n)`, `exec.kernel("vector_add")`, `hologram run vector_add`,
and `hologram kernels` lists them, as `hg.kernels.overview()` does. This page is made of their
docstrings by `scripts/kernel_documents.py`, and a test compares the two. `tests/kernels` runs each of them on the
interpreter, on x86-64-v3 and on x86-64-v4, demands equal bits of all three, and compares them with NumPy:
bit for bit where IEEE 754 defines the result, within the accuracy stated here elsewhere.

- Arrays are f32 unless said (T: each of the types that the file lists, one instance for each), row-major, and hold at
  least the elements that are named; scalars that count or index are u32. A unit in the last place (ulp) is as in
  `docs/math.md`.
- "One lane per element" means that a launch without a grid does it: `hologram run FILE --in ... --out ...`.
  "Lanes over (w, h)" means a grid and a block that together have at least w lanes in x and h in y.
- Sums of a block follow the fixed tree of `block_reduce_add`, so no result depends on the engine, the vector
  width, or which lane is first.
"""


class FormError(Exception):
    """A file that does not have the form."""


def parse(path: Path) -> tuple[dict[str, str], list[str]]:
    """({"What", "Arrays", "Launch", "Accuracy"}, the kernels of the file)."""
    tree = ast.parse(path.read_text(), str(path))
    text = ast.get_docstring(tree)
    if not text:
        raise FormError(f"{path.relative_to(ROOT)} has no docstring")
    paragraphs = text.split("\n\n")
    index = next((k for k, p in enumerate(paragraphs) if p.startswith("Arrays:")), None)
    if index is None or index == 0:
        raise FormError(f"{path.relative_to(ROOT)}: no paragraph starts with 'Arrays:'")
    found = {"What": " ".join(" ".join(paragraphs[:index]).split())}
    label = ""
    for line in paragraphs[index].splitlines():
        head, colon, rest = line.partition(":")
        if colon and head in LABELS:
            label = head
            found[label] = rest.strip()
        else:
            found[label] += " " + line.strip()
    missing = [name for name in LABELS if name not in found]
    if missing:
        raise FormError(f"{path.relative_to(ROOT)}: no line starts with '{missing[0]}:'")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    inline = [node for node in functions if "inline" in map(ast.unparse, node.decorator_list)]
    return found, [node.name for node in functions if node not in inline]


def instances(path: Path) -> list[str]:
    """The kernels of a file; those with a type variable as often as it has types."""
    text = path.read_text()
    types = re.search(r'^T = TypeVar\("T", (.*)\)$', text, re.MULTILINE)
    names = parse(path)[1]
    if not types:
        return names
    return [f"{name}_{kind}" for name in names for kind in types[1].split(", ")]


def kernels_page() -> str:
    lines = [HEAD]
    files = sorted(KERNELS.rglob("*.py"))
    for path in files:
        if path.parent.name not in GROUPS or path.parent.parent != KERNELS:
            raise FormError(f"{path.relative_to(ROOT)} is in no group of kernel_documents.py")
    for folder, title in GROUPS.items():
        lines += [f"## {title}: `kernels/{folder}`", ""]
        if folder == "ops":  # docs/ops.md has a row for each
            count = sum(path.parent.name == folder for path in files)
            lines += [
                f"{count} files, generic over types, beside those that the build writes of `operations/`:",
                "[ops.md](ops.md) has what they do.",
                "",
            ]
            continue
        lines += ["| file | computes | arrays | launch | accuracy |", "|---|---|---|---|---|"]
        for path in files:
            if path.parent.name != folder:
                continue
            found, names = parse(path)
            shown = f"`{path.stem}`"
            if names != [path.stem]:
                shown += ": " + ", ".join(f"`{name}`" for name in names)
            cells = [shown, found["What"], *(found[label] for label in LABELS)]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def summary(what: str) -> str:
    """The first sentence; of a long one what comes before a semicolon, a colon, or a comma outside of brackets."""
    text = re.split(r"(?<!\.)\. ", what)[0].rstrip(".")
    for mark in ("; ", ": ", ", "):
        cuts = [found.start() for found in re.finditer(mark, text[:SUMMARY_WIDTH])]
        whole = [
            cut
            for cut in cuts
            if all(text[:cut].count(a) == text[:cut].count(b) for a, b in ("()", "[]"))
        ]
        if len(text) > SUMMARY_WIDTH and whole:
            text = text[: whole[-1]]
    return text


def summaries() -> str:
    """python/hologram/standard_kernels.txt: groups, and below each its kernels, those of a file on a line."""
    lines = []
    for folder, title in GROUPS.items():
        if folder == "ops":
            continue
        lines.append(title)
        for path in sorted((KERNELS / folder).glob("*.py")):
            found, names = parse(path)[0], instances(path)
            lines.append("\t" + " ".join(names) + "\t" + summary(found["What"]))
    return "\n".join(lines) + "\n"


def accesses(hologram: str, files: list[str]) -> tuple[list[tuple[str, bool, str]], int]:
    """((file, proved, access) of every access, how many are refused)."""
    command = [hologram, "verify", "--explain", "--level", "none", *files]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    rows = [re.match(r"(\S+?):\d+:\d+: (proved|guarded) +(.*?)  ", line)
            for line in result.stdout.splitlines()
            if not re.match(r"\S+?:\d+:\d+: (race|lanes) ", line)]  # fmt: skip
    if not rows or None in rows:
        raise FormError("verify --explain printed a line that is not understood")
    refused = len(re.findall(r": error: ", result.stderr))
    if result.returncode != 0 and refused == 0:
        raise FormError(f"verify failed: {result.stderr.strip()}")
    return [(row[1], row[2] == "proved", row[3]) for row in rows], refused


def acceptance(hologram: str) -> str:
    """The table for docs/testing.md."""
    files = [str(path.relative_to(ROOT)) for path in sorted(KERNELS.rglob("*.py"))]
    shown = [name for name in files if not name.startswith("kernels/ops/")]
    found, refused = accesses(hologram, shown)
    with tempfile.TemporaryDirectory() as folder:
        generator = [sys.executable, "-I", "-S", ROOT / "operations/generator", "kernels"]
        subprocess.run([*generator, folder], check=True)
        of_ops = [name for name in files if name not in shown]
        of_ops += sorted(str(path) for path in Path(folder).glob("*.py"))
        ops, ops_refused = accesses(hologram, of_ops)
    proved = sum(is_proved for _, is_proved, _ in found)
    guarded = [
        f"`{access}` ({Path(name).stem})" for name, is_proved, access in found if not is_proved
    ]
    if ops_refused or not all(is_proved for _, is_proved, _ in ops):
        raise FormError("an access of a kernel of hg.ops is not proved")
    return (
        "## Acceptance\n\n"
        "What the verifier makes of every access of every kernel in `kernels/`, "
        f"{len(shown)} files (`scripts/kernel_documents.py`\nwrites this table from "
        "`hologram verify --explain`):\n\n"
        "| | accesses | which |\n|---|---|---|\n"
        f"| proved, no check in the code | {proved} | |\n"
        f"| guarded, checked where it happens | {len(guarded)} | {', '.join(guarded)}: "
        "no bounds of the index are known before it is computed |\n"
        f"| refused | {refused} | |\n\n"
        "In the kernels of `operations/` and `kernels/ops`, all instances together, every access is proved.\n"
        "Reads at any strides, which may lead backwards, rest on what the launch knows of the strides.\n\n"
    )


def stats(hologram: str, files: list[str], *options: str) -> dict[str, dict[str, str]]:
    """What compile --stats prints of each kernel, by its name."""
    command = [hologram, "compile", *files, "--emit", "asm", "-o", "/dev/null", "--stats", *options]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    line = re.compile(
        r"Compiled (?P<name>\w+): (?:(?P<ops>\d+) ops?(?: -> (?P<left>\d+) ops?.*?)?, )?"
        r"(?P<instructions>\d+) instructions, (?P<kind>element-wise|rows|no circuit)"
    )
    found = [match.groupdict() for match in map(line.match, result.stderr.splitlines()) if match]
    if result.returncode != 0 or not found:
        raise FormError(f"compile --stats failed: {result.stderr.strip()}")
    return {row["name"]: row for row in found}


def circuits(hologram: str) -> str:
    """The table for docs/sigmatics.md."""
    files = [path for path in sorted(KERNELS.rglob("*.py")) if path.parent.name != "ops"]
    shown = [str(path.relative_to(ROOT)) for path in files]
    written, canonical = stats(hologram, shown), stats(hologram, shown, "--canonical")
    lines = [
        "### The kernels of the tree\n",
        "`scripts/kernel_documents.py` writes this table from `hologram compile --stats`, with and without "
        "`--canonical`.\nOperations and instructions are those of the kernels that are circuits, as they are "
        "written and by way of their\ncircuits; their texts are in `tests/kernels/circuits.txt`.\n",
        "| `kernels/` | kernels | element by element | rows | operations | instructions | no circuits |",
        "|---|---|---|---|---|---|---|",
    ]
    sums = [0] * 7

    def row(title: str, counts: list[int], others: str) -> str:
        cells = [*counts[:3], f"{counts[3]} -> {counts[4]}", f"{counts[5]} -> {counts[6]}"]
        return f"| {title} | " + " | ".join(map(str, cells)) + f" | {others} |"

    for folder in GROUPS:
        names = [name for path in files if path.parent.name == folder for name in instances(path)]
        mine = [name for name in names if canonical[name]["kind"] != "no circuit"]
        if not names:
            continue
        counts = [
            len(names),
            sum(canonical[name]["kind"] == "element-wise" for name in mine),
            sum(canonical[name]["kind"] == "rows" for name in mine),
            sum(int(canonical[name]["ops"]) for name in mine),
            sum(int(canonical[name]["left"]) for name in mine),
            sum(int(written[name]["instructions"]) for name in mine),
            sum(int(canonical[name]["instructions"]) for name in mine),
        ]
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        others = ", ".join(f"`{name}`" for name in names if name not in mine)
        lines.append(row(f"`{folder}`", counts, others))
    lines += [row("all", sums, str(sums[0] - sums[1] - sums[2])), "", ""]
    return "\n".join(lines)


def main() -> int:
    check = "--check" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    testing = ROOT / "docs" / "testing.md"
    try:
        hologram = str(Path(arguments[0]).resolve())
        before, rest = testing.read_text().split("## Acceptance\n", 1)
        table = acceptance(hologram)
        sigmatics = ROOT / "docs" / "sigmatics.md"
        above, below = sigmatics.read_text().split("### The kernels of the tree\n", 1)
        documents = {
            ROOT / "docs" / "kernels.md": kernels_page(),
            ROOT / "python/hologram/standard_kernels.txt": summaries(),
            sigmatics: above + circuits(hologram) + below[below.index("### ") :],
            testing: before + table + rest[rest.index("## ") :],
        }
    except FormError as problem:
        print(f"error: {problem}")
        return 1
    stale = [path for path, text in documents.items()
             if not path.exists() or path.read_text() != text]  # fmt: skip
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/kernel_documents.py")
        else:
            path.write_text(documents[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
