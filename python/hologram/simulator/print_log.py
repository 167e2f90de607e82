"""What the lanes of a launch print, in the order of lanes."""

from __future__ import annotations

import sys

MAX_PRINTS = 10_000  # of a launch, as src/launch/print_log.h
MAX_BYTES = 1024  # of one of them


class Printer:
    """Where the texts of a launch go: to standard output, up to the limit."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: list[tuple[int, str]] | None = None

    def start(self, waits: bool) -> None:
        """A launch begins. With barriers lanes take turns, so their texts wait for the block."""
        self._count = 0
        self._waiting = [] if waits else None

    def show(self, lane: int, text: str) -> None:
        encoded = text.encode()
        if len(encoded) > MAX_BYTES:
            text = encoded[:MAX_BYTES].decode(errors="ignore") + "...\n"
        if self._waiting is not None:
            self._waiting.append((lane, text))
        else:
            self._write(text)

    def end_block(self, last_lane: int | None = None) -> None:
        """All lanes of a block are done, or `last_lane` has faulted."""
        if self._waiting is None:
            return
        waiting, self._waiting = self._waiting, []
        for lane, text in sorted(waiting, key=lambda item: item[0]):
            if last_lane is None or lane <= last_lane:
                self._write(text)

    def finish(self, faulted: bool) -> None:
        """The launch is over."""
        dropped = self._count - MAX_PRINTS
        if dropped > 0:
            more = "more" if faulted else f"{dropped} more"
            sys.stdout.write(
                f"... and {more}; of what a launch prints, the first {MAX_PRINTS} are shown\n"
            )

    def _write(self, text: str) -> None:
        self._count += 1
        if self._count <= MAX_PRINTS:
            sys.stdout.write(text)
