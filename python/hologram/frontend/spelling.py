"""Other spellings of names and numbers, in place of which a body gets the plain one.

`hg.exp(x)` and `lang.exp(x)` are `exp(x)` where the module is that of the language; NumPy's
`where(c, a, b)` is `select(c, a, b)` where nothing else is called so; `ord("a")` and `b"a"[0]` are
97; `return None` is `return`.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.syntax_tree import ast, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hologram.frontend.scope import Scope

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


def make_plain(function: ast.FunctionDef, scope: Scope) -> None:
    """Replaces them in a body, where the plain name means the same there."""
    taken = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
    found = []
    for parent, field, place, node in _expressions(function):
        if isinstance(parent, ast.Return) and isinstance(node, ast.Constant) and node.value is None:
            parent.value = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            taken.add(node.id)
        called = isinstance(parent, ast.Call) and field == "func" and isinstance(node, ast.Name)
        if called or isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
            found.append((parent, field, place, node))
    for parent, field, place, node in found:
        plain = _plain(node, scope, taken)
        if plain is None:
            continue
        for position in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            setattr(plain, position, getattr(node, position))
        items = getattr(parent, field)
        if isinstance(items, list):
            items[place] = plain
        else:
            setattr(parent, field, plain)


def _expressions(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str, int, ast.expr]]:
    """(parent, its field, place in the list there, expression) of all in the body."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        for field in fields(node):
            value = getattr(node, field, None)
            if isinstance(value, list):
                for place, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        pending.append(item)
                    if isinstance(item, ast.expr):
                        yield node, field, place, item
            elif isinstance(value, ast.AST):
                pending.append(value)
                if isinstance(value, ast.expr):
                    yield node, field, 0, value


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
