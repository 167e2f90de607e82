"""The model: runs a translated kernel lane by lane on lists of Python numbers.

Lanes run in the order of their linear numbers, blocks one after the other; with barriers all lanes
of a block run to the next one. A block with a fault is the last, and the fault of its first lane
that has one counts. It also notes who touched what, so it
knows whether the order of the lanes could have been seen (`racy`): then other results are right too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from strangers import tree, values
from strangers.translate import translate

MAX_STEPS = 200_000  # rounds of loops in a launch; beyond, the model gives no answer


class Fault(Exception):
    """kind: read, write, atomic, divide, step, assert; with the element and the length."""

    def __init__(self, kind: str, line: int, element: int = 0, length: int = 0) -> None:
        super().__init__(kind)
        self.kind, self.line, self.element, self.length = kind, line, element, length


class Abstain(Exception):
    """The documents do not say, or it takes too long."""


Access = tuple[int, int, int, str]  # lane, block, interval, kind


class Region:
    """Memory that one array or several that overlap lie in: cells of one type."""

    def __init__(self, type_: str, cells: list[int]) -> None:
        self.type = type_
        self.cells = cells
        self.log: dict[int, set[Access]] = {}
        self.totals: dict[tuple[int, int], dict[int, int]] = {}  # by line and cell, of lanes

    def conflict(self) -> bool:
        """Whether two lanes touched a cell and the order of the two could matter."""
        for accesses in self.log.values():
            if len(accesses) < 2 or all(kind == "r" for _, _, _, kind in accesses):
                continue
            for a, b in itertools.combinations(accesses, 2):
                if a[0] == b[0] or (a[1] == b[1] and a[2] != b[2]):
                    continue
                if a[3] != b[3] or a[3] == "used":
                    return True
        return False


@dataclass
class Now:
    """Which lane runs, for the notes of a Region."""

    lane: int = 0
    block: int = 0
    interval: int = 0
    x: int = 0  # get_global_id() of the lane


class Array:
    """An array parameter, or a shared or local array."""

    def __init__(
        self,
        region: Region,
        offset: int,
        length: int,
        now: Now | None,
        shape: tuple[int, ...] = (),
        strides: tuple[int, ...] = (),
    ) -> None:
        self.region, self.offset, self.length, self.now = region, offset, length, now
        self.shape = shape or (length,)
        self.strides = strides or (1,)

    def place(self, *index: int) -> int:
        place = sum(i * s for i, s in zip(index, self.strides))
        if not 0 <= place < 1 << 32 or any(not 0 <= i < 1 << 32 for i in index):
            raise Abstain("a place beyond u32")
        return place

    def note(self, cell: int, kind: str) -> None:
        now = self.now
        if now is not None:
            log = self.region.log.setdefault(cell, set())
            log.add((now.lane, now.block, now.interval, kind))

    def load(self, index: int, line: int) -> int:
        if not 0 <= index < self.length:
            raise Fault("read", line, index, self.length)
        cell = self.offset + index
        self.note(cell, "r")
        return self.region.cells[cell]

    def store(self, index: int, value: int, line: int) -> None:
        if not 0 <= index < self.length:
            raise Fault("write", line, index, self.length)
        cell = self.offset + index
        self.note(cell, f"w {value}")  # lanes may store the same
        self.region.cells[cell] = value

    def atomic(self, op: str, index: int, value: int, line: int, used: bool) -> int:
        if not 0 <= index < self.length:
            raise Fault("atomic", line, index, self.length)
        cell = self.offset + index
        integer = values.is_integer(self.region.type)
        # Updates of floats have the order of lanes, which run in this order here.
        kind = op if integer and op != "exchange" else "used" if integer else "ordered"
        self.note(cell, "used" if used else kind)
        old = self.region.cells[cell]
        self.region.cells[cell] = values.combine(self.region.type, op, old, value)
        return old

    def total(self, index: int, value: int, line: int, in_loop: bool) -> None:
        """A sum of the launch: added when all lanes are done. In a loop it is none, however often
        the loop goes round, but has the order of lanes."""
        if in_loop:
            self.atomic("add", index, value, line, False)
            return
        if not 0 <= index < self.length:
            raise Fault("atomic", line, index, self.length)
        if self.now is None:
            raise Abstain("a sum in memory that is not watched")
        lanes = self.region.totals.setdefault((line, self.offset + index), {})
        if self.now.lane in lanes:
            raise Abstain("a lane adds twice")
        lanes[self.now.lane] = value


class Lane:
    def __init__(self, machine: Machine, linear: int) -> None:
        self.machine, self.linear = machine, linear
        self.get_global_id = self.get_local_id = self.get_block_id = (0, 0, 0)
        self.get_block_dim = self.get_grid_dim = (1, 1, 1)

    def local(self, name: str) -> Array:
        return new_memory(self.machine.memory[name], None)


def new_memory(declared: tree.Array, now: Now | None) -> Array:
    size = 1
    strides: list[int] = []
    for extent in reversed(declared.extents):
        strides.insert(0, size)
        size *= extent
    region = Region(declared.type, [0] * size)
    return Array(region, 0, size, now, declared.extents, tuple(strides))


def _tick(lane: Lane) -> None:
    lane.machine.steps += 1
    if lane.machine.steps > MAX_STEPS:
        raise Abstain("long")


def _counted(lane: Lane, line: int, *args: int) -> Iterator[int]:
    if len(args) == 3 and args[2] == 0:
        raise Fault("step", line)
    for value in range(*args):
        _tick(lane)
        yield value


def _divide(type_: str, op: str, a: int, b: int, line: int) -> int:
    if b == 0:
        raise Fault("divide", line)
    return values.wrap(type_, a // b if op == "//" else a % b)


def _failed(line: int) -> None:
    raise Fault("assert", line)


def _power(type_: str, x: int, n: int) -> int:
    result, count = x, abs(n)
    if count == 0:
        return values.from_float(type_, 1.0)
    if count >= 2:
        square = values.float_binary(type_, "*", x, x)
        result = square
        if count == 3:
            result = values.float_binary(type_, "*", square, x)
        if count == 4:
            result = values.float_binary(type_, "*", square, square)
    if n < 0:
        result = values.float_binary(type_, "/", values.from_float(type_, 1.0), result)
    return result


_NAMES: dict[str, Any] = {
    "cast": values.cast,
    "counted": _counted,
    "divide": _divide,
    "failed": _failed,
    "float_binary": values.float_binary,
    "float_min_max": values.float_min_max,
    "float_unary": values.float_unary,
    "fma": values.fma,
    "power": _power,
    "select": lambda a, b, c: a if c else b,
    "tick": _tick,
    "to_float": values.to_float,
}


def block_reduce(type_: str, op: str, given: list[int | None]) -> int:
    """The fixed tree of docs/isa.md over 64 rows of 16 slots."""
    empty = values.neutral(type_, op)
    slots = [empty if x is None else x for x in given] + [empty] * (1024 - len(given))
    rows = [slots[16 * r : 16 * r + 16] for r in range(64)]
    while len(rows) > 1:
        rows = [
            [values.combine(type_, op, a, b) for a, b in zip(rows[k], rows[k + 1])]
            for k in range(0, len(rows), 2)
        ]
    row = rows[0]
    for width in (8, 4, 2, 1):
        row = [values.combine(type_, op, row[s], row[s + width]) for s in range(width)]
    return row[0]


def block_scan(type_: str, op: str, given: list[int | None]) -> list[int]:
    empty = values.neutral(type_, op)
    x = [empty if v is None else v for v in given]
    step = 1
    while step < 1024:
        x = [values.combine(type_, op, x[i - step], v) if i >= step else v for i, v in enumerate(x)]
        step *= 2
    return x


@dataclass
class Machine:
    """One kernel; `run` runs it."""

    program: tree.Program
    memory: dict[str, tree.Array] = field(init=False)
    steps: int = 0
    racy: bool = False

    def __post_init__(self) -> None:
        self.memory = {m.name: m for m in self.program.memory}
        names = dict(_NAMES)
        exec(compile(translate(self.program), "<model>", "exec"), names)
        self.kernel: Callable[..., Any] = names["kernel"]

    def run(
        self,
        arrays: dict[str, Array],
        scalars: dict[str, int],
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        now: Now,
    ) -> None:
        """Changes the cells of the arrays. Raises Fault and Abstain; `racy` is right behind it."""
        self.steps, self.racy = 0, False
        regions = {id(a.region): a.region for a in arrays.values()}
        try:
            for number in range(grid[0] * grid[1] * grid[2]):
                self._run_block(arrays, scalars, grid, block, number, now)
            for region in regions.values():
                self._add_totals(region)
        finally:
            self.racy = self.racy or any(r.conflict() for r in regions.values())

    @staticmethod
    def _add_totals(region: Region) -> None:
        for (_, cell), lanes in sorted(region.totals.items()):
            if max(lanes) >= 1024:
                raise Abstain("a sum of more than one part")
            given = [lanes.get(k) for k in range(1024)]
            part = block_reduce(region.type, "add", given)
            region.cells[cell] = values.float_binary(region.type, "+", region.cells[cell], part)

    def _lanes(self, grid: Any, block: Any, number: int) -> list[Lane]:
        at = (number % grid[0], number // grid[0] % grid[1], number // grid[0] // grid[1])
        lanes = []
        count = block[0] * block[1] * block[2]
        for linear in range(count):
            lane = Lane(self, number * count + linear)
            own = (linear % block[0], linear // block[0] % block[1], linear // block[0] // block[1])
            lane.get_local_id = own
            lane.get_block_id, lane.get_block_dim, lane.get_grid_dim = at, block, grid
            x, y, z = (b * d + k for b, d, k in zip(at, block, own))
            lane.get_global_id = (x, y, z)
            lanes.append(lane)
        return lanes

    def _run_block(
        self, arrays: Any, scalars: Any, grid: Any, block: Any, number: int, now: Now
    ) -> None:
        shared = {n: new_memory(m, now) for n, m in self.memory.items() if m.role == "shared"}
        now.block, now.interval = number, 0
        running: list[Any] = []
        lanes = self._lanes(grid, block, number)
        running = [self.kernel(lane, arrays, scalars, shared) for lane in lanes]
        results: list[Any] = [None] * len(running)
        first: tuple[int, Fault, int] | None = None
        try:
            while any(r is not None for r in running):
                waiting: list[Any] = [None] * len(running)
                asked: set[Any] = set()
                for k, lane_steps in enumerate(running):
                    if lane_steps is None:
                        continue
                    now.lane, now.x = lanes[k].linear, lanes[k].get_global_id[0]
                    try:
                        request = lane_steps.send(results[k])
                    except StopIteration:
                        running[k] = None
                        continue
                    except Fault as fault:
                        # The lane is gone. One before it may still fault behind a barrier, and
                        # the first lane is the one that is named.
                        running[k] = None
                        if first is None or k < first[0]:
                            first = (k, fault, now.x)
                        continue
                    asked.add(None if request is None else request[:3])
                    waiting[k] = None if request is None else request[3]
                if len(asked) > 1:
                    raise Abstain("lanes wait at different barriers")
                self._combine(asked, waiting, results)
                now.interval += 1
        finally:
            self.racy = self.racy or any(m.region.conflict() for m in shared.values())
        if first is not None:
            now.x = first[2]
            raise first[1]

    @staticmethod
    def _combine(asked: set[Any], waiting: list[Any], results: list[Any]) -> None:
        request = next(iter(asked), None)
        if request is None:
            results[:] = [None] * len(results)
            return
        form, op, type_ = request
        if form == "reduce":
            results[:] = [block_reduce(type_, op, waiting)] * len(results)
        else:
            results[:] = block_scan(type_, op, waiting)
