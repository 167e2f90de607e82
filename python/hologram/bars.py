"""Progress of what takes long: from the first second on a line on the terminal, which goes away
with the work. Nothing where standard error is no terminal, unless HOLOGRAM_PROGRESS=always asks for
it; the command has the same lines.

for epoch in hg.progress(range(30), "epochs"): ...
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")
_CELLS = 20
_MOST_CHARACTERS = 200


def wanted() -> bool:
    """Whether lines are shown."""
    if os.environ.get("HOLOGRAM_PROGRESS") == "always":
        return sys.stderr is not None
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _plain(text: str) -> str:
    """The beginning, without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:_MOST_CHARACTERS])


class Line:
    """One step of the work, for as long as it is entered; a bar has `done` of `total`, where that
    is not 0."""

    def __init__(self, step: str, total: int = 0) -> None:
        self.total = total
        self.done = 0
        self._step = _plain(str(step))
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Line:
        if wanted():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._over.set()
            self._thread.join()

    def _show(self) -> None:
        seconds = 0
        while not self._over.wait(1.0):
            seconds += 1
            text = f"\rhologram: {self._step}, {seconds} s{self._bar(seconds)}\033[K"
            print(text, end="", file=sys.stderr, flush=True)
        if seconds:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _bar(self, seconds: int) -> str:
        """ "  [=====     ] 48 %, 13 s left" """
        if self.total <= 0:
            return ""
        share = min(1.0, self.done / self.total)
        full = int(share * _CELLS)
        text = f"  [{'=' * full}{' ' * (_CELLS - full)}] {int(share * 100)} %"
        return f"{text}, {round(seconds * (1 - share) / share)} s left" if share else text


def progress(items: Iterable[T], name: str = "working") -> Iterator[T]:
    """The items, and how far they are, of `len(items)` if they have a length."""
    total = len(items) if isinstance(items, Sized) else 0
    with Line(name, total) as line:
        for item in items:
            yield item
            line.done += 1
