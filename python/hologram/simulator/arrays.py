"""The arrays that a kernel sees: checked accesses, faults with their place, races."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from hologram.simulator.conversions import BFloat16, Value
from hologram.simulator.errors import AssertionFaultError, KernelError, KernelFaultError
from hologram.simulator.print_log import Printer
from hologram.simulator.scalars import OPS, ZeroDivisorError
from hologram.simulator.sums import LaunchSums, Update

# bf16 has no type in NumPy: its arrays are the bits, as in .npy files of the command line.
DTYPES: dict[str, Any] = {
    **{name: np.dtype(f"int{name[1:]}") for name in ("i8", "i16", "i32", "i64")},
    **{name: np.dtype(f"uint{name[1:]}") for name in ("u8", "u16", "u32", "u64")},
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(np.uint16),
    "bool": np.dtype(np.bool_),
}


NEAR = 1 << 16  # a number that is so little below zero was meant to be negative


class Site:
    """An expression that may fault: its place, its text and the variables of its index."""

    def __init__(self, place: tuple[str, int, int], text: str, variables: list[str]) -> None:
        self.filename, self.line, self.column = place
        self.text = text
        self.variables = variables
        self.unguarded = False  # no branch comes before it in the kernel

    def fault(
        self,
        message: str,
        depth: int,
        kind: type[KernelFaultError] = KernelFaultError,
        hint: str = "",
    ) -> NoReturn:
        """`depth` is that of the kernel's own frame, seen from here."""
        known = sys._getframe(depth).f_locals
        values = [f"{name} = {known[name]}" for name in self.variables if name in known]
        if values:
            message += f" ({', '.join(values)})"
        raise kind(self.filename, self.line, self.column, message + hint)


class Lane:
    """Which lane runs now. The translated code reads its ids here."""

    def __init__(self) -> None:
        self.number = 0  # linear, in the launch
        self.block_number = 0
        self.interval = 0  # barriers that the block has passed
        self.local_id = self.block_id = self.global_id = (0, 0, 0)
        self.block_dim = self.grid_dim = (1, 1, 1)
        self.turns: dict[int, int] = {}  # by lane
        self.budget = 1 << 24
        self.tracks = True  # whether lanes are told that they disturb each other
        self.shared: dict[int, Memory] = {}  # of the block, by place in the source
        self.trial: Trial | None = None
        self.printer = Printer()
        self.sums = LaunchSums()

    def turn(self, site: Site) -> None:
        """One more round of a `while` loop."""
        count = self.turns.get(self.number, 0) + 1
        self.turns[self.number] = count
        if count > self.budget:
            site.fault(
                f"the loop ran past its budget of {self.budget} rounds in lane {self.number}",
                2,
                hint="; budget= (library) or --budget (command) allows more",
            )


class Trial:
    """What a lane that the launch does not have would do; it writes nothing."""

    def __init__(self) -> None:
        self.touched = False


_SAME = "same"  # a store of the bits that are there


class Memory:
    """The elements of an array, and which lanes have touched each: (lane, block, interval)."""

    def __init__(self, data: Any, tracked: bool) -> None:
        self.data = data
        self.tracked = tracked
        self._writes: dict[int, tuple[int, int, int]] = {}
        self._atomics: dict[int, tuple[int, int, int]] = {}
        self._operations: dict[int, str] = {}  # of the atomics; the same ones commute, none of ""
        self._reads: dict[int, list[tuple[int, int, int]]] = {}

    def other(self, how: str, index: int, lane: Lane, op: str) -> tuple[str, int] | None:
        """Notes an access. What another lane did to the element without a barrier in between."""
        me = (lane.number, lane.block_number, lane.interval)
        found = None
        for name, seen in (("wrote", self._writes), ("updated", self._atomics)):
            same = op != "" and self._operations.get(index) == op
            if name == "updated" and how == "updates" and same:
                continue
            if name == "wrote" and how == "writes" and op == _SAME:
                continue  # whichever lane comes last, the same stays there
            last = seen.get(index)
            if last is not None and _meets(last, me):
                found = (name, last[0])
        readers = self._reads.get(index, [])
        if how == "reads":
            self._reads[index] = [me, *(r for r in readers if r[0] != me[0])][:2]
            return found
        for reader in readers:
            if found is None and _meets(reader, me):
                found = ("read", reader[0])
        (self._atomics if how == "updates" else self._writes)[index] = me
        self._operations[index] = "" if op == _SAME else op
        return found


def _meets(first: tuple[int, int, int], second: tuple[int, int, int]) -> bool:
    """Two accesses by different lanes with no barrier between them."""
    return first[0] != second[0] and (first[1] != second[1] or first[2] == second[2])


class Array:
    """A parameter, shared or local array. `x[i]`, `len(x)` and `print(x)` work in a debugger."""

    def __init__(
        self, name: str, kind: str, memory: Memory, lane: Lane, private: bool = False
    ) -> None:
        self.name = name
        self.kind = kind
        self.memory = memory
        self._lane = lane
        self._private = private  # of one lane
        self._of_launch = not private
        self._bf16 = kind == "bf16"
        self._integer = kind[0] in "iu"
        self.shape: tuple[int, ...] = (len(memory.data),)
        self.steps: tuple[int, ...] = (1,)  # elements from one index to the next, by dimension

    def of_block(self) -> Array:
        """Shared: what is stored there alone is no work of a launch."""
        self._of_launch = False
        return self

    def shaped(self, extents: tuple[int, ...], steps: tuple[int, ...] = ()) -> Array:
        """This array with several dimensions, row by row; `steps` where rows have gaps."""
        self.shape = extents
        self.steps = steps or dense(extents)
        return self

    def _elements(self) -> Any:
        data = self.memory.data
        strides = [step * data.itemsize for step in self.steps]
        return np.lib.stride_tricks.as_strided(data, self.shape, strides)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"{self.name}: {self.kind} {self._elements()!r}"

    def __getitem__(self, index: int | tuple[int, ...]) -> Value:
        return self._value(self._elements()[index])

    def value(self, index: int) -> Value:
        """Reads without asking."""
        return self._value(self.memory.data[index])

    def _value(self, element: Any) -> Value:
        if self._integer:
            return int(element)
        if self.kind == "bool":
            return bool(element)
        return BFloat16(int(element)) if self._bf16 else element

    def _bits(self, value: Value) -> Any:
        if self._integer:
            return value
        return value.bits if self._bf16 else self.memory.data.dtype.type(value).tobytes()

    def _check(self, how: str, index: int, site: Site, op: str = "") -> int:
        size = len(self.memory.data)
        if not 0 <= index < size:
            text = f"{site.text} {how} element {index} of {size}"
            site.fault(text, 3, hint=self._bounds_hint(index, site))
        lane = self._lane
        if lane.trial is not None:
            # A block of which no lane stores anything does nothing, whatever its lanes read.
            lane.trial.touched |= self._of_launch and how != "reads"
        elif self.memory.tracked:
            other = self.memory.other(how, index, lane, op)
            if other is not None:
                done, by = other
                raise KernelError(
                    f"{site.filename}:{site.line}:{site.column}: error: {site.text} {how} element "
                    f"{index} in lane {lane.number}, which lane {by} {done} with no barrier in "
                    "between: the result depends on their order"
                )
        return index

    def _bounds_hint(self, index: int, site: Site) -> str:
        """What launch/fault_text.cc says of such a number."""
        for bits in (32, 64):
            below = (1 << bits) - index
            if 0 < below <= NEAR and len(self.memory.data) <= index:
                return f"; {index} is -{below} without a sign: ids are unsigned"
        name, _, rest = site.text.partition("[")
        written = rest.removesuffix("]")
        if self._private or not site.unguarded or self._lane.global_id[0] != index:
            return ""
        if written == rest or any(mark in written for mark in ",[]"):
            return ""
        return f'; add "if {written} < len({name}):"'

    def load(self, index: int, site: Site) -> Value:
        return self.value(self._check("reads", index, site))

    def store(self, value: Value, index: int, site: Site) -> None:
        known = self.memory.tracked and 0 <= index < len(self.memory.data)
        same = known and self._bits(value) == self._bits(self._value(self.memory.data[index]))
        self._check("writes", index, site, _SAME if same else "")
        if self._lane.trial is None or self._private:
            self.put(index, value)

    def put(self, index: int, value: Value) -> None:
        """Stores without asking."""
        self.memory.data[index] = value.bits if self._bf16 else value

    def atomic(self, index: int, value: Value, update: Update) -> Value:
        """What the element was; of a sum of the launch, which nobody asks for, what it is now."""
        self._check("updates", index, update.site, update.company)
        old = self._value(self.memory.data[index])
        if self._lane.trial is not None:
            return old
        if update.sums:
            self._lane.sums.collect(update, self, index, self._lane.number, value)
        else:
            self.put(index, value if update.op == "exchange" else _combined(update, old, value))
        return old

    def swap(self, index: int, values: tuple[Value, Value], update: Update) -> Value:
        """Compares the bits and swaps."""
        self._check("updates", index, update.site)
        old = self._value(self.memory.data[index])
        expected, desired = values
        if self._lane.trial is None and self._bits(old) == self._bits(expected):
            self.put(index, desired)
        return old


def dense(extents: tuple[int, ...]) -> tuple[int, ...]:
    """From one index to the next, by dimension, without gaps."""
    return tuple(math.prod(extents[d + 1 :]) for d in range(len(extents)))


def _combined(update: Update, old: Value, value: Value) -> Value:
    apply: Any = getattr(OPS[update.kind], _ATOMIC[update.op])
    result: Value = apply(old, value)
    return result


_ATOMIC = {"add": "add", "min": "min", "max": "max"}
_ATOMIC.update({"and": "bit_and", "or": "bit_or", "xor": "bit_xor"})


def check(message: str) -> Any:
    """`assert condition, message`; the text of the condition is in the site."""
    before = f"assertion failed: {message}: " if message else "assertion failed: "

    def run(condition: bool, site: Site) -> None:
        if not condition:
            site.fault(before + site.text, 2, AssertionFaultError)

    return run


def failed(writers: list[Callable[[Any], str]]) -> Any:
    """The same with values in the message; called where the condition does not hold."""

    def run(site: Site, *parts: Any) -> NoReturn:
        message = "".join(write(part) for write, part in zip(writers, parts, strict=True))
        site.fault(f"assertion failed: {message}: {site.text}", 2, AssertionFaultError)

    return run


def divide(kind: str, op: str) -> Any:
    """`//` or `%` of integers, which fault on zero."""
    compute = getattr(OPS[kind], op)

    def run(a: int, b: int, site: Site) -> int:
        try:
            return int(compute(a, b))
        except ZeroDivisorError:
            site.fault(f"division by zero: {site.text}", 2)

    return run


def zeros(kind: str, count: int, tracked: bool) -> Memory:
    return Memory(np.zeros(count, DTYPES[kind]), tracked)
