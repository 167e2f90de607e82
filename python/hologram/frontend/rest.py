"""What is left of a kernel with errors, so that the compiler reports its own in the same run.

A statement with an error is left out, and so is each that names what it would have assigned:
nothing is reported because of another error.
"""

from __future__ import annotations

from hologram.frontend.nodes import Node
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REFUSED = "refused"  # the type of a statement with an error; of others a field: their head has one
_BODIES = ("body", "then_body", "else_body")


def refused(statement: ast.stmt) -> Node:
    """In place of a statement with an error."""
    names: set[str] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.update((node.name, f"{node.name}()"))
        pending += children(node)
    return {"type": REFUSED, "names": sorted(names)}


def rest_of(kernel: Node, helpers: Iterable[str]) -> Node:
    """The kernel without such statements; `helpers` are those with errors of their own."""
    unknown = {f"{name}()" for name in helpers}
    while True:
        known = len(unknown)
        body = _block(kernel["body"], unknown)  # type: ignore[arg-type]
        if len(unknown) == known:
            return {**kernel, "body": body}


def names_in(node: object) -> set[str]:
    """Names of locals, and of functions with `()`."""
    found: set[str] = set()
    pending: list[object] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            kind = item.get("type")
            if kind in ("var", "let"):
                found.add(str(item["name"]))
            elif kind == "call":
                found.add(f"{item['function']}()")
            elif kind == "for":
                found.add(str(item["var"]))
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    return found


def _block(body: list[Node], unknown: set[str]) -> list[Node]:
    """`unknown` gets the names of what was left out."""
    kept = []
    for node in body:
        if node["type"] == REFUSED:
            unknown.update(node["names"])  # type: ignore[arg-type]
        elif any(name in node for name in _BODIES):
            kept.append(_compound(node, unknown))
        elif names_in(node) & unknown:
            unknown.update(_assigned(node))
        else:
            kept.append(node)
    return kept


def _compound(node: Node, unknown: set[str]) -> Node:
    """With a head that means nothing, if it is not known; what depends on it is left out. It is the
    same for all lanes of a block, so that there may be barriers inside."""
    bodies = {name: node[name] for name in _BODIES if node.get(name) is not None}
    head = {key: value for key, value in node.items() if key not in _BODIES}
    if head.pop(REFUSED, False) or names_in(head) & unknown:
        place = {key: value for key, value in node.items() if key.endswith(("line", "col"))}
        if node["type"] == "for":
            unknown.add(str(node["var"]))
            head = {"type": "while", **place}
        block: Node = {
            "type": "call",
            "function": "get_block_id",
            "args": [],
            "kwargs": {},
            **place,
        }
        zero: Node = {"type": "literal", "value": 0, "kind": "int", **place}
        head["condition"] = {"type": "binary_op", "op": "eq", "left": block, "right": zero, **place}
    result: Node = dict(head)
    for name, body in bodies.items():
        result[name] = _block(body, unknown)  # type: ignore[arg-type]
    if node["type"] == "if" and "else_body" not in result:
        result["else_body"] = None
    return result


def _assigned(node: Node) -> set[str]:
    if node["type"] == "let":
        return {str(node["name"])}
    targets = node.get("targets", [node.get("target")])
    assert isinstance(targets, list)
    return {str(t["name"]) for t in targets if isinstance(t, dict) and t.get("type") == "var"}
