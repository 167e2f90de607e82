"""Python kernels with a launch of their own: `kernel[grid, block]`, `kernel.configure(...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hologram import errors

if TYPE_CHECKING:
    from hologram._native import Kernel
    from hologram.display import Profile


class Launchable(Protocol):
    def _ready(
        self,
        shape: tuple[object, ...],
        options: dict[str, Any],
        arguments: tuple[object, ...],
        named: dict[str, object],
    ) -> tuple[Kernel, dict[str, object]]: ...


class Configured:
    """A kernel with a launch of its own."""

    def __init__(
        self, kernel: Launchable, shape: tuple[object, ...], options: dict[str, Any]
    ) -> None:
        self._kernel = kernel
        self._shape = shape
        self._options = options
        deterministic = options.get("deterministic", True)
        if not isinstance(deterministic, bool) and type(deterministic).__module__ != "numpy":
            raise TypeError(f"deterministic: expected True or False, found {deterministic!r}")

    def __call__(self, *arguments: object, **named: object) -> None:
        """Launches the kernel; of a generic one the instance that fits. Raises hologram.Error."""
        kernel, given = self._kernel._ready(self._shape, self._options, arguments, named)
        kernel(**given)

    def profile(self, *arguments: object, **named: object) -> Profile:
        """`Kernel.profile` of that launch."""
        kernel, given = self._kernel._ready(self._shape, self._options, arguments, named)
        return kernel.profile(**given)

    def configure(self, **options: Any) -> Configured:
        """The options of `Kernel.configure`, beside those that were given."""
        return Configured(self._kernel, self._shape, {**self._options, **options})


def of_subscript(kernel: Launchable, launch: tuple[object, object] | int) -> Configured:
    """`kernel[grid, block]`, each a size or up to three; `kernel[grid]`: the kernel's block."""
    if not isinstance(launch, tuple):
        return Configured(kernel, (), {"grid": launch})
    if len(launch) != 2:
        raise TypeError(errors.GRID_OR_BOTH)
    return Configured(kernel, launch, {})
