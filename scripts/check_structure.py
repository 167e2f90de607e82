#!/usr/bin/env python3
"""Counts the deciders of launches, the data members of the largest class, and switches over opcodes
that have a default.

One function decides which way a launch goes (src/launch/way.h). A file is a decider if it uses
the facts of that decision, names of QUESTION, or sets the form of a launch. Files that compute a
fact, split a launch, or generate the check of a kernel are not deciders.
A class with many members is one whose state nobody can follow; a `default:` hides the instruction
that was forgotten. Fails for a second decider, for a class with more than LIMIT members, and for
such a default: an engine switches over all instructions, an analysis that assumes the worst of those
it does not know asks for some by name (src/isa/opcode_set.h). The figures come from a simple reader
of C++ that knows comments, literals and brackets: a data member is a declaration in the braces of a
class or struct that declares neither a function nor a type and is neither static nor an alias. A
switch is one over opcodes if the label of a case of its own names an `Opcode::`.
"""

from __future__ import annotations

import pathlib
import re
import sys

LIMIT = 25  # data members of a class
FOLDERS = ("src", "include", "tools", "python/binding", "web")
# Facts of a kernel and limits of a launch (src/launch/facts.h, cut.h, way.h) that choose its way, and
# forms that are not said of what has run.
QUESTION = re.compile(
    r"\b(?:order_free|may_split|has_loops|may_enter|may_enter_default|min_work_ns)\b"
    r"|\bform\s*=\s*(?:launch::)?Form::k(?:Parts|Split|Interpreted|Guarded|Checked|Device)\b"
)
# wasm.cc writes a fact into a module, for the host in the page.
NO_DECIDERS = (
    *("src/launch/facts.", "src/launch/cut.", "src/codegen/launch_check/"),
    "src/driver/wasm.cc",
)
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
    deciders: list[str] = []
    for path in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*")):
        if path.suffix not in {".h", ".hpp", ".cc"}:
            continue
        text = NOISE.sub(lambda m: " " + "\n" * m[0].count("\n"), path.read_text())
        name = str(path.relative_to(root))
        if QUESTION.search(text) and not name.startswith(NO_DECIDERS):
            deciders.append(name)
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
    if len(deciders) != 1:
        errors.append(f"expected one decider of launches, found {', '.join(deciders) or 'none'}")
    for text in errors:
        print(f"structure: error: {text}")
    count, what = largest[0]
    print(
        f"structure: deciders of a launch: {len(deciders)}; at most {count} data members, in {what}; "
        f"switches over opcodes with a default: {len(defaults)}"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
