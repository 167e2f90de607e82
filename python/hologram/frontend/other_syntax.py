"""Hints for the syntax of C in a line that Python cannot parse.

Imported after a syntax error only.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hologram.frontend import hints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.frontend.source import Source

_WORD = (
    "unsigned|signed|float|double|int|long|short|char|bool|half|auto|size_t|u?int\\d+_t|float[234]"
)
_TYPE = rf"(?:{_WORD})(?:\s+(?:{_WORD}))*"
_NUMBER = r"(?<![\w.])(\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)[fFuUlL]+\b"
_BLOCK = r"^\s*(?:\}\s*)?(?:if|for|while|else|do|switch|struct|void|__global__)\b.*\{\s*$"


class Hint(NamedTuple):
    line: int
    column: int
    message: str


def _cast(found: re.Match[str]) -> str:
    *before, name = found.group(1).split()
    call = "f32(x)" if name == "float" else hints.FUNCTIONS.get(name, "i32(x)")
    if "unsigned" in before:
        call = call.replace("i", "u", 1)
    return f"Python has no casts in brackets; write `{call.replace('x', '...')}`"


def _declaration(found: re.Match[str]) -> str:
    name = found.group(1)
    return f"a local has no type before its name; write `{name} = ...`, or `{name}: f32 = ...`"


def _count(found: re.Match[str]) -> str:
    sign = found.group(1)
    return f"Python has no `{sign}`; write `t {sign[0]}= 1`"


def _number(found: re.Match[str]) -> str:
    return f"a number has no suffix; write `{found.group(1)}`"


def _said(text: str) -> Callable[[re.Match[str]], str]:
    return lambda _: text


# The first that a line has. The place is that of the group, if there is one.
_FORMS = [
    (re.compile(pattern), say if callable(say) else _said(say))
    for pattern, say in (
        (r"^\s*(//|/\*|\*/)", "a comment begins with `#`"),
        (r"\b(for)\s*\(.*;", "a loop is written `for j in range(n):`"),
        (r"\b(else\s+if)\b", "`else if` is written `elif`"),
        (r"(&&)", "Python has no `&&`; write `and`"),
        (r"(\|\|)", "Python has no `||`; write `or`"),
        (r"(!)(?!=)", "Python has no `!`; write `not`"),
        (r"(\+\+|--)\s*[;)]?\s*$", _count),
        (r"(\?)[^:]*:", "Python has no `?`; write `a if condition else b`"),
        (rf"^\s*(?:const\s+)?{_TYPE}\s*\*?\s+(\w+)\s*(?:=|;|$)", _declaration),
        (rf"\(\s*({_TYPE})\s*\)\s*[\w(]", _cast),
        (r"\b(0[xX][0-9a-fA-F]+)[uUlL]+\b", _number),
        (_NUMBER, _number),
        (r"[(,=]\s*(&)\s*\w", "Python has no addresses; write the array and the index, `a, i`"),
        (r"\w(->)\w", "Python has no `->` here; write `.`"),
        (_BLOCK, "a block has no braces; write `if condition:` and indent its lines"),
    )
]
# Texts and comments.
_QUIET = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")


def hint(source: Source, line: int) -> Hint | None:
    """For the line of a syntax error. Python may report a brace one line late."""
    for number in (line, line - 1):
        if number < 1:
            continue
        text = _QUIET.sub(lambda found: " " * len(found.group()), source.line(number))
        for pattern, say in _FORMS if number == line else _FORMS[-1:]:
            found = pattern.search(text)
            if found is not None:
                start = found.start(1) if pattern.groups else found.start()
                start = max(start, len(text) - len(text.lstrip()))
                column = len(source.line(number)[:start].encode()) + 1
                return Hint(number, column, say(found))
    return None
