"""Every construct of Python is in the language or refused with a message: no class of the syntax
tree, and no part of one, is in neither.

In the language: it stands in a kernel or helper that some test runs. Refused: it stands in a file
of golden/refuse at a place that an error names. A new version of Python brings new classes, and
this test then asks for a decision.
"""

from __future__ import annotations

import _ast
import ast
import importlib
import re
import sys
import warnings
from pathlib import Path

import pytest

from hologram.frontend import unsupported

ROOT = Path(__file__).parents[2]
REFUSE = Path(__file__).parent / "golden" / "refuse"
PAGE = ROOT / "docs" / "language.md"
RUN = [
    *(ROOT / "kernels").rglob("*.py"),
    *(ROOT / "tests" / "simulator" / "kernels").glob("*.py"),
    ROOT / "tests" / "frontend" / "meaning.py",
    *(ROOT / "tests" / "frontend" / "golden").glob("[!b]*.py"),
]
# What never stands in a function: other roots, comments with types.
NOT_IN_FUNCTIONS = {"Module", "Interactive", "Expression", "FunctionType", "TypeIgnore"}
NOT_PARTS = {"type_comment", "kind", "ctx", "lineno", "col_offset", "end_lineno", "end_col_offset"}
PLACE = re.compile(r"^\S+?:(\d+):(\d+): error: (.*)$", re.MULTILINE)

Construct = tuple[str, str]  # a class and one of its parts, or "" for the class itself


def classes() -> list[type[ast.AST]]:
    found = [c for c in vars(_ast).values() if isinstance(c, type) and issubclass(c, ast.AST)]
    concrete = [c for c in found if not c.__subclasses__() and c is not ast.AST]
    return [c for c in concrete if c.__name__ not in NOT_IN_FUNCTIONS]


def parse(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None


def functions(tree: ast.Module) -> list[ast.AST]:
    """Kernels, helpers and what looks like one."""
    return [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]


def parts(node: ast.AST) -> list[tuple[str, list[object]]]:
    """The parts that are there, with what is in them."""
    found = []
    for name, value in ast.iter_fields(node):
        values = value if isinstance(value, list) else [value]
        values = [item for item in values if item is not None]
        if values and name not in NOT_PARTS:
            found.append((name, values))
    return found


def constant(node: ast.AST) -> list[Construct]:
    """Literals differ by what they are."""
    if isinstance(node, ast.Constant):
        return [("Constant", type(node.value).__name__)]
    return []


def supported() -> set[Construct]:
    texts = [path.read_text(encoding="utf-8") for path in RUN]
    sys.path.insert(0, str(ROOT / "tests" / "language"))
    texts += [case.source for case in importlib.import_module("cases").cases() if case.expected]
    texts += re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found: set[Construct] = set()
    for text in texts:
        tree = parse(text)
        assert tree is not None
        for function in functions(tree):
            for node in ast.walk(function):
                name = type(node).__name__
                found.add((name, ""))
                found |= {(name, part) for part, _ in parts(node)}
                found |= set(constant(node))
    return found


def refused(known: set[Construct]) -> set[Construct]:
    found: set[Construct] = set()
    for path in sorted(REFUSE.rglob("*.py")):
        tree = parse(path.read_text(encoding="utf-8-sig", errors="replace"))
        errors = path.with_suffix(".err").read_text(encoding="utf-8")
        places = {(int(line), int(column)) for line, column, _ in PLACE.findall(errors)}
        if tree is not None:
            for function in functions(tree):
                visit(function, places, False, known, found)
    return found


def place(node: object) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", -2) + 1)


def visit(
    node: ast.AST,
    places: set[tuple[int, int]],
    inside: bool,
    known: set[Construct],
    found: set[Construct],
) -> None:
    """`inside`: of a construct that is refused as a whole."""
    name = type(node).__name__
    here = place(node) in places
    if isinstance(node, ast.FormattedValue):  # before Python 3.12 only its value has a place
        here = place(node.value) in places
    if here or inside:
        found.add((name, ""))
        found.update(constant(node))
    whole = inside or (here and (name, "") not in known)
    for part, values in parts(node):
        if here or inside or any(place(value) in places for value in values):
            found.add((name, part))
        for value in values:
            if isinstance(value, ast.AST):
                if whole and hasattr(value, "ctx"):
                    found.add((type(value.ctx).__name__, ""))
                # An operator has no place of its own.
                operator = here and isinstance(value, (ast.operator, ast.cmpop, ast.unaryop))
                if operator:
                    found.add((type(value).__name__, ""))
                visit(value, places, whole, known, found)


KNOWN = supported()
REFUSED = refused(KNOWN)


@pytest.mark.parametrize("construct", classes(), ids=lambda construct: construct.__name__)
def test_a_construct_is_in_the_language_or_refused(construct: type[ast.AST]) -> None:
    name = construct.__name__
    assert (
        (name, "") in KNOWN | REFUSED
    ), f"no kernel that a test runs has {name}, and no file of {REFUSE.name} is refused for it"
    if (name, "") not in KNOWN:
        return
    for part in construct._fields:
        if part not in NOT_PARTS:
            assert (name, part) in KNOWN | REFUSED, (
                f"no kernel that a test runs has {part} in {name}, and no file of {REFUSE.name} is "
                "refused for it"
            )


@pytest.mark.parametrize("kind", "int float bool str bytes complex NoneType ellipsis".split())
def test_a_literal_is_in_the_language_or_refused(kind: str) -> None:
    assert ("Constant", kind) in KNOWN | REFUSED


def test_enough_is_looked_at() -> None:
    assert len(classes()) > 90
    assert len(KNOWN) > 80
    assert len(REFUSED) > 80


def test_a_message_says_what_to_write_instead() -> None:
    tables = (unsupported._STATEMENTS, unsupported._EXPRESSIONS, unsupported._COMPARISONS)
    messages = [message for table in tables for message in table.values()]
    messages += [unsupported.MATMUL]
    for value in ("a", b"a", 1j, None, ...):
        messages.append(unsupported.constant_message(value))
    assert len(messages) > 35
    for message in messages:
        assert "; " in message, message


@pytest.mark.parametrize("file", sorted(REFUSE.rglob("*.err")), ids=lambda file: file.stem)
def test_an_error_shows_its_line(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    if text.startswith("hologram: error: "):
        return  # about the file as a whole
    blocks = re.split(r"(?m)^(?=\S)", text)[1:]
    shown = [block for block in blocks if PLACE.match(block)]
    assert shown
    for block in shown:
        lines = block.rstrip("\n").split("\n")
        assert len(lines) == 3, block
        assert lines[2].strip() == "^", block
