"""Functions that were written for Numba: what they have and kernels do not, in words of kernels.

`@hg.vectorize`, `@hg.guvectorize` and the functions of `numba.njit` that such a function calls come
as they are. Annotations, which Numba does not read, are taken off; `raise Error("text")` becomes
`assert False, "text"`, a fault with this text. With the types of the parameters known, a local has
the widest type that is assigned to it, what is stored or returned is converted, and expressions of
whole arrays become loops over their elements.

  types     of expressions: those of the language, where they are known
  elements  `x[a:b] = e` and reductions of arrays as loops
  locals    types of locals, conversions
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign import elements, locals_
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope


def adopt(
    definition: ast.FunctionDef, kinds: Sequence[Type] | None, result: str | None, scope: Scope
) -> Type:
    """Makes a helper of it, in place, for parameters of these types if they are known. The type of
    what it returns; None if it is not known."""
    arguments = definition.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for one in parameters:
        one.annotation = None
    definition.returns = None
    at = definition.decorator_list[0] if definition.decorator_list else definition
    definition.decorator_list = [trees.name(names.INLINE_DECORATOR, at)]
    definition.body = _block(definition.body)
    if kinds is None or len(kinds) != len(parameters):
        return None
    known = dict(zip((one.arg for one in parameters), kinds))  # noqa: B905 (same length)
    locals_.set_apart(definition, known)
    elements.spread(definition, known, scope)
    return locals_.convert(definition, known, result, scope)


def _block(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [_statement(node) for node in statements]


def _statement(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.Raise):
        false = trees.placed(ast.Constant(False), node)
        return trees.placed(ast.Assert(false, _message(node.exc)), node)
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return trees.placed(ast.Assign([node.target], node.value), node)
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        called = dotted_name(node.iter.func) or ""
        if called.rpartition(".")[2] == "prange":
            node.iter.func = trees.name("range", node.iter.func)
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
