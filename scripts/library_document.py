#!/usr/bin/env python3
"""Writes src/frontend/library.inc: the functions of src/frontend/library/*.py as kernel JSON.

usage: library_document.py [--check]

The document has no positions: where a kernel calls such a function, its code stands at the call. --check
writes nothing and fails if the file is not what would be written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from hologram.frontend.diagnostics import Diagnostics  # noqa: E402
from hologram.frontend.document import compile_helpers  # noqa: E402
from hologram.frontend.source import read_source  # noqa: E402
from hologram.frontend.syntax import parse  # noqa: E402

SOURCES = ROOT / "src" / "frontend" / "library"
TARGET = ROOT / "src" / "frontend" / "library.inc"
POSITION = ("line", "col", "end_line", "end_col")
WIDTH = 100


def without_positions(node: object) -> object:
    if isinstance(node, list):
        return [without_positions(item) for item in node]
    if isinstance(node, dict):
        return {k: without_positions(v) for k, v in node.items() if k not in POSITION}
    return node


def document() -> str:
    helpers: list[object] = []
    for path in sorted(SOURCES.glob("*.py")):
        source = read_source(str(path))
        diagnostics = Diagnostics(source)
        tree = parse(source, diagnostics)
        assert tree is not None, diagnostics.render()
        helpers += compile_helpers(tree, source, diagnostics)
    whole = {"version": "1.1", "helpers": without_positions(helpers), "kernels": []}
    text = json.dumps(whole, separators=(",", ":"))
    lines = [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]
    head = "// Written by scripts/library_document.py from library/*.py; do not edit.\n"
    return head + "".join(f'R"json({line})json"\n' for line in lines)


def main() -> int:
    wanted = document()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(wanted)
        return 0
    if TARGET.read_text() == wanted:
        return 0
    print(f"{TARGET} is stale; run scripts/library_document.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
