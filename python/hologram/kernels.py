"""The standard kernels, compiled beforehand (docs/kernels.md): `hg.kernels.vector_add(a, b, c, n)`.

    hg.kernels.vector_add(a, b, c, len(a))     arrays of f32, a count: as its signature says
    hg.kernels.vector_add.parameters           that signature
    dir(hg.kernels)                            all names

They are those of the library alone: kernels of the user's folders, which hg.registry finds first,
have no say here. Operations that make arrays and broadcast are in hologram.ops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hologram import library
from hologram.errors import NotFoundError

if TYPE_CHECKING:
    from hologram._native import Kernel

_OF_OPS = "op_"  # kernels of hologram.ops, which have no stable signature


def __getattr__(name: str) -> Kernel:
    if not name.startswith(("_", _OF_OPS)):
        try:
            found = library.kernel(name)
        except NotFoundError:
            pass
        else:
            globals()[name] = found
            return found
    raise AttributeError(
        f"there is no standard kernel {name!r}; dir(hologram.kernels) has all names"
    )


def __dir__() -> list[str]:
    return sorted(name for name in library.names() if not name.startswith(_OF_OPS))
