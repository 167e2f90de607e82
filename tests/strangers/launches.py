"""Random launches of a kernel: sizes, arrays that overlap, empty ones, scalars that are 0.

A Launch says everything in plain data, so that it can be written into a file. Each array is a view
of a pool; a pool is one run of pages between untouchable ones, and two arrays of one pool overlap.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass, field
from typing import Any

from strangers import tree, values

SIZES = (0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127)
RANKS = {"grid2": 2, "split": 2, "tile": 2, "grid3": 3}  # of the outputs of a kind of kernel


@dataclass
class View:
    """An array argument: `length` cells of a pool, with a shape if it is ranked."""

    pool: int
    offset: int
    length: int
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()  # in elements


@dataclass
class Pool:
    type: str
    cells: list[int]
    at: str = "end"
    read_only: bool = False


@dataclass
class Launch:
    pools: list[Pool]
    views: dict[str, View]
    scalars: dict[str, int]  # floats as their bits
    grid: tuple[int, int, int] | None  # None: the default launch
    block: tuple[int, int, int] | None
    threads: int = 1
    deterministic: bool = True
    budget: int | None = None
    native: str = "auto"  # or "cpu", which has the checked form compiled at once
    traits: list[str] = field(default_factory=list)

    def text(self) -> str:
        """As a Python expression."""
        return repr(dataclasses.asdict(self))


def from_data(data: dict[str, Any]) -> Launch:
    launch = Launch(**data)
    launch.pools = [Pool(**p) for p in data["pools"]]
    launch.views = {name: View(**v) for name, v in data["views"].items()}
    return launch


def _span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    if 0 in shape:
        return 0
    return 1 + sum((e - 1) * s for e, s in zip(shape, strides))


class Launcher:
    def __init__(self, program: tree.Program, seed: int) -> None:
        self.program = program
        self.rng = random.Random(f"launches {program.seed} {seed}")
        self.mode = seed
        self.empty = ""
        self.limit = next((a for a in program.arrays if a.role == "limit"), None)
        # Decided apart, as the limits of the program.
        self.limits_rng = random.Random(f"limits {program.seed} {seed}")

    def cell(self, type_: str, role: str, limit: int) -> int:
        rng = self.rng
        if values.is_float(type_):
            roll = rng.random()
            if roll < 0.55:
                return values.from_float(type_, rng.choice((-1, 1)) * round(rng.random() * 20, 2))
            if roll < 0.8:
                return values.from_float(type_, float(rng.randrange(-5, 20)))
            if roll < 0.9:
                special = (
                    0.0,
                    -0.0,
                    float("inf"),
                    float("-inf"),
                    float("nan"),
                    1e30,
                    -1e-40,
                    3e9,
                    -200.0,
                )
                return values.from_float(type_, rng.choice(special))
            return rng.getrandbits(values.FLOATS[type_][0])
        low, high = values.limits(type_)
        if role == "index":
            if rng.random() < 0.001:
                return rng.choice((low, high, values.saturate(type_, limit)))
            return rng.randrange(max(1, min(limit, high + 1)))
        roll = rng.random()
        if roll < 0.6:
            return values.saturate(type_, rng.randrange(-3, 20))
        if roll < 0.7:
            return rng.choice((low, high, 0))
        return rng.randrange(low, high + 1)

    def scalar(self, name: str, type_: str, n: int, sizes: list[int]) -> int:
        rng = self.rng
        if values.is_float(type_):
            return self.cell(type_, "in", 0)
        low, high = values.limits(type_)
        if name in ("n", "w", "h"):
            return n
        roll = rng.random()
        if roll < 0.06:
            return 0
        if roll < 0.55:
            return values.saturate(type_, rng.choice((1, 1, 2, 3, 4, 5, 7, 8, 16)))
        if roll < 0.75:
            return values.saturate(type_, rng.choice((n, n + 1, max(0, n - 1), *sizes)))
        if roll < 0.87:
            big = rng.choice((1 << 31, (1 << 32) - 1, 3 << 30, 1 << 16, 1 << 20, -1, -2))
            return values.saturate(type_, big)
        return rng.randrange(low, high + 1)

    def correlated(self, scalars: dict[str, int], sizes: list[int]) -> None:
        """A divisor of 0 beside a huge factor and an offset that fits to it."""
        names = [n for n, t in self.program.scalars if t == "u32" and n not in ("n", "w", "h")]
        if len(names) < 2 or self.rng.random() > (0.4 if self.program.risky else 0.1):
            return
        self.rng.shuffle(names)
        factor = self.rng.choice((3 << 30, 1 << 20, 5000, 70))
        offset = min(0xFFFFFFFF, factor + self.rng.choice((-1, 0, *sizes)) - 1)
        for name, value in zip(names, (factor, offset, 0)):
            scalars[name] = max(0, value)

    def make(self) -> Launch:
        program, rng = self.program, self.rng
        launch = Launch([], {}, {}, (1, 1, 1), (1, 1, 1))
        n = rng.choice(SIZES) if self.mode % 3 else rng.choice((33, 40, 64, 100))
        shape = self._shape()
        if program.kind == "plane":
            shape = (rng.choice((1, 2, 5, 7)), rng.choice((1, 3, 8, 17)))
            n = shape[0] * shape[1]
        perturbed = rng.choice(program.arrays).name if rng.random() < 0.15 else ""
        self.empty = rng.choice(program.risky) if program.risky and rng.random() < 0.18 else ""
        for array in program.arrays:
            self._argument(launch, array, n, shape, array.name == perturbed)
        self._share(launch)
        sizes = [v.length for v in launch.views.values()]
        self._fill(launch, min((s for s in sizes if s), default=0))
        for name, type_ in program.scalars:
            launch.scalars[name] = self.scalar(name, type_, n, sizes)
        if program.kind == "plane":
            launch.scalars["h"], launch.scalars["w"] = shape
        self.correlated(launch.scalars, sizes)
        if program.kind == "split":
            n = shape[0] * shape[1]
        covered, shape = (n, shape) if self.limit is None else self._beyond(launch, n, shape)
        self._shape_of_launch(launch, covered, shape)
        launch.threads = rng.choice((1, 1, 2, 7))
        launch.deterministic = not program.racy
        if rng.random() < 0.04:
            launch.deterministic = not launch.deterministic
        if rng.random() < 0.03:
            launch.budget = rng.choice((1, 5))
        launch.native = self.limits_rng.choice(("auto", "cpu", "cpu"))
        return launch

    def _beyond(
        self, launch: Launch, n: int, shape: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]]:
        """Data that limits ids to what the arrays have, or to a little more, and scalars and a
        grid that ask for more."""
        rng = self.limits_rng
        assert self.limit is not None
        plain = [
            launch.views[a.name].length
            for a in self.program.arrays
            if not a.rank and a.role in ("in", "index", "out")
        ]
        most = [min((s for s in plain if s), default=n)]
        if self.program.kind == "plane":
            most = [launch.scalars["w"], launch.scalars["h"]]
        elif shape:
            most = list(shape)
        wrong = rng.random() < 0.25
        view = launch.views[self.limit.name]
        cells = launch.pools[view.pool].cells
        for k in range(view.length):
            data = most[k] if k < len(most) else 0
            cells[view.offset + k] = data + rng.choice((1, 1, 2, 7, 64, 0xFFFFFF00)) * wrong
            wrong = wrong and rng.random() < 0.5
        more = rng.choice((0, 1, 1, 7, 16, 65, 300))
        if "n" in launch.scalars:
            huge = rng.random() < 0.1
            launch.scalars["n"] = rng.choice((1 << 31, 0xFFFFFFFF)) if huge else n + more
        elif self.program.kind == "plane":
            # The rows are as wide as they are; there are more of them.
            launch.scalars["h"] += more
        if shape:
            shape = (shape[0] + rng.choice((0, 1, 3)), *shape[1:-1], shape[-1] + min(more, 20))
        return n + more, shape

    def _shape(self) -> tuple[int, ...]:
        rng = self.rng
        rank = RANKS.get(self.program.kind, 0)
        few = (1, 2, 3, 4, 5) if rank == 3 else (1, 2, 3, 5, 7, 8, 11)
        shape = [rng.choice(few) for _ in range(rank)]
        if rank and rng.random() < 0.06:
            shape[rng.randrange(rank)] = 0
        return tuple(shape)

    def _argument(
        self, launch: Launch, array: tree.Array, n: int, shape: tuple[int, ...], perturbed: bool
    ) -> None:
        rng = self.rng
        extents: tuple[int, ...] = ()
        strides: tuple[int, ...] = ()
        if array.rank:
            extents = shape
            if perturbed:
                launch.traits.append("mismatched")
                k = rng.randrange(len(extents))
                changed = rng.choice((0, extents[k] + 1, max(0, extents[k] - 1)))
                extents = (*extents[:k], changed, *extents[k + 1 :])
            # Only where there are several rows: else nobody says what lies between them.
            gap = rng.choice((0, 0, 0, 1, 3)) if min(extents) > 1 else 0
            steps = [1]
            for extent in reversed(extents[1:]):
                steps.insert(0, steps[0] * extent + gap)
                gap = 0
            strides = tuple(max(1, s) for s in steps)
            length = _span(extents, strides)
        else:
            length = n if shape == () or self.program.kind == "plane" else shape[0] * shape[1]
            if array.role == "total":
                length = rng.choice((1, 1, 1, 2, n))
            if array.role == "sum":
                length = rng.choice((1, 4, 8, 16, n))
            if perturbed:
                launch.traits.append("mismatched")
                length = rng.choice((0, 0, 1, max(0, length - 1), length + 1, length + 7))
            if array.name == self.empty:
                length = 0
            if array.role == "limit":
                length = 0 if self.limits_rng.random() < 0.03 else self.program.dims
        if length == 0:
            launch.traits.append("empty")
        # Element 0 of an array that has none is untouchable at the end of the pages only.
        at = rng.choice(("start", "end") if length else ("start", "end", "end", "end"))
        launch.pools.append(Pool(array.type, [0] * length, at))
        launch.views[array.name] = View(len(launch.pools) - 1, 0, length, extents, strides)

    def _share(self, launch: Launch) -> None:
        """Two arrays of one type in one pool: the same, shifted, or an empty one at an address."""
        rng = self.rng
        plain = [a for a in self.program.arrays if not a.rank]
        pairs = [(a, b) for a in plain for b in plain if a.name != b.name and a.type == b.type]
        if not pairs or rng.random() > 0.3:
            return
        a, b = rng.choice(pairs)
        first, second = launch.views[a.name], launch.views[b.name]
        second.pool = first.pool
        pool = launch.pools[first.pool]
        form = rng.choice(("same", "same", "shifted", "empty", "inside"))
        launch.traits.append("alias " + form)
        if form == "same":
            second.length = first.length
        elif form == "shifted":
            second.offset, second.length = 1, first.length
            pool.cells.append(0)
            if rng.random() < 0.5:
                first.offset, second.offset = 1, 0
        elif form == "empty":
            second.offset, second.length = rng.choice((0, 0, first.length)), 0
        elif first.length >= 2:
            second.offset, second.length = 1, first.length - 1
        else:
            second.length = 0

    def _fill(self, launch: Launch, shortest: int) -> None:
        roles: dict[int, str] = {}
        written: set[int] = set()
        for array in self.program.arrays:
            pool = launch.views[array.name].pool
            if array.role == "index":
                roles[pool] = "index"
            if array.role in ("out", "sum", "total"):
                written.add(pool)
        for number, filled in enumerate(launch.pools):
            role = roles.get(number, "in")
            filled.cells = [self.cell(filled.type, role, shortest) for _ in filled.cells]
            filled.read_only = number not in written

    def _shape_of_launch(self, launch: Launch, n: int, shape: tuple[int, ...]) -> None:
        program, rng = self.program, self.rng
        if program.dims > 1:
            sizes = list(reversed(shape))
            block = [rng.choice((1, 2, 4, 8)) for _ in sizes]
            if program.kind == "tile" and rng.random() < 0.97:
                tile = next(m for m in program.memory if m.role == "shared")
                block = list(reversed(tile.extents))
            grid = [max(1, -(-s // b)) for s, b in zip(sizes, block)]
            if rng.random() < 0.15:
                grid[rng.randrange(len(grid))] += 1
        else:
            widths = (1, 7, 16, 32, 33, 64)
            kept = 0.97 if program.kind == "block" else 0.8
            b = program.block if program.block and rng.random() < kept else rng.choice(widths)
            g = max(1, -(-n // b))
            if rng.random() < 0.1:
                g = max(1, g + rng.choice((-1, 1)))
            if rng.random() < 0.08 and -(-n // 256) * (program.block or 256) <= 512:
                launch.grid = launch.block = None
                return
            block, grid = [b], [g]
            if rng.random() < 0.03:
                grid.append(2)
        launch.grid = (*grid, *[1] * (3 - len(grid)))  # type: ignore[assignment]
        launch.block = (*block, *[1] * (3 - len(block)))  # type: ignore[assignment]


def lanes_of(launch: Launch) -> int:
    total = 1
    for k in (*(launch.grid or (1,)), *(launch.block or (1,))):
        total *= k
    return total


def launches(program: tree.Program, count: int) -> list[Launch]:
    return [Launcher(program, k).make() for k in range(count)]


def big_launch(program: tree.Program) -> list[Launch]:
    """Now and then one that is spread over threads; the model does not run it."""
    rng = random.Random(f"big {program.seed}")
    if program.kind not in ("flat", "stride", "block") or rng.random() > 0.06:
        return []
    launcher = Launcher(program, 1)
    n = rng.choice((20_011, 40_000, 65_537))
    launch = Launch([], {}, {}, (1, 1, 1), (1, 1, 1), traits=["big"])
    for array in program.arrays:
        length = 16 if array.role in ("sum", "total") else n
        launch.pools.append(Pool(array.type, [0] * length))
        launch.views[array.name] = View(len(launch.pools) - 1, 0, length)
    for array, pool in zip(program.arrays, launch.pools):
        pattern = [
            launcher.cell(pool.type, array.role, 16) for _ in range(min(997, len(pool.cells)))
        ]
        pool.cells = (pattern * (len(pool.cells) // len(pattern) + 1))[: len(pool.cells)]
        pool.read_only = array.role in ("in", "index")
    for name, type_ in program.scalars:
        launch.scalars[name] = launcher.scalar(name, type_, n, [n])
        if not values.is_float(type_) and name != "n":
            launch.scalars[name] = values.saturate(type_, rng.choice((1, 2, 3, 5, 16)))
    block = program.block or rng.choice((64, 256))
    launch.grid, launch.block = (-(-n // block), 1, 1), (block, 1, 1)
    launch.threads = rng.choice((1, 2, 7))
    launch.deterministic = not program.racy
    return [launch]
