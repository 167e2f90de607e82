"""Statements that are there for the one who debugs. Of them only `print` is also compiled."""

from __future__ import annotations

import ast

_CALLS = ("print", "breakpoint", "pdb.set_trace")


def is_debugging(node: ast.stmt) -> bool:
    """`print(...)`, `breakpoint()`, `import pdb` and `pdb.set_trace()`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names] == ["pdb"]
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in _CALLS


class Without(ast.NodeTransformer):
    """The tree without them, as the compiler is to see it."""

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and is_debugging(node):
            return ast.copy_location(ast.Pass(), node)
        if isinstance(node, ast.expr):
            return node
        return self.generic_visit(node)
