"""Kernels as text: `explain`, `asm`, `llvm`, `ptx` and `profile`, and their form in notebooks.

Each gives a text that a REPL and a notebook show as it is.
"""

from __future__ import annotations

import base64
import html as escapes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hologram._native import Kernel


class Text(str):
    """A text of several lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escapes.escape(self)}</pre>"


class Profile(Text):
    """What `kernel.profile(...)` found: a table by source line, and the roofline as a picture."""

    __slots__ = ("svg",)
    svg: str  # an SVG file; "" without native code

    def _repr_html_(self) -> str:
        # As an image, so that its styles are not those of the page.
        data = base64.b64encode(self.svg.encode()).decode()
        image = f'<img alt="roofline" src="data:image/svg+xml;base64,{data}">' if self.svg else ""
        return super()._repr_html_() + image


def explain(kernel: Kernel, level: str | None = None) -> Text:
    return Text(kernel._emit("explain", level).rstrip("\n"))


def asm(kernel: Kernel, level: str | None = None) -> Text:
    return Text(kernel._emit("asm" if level is None else "machine", level))


def llvm(kernel: Kernel, level: str | None = None) -> Text:
    return Text(kernel._emit("llvm", level))


def portable(kernel: Kernel, native: Iterable[str] | str = "all") -> Kernel:
    from hologram import pickles

    return pickles.portable(kernel, native)


def ptx(kernel: Kernel, arch: str = "sm_80") -> Text:
    return Text(kernel._emit("ptx", arch))


def profile(kernel: Kernel, *arguments: object, **named: object) -> Profile:
    import linecache

    # What linecache knows of cells of a notebook, no file has.
    function = getattr(kernel, "__wrapped__", None)
    code = getattr(function, "__code__", None)
    source = "".join(linecache.getlines(code.co_filename)) if code is not None else ""
    text, svg = kernel._profile(source or None, *arguments, **named)
    made = Profile(text.rstrip("\n"))
    made.svg = svg
    return made


def html(kernel: Any, compiled: Iterable[Any] | None = None) -> str:
    """Its state, its source where that is known, and the proofs of its accesses. `compiled`: of a
    kernel that is several, these."""
    if compiled is None:
        _ = kernel.path  # a mistake in it is raised here, and not half way
        compiled = (kernel,)
    parts = [f"<p><code>{escapes.escape(repr(kernel))}</code></p>"]
    source = _source(kernel)
    if source:
        parts.append(f"<pre>{escapes.escape(source)}</pre>")
    rows = []
    for line in (line for one in compiled for line in one.explain().splitlines()):
        place, _, words = line.partition(": ")
        kind, _, rest = words.partition("  ")
        cells = (place.rpartition("/")[2], kind, rest)
        rows.append("".join(f"<td>{escapes.escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    parts.append(f"<table><tr><th>place</th><th></th><th></th></tr>{body}</table>")
    return "".join(parts)


def _source(kernel: Kernel) -> str:
    function = getattr(kernel, "__wrapped__", None)
    if function is None:
        return ""
    import inspect

    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""
