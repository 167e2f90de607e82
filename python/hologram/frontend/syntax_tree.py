"""The names of the syntax tree, as `ast`.

`_ast` is the C half of the standard module `ast`: the same classes without the imports of its
Python half, which cost more time than compiling a kernel. Type checkers see `ast` itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from ast import PyCF_ONLY_AST
else:
    import _ast as ast
    from _ast import PyCF_ONLY_AST

__all__ = ["PyCF_ONLY_AST", "ast", "children", "dotted_name"]


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in source order."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def dotted_name(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))
