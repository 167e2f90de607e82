"""Names that are assigned again, as other locals: parameters, and what every path assigns anew."""

from __future__ import annotations

from hologram.frontend.foreign import plain
from hologram.frontend.foreign.parts import copied
from hologram.frontend.foreign.types import Elements
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.foreign.types import Type


def set_apart(definition: ast.FunctionDef, known: dict[str, Type]) -> None:
    """Parameters that are assigned become locals; `x = x[0]` of an array one of another name."""
    fresh = trees.Fresh(trees.words(definition))
    stored = trees.words_and_stores(ast.Module(definition.body, []))[1]
    begin: list[ast.stmt] = []
    for name in [name for name in known if name in stored]:
        other = fresh.take(name)
        body = definition.body
        first = 0
        if isinstance(known[name], Elements):
            first = next((k for k, node in enumerate(body) if _assigns(node, name)), len(body))
        if first == len(body):
            continue
        for place, node in enumerate(body[first:]):
            value = copied(node.value) if place == 0 and isinstance(node, ast.Assign) else None
            _rename(node, name, other)
            if value is not None and isinstance(known[name], Elements):
                node.value = value  # type: ignore[attr-defined]
        if not isinstance(known[name], Elements):
            at = definition
            load = trees.name(name, at)
            begin.append(trees.assignment([trees.stored(other, at)], [load], at))
    definition.body = [*begin, *definition.body]


def versions(definition: ast.FunctionDef, parameters: set[str]) -> None:
    """A name that is assigned again on every path is another local from there on, of its own type;
    in place."""
    fresh = trees.Fresh(trees.words(definition))
    seen = set(parameters)
    body = definition.body
    for place, node in enumerate(body):
        for name in sorted(_assigned(node)):
            if name in seen and _assigns_always(node, name):
                other = fresh.take(name)
                _renamed_from(body, place, name, other)
                seen.add(other)
        seen |= trees.words_and_stores(node)[1]


def _assigned(node: ast.stmt) -> set[str]:
    """The names that a statement, or a branch of it, assigns."""
    if isinstance(node, ast.Assign):
        return {one.id for one in node.targets if isinstance(one, ast.Name)}
    if isinstance(node, ast.If):
        return {name for one in (*node.body, *node.orelse) for name in _assigned(one)}
    return set()


def _assigns_always(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.If) and node.orelse:
        branches = (node.body, node.orelse)
        return all(
            plain.always_ends(one) or any(_assigns_always(inner, name) for inner in one)
            for one in branches
        )
    return _assigns(node, name)


def _renamed_from(body: list[ast.stmt], place: int, name: str, other: str) -> None:
    node = body[place]
    if isinstance(node, ast.If):
        for branch in (node.body, node.orelse):
            for k, inner in enumerate(branch):
                if _assigns_always(inner, name):
                    _renamed_from(branch, k, name, other)
                    break
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            _rename(target, name, other)
    for later in body[place + 1 :]:
        _rename(later, name, other)


def _assigns(node: ast.stmt, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _rename(node: ast.AST, name: str, other: str) -> None:
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Name) and one.id == name:
            one.id = other
        pending += children(one)
