"""stdlib.holo, the kernels of hologram.ops and hologram.kernels. It is a file of the package (or
the one that HOLOGRAM_STDLIB names), trusted by the hash that the build wrote into the package, and
opened when the first kernel is used."""

from __future__ import annotations

import threading

from hologram._native import Kernel, Registry
from hologram.errors import NotFoundError, UnsupportedError

_bundle: Registry | None = None
_kernels: dict[str, Kernel] = {}
_lock = threading.RLock()  # one bundle, and one kernel of a name, for all threads


def _open() -> Registry:
    global _bundle  # noqa: PLW0603
    if _bundle is None:
        opened = Registry(True)
        try:
            from hologram import _stdlib

            opened.load_standard(_stdlib.HASH)
        except (ImportError, NotFoundError) as error:
            raise UnsupportedError(f"{error}; the build of the Python module makes it") from None
        _bundle = opened
    return _bundle


def kernel(name: str) -> Kernel:
    """A kernel of the standard library. Raises NotFoundError."""
    found = _kernels.get(name)
    if found is None:
        with _lock:
            found = _kernels.get(name)
            if found is None:
                found = _kernels[name] = _open().kernel(name)
    return found


def is_opened(registry: Registry) -> bool:
    """Whether it is the one that kernel() looks in."""
    return registry is _bundle


def names() -> list[str]:
    """The kernels of the standard library."""
    with _lock:
        return [row[0] for row in _open().list()[0]]


def path() -> str:
    """What runs the operations: 'native (bundle, v4)' with the code that the package brought along,
    'native (jit, v4)' through the compiler plugin, or 'interpreter'."""
    return kernel("op_add_f32").path
