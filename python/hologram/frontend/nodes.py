"""The building blocks of the JSON: nodes are dictionaries with a type and a position."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.syntax_tree import ast

Node = dict[str, object]


def position(node: ast.expr | ast.stmt | ast.arg) -> Node:
    """Lines and columns from 1, columns in bytes, the end one past the last byte."""
    return {
        "line": node.lineno,
        "col": node.col_offset + 1,
        "end_line": node.end_lineno or node.lineno,
        "end_col": (node.end_col_offset or node.col_offset) + 1,
    }


def make(type_name: str, at: ast.expr | ast.stmt, **fields: object) -> Node:
    """A statement or expression node. Fields come in the order given, the position last."""
    line, column = at.lineno, at.col_offset
    return {
        "type": type_name,
        **fields,
        "line": line,
        "col": column + 1,
        "end_line": at.end_lineno or line,
        "end_col": (at.end_col_offset or column) + 1,
    }
