"""The errors of kernels and launches, with their place in the kernel's source if there is one."""

from __future__ import annotations

import sys


class Error(Exception):
    """What went wrong: `message`, `file` ('' for none), `line` and `column` (from 1; 0: none)."""

    def __init__(
        self, text: str, message: str = "", file: str = "", line: int = 0, column: int = 0
    ) -> None:
        super().__init__(text)
        self.message = message or text
        self.file = file
        self.line = line
        self.column = column


class CompileError(Error):
    """A kernel that is not one: its text, a rule of the language, or the verifier's refusal."""


class BundleError(Error):
    """A file that is no bundle, or not the one that was vouched for."""


class ArgumentError(Error, ValueError, TypeError):
    """An argument of a launch that does not fit: its count, type, size or memory."""


class FaultError(Error):
    """A kernel that went wrong while it ran: an index out of range, a division by zero."""


class NotFoundError(Error, LookupError):
    """A file or a kernel that does not exist."""


class UnsupportedError(Error):
    """What this build or this machine cannot do."""


class ResourceLimitError(Error):
    """A documented limit that was exceeded."""


class InternalError(Error):
    """A mistake of this library."""


class CancelledError(Error):
    """A launch that was stopped, by Executor.cancel() or by Ctrl-C while another launch of the same
    executor ran. Its outputs hold anything."""


class InterpretedWarning(RuntimeWarning):
    """A kernel for which native code was wanted is interpreted; the text says why."""


class GridWarning(RuntimeWarning):
    """A grid was given that has fewer lanes than the conditions of the kernel admit; the text says
    the grid that has them all."""


class OverflowWarning(RuntimeWarning):
    """A kernel adds or multiplies integers of arrays in their own type, where they may wrap, and
    widens what comes out; the text says the cast to write."""


def warn_of_source(text: str, file: str, line: int) -> None:
    """A note about a line of a kernel, which Python gives once for each line and text."""
    import warnings

    warnings.warn_explicit(text, OverflowWarning, file, line, registry=_of_sources)


_of_sources: dict[str | tuple[str, type[Warning], int], int] = {}


def warn(text: str, interpreted: bool) -> None:
    """A note about a kernel, at the line of the program that is outside of this package."""
    import warnings

    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hologram."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, InterpretedWarning if interpreted else RuntimeWarning, stacklevel=level)


NOT_COMPILED = ": compiled when it is first called"
GRID_OR_BOTH = (
    "expected kernel[grid] or kernel[grid, block]; a grid of three sizes without a block is "
    "kernel.configure(grid=(x, y, z))"
)

_CLASSES: dict[int, type[Error]] = {  # by the codes of hologram.h
    1: CompileError,
    2: CompileError,
    3: CompileError,
    4: BundleError,
    5: ArgumentError,
    6: FaultError,
    7: NotFoundError,
    8: UnsupportedError,
    9: ResourceLimitError,
    10: InternalError,
    11: CancelledError,
}


def make(  # noqa: PLR0913
    code: int, message: str, text: str, file: str, line: int, column: int
) -> Error:
    """The error of a code of hologram.h."""
    # What a command says before errors without a place.
    text = text.removeprefix("hologram: error: ").replace("\nhologram: error: ", "\n")
    return _CLASSES.get(code, Error)(text, message, file, line, column)


def argument_error(
    kernel: str, parameter: str, error: BaseException, written: bool = False
) -> ArgumentError:
    """What is wrong with an argument, with its name before it; `written`: the kernel stores in it.

    An error that an array's own code raised (it has a traceback) is the cause.
    """
    text = f"kernel '{kernel}': '{parameter}' {error}"
    if written and text.endswith("makes a copy that is"):
        text += "; the kernel writes it, so copy the result back after the call"
    made = ArgumentError(text)
    made.__cause__ = error.__cause__ if error.__traceback__ is None else error
    return made
