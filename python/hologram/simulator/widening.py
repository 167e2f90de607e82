"""f64 is never silently f32: what floats may be made of (as src/frontend/check/widening.cc).

An origin is asked for when all of a kernel has been read: that of a local is made of all values
that it is assigned, wherever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hologram.simulator import conversions, types

if TYPE_CHECKING:
    from hologram.simulator.context import Symbol

STATED = 1  # of a type that the kernel gave it: nothing is lost by widening
EXACT = 2  # of literals and integers, which the type holds
ROUNDED = 4  # of literals and integers, and rounded
INTEGER = 8  # an integer that the float type need not hold
MIXED = 16  # of a stated type, with such an integer: a cast may widen it
_ALL = (STATED, EXACT, ROUNDED, INTEGER, MIXED)

Origin = Callable[[], int]


def stated() -> int:
    return STATED


def of_literal(value: int | float, kind: str) -> Origin:
    number = float(value)
    exact = number != number or conversions.rounded(number, kind) == number
    return lambda: EXACT if exact else ROUNDED


def of_integer(source: str, kind: str) -> Origin:
    _, rounds = types.rule(source, kind)
    return lambda: INTEGER if rounds else EXACT


def of_local(symbol: Symbol) -> Origin:
    return lambda: symbol.made


def chosen(a: Origin, b: Origin) -> Origin:
    """One of two values."""
    return lambda: _together(a(), b(), True)


def computed(parts: Sequence[Origin]) -> Origin:
    """A literal takes the type beside it; an integer that is rounded spoils what it meets."""

    def run() -> int:
        found = [part() for part in parts]
        if len(found) == 1:
            known = STATED | MIXED
            return found[0] & known | (ROUNDED if found[0] & ~known else 0)
        result = found[0]
        for part in found[1:]:
            result = _together(result, part, False)
        return result

    return run


def _kept(made: int) -> int:
    return made & ~INTEGER | ROUNDED if made & INTEGER else made


def _together(a: int, b: int, chooses: bool) -> int:
    result = 0
    for x in _ALL:
        for y in _ALL:
            if a & x and b & y:
                stated_one = STATED in (x, y)
                mixed = MIXED in (x, y) or (stated_one and INTEGER in (x, y))
                exact = chooses and x == y == EXACT
                clean = STATED if stated_one else EXACT if exact else ROUNDED
                result |= MIXED if mixed else clean
    return result


class Widenings:
    """All assignments to locals of a program, and all places where a float becomes a wider one."""

    def __init__(self) -> None:
        self._assigned: list[tuple[Symbol, Origin]] = []
        self._widened: list[tuple[Origin, int, Callable[[], None]]] = []

    def assign(self, symbol: Symbol, origin: Origin) -> None:
        self._assigned.append((symbol, stated if symbol.stated else origin))

    def widen(self, origin: Origin, cast: bool, refuse: Callable[[], None]) -> None:
        """A float that becomes a wider one, by a cast that the kernel wrote or silently."""
        self._widened.append((origin, ROUNDED if cast else ROUNDED | MIXED, refuse))

    def check(self) -> None:
        """Calls the first `refuse` of a value that was rounded."""
        changed = bool(self._widened)
        while changed:
            changed = False
            for symbol, origin in self._assigned:
                made = symbol.made | _kept(origin())
                changed = changed or made != symbol.made
                symbol.made = made
        for origin, refused, refuse in self._widened:
            if origin() & refused:
                refuse()
