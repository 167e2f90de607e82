"""Text -> syntax tree. Syntax errors become ordinary errors with a place."""

from __future__ import annotations

import warnings

from hologram.frontend.syntax_tree import PyCF_ONLY_AST, ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.diagnostics import Diagnostics
    from hologram.frontend.source import Source


def parse(source: Source, diagnostics: Diagnostics) -> ast.Module | None:
    """The tree of the file, or None after reporting why there is none."""
    try:
        with warnings.catch_warnings():  # Python's own remarks about the file are not ours to print
            warnings.simplefilter("ignore")
            tree = compile(source.text, source.path, "exec", PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        _report(source, diagnostics, error)
    except (RecursionError, MemoryError):
        message = "the file is nested too deeply for the parser; split long expressions"
        diagnostics.error_at(1, 1, message)
    except (ValueError, OverflowError) as error:
        diagnostics.error_at(1, 1, f"syntax error: {error}")
    else:
        assert isinstance(tree, ast.Module)
        return tree
    return None


def _report(source: Source, diagnostics: Diagnostics, error: SyntaxError) -> None:
    from hologram.frontend import other_syntax

    line = min(max(error.lineno or 1, 1), len(source.lines))
    found = other_syntax.hint(source, line)
    if found is not None:
        diagnostics.error_at(found.line, found.column, f"syntax error: {found.message}")
        return
    text = source.line(line)
    offset = min(max(error.offset or 1, 1), len(text) + 1)  # in characters
    column = len(text[: offset - 1].encode()) + 1
    message = " ".join(error.msg.split())
    diagnostics.error_at(line, column, f"syntax error: {message[:1].lower()}{message[1:]}")
