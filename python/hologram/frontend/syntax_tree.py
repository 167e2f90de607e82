"""The names of the syntax tree, as `ast`.

`_ast` is the C half of the standard module `ast`: the same classes without the imports of its
Python half, which cost more time than compiling a kernel. Type checkers see `ast` itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from ast import PyCF_ONLY_AST
    from collections.abc import Callable
    from typing import Any
else:
    import _ast as ast
    from _ast import PyCF_ONLY_AST

__all__ = [
    "PyCF_ONLY_AST",
    "ast",
    "children",
    "dotted_name",
    "fields",
    "stores",
    "walked",
]


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


# The direct children of what bodies are made of, without operators, which are asked for at their
# node.
_CHILDREN: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    **dict.fromkeys(
        (ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue),
        lambda _: [],
    ),
    ast.BinOp: lambda node: [node.left, node.right],
    ast.UnaryOp: lambda node: [node.operand],
    ast.BoolOp: lambda node: list(node.values),
    ast.Compare: lambda node: [node.left, *node.comparators],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.keyword: lambda node: [node.value],
    ast.Attribute: lambda node: [node.value],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.IfExp: lambda node: [node.test, node.body, node.orelse],
    ast.Tuple: lambda node: list(node.elts),
    ast.List: lambda node: list(node.elts),
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.AugAssign: lambda node: [node.target, node.value],
    ast.Expr: lambda node: [node.value],
    ast.Return: lambda node: [] if node.value is None else [node.value],
    ast.If: lambda node: [node.test, *node.body, *node.orelse],
    ast.While: lambda node: [node.test, *node.body, *node.orelse],
    ast.For: lambda node: [node.target, node.iter, *node.body, *node.orelse],
}


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in source order."""
    known = _CHILDREN.get(node.__class__)
    return _all_children(node) if known is None else known(node)


def _all_children(node: ast.AST) -> list[ast.AST]:
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


def stores(body: list[ast.stmt]) -> set[str]:
    """The names that statements assign."""
    found: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if node.__class__ is not ast.Name:
            pending += children(node)
        elif node.ctx.__class__ is ast.Store:  # type: ignore[attr-defined]
            found.add(node.id)  # type: ignore[attr-defined]
    return found


def dotted_name(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    if node.__class__ is ast.Name:
        return node.id  # type: ignore[attr-defined,no-any-return]
    if node.__class__ is not ast.Attribute:
        return None
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))
