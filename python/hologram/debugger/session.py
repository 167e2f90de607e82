"""The launch that is debugged: lanes are noted, a debugger is waited for, lanes run."""

from __future__ import annotations

import builtins
import contextlib
import io
import sys
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from hologram.bars import Line
from hologram.debugger.recorder import MOST_NOTES, Recorder
from hologram.debugger.request import Request
from hologram.errors import Error
from hologram.simulator.arrays import Lane
from hologram.simulator.launching import Launcher, bound_by_parameter
from hologram.simulator.translate import Instance, Kernel

HOST = "127.0.0.1"


class _Launch(Launcher):
    """A launch whose arguments are those of the compiled kernel, by their names."""

    def __init__(self, request: Request, function: Any) -> None:
        super().__init__(
            function,
            (request.grid, request.block),
            request.deterministic,
            request.budget,
        )
        self._recorder: Recorder | None = None
        self._only: int | None = None
        self._came = False

    def note(self, recorder: Recorder, arguments: dict[str, Any]) -> None:
        """Runs it on copies, and notes the variables of all lanes up to a fault."""
        self._recorder = recorder
        try:
            # Prints come with the launch itself.
            with (
                Line("noting the values of all lanes"),
                contextlib.redirect_stdout(io.StringIO()),
            ):
                self(**{name: _copy(value) for name, value in arguments.items()})
        except Error:
            pass  # it comes again, before the eyes of the debugger
        finally:
            recorder.stop()
            self._recorder = None

    def debug(self, only: int | None, arguments: dict[str, Any]) -> bool:
        """Runs it. `only`: the lane that has breakpoints, and stops before its first line. False:
        the launch has no such lane."""
        self._only = only
        self(**arguments)
        return only is None or self._came

    def _bound(self, kernel: Kernel, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return bound_by_parameter(kernel, named)

    def _body(self, instance: Instance) -> Callable[..., Any]:
        lane = instance.program.lane
        if self._recorder is not None:
            self._recorder.start(lane, instance.run.__code__.co_filename)
        return instance.run if self._only is None else self._body_of(self._only, lane, instance)

    def _body_of(self, only: int, lane: Lane, instance: Instance) -> Callable[..., Any]:
        """The body of a lane: that of the others is in no file, so it has no breakpoints."""
        import debugpy  # type: ignore[import-not-found]

        stopping = instance.calling(debugpy.breakpoint)

        def chosen() -> Callable[..., Any]:
            if lane.number != only:
                return instance.trial
            self._came = True
            return stopping

        def plain(*values: Any) -> Any:
            return chosen()(*values)

        def meeting(*values: Any) -> Generator[Any, Any, Any]:
            return (yield from chosen()(*values))  # which lane it is, is known when it begins

        return meeting if instance.meets else plain


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _listen(port: int) -> None:
    try:
        import debugpy
    except ModuleNotFoundError as error:
        if error.name != "debugpy":
            raise
        sys.exit(
            "hologram: error: hologram debug needs the Python package debugpy, which "
            f"{sys.executable} does not have; install it (pip install debugpy), or name another "
            "Python in HOLOGRAM_PYTHON"
        )
    host, chosen = debugpy.listen((HOST, port))
    print(
        f"hologram: waiting for a debugger (DAP, attach) on {host}:{chosen}",
        file=sys.stderr,
        flush=True,
    )
    debugpy.wait_for_client()


def main(folder: str) -> int:
    request = Request(folder)
    try:
        function = request.function()
        launch = _Launch(request, function)
        recorder = Recorder()
        launch.note(recorder, request.arguments)
        if recorder.is_full:
            print(
                f"hologram: note: lanes() knows the first {MOST_NOTES} values of this launch",
                file=sys.stderr,
            )
        builtins.lanes = recorder.lanes  # type: ignore[attr-defined]
        _listen(request.port)
        if not launch.debug(request.lane, request.arguments):
            print(f"hologram: note: the launch has no lane {request.lane}", file=sys.stderr)
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    request.save()
    return 0
