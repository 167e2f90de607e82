"""Calls of the module hologram-library.wasm, which web/playground/library.js makes: a request and
its answer are JSON, arrays are where they are in the memory of Python."""

from __future__ import annotations

import json
from typing import Any

import hologram_page  # of the worker

# The types of elements by their numbers in hologram.h, with NumPy's and memoryview's letters. As in
# hologram/places.py, which imports NumPy; kernels in a page run without it.
TYPES = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()
CODES = {name: number for number, name in enumerate(TYPES)}
LETTERS = {
    name: letter for name, letter in zip(TYPES, "bhiqBHIQe?fd", strict=True) if name != "bf16"
}
SIZES = {name: int(name.lstrip("iubf")) // 8 for name in TYPES}
BUFFER, WRITABLE = 0x10, 0x20


def refused(reply: str) -> Exception:
    """The error of an answer, as the binding makes it."""
    from hologram import errors

    found = json.loads(reply)
    rows = found if isinstance(found, list) else found["errors"]
    first = rows[0]
    text = "\n".join(row["text"] for row in rows)
    return errors.make(
        first["code"], first["message"], text, first["file"], first["line"], first["column"]
    )


def unsupported(what: str) -> Exception:
    from hologram.errors import UnsupportedError

    return UnsupportedError(f"{what} is not there in a page")


def text_of(name: str, /, **request: Any) -> str:
    """The text that a call answers. Raises hologram.Error."""
    reply = hologram_page.call(name, json.dumps(request))
    if reply.failed:
        raise refused(reply.text)
    return reply.text


def bytes_of(name: str, /, **request: Any) -> bytes:
    """The same, of an answer that is bytes."""
    reply = hologram_page.call(name, json.dumps(request))
    if reply.failed:
        raise refused(reply.text)
    return reply.bytes.to_bytes()


def number_of(name: str, /, **request: Any) -> tuple[int, Any]:
    """What a call makes has a number; and what it says of it."""
    reply = hologram_page.call(name, json.dumps(request))
    if reply.failed:
        raise refused(reply.text)
    return reply.number, json.loads(reply.text)
