"""Kernels by name, wherever they come from (docs/registry.md). Used as `hologram.registry`.

    hg.registry.kernel("vector_add")         # user before bundled before built-in
    hg.registry.add_directory("~/kernels")   # besides those that HOLOGRAM_KERNEL_PATH names
    for kernel in hg.registry.listing().kernels: print(kernel.name, kernel.origin, kernel.file)

These functions use one registry of the process; `Registry()` makes another one. Any thread may call
them. A file that changes is read again by the next search; a kernel that somebody holds stays as it
is.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, NamedTuple

from hologram import _native, loaded

if TYPE_CHECKING:
    from hologram._native import Kernel

__all__ = ["Entry", "Listing", "Registry", "add_directory", "kernel", "listing", "load", "trust"]


class Entry(NamedTuple):
    """A kernel that is there. `origin` is "user", "bundled" or "built-in"; `file` is "" if it came
    from memory; `shadowed_by` is None for the kernel that a search gives, else that one's file."""

    name: str
    id: str
    origin: str
    file: str
    shadowed_by: str | None


class Listing(NamedTuple):
    """All kernels by name, of one name the one that wins first; and what could not be read."""

    kernels: list[Entry]
    errors: list[str]


class Registry:
    """Kernels of the places that docs/registry.md names, or, with `only_added`, of nothing but what
    is added and loaded."""

    def __init__(self, *, only_added: bool = False) -> None:
        self._native = _native.Registry(only_added)
        if not only_added:
            try:
                from hologram._stdlib import HASH
            except ImportError:  # this build makes no standard library
                return
            self._native.trust(HASH)

    def kernel(self, name: str) -> Kernel:
        """Gets a kernel ready to run. Raises NotFoundError with the names there are; BundleError
        for a file that had this kernel, or is called so, and cannot be read now."""
        return loaded.of(self._native.kernel(name))

    def add_directory(self, path: str | os.PathLike[str], *, native: bool = False) -> None:
        """Adds a folder of the user: the *.holo files in it, now and later, give kernels. With
        `native` its *.so files do too, kernels written by hand that nobody verifies. Raises
        NotFoundError and ArgumentError."""
        self._native.add_directory(os.path.expanduser(os.fspath(path)), native)

    def load(self, path: str | os.PathLike[str], expect: str | None = None) -> None:
        """Adds the kernels of a .holo file as bundled ones. `expect`: as in `hg.load`."""
        self._native.load(os.fspath(path), expect)

    def trust(self, trust_hash: str) -> None:
        """Vouches for files with this trust hash (`hologram inspect` prints it), so that their
        native code is used, whatever their name and place. Raises ArgumentError."""
        self._native.trust(trust_hash)

    def listing(self) -> Listing:
        """What is there now."""
        kernels, errors = self._native.list()
        return Listing([Entry(*kernel) for kernel in kernels], errors)


_lock = threading.Lock()


@functools.cache
def _make_shared() -> Registry:
    return Registry()


def _shared() -> Registry:
    with _lock:  # two threads must not make one each
        return _make_shared()


def kernel(name: str) -> Kernel:
    return _shared().kernel(name)


def add_directory(path: str | os.PathLike[str], *, native: bool = False) -> None:
    _shared().add_directory(path, native=native)


def load(path: str | os.PathLike[str], expect: str | None = None) -> None:
    _shared().load(path, expect)


def trust(trust_hash: str) -> None:
    _shared().trust(trust_hash)


def listing() -> Listing:
    return _shared().listing()


for _function in (kernel, add_directory, load, trust, listing):
    _function.__doc__ = getattr(Registry, _function.__name__).__doc__
