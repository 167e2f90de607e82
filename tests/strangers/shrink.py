"""Makes a failing program and its launch smaller while it fails in the same way."""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from strangers import engines, machine, tree, values, workers
from strangers.generator import generate
from strangers.launches import Launch, big_launch, lanes_of, launches
from strangers.tree import Expr, Stmt


@dataclass
class Small:
    program: tree.Program
    launch: Launch
    expected: engines.Outcome


Pair = tuple[tree.Program, Launch]


def _copy(pair: Pair) -> Pair:
    copied: Pair = pickle.loads(pickle.dumps(pair))
    return copied


def _bodies(program: tree.Program) -> list[list[Stmt]]:
    found = list(tree.all_bodies(program.body))
    for helper in program.helpers:
        found += tree.all_bodies(helper.body)
    return found


def _expression_places(program: tree.Program) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    for body in _bodies(program):
        for statement in body:
            places += tree.slots(statement)
    return places


def _set(place: tuple[Any, Any], value: Expr) -> None:
    container, key = place
    if isinstance(container, list):
        container[key] = value
    else:
        setattr(container, key, value)


def _without_statements(pair: Pair) -> Iterator[Pair]:
    places = [(b, s) for b, body in enumerate(_bodies(pair[0])) for s in range(len(body))]
    for b, s in places:
        smaller = _copy(pair)
        del _bodies(smaller[0])[b][s]
        yield smaller
    for b, s in places:
        for inner in range(len(tree.children(_bodies(pair[0])[b][s]))):
            smaller = _copy(pair)
            body = _bodies(smaller[0])[b]
            body[s : s + 1] = tree.children(body[s])[inner]
            yield smaller


def _simpler(e: Expr) -> list[Expr]:
    if isinstance(e, tree.Lit | tree.Var):
        return []
    found: list[Expr] = [tree.get(place) for place in tree.slots(e)]
    result = [x for x in found if x.type == e.type and not (isinstance(x, tree.Lit) and x.bare)]
    for value in (0, 1):
        number: int | float = float(value) if values.is_float(e.type) else value
        result.append(tree.Lit(e.type, number, e.type == "bool"))
    return result[:6]


def _simpler_expressions(pair: Pair) -> Iterator[Pair]:
    for number in range(len(_expression_places(pair[0]))):
        for choice in range(len(_simpler(tree.get(_expression_places(pair[0])[number])))):
            smaller = _copy(pair)
            place = _expression_places(smaller[0])[number]
            _set(place, _simpler(tree.get(place))[choice])
            yield smaller


def _without_names(pair: Pair) -> Iterator[Pair]:
    text = tree.source(pair[0]).split("def " + pair[0].name + "(", 1)[1].split(":\n", 1)[-1]
    helpers = "".join(tree.text(tree.get(p)) for p in _expression_places(pair[0]))
    used = set(re.findall(r"\w+", text + " " + helpers))
    smaller = _copy(pair)
    program, launch = smaller
    for array in list(program.arrays):
        if array.name not in used:
            program.arrays.remove(array)
            del launch.views[array.name]
    kept = sorted({v.pool for v in launch.views.values()})
    launch.pools = [launch.pools[k] for k in kept]
    for view in launch.views.values():
        view.pool = kept.index(view.pool)
    for name, type_ in list(program.scalars):
        if name not in used:
            program.scalars.remove((name, type_))
            del launch.scalars[name]
    program.helpers = [h for h in program.helpers if h.name in used]
    bodies = "\n".join(tree.source(program).split("\n"))
    program.memory = [m for m in program.memory if len(re.findall(rf"\b{m.name}\b", bodies)) > 1]
    yield smaller


def _plain(launch: Launch) -> None:
    launch.threads, launch.budget = 1, None


def _cut_shape(launch: Launch, name: str, axis: int, size: int) -> None:
    sizes = list(getattr(launch, name))
    sizes[axis] = size
    setattr(launch, name, tuple(sizes))


def _cut_pool(launch: Launch, number: int, size: int) -> None:
    launch.pools[number].cells = launch.pools[number].cells[:size]
    for view in launch.views.values():
        if view.pool == number:
            view.offset, view.length = 0, size


def _fill_pool(launch: Launch, number: int, value: int) -> None:
    launch.pools[number].cells = [value] * len(launch.pools[number].cells)


def _set_scalar(launch: Launch, name: str, value: int) -> None:
    launch.scalars[name] = value


def _launch_changes(launch: Launch) -> Iterator[Callable[[Launch], None]]:
    yield _plain
    for name in ("grid", "block"):
        sizes = getattr(launch, name) or ()
        for axis, extent in enumerate(sizes):
            for size in sorted({1, extent // 2} - {0, extent}):
                yield partial(_cut_shape, name=name, axis=axis, size=size)
    for number, pool in enumerate(launch.pools):
        views = [v for v in launch.views.values() if v.pool == number]
        if len(views) == 1 and not views[0].shape:
            for size in sorted({0, 1, 2, len(pool.cells) // 2}):
                if size < len(pool.cells):
                    yield partial(_cut_pool, number=number, size=size)
        for value in (0, 1):
            if any(c not in (0, value) for c in pool.cells):
                yield partial(_fill_pool, number=number, value=value)
    for name in launch.scalars:
        for value in (0, 1, 2):
            if launch.scalars[name] > value:
                yield partial(_set_scalar, name=name, value=value)


def _smaller_launches(pair: Pair) -> Iterator[Pair]:
    for change in _launch_changes(pair[1]):
        smaller = _copy(pair)
        change(smaller[1])
        yield smaller


def _size(pair: Pair) -> tuple[int, ...]:
    program, launch = pair
    cells = sum(len(p.cells) for p in launch.pools)
    data = sum(abs(c) > 1 for p in launch.pools for c in p.cells)
    numbers = sum(min(v, 1000) for v in launch.scalars.values())
    plain = launch.threads + (launch.budget is not None)
    return (len(tree.source(program)), lanes_of(launch), cells, data, numbers, plain)


def _is_smaller(a: Pair, b: Pair) -> bool:
    """Smaller in one measure, and not larger in a more important one."""
    return _size(a) < _size(b)


def expected_of(program: tree.Program, launch: Launch) -> engines.Outcome:
    tree.source(program)
    written = {name for name, v in launch.views.items() if not launch.pools[v.pool].read_only}
    return engines.run_model(machine.Machine(program), launch, written)


def shrink(failure: workers.Failure, count: int, seconds: float) -> Small | None:
    """None if the launch alone, in a fresh process, does not fail."""
    program = generate(failure.seed)
    every = [*launches(program, count), *big_launch(program)]
    if not 0 <= failure.launch < len(every):
        return None
    launch = every[failure.launch]
    big = failure.launch >= count
    written = {a.name for a in program.arrays if a.role in ("out", "sum", "total")}
    for name, view in launch.views.items():
        if name in written:
            launch.pools[view.pool].read_only = False
    kind = failure.kind
    best: Pair = (program, launch)

    def fails(pair: Pair) -> bool:
        return workers.attempt(failure.level, *_copy(pair), big).split(":")[0] == kind

    if not fails(best):
        return None
    deadline = time.monotonic() + seconds
    ways = (_without_statements, _without_names, _smaller_launches, _simpler_expressions)
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for way in ways:
            again = True
            while again and time.monotonic() < deadline:
                again = False
                for smaller in way(best):
                    if time.monotonic() > deadline:
                        break
                    if _is_smaller(smaller, best) and fails(smaller):
                        best, again, progress = smaller, True, True
                        break
    expected = engines.Outcome("unknown", "big") if big else expected_of(*_copy(best))
    return Small(*best, expected)
