"""Python kernels with a launch of their own: `kernel[grid, block]`, `kernel.configure(...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hologram import errors
from hologram._native import Dispatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hologram.display import Profile
    from hologram.remembered import Place


# Attributes that depend on the kernel that was compiled, and on nothing that a launch sets.
OF_ONE: tuple[str, ...] = ("asm", "explain", "last_launch", "llvm", "ptx", "wait")


def launched(kernel: Any, shape: tuple[object, ...], options: Mapping[str, Any]) -> Any:
    """The kernel with this launch."""
    if shape:
        kernel = kernel[shape[0], shape[1]]
    return kernel.configure(**options) if options else kernel


def described(kind: str, name: str, kernels: Iterable[tuple[str, Any]]) -> str:
    """The repr of what is several kernels: the compiled ones by name, each with its engine."""
    states = [f"{one}: {repr(kernel).partition(': ')[2][:-1]}" for one, kernel in kernels]
    shown = f", {len(states)} compiled: {'; '.join(states)}" if states else errors.NOT_COMPILED
    return f"<hologram.{kind} {name}{shown}>"


def sum_of_counts(kernels: Iterable[Any]) -> dict[str, int]:
    """`Kernel.counts` of all of them."""
    total = dict.fromkeys(("native", "interpreted", "guarded"), 0)
    for kernel in kernels:
        for name, count in kernel.counts.items():
            total[name] += count
    return total


class Configured(Dispatch):
    """A kernel with a launch of its own. A call launches the kernel; of a generic one the instance
    that fits. Raises hologram.Error."""

    def __init__(
        self, kernel: Launcher, shape: tuple[object, ...], options: dict[str, Any]
    ) -> None:
        self._kernel = kernel
        self._shape = shape
        self._options = options
        deterministic = options.get("deterministic", True)
        if not isinstance(deterministic, bool) and type(deterministic).__module__ != "numpy":
            raise TypeError(f"deterministic: expected True or False, found {deterministic!r}")

    def __repr__(self) -> str:
        given = dict(zip(("grid", "block"), self._shape, strict=False)) | self._options
        name = f"{self._kernel.name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"
        found = self._kernel._shown()
        if found is None:
            return f"<hologram.Configured {name}{errors.NOT_COMPILED}>"
        state = repr(launched(found, self._shape, self._options)).partition(": ")[2]
        return f"<hologram.Configured {name}: {state}"

    def __getattr__(self, name: str) -> Any:
        """Of the kernel; `path` is that of this launch."""
        if name == "path" and (found := self._kernel._shown()) is not None:
            return launched(found, self._shape, self._options).path
        if name in ("path", "name", "__name__", "counts", "parameters", *OF_ONE):
            return getattr(self._kernel, name)
        raise AttributeError(f"'Configured' object has no attribute '{name}'")

    def _launch(self, *arguments: object, **named: object) -> None:
        self._kernel._launch_by(self, self._shape, self._options, arguments, named)

    def __getitem__(self, launch: tuple[object, object] | int) -> Configured:
        """`kernel.configure(threads=1)[grid, block]`"""
        return of_subscript(self._kernel, launch).configure(**self._options)

    def profile(self, *arguments: object, **named: object) -> Profile:
        """`Kernel.profile` of that launch."""
        return self._kernel._profile_by(self._shape, self._options, arguments, named)

    def configure(self, **options: Any) -> Configured:
        """The options of `Kernel.configure`, beside those that were given."""
        return Configured(self._kernel, self._shape, {**self._options, **options})


class Launcher(Dispatch):
    """The base of kernels whose arguments Python binds."""

    def __init__(self) -> None:
        self._configured: dict[tuple[object, object] | int, Configured] = {}

    @property
    def name(self) -> str:
        raise NotImplementedError

    def _choose(
        self, arguments: tuple[object, ...], named: dict[str, object]
    ) -> tuple[Any, dict[str, object], tuple[Place, ...] | None]:
        """The kernel for these arguments, its own by name, and how those became these; None where
        that is not to be remembered. Raises hologram.Error."""
        raise NotImplementedError

    def _shown(self) -> Any:
        """The compiled kernel that `path` and the like are about; None before there is one."""
        raise NotImplementedError

    def _launch_by(
        self,
        caller: Dispatch,
        shape: tuple[object, ...],
        options: dict[str, Any],
        arguments: tuple[object, ...],
        named: dict[str, object],
    ) -> None:
        """Launches the kernel, and lets `caller` remember how."""
        found, given, places = self._choose(arguments, named)
        kernel = launched(found, shape, options)
        kernel(**given)
        if places is not None:
            caller._remember(kernel, places)

    def _profile_by(
        self,
        shape: tuple[object, ...],
        options: dict[str, Any],
        arguments: tuple[object, ...],
        named: dict[str, object],
    ) -> Profile:
        found, given, _ = self._choose(arguments, named)
        profile: Profile = launched(found, shape, options).profile(**given)
        return profile

    def _launch(self, *arguments: object, **named: object) -> None:
        self._launch_by(self, (), {}, arguments, named)

    def profile(self, *arguments: object, **named: object) -> Profile:
        """`Kernel.profile` of the kernel that a call with these arguments launches."""
        return self._profile_by((), {}, arguments, named)

    def __getitem__(self, launch: tuple[object, object] | int) -> Configured:
        """`kernel[grid, block](...)`, each a size or up to three; `kernel[grid](...)` takes the
        kernel's block. The same object for the same numbers, as it remembers its calls."""
        known = self._configured
        try:
            found: Configured | None = known.get(launch)
        except TypeError:  # lists, which are refused by name
            return of_subscript(self, launch)
        if found is None:
            if len(known) >= _MOST_CONFIGURED:
                known.clear()
            found = known[launch] = of_subscript(self, launch)
        return found

    def configure(self, **options: Any) -> Configured:
        """The options of `Kernel.configure`."""
        return Configured(self, (), options)


_MOST_CONFIGURED = 64


def of_subscript(kernel: Launcher, launch: tuple[object, object] | int) -> Configured:
    """`kernel[grid, block]`, each a size or up to three; `kernel[grid]`: the kernel's block."""
    if not isinstance(launch, tuple):
        return Configured(kernel, (), {"grid": launch})
    if len(launch) != 2:
        raise TypeError(errors.GRID_OR_BOTH)
    return Configured(kernel, launch, {})
