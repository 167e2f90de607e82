"""Values in texts: what `print` and the message of an `assert` show, as src/isa/value_format.cc."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from hologram.frontend.printing import NOT_AS_IT_IS, is_as_it_is, literal_format
from hologram.simulator import types
from hologram.simulator.context import Context
from hologram.simulator.elements import Elements

_FORMAT = re.compile(
    r"(?P<align>[ -~]?[<>=^])?[+\- ]?(?P<prefix>#)?(?P<width>\d*)(?P<group>[,_])?"
    r"(?P<precision>\.\d{1,2})?(?P<type>[eEfFgG%dxXob])?"
)
_MOST = 8


class Piece:
    """One part of a text: a constant, or the code of a value and what writes it."""

    def __init__(self, node: ast.expr, write: Callable[[Any], str] = str) -> None:
        self.node = node
        self.write = write


def pieces_of(node: ast.expr, expressions: Elements, context: Context, of: str) -> list[Piece]:
    """A string, an f-string or a value. `of` is what it is a part of."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return [_piece(part, expressions, context, of) for part in parts]


def _piece(node: ast.expr, expressions: Elements, context: Context, of: str) -> Piece:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Piece(node)
    spec = ""
    if isinstance(node, ast.FormattedValue):
        if not is_as_it_is(node):
            context.error(node.value, NOT_AS_IT_IS)
        text = literal_format(node.format_spec) if node.format_spec is not None else ""
        if text is None:
            context.error(
                node.value,
                "a format behind `:` in an f-string is known when compiling; write its numbers",
            )
        spec, node = text, node.value
    value = expressions.expression(node)
    if value.kind not in (types.BOOL, types.SOFT_INT, types.SOFT_FLOAT, *types.NUMBERS):
        context.error(node, f"{of} shows numbers")
    value = expressions.harden(value)
    if value.kind == types.BOOL and (spec or of != "print"):
        context.error(
            node,
            "a bool has no format, and no place in the message of an `assert`; write "
            f"i32({context.text(node)})",
        )
    if spec and not _is_format(value.kind, spec):
        example = ":.3f, :10.3e, :g or :+.1%" if _is_float(value.kind) else ":5d, :08x, :#b or :,"
        context.error(
            node,
            f"':{spec}' is not a format of {value.kind} here; write one of at most {_MOST} "
            f"characters such as {example}",
        )
    return Piece(value.node, _writer(value.kind, spec))


def _is_float(kind: str) -> bool:
    return "f" in kind


def _is_format(kind: str, spec: str) -> bool:
    match = _FORMAT.fullmatch(spec)
    if match is None or len(spec) > _MOST:
        return False
    align, width, type_ = match["align"] or "", match["width"], match["type"]
    filled = len(align) == 2
    zero = width.startswith("0") and not filled
    if len(width) - zero > 2:
        return False
    of_integers = type_ is not None and type_ in "dxXob"
    if of_integers or not (_is_float(kind) or type_):
        if _is_float(kind) or match["precision"]:
            return False
    elif match["prefix"]:
        return False
    padded = align[:-1] == "0" if filled else zero
    sides = align[-1:] == "=" if align else zero
    in_fours = of_integers and type_ != "d"
    return not match["group"] or not ((padded and sides) or (in_fours and match["group"] == ","))


def _writer(kind: str, spec: str) -> Callable[[Any], str]:
    if not spec:
        return str
    if not _is_float(kind):
        return lambda value: format(int(value), spec)
    match = _FORMAT.fullmatch(spec)
    assert match is not None
    if match["type"] is None and match["precision"] is None:
        return lambda value: format(float(str(value)), spec)  # the digits of its own type
    return lambda value: format(float(value), spec)
