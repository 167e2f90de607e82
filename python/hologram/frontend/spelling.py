"""Other spellings of names and numbers, in place of which a body gets the plain one.

`hg.exp(x)` and `lang.exp(x)` are `exp(x)` where the module is that of the language; NumPy's
`where(c, a, b)` is `select(c, a, b)` where nothing else is called so; `ord("a")` and `b"a"[0]` are
97; `return None` is `return`.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms.trees import placed
from hologram.frontend.syntax_tree import ast, children, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hologram.frontend.scope import Scope

_CALLED = frozenset((*names.SPELLINGS, "ord"))
_NAMES = frozenset(
    (
        *(*names.FUNCTIONS, *names.SCALARS, *names.VALUES),
        *(*names.FORM_FUNCTIONS, *names.FORM_TYPES),
        "where",
    )
)


def character(node: ast.AST) -> int | None:
    """The number that `ord("a")` or `b"a"[0]` is, else None."""
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id != "ord" or node.keywords:
            return None
        text = node.args[0] if len(node.args) == 1 else None
        value = text.value if isinstance(text, ast.Constant) else None
        return ord(value) if isinstance(value, (str, bytes)) and len(value) == 1 else None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Constant):
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        value = node.value.value
        if isinstance(value, bytes) and isinstance(index, int) and 0 <= index < len(value):
            return value[index]
    return None


def make_plain(function: ast.FunctionDef, scope: Scope) -> set[str]:
    """Replaces them in a body, where the plain name means the same there. The names that the body
    assigns, and the parameters."""
    taken = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
    found: list[ast.expr] = []
    pending: list[Any] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                taken.add(node.id)
            continue
        if _may_change(node):
            found.append(node)
        if isinstance(node, ast.Return) and _is_none(node.value):
            node.value = None
        pending += children(node)
    found += [node.func for node in found if isinstance(node, ast.Call)]
    plain = {id(node): _plain(node, scope, taken) for node in found}
    if any(made is not None for made in plain.values()):
        _replace(function, plain)
    return taken


def _may_change(node: ast.AST) -> bool:
    """A quick look: most names are as plain as they can be."""
    kind = node.__class__
    if kind is ast.Call:
        called: ast.expr = node.func  # type: ignore[attr-defined]
        return isinstance(called, ast.Name) and called.id in _CALLED
    if kind is ast.Attribute:
        return node.attr in _NAMES  # type: ignore[attr-defined]
    return kind is ast.Subscript and isinstance(node.value, ast.Constant)  # type: ignore[attr-defined]


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _replace(function: ast.FunctionDef, plain: dict[int, ast.expr | None]) -> None:
    """Puts the plain expressions in the places of those that they are made for, by their id."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        parent = pending.pop()
        for field in fields(parent):
            value = getattr(parent, field, None)
            if isinstance(value, list):
                value[:] = [_instead(item, plain) for item in value]
                pending += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                value = _instead(value, plain)
                setattr(parent, field, value)
                pending.append(value)


def _instead(node: ast.AST, plain: dict[int, ast.expr | None]) -> ast.AST:
    made = plain.get(id(node))
    return node if made is None else placed(made, node)


def _plain(node: ast.expr, scope: Scope, taken: set[str]) -> ast.expr | None:
    number = character(node)
    if number is not None:
        free = not isinstance(node, ast.Call) or not _is_taken("ord", scope, taken)
        return ast.Constant(number) if free else None
    if isinstance(node, ast.Name):
        meaning = names.SPELLINGS.get(node.id)
        free = meaning is not None and not scope.defines(node.id) and node.id not in taken
        if meaning is None or not free or _is_taken(meaning, scope, taken):
            return None
        return ast.Name(meaning, ast.Load())
    if not isinstance(node, ast.Attribute) or node.attr not in _NAMES:
        return None
    head: ast.AST = node
    while isinstance(head, ast.Attribute):
        head = head.value
    meaning = names.language_function(node.attr)
    if not isinstance(head, ast.Name) or head.id in taken or _is_taken(meaning, scope, taken):
        return None
    plain = ast.Name(meaning, ast.Load())
    same = scope.language_name(node) == meaning == scope.language_name(plain)
    return plain if same else None


def _is_taken(name: str, scope: Scope, taken: set[str]) -> bool:
    scope.touch(name)
    others = (scope.helpers, scope.constants, scope.values, scope.modules, scope.others)
    return name in taken or any(name in other for other in others)
