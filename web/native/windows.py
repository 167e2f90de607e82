"""Launches in parts of hologram._native (python/hologram/parts.py), run by the interpreter of the
page."""

from __future__ import annotations

import json
import math
from typing import Any

import hologram_page

from hologram._native.arguments import array, element_type, number
from hologram._native.bridge import BUFFER, CODES, SIZES, WRITABLE, text_of
from hologram._native.kernels import Kernel, read_named


def request_of(kernel: Kernel, whole: tuple[Any, ...]) -> dict[str, Any]:
    """Of a launch on whole arrays, which are shapes here."""
    found = kernel._found
    if len(whole) != len(found.rows):
        raise TypeError(
            f"kernel '{kernel.name}' expects {len(found.rows)} arguments, found {len(whole)}"
        )
    given, shapes = [], []
    for row, value in zip(found.rows, whole, strict=True):
        read = _extents if row["buffer"] else number
        argument, shape, _ = read_named(kernel, row, value, read)
        given.append(argument)
        shapes.append(shape)
    grid, block = kernel._shape()
    return {
        "module": found.module, "arguments": given, "shapes": shapes, "grid": grid, "block": block,
        "deterministic": kernel._deterministic, "budget": str(kernel._budget),
    }  # fmt: skip


def _extents(row: dict[str, Any], value: Any) -> tuple[list[Any], list[int] | None, None]:
    if not isinstance(value, tuple) or not 1 <= len(value) <= 4:
        raise TypeError("expects the shape of the whole array, of 1 to 4 sizes")
    size = math.prod(value) * SIZES[row["type"]]
    code = CODES[row["type"]] | BUFFER | WRITABLE
    return [code, "0", 0, str(size), False], list(value) if row["rank"] > 1 else None, None


def _part(row: dict[str, Any], value: Any) -> tuple[list[Any], Any, Any]:
    """Of any type, which the module compares with that of the parameter."""
    kind = element_type(value)
    if kind is None:
        raise TypeError("expects an array")
    return array({**row, "type": kind}, value)


def window_units(kernel: Kernel, whole: tuple[Any, ...]) -> tuple[int, int]:
    unit, units = json.loads(text_of("units", **request_of(kernel, whole)))
    return unit, units


def window_reach(
    kernel: Kernel, whole: tuple[Any, ...], first: int, last: int
) -> tuple[tuple[int, ...], ...]:
    units = {"first": str(first), "last": str(last)}
    rows = json.loads(text_of("reach", **request_of(kernel, whole), **units))
    return tuple(tuple(row) for row in rows)


def window_launch(  # noqa: PLR0913
    kernel: Kernel, whole: tuple[Any, ...], first: int, last: int, memory: tuple[Any, ...],
    base: tuple[int, ...],
) -> None:  # fmt: skip
    request = request_of(kernel, whole)
    buffers = [row for row in kernel._found.rows if row["buffer"]]
    if len(memory) != len(buffers) or len(base) != len(buffers):
        raise TypeError(f"expected tuples of {len(buffers)} arrays and their bases")
    arrays = [argument for argument in request["arguments"] if argument[0] & BUFFER]
    parts, held = [], []
    for row, argument, part in zip(buffers, arrays, memory, strict=True):
        (code, _, *place), _, keep = read_named(kernel, row, part, _part)
        argument[0] = code
        parts.append(place)
        held.append(keep)
    units = {"first": str(first), "last": str(last), "base": [str(one) for one in base]}
    kernel._answered(
        hologram_page.call("launchWindow", json.dumps({**request, **units, "parts": parts}))
    )
