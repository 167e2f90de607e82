"""`print(...)` and the message of an `assert` -> texts and values in the order they are shown."""

from __future__ import annotations

from hologram.frontend.nodes import Node, make
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.context import Context
    from hologram.frontend.expressions import Expressions

_KEYWORDS = ("sep", "end")
_AS_IT_IS = (-1, ord("r"), ord("s"))  # of a number all are the same text; `=` is `!r`

NOT_AS_IT_IS = (
    "`!a`, and `!` before a format, in the braces of an f-string are not in the kernel language; "
    'write f"x = {x}"'
)


def is_as_it_is(piece: ast.FormattedValue) -> bool:
    return piece.conversion == -1 or (piece.conversion in _AS_IT_IS and piece.format_spec is None)


def literal_format(spec: ast.expr) -> str | None:
    """What is behind the `:` of braces; None if it has braces of its own."""
    pieces = spec.values if isinstance(spec, ast.JoinedStr) else []
    texts = [p.value for p in pieces if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    return "".join(texts) if len(texts) == len(pieces) else None


def print_statement(
    node: ast.Expr, call: ast.Call, expressions: Expressions, context: Context
) -> Node:
    """Values of every type, string literals, plain f-strings, `sep=` and `end=`."""
    return _Printing(expressions, context).statement(node, call)


def message_parts(node: ast.JoinedStr, expressions: Expressions, context: Context) -> list[object]:
    """Of the f-string behind an `assert`."""
    return _Printing(expressions, context).message(node)


class _Printing:
    """The parts of one statement."""

    def __init__(self, expressions: Expressions, context: Context) -> None:
        self._expressions = expressions
        self._context = context
        self._parts: list[object] = []

    def statement(self, node: ast.Expr, call: ast.Call) -> Node:
        separators = {"sep": " ", "end": "\n"}
        for keyword in call.keywords:
            self._keyword(keyword, separators)
        for number, argument in enumerate(call.args):
            if number:
                self._text(separators["sep"])
            self._argument(argument)
        self._text(separators["end"])
        return make("print", node, parts=self._parts)

    def message(self, node: ast.JoinedStr) -> list[object]:
        self._argument(node)
        if any(isinstance(part, str) and not part.isprintable() for part in self._parts):
            self._context.error(node, "the message of an `assert` is one line of text")
        return self._parts

    def _keyword(self, keyword: ast.keyword, separators: dict[str, str]) -> None:
        value = keyword.value
        if keyword.arg is None:
            self._context.error(
                keyword, "`**` in a call is not in the kernel language; write each argument"
            )
        elif keyword.arg not in _KEYWORDS:
            self._context.error(
                keyword,
                f"`print` in a kernel has no keyword argument `{keyword.arg}=`; it has: `sep=`, "
                "`end=`",
            )
        elif not isinstance(value, ast.Constant) or not isinstance(value.value, (str, type(None))):
            self._context.error(value, f"`{keyword.arg}=` of `print` is a string literal")
        elif value.value is not None and self._is_plain(value, value.value):
            separators[keyword.arg] = value.value

    def _argument(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if self._is_plain(node, node.value):
                self._text(node.value)
        elif isinstance(node, ast.JoinedStr):
            for piece in node.values:
                self._piece(piece)
        elif isinstance(node, ast.Starred):
            self._context.error(
                node, "`*` in a call is not in the kernel language; write each argument"
            )
        else:
            self._parts.append(self._expressions.expression(node))

    def _piece(self, piece: ast.expr) -> None:
        """Of an f-string: a text, or a value in braces."""
        if not isinstance(piece, ast.FormattedValue):
            self._argument(piece)
        elif not is_as_it_is(piece):
            self._context.error(piece.value, NOT_AS_IT_IS)
        elif piece.format_spec is not None:
            self._formatted(piece.value, piece.format_spec)
        else:
            self._argument(piece.value)

    def _formatted(self, node: ast.expr, spec: ast.expr) -> None:
        """The compiler knows which formats a type has."""
        text = literal_format(spec)
        if text is None:
            self._context.error(
                node,
                "a format behind `:` in an f-string is known when compiling; write its numbers",
            )
        elif text:
            self._parts.append({"value": self._expressions.expression(node), "format": text})
        else:
            self._argument(node)

    def _text(self, text: str) -> None:
        if not text:
            return
        if self._parts and isinstance(self._parts[-1], str):
            self._parts[-1] += text
        else:
            self._parts.append(text)

    def _is_plain(self, node: ast.expr, text: str) -> bool:
        if all(char in "\n\t" or char.isprintable() for char in text):
            return True
        self._context.error(node, "a text has printable characters, `\\n` and `\\t` only")
        return False
