"""`print` in a kernel that runs as Python: the text of the compiled form.

A statement that the language has is translated with its types; anything else that Python can
print, a whole array for example, is left as it is and is for the one who debugs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hologram.simulator.context import Context
from hologram.simulator.elements import Elements
from hologram.simulator.errors import KernelError
from hologram.simulator.formats import Piece, pieces_of


def text_of(pieces: list[Piece]) -> Callable[..., str]:
    """Numbers of NumPy, `int` and `bool` are written as their types write themselves."""
    writers = [piece.write for piece in pieces]

    def run(*parts: Any) -> str:
        return "".join(write(part) for write, part in zip(writers, parts, strict=True))

    return run


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
    pieces: list[Piece] = []
    try:
        for number, argument in enumerate(call.args):
            if number:
                pieces.append(Piece(ast.Constant(separators["sep"])))
            pieces += pieces_of(argument, expressions, context, "print")
    except KernelError:
        return None
    pieces.append(Piece(ast.Constant(separators["end"])))
    name = f"text_of_{len(context.program.names)}"
    return context.call(name, text_of(pieces), [piece.node for piece in pieces], node)
