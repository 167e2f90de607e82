"""What a kernel that runs as Python raises: the errors of hologram.errors, with the texts of the
compiled form."""

from __future__ import annotations

from hologram.errors import ArgumentError, CompileError, FaultError


class KernelError(CompileError):
    """A kernel that the language refuses: the diagnostics, each with file, line and column."""


class LaunchError(ArgumentError):
    """Arguments or a launch that do not fit the kernel."""


class KernelFaultError(FaultError, IndexError):
    """A lane left an array, divided an integer by zero, never ended or failed an assertion. Nothing
    was written. `lane` is the linear number of the lane in the launch.
    """

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{file}:{line}:{column}: error: {message}", message, file, line, column)
        self.lane = 0


class AssertionFaultError(KernelFaultError):
    """The condition of an `assert` did not hold."""
