"""One kernel file -> the JSON document, or the text of its errors."""

from __future__ import annotations

import sys

from hologram.frontend.context import Context
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.json_writer import to_json
from hologram.frontend.nodes import Node, position
from hologram.frontend.scope import Scope, TypeVariable, scan_module
from hologram.frontend.signature import Signature, stands_for_several
from hologram.frontend.source import FileError, Source, TextError, read_source
from hologram.frontend.statements import Statements
from hologram.frontend.syntax import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.syntax_tree import ast

VERSION = "1.1"
MIN_RECURSION_LIMIT = 3000


class CompileError(Exception):
    """The complete text for stderr, with a line end."""

    # The document of the kernels that have no such error, where there are some: what else may be
    # wrong with them is for the compiler to say.
    rest: Node | None = None


def compile_file(path: str, entry: str | None) -> str:
    """The JSON text of all kernels of a file, or of `entry` alone; raises CompileError."""
    try:
        source = read_source(path)
    except FileError as error:
        raise CompileError(f"hologram: error: {error}\n") from None
    except TextError as error:
        diagnostics = Diagnostics(error.source)
        diagnostics.error_at(error.line, error.column, error.message)
        raise CompileError(diagnostics.render()) from None
    return compile_source(source, entry)


def compile_source(source: Source, entry: str | None) -> str:
    """The same for a text that was read already."""
    diagnostics = Diagnostics(source)
    tree = parse(source, diagnostics)
    if tree is None:
        raise CompileError(diagnostics.render())
    # MAX_NESTING levels need up to six frames each; Python's default allows 1000 in all.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MIN_RECURSION_LIMIT))
    try:
        document = compile_tree(tree, source, entry, diagnostics)
    except RecursionError:  # thousands of `elif` outside kernels
        diagnostics.error_at(1, 1, "the file is nested too deeply; split its longest statement")
        raise CompileError(diagnostics.render()) from None
    return to_json(document)


def compile_tree(
    tree: ast.Module, source: Source, entry: str | None, diagnostics: Diagnostics
) -> Node:
    """The document of a syntax tree; raises CompileError."""
    scope = scan_module(tree, diagnostics)
    called: set[str] = set()  # helpers
    outside = len(diagnostics)
    kernels: list[Node] = []
    sound: list[Node] = []
    for node in scope.kernels.values():
        if _is_meant(node, entry, scope):
            before = len(diagnostics)
            kernels.append(_kernel(node, source, scope, diagnostics, called))
            sound += kernels[-1:] if len(diagnostics) == before else []
    before = len(diagnostics)
    helpers = _helpers(source, scope, diagnostics, called, entry)
    outside += len(diagnostics) - before
    if diagnostics:
        error = CompileError(diagnostics.render())
        if sound and not outside:
            error.rest = _document(source, scope, helpers, sound)
        raise error
    if not kernels:
        raise CompileError(f"hologram: error: {_no_kernel(source, scope, entry)}\n")
    return _document(source, scope, helpers, kernels)


def compile_helpers(tree: ast.Module, source: Source, diagnostics: Diagnostics) -> list[Node]:
    """The helpers of a file that has no kernel; raises CompileError."""
    helpers = _helpers(source, scan_module(tree, diagnostics), diagnostics, set(), None)
    if diagnostics:
        raise CompileError(diagnostics.render())
    return helpers


def _is_meant(kernel: ast.FunctionDef, entry: str | None, scope: Scope) -> bool:
    """An entry names a kernel, or one of the programs that a kernel stands for (`add_f32`)."""
    if entry is None or kernel.name == entry:
        return True
    return entry.startswith(f"{kernel.name}_") and stands_for_several(kernel, scope)


def _no_kernel(source: Source, scope: Scope, entry: str | None) -> str:
    if entry is None or not scope.kernels:
        return (
            f"{source.path} has no kernel; decorate a module-level `def` with `@kernel` or "
            "give one of its parameters the type DeviceArray[...]"
        )
    return f"{source.path} has no kernel `{entry}`; it has {', '.join(scope.kernels)}"


def _helpers(
    source: Source, scope: Scope, diagnostics: Diagnostics, called: set[str], entry: str | None
) -> list[Node]:
    """All helpers of the file; where one kernel is wanted, those that it needs."""
    nodes: dict[str, Node] = {}
    pending = sorted(scope.helpers if entry is None else called)
    while pending:
        name = pending.pop()
        if name not in nodes:
            needs: set[str] = set()
            nodes[name] = _helper(scope.helpers[name], source, scope, diagnostics, needs)
            pending += sorted(needs)
    return [nodes[name] for name in scope.helpers if name in nodes]


def _document(source: Source, scope: Scope, helpers: list[Node], kernels: list[Node]) -> Node:
    values: list[Node] = []
    for constant in scope.constants.values():
        node: Node = {"name": constant.name, "value": constant.value}
        node.update(position(constant.node))
        values.append(node)
    # A path is bytes; the document is text.
    file = source.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    result: Node = {"version": VERSION, "source": {"file": file}, "constants": values}
    if scope.type_variables:
        result["type_variables"] = [
            _type_variable(variable) for variable in scope.type_variables.values()
        ]
    if helpers:
        result["helpers"] = helpers
    result["kernels"] = kernels
    return result


def _type_variable(variable: TypeVariable) -> Node:
    types = [{"kind": "scalar", "type": scalar} for scalar in variable.types]
    node: Node = {"name": variable.name, "types": types}
    node.update(position(variable.node))
    return node


def _helper(
    node: ast.FunctionDef,
    source: Source,
    scope: Scope,
    diagnostics: Diagnostics,
    called: set[str],
) -> Node:
    signature = Signature(scope, diagnostics)
    statements = Statements(Context(node, source, scope, diagnostics, called), signature)
    result: Node = {"name": node.name}
    result.update(position(node))
    signature.helper_decorator(node)
    result["params"] = signature.helper_parameters(node)
    returns = signature.returns(node)
    if returns is not None:
        result["returns"] = returns
    result["body"] = statements.body(node)
    return result


def _kernel(
    node: ast.FunctionDef,
    source: Source,
    scope: Scope,
    diagnostics: Diagnostics,
    called: set[str],
) -> Node:
    signature = Signature(scope, diagnostics)
    statements = Statements(Context(node, source, scope, diagnostics, called), signature)
    result: Node = {"name": node.name}
    result.update(position(node))
    result["decorator"] = signature.decorator(node)
    result["params"] = signature.parameters(node)
    result["body"] = statements.body(node)
    return result
