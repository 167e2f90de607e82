"""The standard kernels, compiled beforehand (docs/kernels.md): `hg.kernels.vector_add(a, b, c, n)`.

    hg.kernels.vector_add(a, b, c, len(a))     arrays of f32, a count: as its signature says
    hg.kernels.vector_add.parameters           that signature
    dir(hg.kernels)                            all names
    print(hg.kernels.overview())               the same by groups, with what each computes

They are those of the library alone: kernels of the user's folders, which hg.registry finds first,
have no say here. Operations that make arrays and broadcast are in hologram.ops.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hologram import library
from hologram.errors import NotFoundError

if TYPE_CHECKING:
    from hologram._native import Kernel

_NAME_WIDTH = 20
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
        f"there is no standard kernel {name!r}; hologram.kernels.overview() lists all",
        name=name,
        obj=sys.modules[__name__],
    )


def __dir__() -> list[str]:
    return sorted(name for name in library.names() if not name.startswith(_OF_OPS))


def overview() -> str:
    """The kernels by groups, a line for those of a file: what `hologram kernels` prints."""
    import pathlib
    import textwrap

    here = set(__dir__())
    lines = []
    text = pathlib.Path(__file__).with_name("standard_kernels.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        title, *row = line.split("\t")
        if not row:
            lines.append(title)
            continue
        names = [name for name in row[0].split() if name in here]
        shown = " ".join(names)
        if len(shown) > _NAME_WIDTH:
            lines += textwrap.wrap(shown, 100, initial_indent="  ", subsequent_indent="  ")
            shown = ""
        lines.append(f"  {shown:{_NAME_WIDTH}}  {row[1]}")
    return "\n".join(lines)
