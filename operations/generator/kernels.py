"""The kernel file of an operation: its function, and a kernel for each form of forms.py."""

from __future__ import annotations

import ast
import functools
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
LANGUAGE = {
    *language.SCALARS,
    *("DeviceArray", "get_block_id", "get_global_id", "get_grid_dim", "get_local_id", "inline"),
    *("min", *(f"block_reduce_{word}" for word in ("add", "max", "min", "mul"))),
}
WIDE = """@inline
def wide(x):
    return x * f32(1.0)  # f16 and bf16 are computed in f32
"""


class File(NamedTuple):
    """A kernel file. `place` is the file of its function, `function` its line there; `moved` has,
    by helper with the same text, how many lines further down that has it."""

    name: str
    text: str
    place: str
    function: int
    moved: dict[str, int]


class _Form(ast.NodeTransformer):
    """A form for one function: names and numbers filled in."""

    def __init__(
        self,
        names: dict[str, str],
        scalars: tuple[str, ...],
        in_place: dict[str, ast.FunctionDef],
    ) -> None:
        self.names, self.scalars, self.in_place = names, scalars, in_place

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

    @staticmethod
    def expression(function: ast.FunctionDef, arguments: list[ast.expr]) -> ast.expr:
        """What a function of one `return` gives for names."""
        names = [argument.arg for argument in function.args.args]
        given = dict(zip(names, map(ast.unparse, arguments), strict=True))
        value: ast.expr = _Renamed(given).visit(_copy(function).body[0].value)
        return value

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.in_place:
            return self.expression(self.in_place[node.func.id], node.args)
        if node.args and isinstance(node.args[-1], ast.Starred):
            node.args[-1:] = [ast.Name(name) for name in self.scalars]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self.generic_visit(node)
        return ast.arg(self.names.get(node.arg, node.arg), node.annotation)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id))


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


@functools.cache
def _forms(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def filled(
    file: str,
    form: str,
    name: str,
    names: dict[str, str],
    scalars: tuple[str, ...],
    in_place: dict[str, ast.FunctionDef] | None = None,
) -> str:
    """The text of a form as kernel `name`."""
    node = _copy(_forms(file)[form])
    if isinstance(node.body[0], ast.Expr):  # its docstring
        node.body = node.body[1:]
    node.name = name
    return ast.unparse(_Form(names, scalars, in_place or {}).visit(node))


def _kernels(row: Row, base: str, value: str, kind: str) -> list[str]:
    """The kernels of all forms for one function."""
    names = {"value": value, "T": kind}
    return [
        filled("forms.py", form, f"{base}_{suffix}" if suffix else base, names, row.scalars)
        for form, suffix in FORMS[len(row.arrays)]
    ]


def helper(name: str, function: ast.FunctionDef, body: str) -> str:
    parameters = ", ".join(argument.arg for argument in function.args.args)
    return f"@inline\ndef {name}({parameters}):\n{body}"


def verbatim(text: str, function: ast.FunctionDef) -> str:
    """The body of a function as it is written."""
    return "\n".join(text.split("\n")[function.body[0].lineno - 1 : function.end_lineno])


def type_variable(name: str, types: list[str]) -> str:
    quoted = ", ".join([f'"{name}"', *types])
    return f"{name} = TypeVar({quoted})"


def _imports(pieces: list[str]) -> str:
    nodes = ast.parse("\n".join(pieces)).body

    def accept(node: ast.AST) -> str | None:
        return node.id if isinstance(node, ast.Name) and node.id in LANGUAGE else None

    lines = ["from typing import TypeVar", ""]
    if any(isinstance(node, ast.Name) and node.id == "lang" for n in nodes for node in ast.walk(n)):
        lines.append("from hologram import lang")
    return "\n".join([*lines, f"from hologram.lang import {', '.join(walk_names(nodes, accept))}"])


def assembled(
    name: str,
    formula: str,
    place: str,
    values: list[str],
    variables: list[str],
    helpers: dict[str, str],
    made: list[str],
    functions: dict[str, ast.FunctionDef],
    line: int,
) -> File:
    """The file of these pieces; `functions` are the helpers with the text of functions in `place`,
    `line` is that of the operation there."""
    head = f'"""out = {formula}.\n\nMade by the build of `{name}` in {place}.\n"""\n'
    imports = _imports([*variables, *helpers.values(), *made])
    text = "\n".join([head, imports, "", *variables, *values, ""])
    for piece in (*helpers.values(), *made):
        text += f"\n\n{piece}\n"
    places = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    moved = {
        key: function.body[0].lineno - places[key].body[0].lineno
        for key, function in functions.items()
    }
    return File(name, text, place, line, moved)


def kernel_file(file: Elementwise, row: Row) -> File:
    """The kernel file of an operation on elements."""
    own = [kind for kind in row.types if not row.variant_of(kind)]
    functions = {"value": row.function}
    variables = [type_variable("T", own)]
    made = _kernels(row, f"op_{row.name}", "value", "T")
    for number, (facts, function) in enumerate(row.variants):
        letter = "SUVW"[number]
        functions[facts.suffix] = function
        variables.append(type_variable(letter, list(facts.types)))
        made += _kernels(row, f"op_{row.name}_{facts.suffix}", facts.suffix, letter)
    helpers = {
        name: helper(name, function, verbatim(file.text, function))
        for name, function in functions.items()
    }
    if row.facts.fast:
        body = "\n".join("    " + ast.unparse(statement) for statement in fast_body(row.function))
        helpers["fast_value"] = helper("fast_value", row.function, body)
        made += _kernels(row, f"op_{row.name}_fast", "fast_value", "f32")
    constants = walk_names(
        ast.parse("\n".join(helpers.values())).body,
        lambda node: node.id if isinstance(node, ast.Name) and node.id in file.constants else None,
    )
    if "wide(" in "".join(helpers.values()):
        helpers = {"wide": WIDE.rstrip("\n"), **helpers}
    values = [ast.unparse(file.constants[name]) for name in constants]
    return assembled(
        row.name,
        row.facts.formula,
        ELEMENTWISE,
        values,
        variables,
        helpers,
        made,
        functions,
        row.function.lineno,
    )
