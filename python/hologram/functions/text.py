"""The source of a function: its file or notebook cell, or the text that was typed or executed.

Python's own record (`linecache`) has files, notebook cells, and since 3.13 the REPL. For the rest
there are the command line (`python -c`), standard input that is a file, the lines of the REPL, and
the variables of the code that called `exec`. Such a text is used only if it compiles to this very
function.
"""

from __future__ import annotations

import linecache
import os
import stat
import sys
from typing import TYPE_CHECKING, Any

from hologram.frontend import document
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.source import Source
from hologram.frontend.syntax import parse
from hologram.frontend.syntax_tree import ast, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, FrameType

MAX_CALLERS = 50  # frames that are looked through
MAX_LINES = 1000  # of a function in the REPL
_ATTRIBUTE = "__hologram_text__"  # of functions whose text is known only while they are made


def of(function: Any) -> str | None:
    """The text that a function stands in, all of it; None if there is none."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    kept: str | None = getattr(function, _ATTRIBUTE, None)
    if kept is not None:
        return kept
    # As it is now, which a file that is edited before the first call is not any more.
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, getattr(function, "__globals__", None))
    if not lines:
        by_code = getattr(linecache, "_getlines_from_code", None)  # 3.13, for the REPL and -c
        lines = by_code(code) if by_code is not None else []
    # Of these names there are many texts.
    shared = code.co_filename in ("<string>", "<stdin>")
    if lines and (not shared or _is_source_of(code, "".join(lines))):
        return "".join(lines)
    if not code.co_filename.startswith("<"):
        return None
    return next((text for text in _typed(code) if _is_source_of(code, text)), None)


def keep(function: Any) -> None:
    """Finds the text of a helper now, if it may not be there later."""
    if function.__code__.co_filename.startswith("<"):
        text = of(function)
        if text is not None:
            setattr(function, _ATTRIBUTE, text)


def read(
    function: Any, text: str | None, trees: dict[str, tuple[Source, ast.Module]]
) -> tuple[Source, ast.FunctionDef]:
    """The `def` of a function in its text; raises document.CompileError. `trees` has the texts that
    were parsed before."""
    code, name = function.__code__, function.__name__
    if name == "<lambda>":
        raise _refuse("a lambda is not a kernel; write a `def`")
    owner = function.__qualname__.rpartition(".")[0]
    if owner and not owner.endswith("<locals>"):
        is_method = code.co_varnames[: code.co_argcount][:1] in (("self",), ("cls",))
        what = "a method of" if is_method else "in class"
        why = ", and kernels have no `self`" if is_method else ""
        raise _refuse(
            f"kernel '{name}' is {what} {owner}{why}; write it outside of the class, with the "
            "arrays and numbers it needs as parameters"
        )
    if text is None:
        raise _refuse(_no_text(code, name))
    if text not in trees:
        source = Source(code.co_filename, text)
        diagnostics = Diagnostics(source)
        parsed = parse(source, diagnostics)
        if parsed is None:
            raise document.CompileError(diagnostics.render())
        trees[text] = (source, parsed)
    source, tree = trees[text]
    for node in _functions(tree):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if node.name == name and first == code.co_firstlineno:
            if isinstance(node, ast.FunctionDef):
                return source, node
            raise _refuse(f"kernel '{name}' cannot be `async`; write `def {name}(...)`")
    raise _refuse(
        f"{code.co_filename}:{code.co_firstlineno} is not `{name}` any more; the file has changed "
        "since it was imported"
    )


def _refuse(message: str) -> document.CompileError:
    return document.CompileError(f"hologram: error: {message}\n")


def _no_text(code: CodeType, name: str) -> str:
    path = code.co_filename
    advice = "write it to a file and import that"
    if path == "<stdin>":
        advice = (
            "Python has read the program from a pipe, which keeps no text. Write it to a file, "
            f"with `cat > {name}.py <<'E'` in place of `python3 - <<'E'`, and run "
            f"`python3 {name}.py`; `python3 < FILE` and `python3 -c TEXT` work too"
        )
    elif path == "<string>":
        advice = "keep the text that is executed in a variable, or write it to a file"
    return f"the source of '{name}' is not there ({path}): {advice}"


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        if not isinstance(node, ast.expr):
            pending += children(node)


# ---- Where Python keeps no file


def _typed(code: CodeType) -> Iterator[str]:
    if code.co_filename == "<string>":
        yield from _of_command_line()
    if code.co_filename == "<stdin>":
        yield from _of_standard_input()
        yield from _of_history()
    yield from _of_callers()


def _of_command_line() -> Iterator[str]:
    """`python -c TEXT`; Python 3.14 takes the common indentation off."""
    arguments = sys.orig_argv
    for number, argument in enumerate(arguments[:-1]):
        if argument.startswith("-") and argument.endswith("c"):
            yield arguments[number + 1]
            import textwrap

            yield textwrap.dedent(arguments[number + 1])


def _of_standard_input() -> Iterator[str]:
    """`python - < FILE`"""
    try:
        if stat.S_ISREG(os.stat(0).st_mode):
            with open("/proc/self/fd/0", encoding="utf-8") as file:
                yield file.read()
    except (OSError, ValueError):
        return


def _of_history() -> Iterator[str]:
    """The last lines of the REPL up to 3.12, which readline remembers, without empty ones."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    last = readline.get_current_history_length()
    text = ""
    for number in range(last, max(last - MAX_LINES, 0), -1):
        text = f"{readline.get_history_item(number)}\n{text}"
        yield text


def _of_callers() -> Iterator[str]:
    """Texts in variables and constants of the code that called `exec`."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(MAX_CALLERS):
        if frame is None:
            return
        values: list[Iterable[object]] = [frame.f_code.co_consts, list(frame.f_locals.values())]
        for group in values:
            yield from (value for value in group if isinstance(value, str) and "def " in value)
        frame = frame.f_back


def _is_source_of(code: CodeType, text: str) -> bool:
    try:
        flags = code.co_flags & _future_flags()
        whole = compile(text, code.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    pending: list[object] = [whole]
    while pending:
        made = pending.pop()
        if made == code:
            return True
        pending += [inner for inner in made.co_consts if hasattr(inner, "co_consts")]  # type: ignore[attr-defined]
    return False


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags
