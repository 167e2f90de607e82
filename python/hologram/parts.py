"""Parts of a launch (docs/scale.md): a kernel on a window of arrays, with the bits of the whole.

w = hg.windows(blur, src=n, dst=n, n=n)      a launch on arrays of that length, which need not exist
w.units                                      what it can be cut into: lanes, rows or blocks
w.reach(1000, 2000)                          {"src": Reach(moves, 999:2001), "dst": ...}
w.launch(1000, 2000, src=(part, 999), dst=(out, 1000))
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hologram import _native
from hologram.errors import ArgumentError

_UNITS = ("lanes", "rows", "blocks")
_KINDS = ("none", "moves", "stays", "any")


class Reach(NamedTuple):
    """What some units touch of an array: elements from `low` on, before `high`.

    `kind`: "none", "moves" (the range follows the units), "stays" (it does not), "any" (data
    decide: the array must be whole). `written_low` and `written_high` are of what may be written.
    """

    kind: str
    low: int
    high: int
    written_low: int
    written_high: int


class Windows:
    """A launch that is run in parts; made by windows()."""

    def __init__(self, kernel: Any, whole: dict[str, Any]) -> None:
        names = [name for name, _, _, _ in kernel.parameters]
        for name in whole:
            if name not in names:
                raise ArgumentError(f"kernel '{kernel.name}': there is no parameter '{name}'")
        missing = [name for name in names if name not in whole]
        if missing:
            raise ArgumentError(f"kernel '{kernel.name}': '{missing[0]}' is missing")
        self.kernel = kernel
        self.arrays = [name for name, form, _, _ in kernel.parameters if form == "array"]
        self._whole = tuple(
            (whole[name],) if name in self.arrays and not isinstance(whole[name], tuple)
            else whole[name]
            for name in names
        )  # fmt: skip
        unit, self.units = _native.window_units(kernel, self._whole)
        self.unit = _UNITS[unit]

    def reach(self, first: int, last: int) -> dict[str, Reach]:
        """What units from `first` on, before `last`, touch of each array."""
        found = _native.window_reach(self.kernel, self._whole, first, last)
        return {
            name: Reach(_KINDS[one[0]], *one[1:])
            for name, one in zip(self.arrays, found, strict=True)
        }

    def launch(self, first: int, last: int, **parts: Any) -> None:
        """Runs these units. Each array is given as (part, element): the part that is in memory, and
        the element of the whole that it begins with; or as the whole array."""
        memory = []
        base = []
        for name in self.arrays:
            if name not in parts:
                raise ArgumentError(f"kernel '{self.kernel.name}': '{name}' is missing")
            part = parts.pop(name)
            array, element = part if isinstance(part, tuple) else (part, 0)
            memory.append(array)
            base.append(element)
        if parts:
            raise ArgumentError(f"kernel '{self.kernel.name}': no array '{next(iter(parts))}'")
        _native.window_launch(self.kernel, self._whole, first, last, tuple(memory), tuple(base))

    def __repr__(self) -> str:
        return f"<windows of '{self.kernel.name}': {self.units} {self.unit}>"


def windows(kernel: Any, /, **whole: Any) -> Windows:
    """A launch of a kernel, or of kernel[grid, block], that is run in parts. For each parameter: of
    an array its length, or its shape as a tuple; else the number."""
    # Of a kernel that takes its arguments apart, the plain one.
    return Windows(kernel.plain() if hasattr(kernel, "plain") else kernel, whole)
