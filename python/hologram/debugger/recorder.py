"""The values of all lanes at a line.

Lanes run one after the other, so when a debugger stops in one, those behind it have not been there
yet. So the launch is run once before, on copies, and what each lane's variables are at each line is
noted: `lanes("total * 2")` in the debugger's console evaluates that for every lane, at the line and
in the round in which the lane is that has stopped.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any

from hologram.simulator.arrays import Array, Lane

MOST_NOTES = 1_000_000  # variables of a lane at a line, together


class Recorder:
    """Notes, by line and round, the variables of each lane."""

    def __init__(self) -> None:
        self._path = ""
        self._lane: Lane | None = None
        self._rounds: dict[tuple[int, int], int] = {}  # by lane and line
        self._notes: dict[tuple[int, int], dict[int, dict[str, Any]]] = {}  # by line and round
        self._count = 0
        self.is_full = False

    def start(self, lane: Lane, path: str) -> None:
        """`path`: the file of the kernel, as Python knows it."""
        self._lane, self._path = lane, path
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._noted if frame.f_code.co_filename == self._path else None

    def _noted(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event != "line" or self.is_full or self._lane is None:
            return self._noted
        place = (self._lane.number, frame.f_lineno)
        turn = self._rounds.get(place, 0)
        self._rounds[place] = turn + 1
        note = _variables(frame)
        self._notes.setdefault((frame.f_lineno, turn), {})[self._lane.number] = note
        self._count += len(note)
        self.is_full = self._count > MOST_NOTES
        return self._noted

    def lanes(self, expression: str) -> dict[int, Any]:
        """The value of an expression in each lane that comes to this line in this round."""
        frame = self._stopped()
        if frame is None or self._lane is None:
            raise LookupError("lanes() belongs into a debugger that has stopped in a kernel")
        here = repr(_variables(frame))
        code = compile(expression, "<lanes>", "eval")
        for turn in range(self._rounds.get((self._lane.number, frame.f_lineno), 0)):
            notes = self._notes.get((frame.f_lineno, turn), {})
            if repr(notes.get(self._lane.number)) == here:
                return {lane: _value(code, frame, note) for lane, note in notes.items()}
        raise LookupError(
            "only the first values were noted, this launch has too many"
            if self.is_full
            else "the variables are not what they were when all lanes were noted"
        )

    def _stopped(self) -> FrameType | None:
        """The kernel's frame, in which the debugger evaluates this."""
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_filename != self._path:
            frame = frame.f_back
        return frame


def _variables(frame: FrameType) -> dict[str, Any]:
    return {
        name: value
        for name, value in frame.f_locals.items()
        if not isinstance(value, Array) and not name.startswith("_hg.")
    }


def _value(code: CodeType, frame: FrameType, note: dict[str, Any]) -> Any:
    """None where it has no value: a variable that the lane has not set."""
    try:
        return eval(code, frame.f_globals, note)
    except NameError:
        return None
