"""`print` in a kernel that runs as Python: the text of the compiled form.

A statement that the language has is translated with its types; anything else that Python can
print, a whole array for example, is left as it is and is for the one who debugs.
"""

from __future__ import annotations

import ast

from hologram.simulator import types
from hologram.simulator.context import Context
from hologram.simulator.conversions import Value
from hologram.simulator.elements import Elements
from hologram.simulator.errors import KernelError


def text_of(*parts: Value | str) -> str:
    """Numbers of NumPy, `int` and `bool` are written as their types write themselves."""
    return "".join(str(part) for part in parts)


def translated(node: ast.Expr, expressions: Elements, context: Context) -> ast.expr | None:
    """The text that a `print` of the language gives; None for any other statement."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    if call.func.id != "print":
        return None
    separators = {"sep": " ", "end": "\n"}
    for keyword in call.keywords:
        given = keyword.value
        if keyword.arg not in separators or not isinstance(given, ast.Constant):
            return None
        if isinstance(given.value, str):
            separators[keyword.arg] = given.value
    parts: list[ast.expr] = []
    try:
        for number, argument in enumerate(call.args):
            if number:
                parts.append(ast.Constant(separators["sep"]))
            pieces = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            parts += [_piece(piece, expressions) for piece in pieces]
    except (KernelError, _NotOfLanguageError):
        return None
    parts.append(ast.Constant(separators["end"]))
    return context.call("text_of", text_of, parts, node)


class _NotOfLanguageError(Exception):
    pass


def _piece(node: ast.expr, expressions: Elements) -> ast.expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node
    if isinstance(node, ast.FormattedValue):
        if node.format_spec is not None or node.conversion != -1:
            raise _NotOfLanguageError
        return _piece(node.value, expressions)
    value = expressions.expression(node)
    if value.kind not in (types.BOOL, types.SOFT_INT, types.SOFT_FLOAT, *types.NUMBERS):
        raise _NotOfLanguageError
    return expressions.harden(value).node
