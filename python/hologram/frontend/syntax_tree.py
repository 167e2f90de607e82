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

__all__ = ["PyCF_ONLY_AST", "ast", "children", "dotted_name", "fields", "walked"]


# Fields that hold no nodes, and the context of a name, which is asked for at the name.
_WITHOUT_NODES = ("ctx", "id", "attr", "arg", "name", "kind", "type_comment", "conversion", "level")
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def fields(node: ast.AST) -> tuple[str, ...]:
    """Those that may hold nodes."""
    kind = type(node)
    found = _fields.get(kind)
    if found is None:
        found = _fields[kind] = tuple(f for f in kind._fields if f not in _WITHOUT_NODES)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in source order."""
    found: list[ast.AST] = []
    for field in fields(node):
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walked(node: ast.AST) -> list[ast.AST]:
    """A node and all below it."""
    found = [node]
    for one in found:
        found += children(one)
    return found


def dotted_name(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    if isinstance(node, ast.Name):
        return node.id
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))
