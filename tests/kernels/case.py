"""What a test of a kernel is: arrays, launches, and what must come out.

A test file registers one generator of cases for each kernel file:

    @covers("elementwise/vector_sub")
    def vector_sub() -> Cases:
        yield Case(arrays, {"n": n}, [Step("vector_sub")], {"c": a - b})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

F = np.float32
LONG = np.longdouble
QUIET_NAN = {4: 0x7FC00000, 8: 0x7FF8000000000000, 2: 0x7E00}


@dataclass(frozen=True)
class Step:
    """One launch. A parameter takes the array or scalar of its name in the case, unless `given`
    names another one or a number. Without a grid the launch covers the largest output."""

    kernel: str
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    given: dict[str, str | float] = field(default_factory=dict)

    def values(
        self,
        parameters: Iterable[tuple[str, object, object]],
        arrays: Mapping[str, np.ndarray],
        scalars: Mapping[str, float],
    ) -> dict[str, np.ndarray | float | None]:
        """What each parameter takes."""
        keys = {name: self.given.get(name, name) for name, _, _ in parameters}
        return {
            name: key if not isinstance(key, str) else arrays.get(key, scalars.get(key))
            for name, key in keys.items()
        }


@dataclass(frozen=True)
class Ulp:
    """Within so many units in the last place of exact values, one bound for all or one for each; NaN
    where those are NaN."""

    exact: np.ndarray
    bound: np.ndarray | float

    def problem(self, actual: np.ndarray) -> str | None:
        exact = self.exact.ravel()
        if not np.array_equal(np.isnan(actual), np.isnan(exact)):
            at = int(np.flatnonzero(np.isnan(actual) != np.isnan(exact))[0])
            return f"[{at}] is {actual[at]!r}, exact {exact[at]!r}"
        live = np.isfinite(exact) & (np.abs(exact) < 2.0**128)
        wrong = np.flatnonzero(~live & ~np.isnan(exact) & (actual != exact.astype(F)))
        if len(wrong):
            return f"[{wrong[0]}] is {actual[wrong[0]]!r}, exact {exact[wrong[0]]!r}"
        size = np.maximum(np.abs(exact[live]), LONG(2.0) ** -126)
        unit = LONG(2.0) ** (np.floor(np.log2(size)) - 23)
        off = np.abs(actual[live].astype(LONG) - exact[live]) / unit
        bound = np.broadcast_to(self.bound, self.exact.shape).ravel()[live]
        if (off <= bound).all():
            return None
        worst = int(np.argmax(off / bound))
        at = int(np.flatnonzero(live)[worst])
        shown = f"{off[worst]:.3f} ulp, allowed {bound[worst]:.3f}"
        return f"[{at}] is {actual[at]!r}, exact {exact[at]!r}: {shown}"


@dataclass(frozen=True)
class Within:
    """Within an absolute error, given for each element, of exact values; NaN where those are NaN."""

    exact: np.ndarray
    bound: np.ndarray | float

    def problem(self, actual: np.ndarray) -> str | None:
        exact = self.exact.ravel()
        bound = np.broadcast_to(self.bound, self.exact.shape).ravel()
        off = np.abs(actual.astype(LONG) - exact)
        good = (off <= bound) | (np.isnan(actual) & np.isnan(exact)) | (actual == exact)
        if good.all():
            return None
        at = int(np.flatnonzero(~good)[0])
        return f"[{at}] is {actual[at]!r}, exact {exact[at]!r}, allowed {float(bound[at]):.3g}"


@dataclass(frozen=True)
class Raw:
    """These very bits, also those of NaN: for what only moves them or flips a sign."""

    bits: np.ndarray

    def problem(self, actual: np.ndarray) -> str | None:
        kind = np.dtype(f"u{self.bits.dtype.itemsize}")
        wrong = np.flatnonzero(actual.view(kind) != self.bits.ravel().view(kind))
        return f"[{wrong[0]}] is {actual[wrong[0]]!r}, not bit for bit" if len(wrong) else None


Expected = np.ndarray | Ulp | Within | Raw


@dataclass
class Case:
    """With `fault`, the launches must end in an error that holds this text, on every engine."""

    arrays: dict[str, np.ndarray]
    scalars: dict[str, float]
    steps: list[Step]
    expected: dict[str, Expected]
    fault: str = ""


Cases = Iterator[Case]
REGISTERED: dict[str, Callable[[], Cases]] = {}


def covers(file: str) -> Callable[[Callable[[], Cases]], Callable[[], Cases]]:
    """Registers the cases of kernels/FILE.py."""

    def register(function: Callable[[], Cases]) -> Callable[[], Cases]:
        if file in REGISTERED:
            raise RuntimeError(f"{file} has two tests")
        REGISTERED[file] = function
        return function

    return register


def same_bits(actual: np.ndarray, expected: np.ndarray) -> str | None:
    """Computed NaN is canonical by definition, so it is in what is expected."""
    if actual.dtype != expected.dtype or actual.size != expected.size:
        return f"has {actual.size} {actual.dtype}, expected {expected.size} {expected.dtype}"
    want = expected.ravel().copy()
    kind = np.dtype(f"u{want.dtype.itemsize}")
    if want.dtype.kind == "f":
        want[np.isnan(want)] = np.array([QUIET_NAN[want.dtype.itemsize]], kind).view(want.dtype)[0]
    wrong = np.flatnonzero(actual.view(kind) != want.view(kind))
    if not len(wrong):
        return None
    at = int(wrong[0])
    return f"[{at}] is {actual[at]!r}, expected {want[at]!r}; {len(wrong)} differ"


def problem(expected: Expected, actual: np.ndarray) -> str | None:
    """What is wrong with the result, or None."""
    if isinstance(expected, np.ndarray):
        return same_bits(actual, expected)
    return expected.problem(actual)
