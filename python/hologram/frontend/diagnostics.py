"""Errors with a place: collected while the file is walked, printed together at the end.

k.py:4:5: error: `import` is not allowed inside a kernel; ...
      import os
      ^
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.source import Source
    from hologram.frontend.syntax_tree import ast

MAX_ERRORS = 20
MAX_SHOWN_LINE = 160  # a longer source line is shown as a window around the error
INDENT = "  "


class Diagnostics:
    """The errors of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._errors: set[tuple[int, int, str]] = set()
        self.reports = 0  # errors, those that were there before too

    def __bool__(self) -> bool:
        return bool(self._errors)

    def __len__(self) -> int:
        return len(self._errors)

    def error(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, message: str) -> None:
        self.error_at(node.lineno, node.col_offset + 1, message)

    def error_at(self, line: int, column: int, message: str) -> None:
        self.reports += 1
        self._errors.add((line, column, message))

    def render(self) -> str:
        """All errors in source order, at most MAX_ERRORS of them, each with its line."""
        ordered = sorted(self._errors)
        blocks = [self._render_one(*error) for error in ordered[:MAX_ERRORS]]
        hidden = len(ordered) - MAX_ERRORS
        if hidden > 0:
            noun = "error" if hidden == 1 else "errors"
            blocks.append(f"hologram: {hidden} more {noun} in {self._source.path}\n")
        return "".join(blocks)

    def _render_one(self, line: int, column: int, message: str) -> str:
        head = f"{self._source.path}:{line}:{column}: error: {message}\n"
        return head + excerpt(self._source, line, column)


def excerpt(source: Source, line: int, column: int) -> str:
    """The line of the source, and a caret below the column; empty where there is no text."""
    text = source.line(line)
    if not text.strip():
        return ""
    before = len(text.encode()[: column - 1].decode("utf-8", "ignore"))
    start = max(0, before - MAX_SHOWN_LINE // 2) if len(text) > MAX_SHOWN_LINE else 0
    shown = _printable(text[start : start + MAX_SHOWN_LINE].rstrip())
    padding = "".join("\t" if char == "\t" else " " for char in text[start:before])
    return f"{INDENT}{shown}\n{INDENT}{padding}^\n"


def with_excerpts(text: str, source: Source) -> str:
    """Messages of the type checker and the verifier, which come without lines of the source."""
    lines = text.rstrip("\n").split("\n")
    result = ""
    for line, following in zip(lines, [*lines[1:], ""]):  # noqa: B905 (same length)
        result += line + "\n"
        place = line.removeprefix(source.path + ":") if line.startswith(source.path + ":") else ""
        numbers = place.split(":", 2)
        if len(numbers) < 3 or following.startswith(INDENT):
            continue
        if numbers[0].isdecimal() and numbers[1].isdecimal():
            result += excerpt(source, int(numbers[0]), int(numbers[1]))
    return result.rstrip("\n")


def _printable(text: str) -> str:
    """The text with control characters replaced, one for one, so that the caret stays right."""
    return "".join(char if char == "\t" or char.isprintable() else "?" for char in text)
