"""The cycle of 768 positions: additions modulo 768, and linear constraints between elements.

    from hologram import cycle768

    state = cycle768.State([100, 668])
    state.constrain([0, 1], [1, 1], 0)      p0 + p1 = 0 modulo 768, from now on
    state.gate("S", 0)                      p0 moves by 192, p1 follows
    cycle768.solve([[2, 3], [4, 0]], [6, 8])     all solutions, or a proof that there are none

What it is and what it is not: docs/cycle768.md. An element is one number, not a qubit; quantum
circuits are in hologram.qsim. Objects may be used by one thread at a time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hologram import _native
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

POSITIONS = 768
HALF = 384


class CycleError(ArgumentError):
    """What is wrong with a call: `actual`, what was found, and `expected`. The state is as it
    was. Its kinds are the classes below."""

    kind = ""

    def __init__(self, message: str, actual: int = 0, expected: int = 0) -> None:
        super().__init__(message)
        self.actual = actual
        self.expected = expected


class IndexOutOfRange(CycleError, IndexError):
    """actual: the index; expected: how many elements there are."""

    kind = "index"


class PositionOutOfRange(CycleError):
    """actual: the position, which must be 0 to 767."""

    kind = "position"


class SumOutOfRange(CycleError):
    """actual: the sum, which must be 0 to 767."""

    kind = "sum"


class ConstraintViolated(CycleError):
    """actual: the sum of the positions; expected: that of the constraint."""

    kind = "violated"


class CoefficientCount(CycleError):
    """actual: coefficients; expected: elements."""

    kind = "coefficient_count"


class RepeatedIndex(CycleError):
    """actual: an index that is given twice."""

    kind = "repeated"


class TooFew(CycleError):
    """actual: how many; expected: at least that many."""

    kind = "too_few"


class NoSolution(CycleError):
    """No positions satisfy the constraints."""

    kind = "no_solution"


class NotNormalised(CycleError):
    """The squares of the amplitudes do not sum to 1."""

    kind = "not_normalised"


class UnknownGate(CycleError):
    """actual: the letter."""

    kind = "unknown_gate"


_KINDS = {kind.kind: kind for kind in CycleError.__subclasses__()}


def _error(kind: str, actual: int, expected: int, message: str) -> CycleError:
    return _KINDS[kind](message, actual, expected)


def byte(position: int) -> int:
    """position modulo 256."""
    return _checked(position) % 256


def modality(position: int) -> int:
    """0 neutral, 1 produce, 2 consume: position = 256 * modality + byte."""
    return _checked(position) // 256


def value(position: int) -> int:
    """1 from 384 on."""
    return int(_checked(position) >= HALF)


def sector(position: int) -> int:
    """One of 96 equal parts of the cycle: position // 8."""
    return _checked(position) // 8


def class_of(position: int) -> int:
    """The sigil class of the byte: another 96-way division, of uneven parts."""
    return _native.cycle_class_of(_checked(position))


def distance(a: int, b: int) -> int:
    """The shorter way round."""
    way = abs(_checked(a) - _checked(b))
    return min(way, POSITIONS - way)


def advance_of(gate: str) -> int:
    """How far a gate moves a position: I 0, T 96, S and H 192, X, Y and Z 384."""
    return _native.cycle_advance_of(gate)


def reading_threshold(alpha: float, beta: float) -> int:
    """floor(768 * alpha**2) in f32: below it a uniformly drawn position reads 0 with the
    probability alpha**2. Sampling by the inverse of a distribution that is put in; it derives
    nothing."""
    return _native.cycle_threshold(alpha, beta)


class Constraint(NamedTuple):
    """The sum of coefficient * position over the elements is `sum` modulo 768."""

    indices: tuple[int, ...]
    coefficients: tuple[int, ...]
    sum: int


class Generator(NamedTuple):
    """A direction of the solutions, of which 0 to order - 1 multiples differ."""

    step: tuple[int, ...]
    order: int


class Contradiction(NamedTuple):
    """Multiples of the equations that add up to 0 = remainder, whatever the unknowns are."""

    multiples: tuple[int, ...]
    remainder: int


@dataclass(frozen=True)
class Solutions:
    """All solutions: particular plus 0 to order - 1 times each generator, each in one way.
    particular is None where there are none, and contradiction says why."""

    particular: tuple[int, ...] | None
    generators: tuple[Generator, ...]
    contradiction: Contradiction | None = None

    def count(self) -> int:
        """How many, exactly."""
        if self.particular is None:
            return 0
        number = 1
        for generator in self.generators:
            number *= generator.order
        return number

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Every solution, once."""
        if self.particular is None:
            return
        for times in itertools.product(*(range(generator.order) for generator in self.generators)):
            point = list(self.particular)
            for k, generator in zip(times, self.generators, strict=True):
                point = [
                    (p + k * s) % POSITIONS for p, s in zip(point, generator.step, strict=True)
                ]
            yield tuple(point)


def solve(rows: Sequence[Sequence[int]], right: Sequence[int]) -> Solutions:
    """All x with rows @ x = right modulo 768, by the normal form of Smith of the matrix: O(rows *
    columns * min(rows, columns)). The order of each generator divides that of the next. Raises
    ValueError for sizes that do not fit."""
    small = [[int(entry) % POSITIONS for entry in row] for row in rows]
    found, generators, wrong = _native.cycle_solve(small, [int(v) % POSITIONS for v in right])
    made = tuple(Generator(tuple(step), order) for step, order in generators)
    if found is None or wrong is not None:
        assert wrong is not None
        return Solutions(None, (), Contradiction(tuple(wrong[0]), wrong[1]))
    return Solutions(tuple(found), made)


def solve_one(coefficient: int, value: int) -> list[int]:
    """All x with coefficient * x = value modulo 768, ascending: gcd(coefficient, 768) or none."""
    return _native.cycle_solve_one(coefficient % POSITIONS, value % POSITIONS)


class State:
    """Elements and the constraints between them, which hold at all times."""

    def __init__(self, positions: Sequence[int]) -> None:
        """Raises PositionOutOfRange."""
        self._state = _native.CycleState.create([_small(position) for position in positions])

    @classmethod
    def _of(cls, state: _native.CycleState) -> State:
        made = cls.__new__(cls)
        made._state = state
        return made

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple(self._state.positions())

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(
            Constraint(tuple(indices), tuple(coefficients), total)
            for indices, coefficients, total in self._state.constraints()
        )

    def __len__(self) -> int:
        return len(self._state.positions())

    def __getitem__(self, index: int) -> int:
        """The position of an element. Raises IndexOutOfRange."""
        return self._state.position(_index(index))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._state.equals(other._state)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"State({list(self.positions)}, constraints={list(self.constraints)})"

    def copy(self) -> State:
        return State._of(self._state.copy())

    def constrain(self, indices: Sequence[int], coefficients: Sequence[int], total: int) -> None:
        """Adds a constraint that holds already. Raises ConstraintViolated, SumOutOfRange,
        CoefficientCount, IndexOutOfRange, RepeatedIndex, TooFew."""
        small = [int(factor) % POSITIONS for factor in coefficients]
        self._state.constrain([_index(i) for i in indices], small, _small(total))

    def impose(self, indices: Sequence[int], coefficients: Sequence[int], total: int) -> None:
        """Adds a constraint and moves elements so that all hold. Raises NoSolution, and what
        constrain raises."""
        small = [int(factor) % POSITIONS for factor in coefficients]
        self._state.impose([_index(i) for i in indices], small, _small(total))

    def free(self, *indices: int) -> None:
        """Removes the constraints on any of these elements."""
        self._state.free([_index(i) for i in indices])

    def set(self, index: int, position: int) -> None:
        """Moves an element; others follow, the first one that can alone. Raises NoSolution,
        IndexOutOfRange, PositionOutOfRange."""
        self._state.set(_index(index), _small(position))

    def advance(self, index: int, by: int) -> None:
        """The same by any number."""
        self._state.advance(_index(index), int(by) % POSITIONS)

    def gate(self, name: str, index: int) -> None:
        """The same by a gate: I H X Y Z S T."""
        self.advance(index, advance_of(name))

    def cnot(self, control: int, target: int) -> None:
        """Half a turn of the target where the control reads 1. Sums of constraints follow."""
        self._state.flip([_index(control)], _index(target))

    def toffoli(self, first: int, second: int, target: int) -> None:
        """The same with two controls."""
        self._state.flip([_index(first), _index(second)], _index(target))

    def cz(self, control: int, target: int) -> None:
        """The same as cnot, since Z is half a turn as X is: unlike the gate of quantum mechanics it
        is not symmetric in control and target."""
        self.cnot(control, target)

    def ccz(self, first: int, second: int, target: int) -> None:
        """The same as toffoli."""
        self.toffoli(first, second, target)

    def swap(self, a: int, b: int) -> None:
        """Exchanges two positions. Sums of constraints follow."""
        self._state.swap([], _index(a), _index(b))

    def fredkin(self, control: int, a: int, b: int) -> None:
        """The same where the control reads 1."""
        self._state.swap([_index(control)], _index(a), _index(b))

    def measure(self, *indices: int) -> list[int]:
        """Removes elements and gives their positions; constraints keep what is left of them."""
        return self._state.measure([_index(i) for i in indices])

    def admitted(self) -> Solutions:
        """All positions that the constraints admit."""
        particular, generators = self._state.admitted()
        made = tuple(Generator(tuple(step), order) for step, order in generators)
        return Solutions(tuple(particular), made)


def bell(which: str = "phi+") -> State:
    """A pair of positions with a constraint under an old name: phi+ (192, 0), phi- (576, 384) with
    sum 192; psi+ (192, 384), psi- (576, 0) with sum 576. No Bell state: `hologram.qsim.bell` is
    one."""
    names = ("phi+", "phi-", "psi+", "psi-")
    if which not in names:
        raise ArgumentError(f"bell: expected phi+, phi-, psi+ or psi-, found {which!r}")
    return State._of(_native.CycleState.bell(names.index(which)))


def ghz(size: int) -> State:
    """(192, 0, ..., 0) with coefficients 1 and sum 192. Raises TooFew below 2."""
    return State._of(_native.CycleState.ghz(max(size, 0)))


def w() -> State:
    """(384, 0, 0) with coefficients 1, 5, 7 and sum 384."""
    return State._of(_native.CycleState.w())


def _checked(position: int) -> int:
    if not 0 <= position < POSITIONS:
        message = f"position {position} must be in 0..767"
        raise PositionOutOfRange(message, position, POSITIONS - 1)
    return position


def _small(number: int) -> int:
    """As the module takes it: what is beyond 64 bits is as wrong as the largest."""
    return max(-(2**63), min(int(number), 2**63 - 1))


def _index(index: int) -> int:
    if index < 0:
        raise IndexOutOfRange(f"index {index} is out of range", index, 0)
    return min(int(index), 2**63 - 1)
