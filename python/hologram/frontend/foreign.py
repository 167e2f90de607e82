"""Functions that were written for Numba: what they have and kernels do not, in the words of kernels.

`@hg.vectorize`, `@hg.guvectorize` and the functions of `numba.njit` that such a function calls come
as they are. Their annotations, which Numba does not read, are taken off; `raise Error("text")`
becomes `assert False, "text"`, a fault with this text.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def adopt(definition: ast.FunctionDef) -> None:
    """Makes a helper of it, in place."""
    arguments = definition.args
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        one.annotation = None
    definition.returns = None
    at = definition.decorator_list[0] if definition.decorator_list else definition
    definition.decorator_list = [trees.name(names.INLINE_DECORATOR, at)]
    definition.body = _block(definition.body)


def _block(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [_statement(node) for node in statements]


def _statement(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.Raise):
        false = trees.placed(ast.Constant(False), node)
        return trees.placed(ast.Assert(false, _message(node.exc)), node)
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return trees.placed(ast.Assign([node.target], node.value), node)
    for field in ("body", "orelse"):
        inner = getattr(node, field, None)
        if isinstance(inner, list) and isinstance(node, (ast.If, ast.For, ast.While)):
            setattr(node, field, _block(inner))
    return node


def _message(raised: ast.expr | None) -> ast.expr | None:
    """The text of an exception, if it is one."""
    if not isinstance(raised, ast.Call) or len(raised.args) != 1:
        return None
    text = raised.args[0]
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        line = " ".join(text.value.split())
        return trees.placed(ast.Constant(line), text) if line.isprintable() else None
    return text if isinstance(text, ast.JoinedStr) else None
