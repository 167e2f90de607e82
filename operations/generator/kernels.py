"""The kernel file of an operation: its function, and a kernel for each form of forms.py."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from generator.rows import ELEMENTWISE, FOLDER, Elementwise, Row, walk_names
from hologram.frontend import names as language

# Forms by the number of arrays: in forms.py, in the names of kernels.
FORMS = {
    1: (("flat", ""), ("strided", "strided")),
    2: (
        ("flat2", ""),
        ("rows2", "rows"),
        ("rows_left2", "rows_left"),
        ("rows_right2", "rows_right"),
        ("strided2", "strided"),
        ("into2", "into"),
    ),
}
WIDE = """@inline
def wide(x):
    return x * f32(1.0)  # f16 and bf16 are computed in f32
"""


class File(NamedTuple):
    """A kernel file. `function` is the line of the function in elementwise.py; `moved` has, by
    helper with the same text, how many lines further down that has it."""

    name: str
    text: str
    function: int
    moved: dict[str, int]


class _Form(ast.NodeTransformer):
    """A form for one function: names, types and numbers filled in."""

    def __init__(self, value: str, kind: str, scalars: tuple[str, ...]) -> None:
        self.value, self.kind, self.scalars = value, kind, scalars

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        arguments = node.args
        numbers = []
        if arguments.vararg is not None:
            annotation = arguments.vararg.annotation
            numbers = [ast.arg(name, annotation) for name in self.scalars]
        arguments.args += [*numbers, *arguments.kwonlyargs]
        arguments.vararg, arguments.kwonlyargs, arguments.kw_defaults = None, [], []
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if node.args and isinstance(node.args[-1], ast.Starred):
            node.args[-1:] = [ast.Name(name) for name in self.scalars]
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name({"T": self.kind, "value": self.value}.get(node.id, node.id))


class _Fast(ast.NodeTransformer):
    """The fast form of a function: functions have fast=True, and everything is f32."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.func) == "wide":
            return node.args[0]
        name = ast.unparse(node.func).removeprefix("lang.")
        if "fast" in language.KEYWORDS.get(name, ()):
            node.keywords.append(ast.keyword("fast", ast.Constant(True)))
        return node


class _Renamed(ast.NodeTransformer):
    """`v = x` where x is the parameter: v is x."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _copy(node: Any) -> Any:
    return ast.parse(ast.unparse(node)).body[0]


def fast_body(function: ast.FunctionDef) -> list[ast.stmt]:
    body = [_Fast().visit(statement) for statement in _copy(function).body]
    names: dict[str, str] = {}
    while (
        isinstance(body[0], ast.Assign)
        and isinstance(body[0].value, ast.Name)
        and isinstance(body[0].targets[0], ast.Name)
    ):
        names[body[0].targets[0].id] = body[0].value.id
        body = body[1:]
    return [_Renamed(names).visit(statement) for statement in body]


def _forms() -> dict[str, ast.FunctionDef]:
    tree = ast.parse((FOLDER / "forms.py").read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _kernels(row: Row, base: str, value: str, kind: str) -> list[str]:
    """The kernels of all forms for one function."""
    forms, made = _forms(), []
    for form, suffix in FORMS[len(row.arrays)]:
        node = _copy(forms[form])
        if isinstance(node.body[0], ast.Expr):  # its docstring
            node.body = node.body[1:]
        node.name = f"{base}_{suffix}" if suffix else base
        made.append(ast.unparse(_Form(value, kind, row.scalars).visit(node)))
    return made


def _helper(name: str, function: ast.FunctionDef, body: str) -> str:
    parameters = ", ".join(argument.arg for argument in function.args.args)
    return f"@inline\ndef {name}({parameters}):\n{body}"


def _verbatim(file: Elementwise, function: ast.FunctionDef) -> str:
    lines = file.text.split("\n")[function.body[0].lineno - 1 : function.end_lineno]
    return "\n".join(lines)


def _type_variable(name: str, types: list[str]) -> str:
    quoted = ", ".join([f'"{name}"', *types])
    return f"{name} = TypeVar({quoted})"


def _imports(pieces: list[str]) -> str:
    nodes = ast.parse("\n".join(pieces)).body
    known = (*language.SCALARS, "DeviceArray", "get_global_id", "inline")

    def accept(node: ast.AST) -> str | None:
        return node.id if isinstance(node, ast.Name) and node.id in known else None

    lines = ["from typing import TypeVar", ""]
    if any(isinstance(node, ast.Name) and node.id == "lang" for n in nodes for node in ast.walk(n)):
        lines.append("from hologram import lang")
    return "\n".join([*lines, f"from hologram.lang import {', '.join(walk_names(nodes, accept))}"])


def kernel_file(file: Elementwise, row: Row) -> File:
    """The kernel file of an operation."""
    own = [kind for kind in row.types if not row.variant_of(kind)]
    functions = {"value": row.function}
    variables = [_type_variable("T", own)]
    kernels = _kernels(row, f"op_{row.name}", "value", "T")
    for number, (facts, function) in enumerate(row.variants):
        letter = "SUVW"[number]
        functions[facts.suffix] = function
        variables.append(_type_variable(letter, list(facts.types)))
        kernels += _kernels(row, f"op_{row.name}_{facts.suffix}", facts.suffix, letter)
    helpers = {
        name: _helper(name, function, _verbatim(file, function))
        for name, function in functions.items()
    }
    if row.facts.fast:
        body = "\n".join("    " + ast.unparse(statement) for statement in fast_body(row.function))
        helpers["fast_value"] = _helper("fast_value", row.function, body)
        kernels += _kernels(row, f"op_{row.name}_fast", "fast_value", "f32")
    statements = ast.parse("\n".join(helpers.values())).body
    constants = walk_names(
        statements,
        lambda node: node.id if isinstance(node, ast.Name) and node.id in file.constants else None,
    )
    if "wide(" in "".join(helpers.values()):
        helpers = {"wide": WIDE.rstrip("\n"), **helpers}
    made = f"Made by the build of `{row.name}` in {ELEMENTWISE}."
    head = f'"""out = {row.facts.formula}.\n\n{made}\n"""\n'
    values = [ast.unparse(file.constants[name]) for name in constants]
    pieces = [*variables, *helpers.values(), *kernels]
    text = "\n".join([head, _imports(pieces), "", *variables, *values, ""])
    for piece in (*helpers.values(), *kernels):
        text += f"\n\n{piece}\n"
    places = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    moved = {
        name: function.body[0].lineno - places[name].body[0].lineno
        for name, function in functions.items()
    }
    return File(row.name, text, row.function.lineno, moved)
