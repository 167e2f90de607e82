"""The cycle of 768 positions of hologram._native."""

from __future__ import annotations

import json
from typing import Any

from hologram._native.bridge import text_of


def _call(name: str, state: int, *parts: Any) -> Any:
    numbers: list[int] = []
    for part in parts:
        numbers += [len(part), *part] if isinstance(part, (list, tuple)) else [part]
    answer = json.loads(text_of("cycle", name=name, state=state, numbers=[str(n) for n in numbers]))
    if "error" in answer:
        from hologram.cycle768 import _error

        raise _error(*answer["error"])
    return answer["value"]


def cycle_advance_of(gate: str) -> int:
    return _call("advance_of", 0, ord(gate) if len(gate) == 1 else ord("?"))


def cycle_class_of(position: int) -> int:
    return _call("class_of", 0, position)


def cycle_solve(rows: list[list[int]], right: list[int]) -> Any:
    columns = len(rows[0]) if rows else 0
    if any(len(row) != columns for row in rows):
        raise ValueError("rows have different lengths")
    if len(right) != len(rows):
        raise ValueError("a right side for each row is needed")
    flat = [entry for row in rows for entry in row]
    particular, generators, contradiction = _call("solve", 0, len(rows), columns, flat, right)
    found = [tuple(row) for row in generators]
    return particular, found, contradiction and tuple(contradiction)


def cycle_solve_one(coefficient: int, value: int) -> list[int]:
    return _call("solve_one", 0, coefficient, value)


class CycleState:
    """A state of the module."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __del__(self) -> None:
        _call("release", self._number)

    @staticmethod
    def create(positions: list[int]) -> CycleState:
        return CycleState(_call("create", 0, list(positions)))

    @staticmethod
    def bell(which: int) -> CycleState:
        return CycleState(_call("bell", 0, which))

    @staticmethod
    def ghz(size: int) -> CycleState:
        return CycleState(_call("ghz", 0, size))

    @staticmethod
    def w() -> CycleState:
        return CycleState(_call("w", 0))

    def copy(self) -> CycleState:
        return CycleState(_call("copy", self._number))

    def equals(self, other: CycleState) -> bool:
        return _call("equals", self._number, other._number)

    def constraints(self) -> list[Any]:
        return [tuple(row) for row in _call("constraints", self._number)]

    def admitted(self) -> Any:
        particular, generators = _call("admitted", self._number)
        return particular, [tuple(row) for row in generators]


def _method(name: str) -> Any:
    def method(self: CycleState, *parts: Any) -> Any:
        return _call(name, self._number, *parts)

    return method


for _name in "positions position constrain impose free set advance flip swap measure".split():
    setattr(CycleState, _name, _method(_name))
