#!/usr/bin/env python3
"""Writes src/frontend/library.inc: the functions of python/hologram/lang_library as kernel JSON.

usage: library_document.py [--check]

A row for each helper. The documents have no positions: where a kernel calls such a function, its code
stands at the call. Fragments that occur often are single characters, which their rows explain. --check
writes nothing and fails if the file is not what would be written.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from hologram.frontend import names  # noqa: E402
from hologram.frontend.diagnostics import Diagnostics  # noqa: E402
from hologram.frontend.document import compile_helpers  # noqa: E402
from hologram.frontend.source import read_source  # noqa: E402
from hologram.frontend.syntax import parse  # noqa: E402

SOURCES = ROOT / "python" / "hologram" / "lang_library"
TARGET = ROOT / "src" / "frontend" / "library.inc"
POSITION = ("line", "col", "end_line", "end_col")
WIDTH = 100
# No JSON of a helper has these characters. Longer fragments come before those that they contain.
FRAGMENTS = {
    "`": '{"type":"let","name":"',
    "~": '","value":{"type":"call","function":"',
    "@": '{"type":"call","function":"',
    "!": '{"type":"binary_op","op":"',
    "#": '{"type":"literal","value":',
    "$": '{"type":"var","name":"',
    "%": ',"kind":"float"}',
    "^": ',"kind":"int"}',
    "&": '"},"right":',
    "*": '],"kwargs":{}}',
    ";": '","args":[',
    "<": ',"right":',
    ">": '","left":',
    "?": '{"kind":"scalar","type":"',
    "|": '{"name":"',
    "/": '","type":',
    "'": '","value":',
    "=": '"},',
}


def without_positions(node: object) -> object:
    if isinstance(node, list):
        return [without_positions(item) for item in node]
    if isinstance(node, dict):
        return {k: without_positions(v) for k, v in node.items() if k not in POSITION}
    if isinstance(node, float) and not math.isfinite(node):
        return str(node)  # as hologram.frontend.json_writer has them
    return node


def helpers() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for path in sorted(SOURCES.glob("*.py")):
        source = read_source(str(path))
        diagnostics = Diagnostics(source)
        tree = parse(source, diagnostics)
        assert tree is not None, diagnostics.render()
        found += compile_helpers(tree, source, diagnostics)
    return sorted(found, key=lambda helper: str(helper["name"]))


def shortened(text: str) -> str:
    for character in FRAGMENTS:
        assert character not in text, f"{character} is in a helper; choose another one"
    for character, fragment in FRAGMENTS.items():
        text = text.replace(fragment, character)
    return text


def rows(head: str, text: str, tail: str) -> str:
    lines = [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]
    return head + "\n" + "".join(f'R"j({line})j"\n' for line in lines) + tail + "\n"


def document(found: list[dict[str, object]]) -> str:
    text = "// Written by scripts/library_document.py from lang_library/*.py; do not edit.\n"
    for character, fragment in FRAGMENTS.items():
        shown = "\\'" if character == "'" else character
        text += f"FRAGMENT('{shown}', R\"j({fragment})j\")\n"
    for helper in found:
        written = json.dumps(without_positions(helper), separators=(",", ":"))
        text += rows(f'HELPER("{helper["name"]}",', shortened(written), ")")
    return text


def main() -> int:
    found = helpers()
    public = {str(row["name"]).partition("__")[0] for row in found if str(row["name"])[0] != "_"}
    assert public == set(names.LIBRARY), public ^ set(names.LIBRARY)
    wanted = document(found)
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(wanted)
        return 0
    if TARGET.read_text() == wanted:
        return 0
    print(f"{TARGET} is stale; run scripts/library_document.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
