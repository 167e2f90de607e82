"""Launches of kernels that an earlier block of a page defines, as the playground makes them.

A block that imports a kernel, loads a file with it, or takes it from the standard kernels, and
launches it is opened with the source of that kernel and the arguments and the shape of its first
launch whose arguments are made by what the expressions of the playground have too. Of an `if` that
may be either side; of a loop over tuples of arguments it is the first round.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

STANDARD = "hg.kernels"


class Launch(NamedTuple):
    """`arguments` are in the order of the parameters; `grid` and `block` may be empty."""

    kernel: str
    arguments: list[str]
    grid: str
    block: str
    # The same in Python: the statements before it, and the arguments.
    before: list[ast.stmt]
    values: list[ast.expr]
    is_standard: bool  # a kernel of hg.kernels


OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip


class UnknownError(Exception):
    """The playground has no such expression."""


class Reader:
    """Statements of a block, one after the other."""

    def __init__(self) -> None:
        self._kernels: set[str] = set()  # imported ones
        self._files: set[str] = set()  # what hg.load gave
        self._texts: dict[str, str] = {}
        self._rows: dict[str, list[ast.expr]] = {}  # tuples of arguments

    def copy(self) -> Reader:
        other = Reader()
        other._kernels, other._files = set(self._kernels), set(self._files)
        other._texts, other._rows = dict(self._texts), dict(self._rows)
        return other

    def begin_round(self, loop: ast.For) -> None:
        """The first of `for arguments in ((..., ...), ...)`."""
        rows = loop.iter
        if isinstance(rows, ast.Tuple | ast.List) and isinstance(loop.target, ast.Name):
            first = rows.elts[0] if rows.elts else None
            if isinstance(first, ast.Tuple):
                self._rows[loop.target.id] = first.elts

    # ---- Expressions

    def text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return repr(node.value)
        if isinstance(node, ast.Name) and node.id in self._texts:
            return self._texts[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-{self.text(node.operand)}"
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            sides = self.text(node.left), self.text(node.right)
            return f"({sides[0]} {OPERATORS[type(node.op)]} {sides[1]})"
        if isinstance(node, ast.Attribute) and node.attr == "size":
            return f"len({self.text(node.value)})"
        if isinstance(node, ast.Call):
            return self._made(node.func, node.args)
        raise UnknownError

    def _made(self, function: ast.expr, arguments: list[ast.expr]) -> str:
        """Of a call. Types of elements are those of the parameters, whatever the block says."""
        if isinstance(function, ast.Attribute) and function.attr == "astype":
            return self.text(function.value)
        name = re.sub(r"^(np|numpy)\.", "", ast.unparse(function))
        if name == "array" and isinstance(arguments[0], ast.List):
            return f"[{', '.join(map(self.text, arguments[0].elts))}]"
        if name == "len" and len(arguments) == 1:
            return f"len({self.text(arguments[0])})"
        if name in ("zeros", "ones", "empty"):
            shape = arguments[0]
            extents = shape.elts if isinstance(shape, ast.Tuple) else [shape]
            made = "zeros" if name == "empty" else name
            return f"{made}({', '.join(map(self.text, extents))})"
        if name in ("zeros_like", "empty_like"):
            return f"(0 * {self.text(arguments[0])})"
        if name == "arange" and len(arguments) == 1:
            return f"arange({self.text(arguments[0])})"
        raise UnknownError

    # ---- Statements

    def read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.ImportFrom) and "hologram" not in (statement.module or ""):
            self._kernels |= {alias.name for alias in statement.names}
        if not isinstance(statement, ast.Assign):
            return
        target, value = statement.targets[0], statement.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for name, made in pairs:
            if isinstance(made, ast.Call) and ast.unparse(made.func) == "hg.load":
                self._files.add(ast.unparse(name))
            for part in ast.walk(name):  # also of x[:], which is not made again
                if isinstance(part, ast.Name):
                    self._texts.pop(part.id, None)
            try:
                if isinstance(name, ast.Name):
                    self._texts[name.id] = self.text(made)
            except UnknownError:
                continue

    def _kernel(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return node.id if node.id in self._kernels else None
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in self._files:
            key = node.slice
            return str(key.value) if isinstance(key, ast.Constant) else None
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in (
            *self._files,
            STANDARD,
        ):
            return node.attr
        return None

    def _arguments(self, call: ast.Call) -> list[ast.expr]:
        if len(call.args) == 1 and isinstance(call.args[0], ast.Starred):
            return self._rows.get(ast.unparse(call.args[0].value), call.args)
        return call.args

    def launch(self, call: ast.Call, before: list[ast.stmt]) -> Launch | None:
        """`kernel(...)`, `kernel[grid, block](...)`, or `launch(kernel)(...)` of the simulator."""
        function, shape = call.func, ["", ""]
        if isinstance(function, ast.Call) and ast.unparse(function.func) == "launch":
            if function.keywords:
                return None
            function = function.args[0]
        kernel = self._kernel(function)
        if kernel is None and isinstance(function, ast.Subscript):
            kernel = self._kernel(function.value)
            pair = function.slice
            if not isinstance(pair, ast.Tuple) or len(pair.elts) != len(shape):
                return None
            shape = [ast.unparse(part).strip("()").replace(" ", "") for part in pair.elts]
        if kernel is None or call.keywords:
            return None
        arguments = self._arguments(call)
        try:
            texts = [self.text(argument) for argument in arguments]
        except UnknownError:
            return None
        is_standard = ast.unparse(function).startswith(STANDARD)
        return Launch(kernel, texts, *shape, before, arguments, is_standard)


def _inner(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, ast.If):
        return [statement.body, statement.orelse]
    return [statement.body] if isinstance(statement, ast.Try | ast.For) else []


def _first_launch(reader: Reader, body: list[ast.stmt], before: list[ast.stmt]) -> Launch | None:
    for statement in body:
        reader.read(statement)
        if isinstance(statement, ast.Assign):
            before = [*before, statement]
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(value, ast.Call) and (launch := reader.launch(value, before)) is not None:
            return launch
        for part in _inner(statement):
            inside = reader.copy()
            if isinstance(statement, ast.For):
                inside.begin_round(statement)
            if (launch := _first_launch(inside, part, before)) is not None:
                return launch
    return None


def launch_of(text: str) -> Launch | None:
    """The first launch of a block that the playground can make."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    return _first_launch(Reader(), body, [])


def array_of(text: str) -> tuple[str, str] | None:
    """The file that `python3 -c TEXT` saves, and the expression of its array."""
    for node in ast.walk(ast.parse(text)):
        is_call = isinstance(node, ast.Call) and len(node.args) == 2
        if not is_call or ast.unparse(node.func) not in ("numpy.save", "np.save"):
            continue
        file, array = node.args
        if isinstance(file, ast.Constant) and isinstance(file.value, str):
            try:
                return file.value, ast.unparse(ast.parse(Reader().text(array), mode="eval"))
            except UnknownError:
                return None
    return None
