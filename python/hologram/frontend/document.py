"""One kernel file -> the JSON document, or the text of its errors."""

from __future__ import annotations

import gc
import sys

from hologram.frontend import names
from hologram.frontend.context import Context
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.forms import definitions
from hologram.frontend.imports import Imports
from hologram.frontend.json_writer import to_json
from hologram.frontend.nodes import Node, position
from hologram.frontend.rest import REFUSED, names_in, rest_of
from hologram.frontend.scan import scan_module
from hologram.frontend.scope import Helper, Link, Scope, TypeVariable, is_helper
from hologram.frontend.signature import Signature, stands_for_several
from hologram.frontend.source import FileError, Source, TextError, read_source
from hologram.frontend.statements import Statements
from hologram.frontend.syntax import parse
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "1.2"
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
    return without_collector(lambda: _compile(source, entry))


def without_collector(run: Callable[[], str]) -> str:
    """Runs what makes many objects that are all in use: the search for cycles among them is a fifth
    of the time of a large file. Of two threads in here the first one turns it on again.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        return run()
    finally:
        if is_on:
            gc.enable()


def _compile(source: Source, entry: str | None) -> str:
    diagnostics = Diagnostics(source)
    tree = parse(source, diagnostics)
    if tree is None:
        raise CompileError(diagnostics.render())
    module = tree

    def run() -> str:
        return to_json(compile_tree(module, source, entry, diagnostics))

    return within_stack(run, source)


def within_stack(run: Callable[[], str], source: Source) -> str:
    """Runs what walks a tree of `source`; raises CompileError where that is nested too deeply."""
    # MAX_NESTING levels need up to six frames each; Python's default allows 1000 in all.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MIN_RECURSION_LIMIT))
    try:
        return run()
    except RecursionError:  # thousands of `elif` outside kernels
        diagnostics = Diagnostics(source)
        diagnostics.error_at(1, 1, "the file is nested too deeply; split its longest statement")
        raise CompileError(diagnostics.render()) from None


def compile_tree(
    tree: ast.Module, source: Source, entry: str | None, diagnostics: Diagnostics
) -> Node:
    """The document of a syntax tree; raises CompileError."""
    scope = scan(tree, source, diagnostics)
    wanted = [node for node in scope.kernels.values() if _is_meant(node, entry, scope)]
    # All helpers of the file are checked; where one kernel is wanted, those that it needs.
    own = list(scope.helpers.values()) if entry is None else []
    return compile_kernels(wanted, own, scope, _no_kernel(source, scope, entry, tree))


def scan(tree: ast.Module, source: Source, diagnostics: Diagnostics) -> Scope:
    """The scope of a file, with what it imports from files beside it."""
    link = Link()
    return scan_module(tree, source, diagnostics, Imports(source.path, link), link)


def compile_kernels(
    wanted: list[ast.FunctionDef], own: list[Helper], scope: Scope, missing: str
) -> Node:
    """The document of these kernels of a scope, of the helpers `own` and of those that are called;
    raises CompileError, `missing` where no kernel is wanted."""
    link = scope.link
    called: dict[str, Helper] = {}
    outside = _count(link)
    kernels: list[Node] = []
    for node in wanted:
        made = [_kernel(plain, scope, called) for plain in definitions.kernels(node, scope)]
        if not _count(link):
            _add_arguments(made, node, scope)
        kernels += made
    wrong: set[str] = set()
    helpers = _helpers(scope, [*own, *called.values()], wrong)
    if _count(link):
        error = CompileError(_render(link))
        sound = [rest_of(kernel, wrong) for kernel in kernels if REFUSED not in kernel]
        if sound and not outside:
            kept = [helper for helper in helpers if str(helper["name"]) not in wrong]
            error.rest = _document(scope, kept, sound)
        raise error
    if not kernels:
        raise CompileError(f"hologram: error: {missing}\n")
    return _document(scope, helpers, kernels)


def _add_arguments(made: list[Node], node: ast.FunctionDef, scope: Scope) -> None:
    """What the programs of a kernel do not say of its parameters, for callers in Python."""
    if not definitions.tells(node, scope):
        return
    from hologram.frontend.forms import written

    parameters = definitions.parameters(node, scope)
    for kernel, absent in zip(made, definitions.variants(node, scope)):  # noqa: B905 (same length)
        text = written.write(node.name, parameters, absent)
        if text:
            kernel["arguments"] = text


def compile_helpers(tree: ast.Module, source: Source, diagnostics: Diagnostics) -> list[Node]:
    """The helpers of a file that has no kernel; raises CompileError."""
    scope = scan(tree, source, diagnostics)
    helpers = _helpers(scope, list(scope.helpers.values()), set())
    if diagnostics:
        raise CompileError(diagnostics.render())
    return helpers


def _count(link: Link) -> int:
    """The errors of all files so far."""
    return sum(len(scope.diagnostics) for scope in link.scopes)


def _reports(link: Link) -> int:
    """How often an error was reported, also one that was there before."""
    return sum(scope.diagnostics.reports for scope in link.scopes)


def _render(link: Link) -> str:
    every = {id(scope.diagnostics): scope.diagnostics for scope in link.scopes}
    return "".join(diagnostics.render() for diagnostics in every.values())


def _is_meant(kernel: ast.FunctionDef, entry: str | None, scope: Scope) -> bool:
    """An entry names a kernel, or one of the programs that a kernel stands for (`add_f32`)."""
    if entry is None or kernel.name == entry:
        return True
    return entry.startswith(f"{kernel.name}_") and stands_for_several(kernel, scope)


def _no_kernel(source: Source, scope: Scope, entry: str | None, tree: ast.Module) -> str:
    if entry is None or not scope.kernels:
        alike = _like_a_kernel(tree, scope)
        if alike is not None:
            return (
                f"{source.path} has no kernel; `{alike.name}` (line {alike.lineno}) looks like "
                "one: write `@kernel` above it, and a type for each parameter, as in "
                "`x: DeviceArray[f32]`"
            )
        return (
            f"{source.path} has no kernel; decorate a module-level `def` with `@kernel` or "
            "give one of its parameters the type DeviceArray[...]"
        )
    return f"{source.path} has no kernel `{entry}`; it has {', '.join(scope.kernels)}"


def _like_a_kernel(tree: ast.Module, scope: Scope) -> ast.FunctionDef | None:
    """A function that asks for the number of its lane."""
    for statement in tree.body:
        if not isinstance(statement, ast.FunctionDef) or is_helper(statement, scope):
            continue
        pending: list[ast.AST] = list(statement.body)
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Call) and scope.language_name(node.func) in names.IDS:
                return statement
            pending += children(node)
    return None


def _helpers(scope: Scope, wanted: list[Helper], wrong: set[str]) -> list[Node]:
    """These helpers and what they call: those of the file in their order, then those of others.
    `wrong` gets the names of those with errors, and of those that call one."""
    nodes: dict[str, Node] = {}
    plain = [definitions.helper(helper) for helper in wanted]
    pending = sorted((p for p in plain if p is not None), key=lambda helper: helper.name)
    while pending:
        helper = pending.pop()
        if helper.name not in nodes:
            needs: dict[str, Helper] = {}
            errors = _reports(scope.link)
            nodes[helper.name] = _helper(helper, scope, needs)
            if _reports(scope.link) != errors:
                wrong.add(helper.name)
            pending += [needs[name] for name in sorted(needs)]
    while wrong:
        calling = {
            name
            for name, node in nodes.items()
            if name not in wrong and names_in(node) & {f"{w}()" for w in wrong}
        }
        if not calling:
            break
        wrong |= calling
    own = [helper.name for helper in scope.helpers.values() if helper.scope is scope]
    order = [*dict.fromkeys(own), *sorted(nodes.keys() - set(own))]
    return [nodes[name] for name in order if name in nodes]


def _document(scope: Scope, helpers: list[Node], kernels: list[Node]) -> Node:
    values: list[Node] = []
    for constant in scope.constants.values():
        node: Node = {"name": constant.name, "value": constant.value}
        node.update(position(constant.node))
        values.append(node)
    result: Node = {"version": VERSION, "source": {"file": _text(scope)}, "constants": values}
    variables = {row.name: row for row in scope.type_variables.values()}
    for name, variable in scope.link.type_variables.items():
        variables.setdefault(name, variable)
    if variables:
        result["type_variables"] = [_type_variable(variable) for variable in variables.values()]
    if helpers:
        result["helpers"] = helpers
    result["kernels"] = kernels
    return result


def _text(scope: Scope) -> str:
    """The path of its file. A path is bytes; the document is text."""
    return scope.source.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _type_variable(variable: TypeVariable) -> Node:
    types = [{"kind": "scalar", "type": scalar} for scalar in variable.types]
    node: Node = {"name": variable.name, "types": types}
    if variable.node is not None:
        node.update(position(variable.node))
    return node


def _helper(helper: Helper, first: Scope, called: dict[str, Helper]) -> Node:
    """`first` is the scope of the kernels."""
    node, scope = helper.node, helper.scope
    signature = Signature(scope, scope.diagnostics)
    context = Context(node, scope.source, scope, scope.diagnostics, called)
    statements = Statements(context, signature)
    result: Node = {"name": helper.name}
    if scope.source.path != first.source.path:
        result["file"] = _text(scope)
    result.update(position(node))
    signature.helper_decorator(node)
    result["params"] = signature.helper_parameters(node)
    returns = signature.returns(node)
    if returns is not None:
        result["returns"] = returns
    result["body"] = statements.body(node)
    return result


def _kernel(node: ast.FunctionDef, scope: Scope, called: dict[str, Helper]) -> Node:
    signature = Signature(scope, scope.diagnostics)
    context = Context(node, scope.source, scope, scope.diagnostics, called)
    statements = Statements(context, signature)
    result: Node = {"name": node.name}
    result.update(position(node))
    errors = _reports(scope.link)
    result["decorator"] = signature.decorator(node)
    result["params"] = signature.parameters(node)
    if _reports(scope.link) != errors:
        result[REFUSED] = True  # nothing is known of its names
    result["body"] = statements.body(node)
    return result
