"""Functions of a running program -> kernel JSON: `@hg.kernel` wherever a function is defined.

  text       the source of a function: files, notebook cells, the REPL, `python -c`, `exec`
  namespace  what its names mean: closure, module, builtins, as Python looks them up

The front end (hologram.frontend) gets a syntax tree and a scope, as it does from a kernel file. The
values of names are those that they have when the kernel is compiled; nothing of the user is called.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hologram.frontend import document
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.forms import definitions
from hologram.frontend.forms.signatures import parameters_of
from hologram.frontend.json_writer import to_json
from hologram.functions import namespace, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hologram.frontend.forms.definitions import Parameter
    from hologram.frontend.source import Source


class Function:
    """A function that is to be a kernel, as it was when it was decorated."""

    def __init__(self, function: Callable[..., object], around: Mapping[str, object]) -> None:
        """`around` has the names around the `def`, which annotations and decorators may use."""
        self.function: Any = function
        self.text = text.of(function)
        self.around = {name: value for name, value in around.items() if namespace.is_usable(value)}

    @property
    def path(self) -> str:
        """The file, or what Python calls the place of the function."""
        path: str = self.function.__code__.co_filename
        return path

    def source(self) -> Source:
        """What the places of messages are in."""
        return text.read(self.function, self.text, {})[0]

    def json(self) -> str:
        """The document; raises document.CompileError."""
        source, node = text.read(self.function, self.text, {})
        scope = namespace.scope_of(self.function, source, Diagnostics(source), self.around)

        def run() -> str:
            return to_json(document.compile_kernels([node], [], scope, ""))

        return document.within_stack(run, source)

    def parameters(self) -> list[Parameter]:
        """As they are written; raises document.CompileError."""
        source, node = text.read(self.function, self.text, {})
        scope = namespace.scope_of(self.function, source, Diagnostics(source), self.around)
        if any(parameter.annotation is None for parameter in parameters_of(node)):
            self.json()  # says so
        return definitions.parameters(node, scope)


def names_around(depth: int) -> dict[str, object]:
    """The locals of a caller that is the body of a function or of a class; else nothing."""
    frame = sys._getframe(depth + 1)
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
