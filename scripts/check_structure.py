#!/usr/bin/env python3
"""Counts data members of the classes of src/, and switches over opcodes that have a default.

A class with many members is one whose state nobody can follow; a `default:` hides the instruction
that was forgotten. Fails for a class with more than LIMIT members, and for such a default: an engine
switches over all instructions, an analysis that assumes the worst of those it does not know asks for
some by name (src/isa/opcode_set.h). The figures come from a simple reader of C++ that knows comments,
literals and brackets: a data member is a declaration in the braces of a class or struct that
declares neither a function nor a type and is neither static nor an alias. A switch is one over opcodes
if the label of a case of its own names an `Opcode::`.
"""

from __future__ import annotations

import pathlib
import re
import sys

LIMIT = 25  # data members of a class
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?(?::[^;{}()]*)?\{"
)
OTHER = re.compile(r"^(using|typedef|friend|static|template|enum|class|struct|union|constexpr)\b")
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
SWITCH = re.compile(r"\bswitch\s*\(")


def end_of(text: str, start: int) -> int:
    """Where the bracket at `start` is closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    return len(text)


def flat(body: str) -> str:
    """A body without what is in its braces; what they end ends there if it is a function or type."""
    out = []
    at = 0
    while at < len(body):
        if body[at] == "{":
            at = end_of(body, at)
            rest = body[at + 1 :].lstrip()
            out.append("{}" if rest[:1] in (";", ",") else "{};")
        else:
            out.append(body[at])
        at += 1
    return "".join(out)


def without_templates(text: str) -> str:
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def members(body: str) -> int:
    count = 0
    for statement in ACCESS.sub("", flat(body)).split(";"):
        text = re.sub(r"^(\[\[\w+\]\]|alignas\([^)]*\)|mutable|\s)+", "", statement)
        text = re.sub(r"\{\}|=.*", "", text, flags=re.DOTALL).strip()
        if not text or OTHER.match(text) or text.startswith(("#", "~")):
            continue
        text = without_templates(text)
        if "(" in text and "(*" not in text:
            continue
        if re.search(r"\w[\s*&]+\w", text):
            count += 1 + text.count(",")
    return count


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    largest: list[tuple[int, str]] = []
    defaults: list[str] = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in {".h", ".cc"}:
            continue
        text = NOISE.sub(lambda m: " " + "\n" * m[0].count("\n"), path.read_text())
        name = str(path.relative_to(root))
        for found in CLASS.finditer(text):
            body = text[found.end() : end_of(text, found.end() - 1)]
            largest.append((members(body), f"{found[1]} ({name})"))
        for found in SWITCH.finditer(text):
            head = end_of(text, found.end() - 1)
            brace = text.find("{", head)
            body = flat(text[brace + 1 : end_of(text, brace)])
            if re.search(r"\bdefault\s*:", body) and re.search(r"\bcase\s+(\w+::)*Opcode::", body):
                line = text.count("\n", 0, found.start()) + 1
                defaults.append(f"{name}:{line}")
    largest.sort(reverse=True)
    errors = [f"{what}: {count} data members" for count, what in largest if count > LIMIT]
    errors += [f"{where}: a switch over opcodes with a default" for where in defaults]
    for text in errors:
        print(f"structure: error: {text}")
    count, what = largest[0]
    print(
        f"structure: at most {count} data members, in {what}; "
        f"switches over opcodes with a default: {len(defaults)}"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
