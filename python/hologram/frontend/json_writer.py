"""A document of dictionaries, lists, strings, numbers, true, false and null -> JSON text.

Written here because importing `json` takes longer than writing a kernel. Output is ASCII, compact,
and floats are in `repr` form: the shortest text that reads back as the same value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _refuse(value: object) -> str:
    raise TypeError(f"{type(value).__name__} has no JSON form")


_encode: Callable[[Any, int], Any] | None = None
try:  # the C half of `json`, which takes no time to import; it is no part of the language
    from _json import encode_basestring_ascii, make_encoder

    _encode = make_encoder(
        None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False
    )
except ImportError:
    pass

INFINITY = float("inf")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def to_json(document: object) -> str:
    """The JSON text of a document, without a line end."""
    if _encode is not None:
        try:
            return "".join(_encode(document, 0))
        except (TypeError, ValueError):
            pass  # something that JSON has no form for: infinities are text here
    pieces: list[str] = []
    _write(document, pieces)
    return "".join(pieces)


def _write(value: object, pieces: list[str]) -> None:
    if isinstance(value, dict):
        separator = "{"
        for key, item in value.items():
            pieces.append(f"{separator}{_quote(key)}:")
            _write(item, pieces)
            separator = ","
        pieces.append("}" if value else "{}")
    elif isinstance(value, list):
        separator = "["
        for item in value:
            pieces.append(separator)
            _write(item, pieces)
            separator = ","
        pieces.append("]" if value else "[]")
    elif isinstance(value, str):
        pieces.append(_quote(value))
    elif value is None:
        pieces.append("null")
    elif isinstance(value, bool):
        pieces.append("true" if value else "false")
    elif isinstance(value, float) and (value != value or value in (INFINITY, -INFINITY)):
        pieces.append(f'"{value!r}"')  # JSON has no number for them
    elif isinstance(value, (int, float)):
        pieces.append(repr(value))
    else:
        _refuse(value)


def _quote(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    short = _SHORT_ESCAPES.get(char)
    if short is not None:
        return short
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return char
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
