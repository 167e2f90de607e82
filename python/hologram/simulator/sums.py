"""Atomic updates: which of them depend on the order of lanes, and the sums of a launch.

Without `deterministic=False` an array that is updated atomically is either updated so that order
does not matter, or every lane adds a float to one element, at most once: such a sum is that of a
tree over the lanes (docs/isa.md), made when all lanes are done. All other updates of floats whose
old value nobody asks for happen lane after lane, as the lanes run here. The rules are those of
src/verify/races.cc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hologram.simulator.conversions import Value
from hologram.simulator.scalars import OPS
from hologram.simulator.trees import tree_sum
from hologram.simulator.types import FLOATS

if TYPE_CHECKING:
    from hologram.simulator.arrays import Array, Site

ORDERLESS = ("add", "min", "max", "and", "or", "xor")  # of integers
_END = (
    ", so the result may depend on order; deterministic=False (library) or --nondeterministic "
    "(command) allows it"
)
_SWAPPED = " is compared and swapped, where the first lane decides what others find"
_EXCHANGED = " is exchanged atomically and keeps what the last lane puts there"
_USED = " is updated atomically and its old value is used"
_FLOAT_OTHERWISE = " is a float that is also accessed in another way"
_OTHERWISE = " is updated atomically and accessed in another way"
_DIFFERENT = " is updated by different atomic operations"


@dataclass
class Update:
    """One atomic call of a kernel."""

    site: Site
    kind: str  # of the elements
    op: str
    used: bool  # what it returns
    lone: bool  # at one index for all lanes, and not in a loop
    sums: bool = False  # it is one; known when the whole kernel is

    @property
    def commutes(self) -> bool:
        return not self.used and self.op in ORDERLESS and self.kind not in FLOATS

    @property
    def waits(self) -> bool:
        """For the updates of lower lanes, in engines that run many lanes at once."""
        return self.kind in FLOATS and self.op != "cas" and not self.used

    @property
    def company(self) -> str:
        """Two lanes may do what has the same company to one element; what has none, alone."""
        return self.op if self.commutes or self.sums else "in order" if self.waits else ""

    @property
    def may_sum(self) -> bool:
        return self.op == "add" and self.kind in FLOATS and not self.used and self.lone

    @property
    def why(self) -> str:
        """REQUIRES: it neither commutes nor waits."""
        if self.op == "cas":
            return _SWAPPED
        return _EXCHANGED if self.op == "exchange" and self.kind not in FLOATS else _USED


@dataclass
class Accesses:
    """Those of one array of the launch."""

    updates: list[Update] = field(default_factory=list)
    others: int = 0  # plain reads and writes

    def decide(self) -> str:
        """Finds the sums of the launch; else why the order of lanes matters, as an error."""
        if self.updates and not self.others and all(update.may_sum for update in self.updates):
            for update in self.updates:
                update.sums = True
            return ""
        for update in self.updates:
            if not update.commutes and not update.waits:
                return _refusal(update, update.why)
        if self.updates and self.others:
            floats = self.updates[0].kind in FLOATS
            return _refusal(self.updates[0], _FLOAT_OTHERWISE if floats else _OTHERWISE)
        if self.updates and self.updates[0].waits:
            return ""
        if len({update.op for update in self.updates}) > 1:
            return _refusal(self.updates[0], _DIFFERENT)
        return ""


def _refusal(update: Update, why: str) -> str:
    site = update.site
    return f"{site.filename}:{site.line}:{site.column}: error: {site.text}{why}{_END}"


class LaunchSums:
    """What lanes have added so far, by call."""

    def __init__(self) -> None:
        self._sums: dict[int, tuple[Array, int, dict[int, Value]]] = {}

    def start(self) -> None:
        """A launch begins."""
        self._sums.clear()

    def collect(self, update: Update, array: Array, index: int, lane: int, value: Value) -> None:
        _, _, values = self._sums.setdefault(id(update), (array, index, {}))
        values[lane] = value

    def commit(self, order: list[Update]) -> None:
        """All lanes are done: adds each sum to its element, in the order of the calls."""
        for update in order:
            if id(update) in self._sums:
                array, index, values = self._sums[id(update)]
                ops: Any = OPS[update.kind]
                array.put(index, ops.add(array.value(index), tree_sum(update.kind, values)))
