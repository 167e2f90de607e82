"""What a kernel that runs as Python raises. The texts are those of the compiled form."""

from __future__ import annotations


class KernelError(Exception):
    """A kernel that the language refuses: the diagnostics, each with file, line and column."""


class LaunchError(ValueError):
    """Arguments or a launch that do not fit the kernel."""


class KernelFaultError(IndexError):
    """A lane left an array, divided an integer by zero, never ended or failed an assertion. Nothing
    was written.

    `filename`, `lineno` and `column` are those of the expression (columns from 1, in bytes), `lane`
    is the linear number of the lane in the launch.
    """

    def __init__(self, filename: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{filename}:{line}:{column}: error: {message}")
        self.filename = filename
        self.lineno = line
        self.column = column
        self.message = message
        self.lane = 0


class AssertionFaultError(KernelFaultError):
    """The condition of an `assert` did not hold."""
