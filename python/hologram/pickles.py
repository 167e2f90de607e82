"""How kernels travel to other processes: pickles of them.

A kernel is pickled as the file that it is of, with the native code that this has, its name and its
launch. Engines unpickle a function and its kernels again for each task, so a process keeps those
that it has: the same file gives the same kernel for as long as anybody holds it.

    pickle.dumps(kernel)               workers compile it, or take it from the code cache
    pickle.dumps(kernel.portable())    with native code: workers need no compiler and no cache
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, TypeAlias

from hologram import library
from hologram._native import Bundle, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hologram._native import Registry

# The trust hash of a file, what is vouched for, the file.
Origin: TypeAlias = "tuple[str, str | None, bytes]"

_bundles: weakref.WeakValueDictionary[tuple[str, str | None], Bundle]
_bundles = weakref.WeakValueDictionary()
_kernels: dict[tuple[str, str | None, str], weakref.ref[Kernel]] = {}


def levels_of(native: Iterable[str] | str) -> tuple[str, ...] | None:
    """The levels that are meant: "all", one, or several. None: the usual ones."""
    if isinstance(native, str):
        return None if native == "all" else (native,)
    return tuple(native)


def origin_of(owner: Bundle | Registry) -> Origin | None:
    """What a kernel is pickled with; None for the standard library, which is wherever hologram is.
    Kernels of other folders have files that this process cannot send."""
    if isinstance(owner, Bundle):
        return owner.trust_hash, owner.expect, owner.data
    if library.is_opened(owner):
        return None
    raise TypeError(
        "cannot pickle a kernel that hologram.registry or an Executor found by name; "
        "load its file with hologram.load"
    )


def bundle_of(origin: Origin) -> Bundle:
    """The file, loaded once while it is in use."""
    trust_hash, expect, data = origin
    found = _bundles.get((trust_hash, expect))
    if found is None:
        found = _bundles.setdefault((trust_hash, expect), Bundle(data, expect))
    return found


def restore(origin: Origin | None, name: str, launch: tuple[object, ...] | None) -> Kernel:
    """What is unpickled."""
    if origin is None:
        found = library.kernel(name)
    else:
        key = (origin[0], origin[1], name)
        known = _kernels.get(key)
        kept = None if known is None else known()
        found = _kept(origin, key) if kept is None else kept
    return found if launch is None else found._set_launch(launch)


def _kept(origin: Origin, key: tuple[str, str | None, str]) -> Kernel:
    made = bundle_of(origin).kernel(key[2])

    def forget(gone: weakref.ref[Kernel]) -> None:
        if _kernels.get(key) is gone:
            del _kernels[key]

    _kernels[key] = weakref.ref(made, forget)
    return made


def portable(kernel: Kernel, native: Iterable[str] | str = "all") -> Kernel:
    """The kernel with native code for these levels in its file, "v2", "v3", "v4" or "all" for the
    last two, which it is then pickled with. Raises UnsupportedError without the compiler plugin,
    and for a kernel that it does not compile."""
    owner = kernel.bundle
    if not isinstance(owner, Bundle):
        raise TypeError("the kernels of a registry are files already; load one with hologram.load")
    return owner.with_native(levels_of(native)).kernel(kernel.name)
