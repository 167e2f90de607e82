"""The text of a kernel file: reading it, its lines, and pieces of it for messages.

Positions are those of messages and of the JSON: lines and columns from 1, columns in bytes of
UTF-8. Nothing read here is trusted: size, encoding and null bytes are checked first.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.syntax_tree import ast

# Python 3.10 parses a chain like `1 + 1 + ...` of any length and then overflows its own stack; a
# small file cannot hold a chain that long. Later versions raise RecursionError.
MAX_BYTES = (1 << 20) if sys.version_info >= (3, 11) else (128 << 10)


class FileError(Exception):
    """The file cannot be used at all; the message needs no place in it."""


class TextError(Exception):
    """The bytes of the file are no Python text: what is wrong, where, and the rest decoded."""

    def __init__(self, source: Source, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.source = source
        self.line = line
        self.column = column
        self.message = message


class Source:
    """A file as text with `\\n` line ends."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self._encoded: dict[int, bytes] = {}

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def segment(self, node: ast.expr) -> str:
        """The source of an expression on one line, without comments inside it."""
        first, last = node.lineno, node.end_lineno or node.lineno
        raw = [self._line_bytes(number) for number in range(first, last + 1)]
        raw[-1] = raw[-1][: node.end_col_offset]
        raw[0] = raw[0][node.col_offset :]
        if len(raw) == 1:
            return raw[0].decode()
        pieces = [piece.decode().partition("#")[0].rstrip("\\ \t") for piece in raw]
        return " ".join(piece.strip() for piece in pieces if piece.strip())

    def _line_bytes(self, number: int) -> bytes:
        """Kept, because one long line may hold thousands of expressions."""
        line = self._encoded.get(number)
        if line is None:
            line = self._encoded[number] = self.line(number).encode()
        return line


def read_source(path: str) -> Source:
    """Reads and decodes a file; raises FileError or TextError."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"cannot read {path}: {(reason or 'unknown reason').lower()}") from None
    if len(data) > MAX_BYTES:
        raise FileError(f"cannot read {path}: larger than {MAX_BYTES >> 10} KiB")
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    return _decode(path, data)


def _decode(path: str, data: bytes) -> Source:
    try:
        source = Source(path, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        byte = data[error.start]
        message = f"byte 0x{byte:02x} is not valid UTF-8; save the file as UTF-8"
        raise _text_error(path, data, error.start, message) from None
    if "\0" in source.text:
        raise _text_error(path, data, data.index(b"\0"), "null byte in the file; remove it")
    return source


def _text_error(path: str, data: bytes, offset: int, message: str) -> TextError:
    before = data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line_start = before.rfind(b"\n") + 1
    source = Source(path, data.decode("utf-8", "replace"))
    return TextError(source, before.count(b"\n") + 1, len(before) - line_start + 1, message)
