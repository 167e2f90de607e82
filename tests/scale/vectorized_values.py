"""The functions of vectorized_test.py beside Python: the same arguments, the same values.

A function that has a kernel is called with arrays of every signature, of many sizes and of values
that such functions want, and run by Python on its parts of the same arrays.
"""

from __future__ import annotations

import contextlib
import re
import signal
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hologram import FaultError
from hologram.ufunc_types import layout_of, listed, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 24
_DTYPES = {"bool": "?", **{f"{c}{8 * n}": f"{c}{n}" for c in "iuf" for n in (1, 2, 4, 8)}}
_DTYPES |= {"complex64": "c8", "complex128": "c16"}
_LETTERS = [ord(letter) for letter in "ifnclhsrabvtmd"]


class Declared:
    """What a decorator of Numba's was given, and what became of the function under it."""

    def __init__(self, name: str, arguments: tuple[Any, ...], function: Any, made: Any) -> None:
        self.function = function
        self.made = made
        self.is_elementwise = name == "vectorize"
        given: list[Any] = list(arguments)
        layout = "" if self.is_elementwise else next(a for a in given if isinstance(a, str))
        rows = [] if not given or given[0] is layout else given[:1]
        known = [parsed(one, returns=self.is_elementwise) for one in listed(tuple(rows))]
        count = function.__code__.co_argcount
        if self.is_elementwise:
            self.cores: list[tuple[str, ...]] = [()] * (count + 1)
            self.inputs = count
            plain = [[*(kind for kind, _ in one.arguments), one.result] for one in known]
        else:
            read = layout_of(layout if "->" in layout else f"{layout}->()", given=True)
            self.inputs = len(read.inputs)
            self.cores = list(read.cores if "->" in layout else read.inputs)
            plain = [[kind for kind, _ in one.arguments] for one in known]
        self.kinds: list[list[str]] = plain or [["f64"] * len(self.cores)]

    def arguments(self, kinds: list[str], rng: Any) -> list[Any]:
        """Arrays for one call, results among them."""
        names = {name for core in self.cores for name in core}
        base = int(rng.integers(1, 12))
        sizes = {
            name: base + int(rng.integers(-2, 3)) * int(rng.integers(0, 2))
            for name in sorted(names)
        }
        sizes = {name: max(1, size) for name, size in sizes.items()}
        sizes |= {name: int(name) for name in names if name.isdecimal()}
        style = int(rng.integers(0, 5))
        made = []
        for kind, core in zip(kinds, self.cores, strict=True):
            shape = tuple(sizes[name] for name in core)
            made.append(_values(kind, shape, rng, style))
        return made


def _values(kind: str, shape: tuple[int, ...], rng: Any, style: int) -> Any:
    dtype = np.dtype(_DTYPES[kind])
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    if kind == "i8" and not shape and style != 3:
        return np.asarray(rng.choice(_LETTERS), dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 4 + 4 * (style == 2), shape).astype(dtype)
    plain = [
        lambda: rng.normal(size=shape),
        lambda: rng.uniform(0, 1, shape),
        lambda: rng.integers(0, 7, shape) * 1.0,
        lambda: rng.integers(-3, 9, shape) * 1.0,
        lambda: rng.uniform(-5, 30, shape),
    ]
    which = int(rng.integers(0, 5)) if int(rng.integers(0, 3)) == 0 else style
    values = np.asarray(plain[which]())
    if dtype.kind == "c":
        values = values + 1j * plain[which]()
    values = np.asarray(values, dtype)
    if shape and int(rng.integers(0, 12)) == 0:
        values = np.where(rng.uniform(size=shape) < 0.3, np.nan, values).astype(dtype)
    return values


def _number(array: Any) -> Any:
    """Of integers one of Python, which does not wrap: Numba computes with them in 64 bits."""
    return array.item() if array.dtype.kind in "iub" else array[()]


def _by_python(one: Declared, arrays: list[Any]) -> None:
    """The function itself, on its own parts."""
    if one.is_elementwise:
        arrays[-1][...] = one.function(*map(_number, arrays[:-1]))
        return
    rows = [
        a if core else (_number(a) if k < one.inputs else a.reshape(1))
        for k, (a, core) in enumerate(zip(arrays, one.cores, strict=True))
    ]
    one.function(*rows)


def compared(mine: Declared) -> tuple[str, int, int]:
    """What differs, "" for nothing; how many calls had equal values; how many were refused here
    and not there."""
    rng = np.random.default_rng(7)
    equal = refused = 0
    for kinds in mine.kinds:
        for _ in range(max(4, ROUNDS // len(mine.kinds))):
            arrays = mine.arguments(kinds, rng)
            theirs = [a.copy() for a in arrays]
            ours = [a.copy() for a in arrays]
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"), _limited():
                    warnings.simplefilter("ignore")
                    _by_python(mine, theirs)
            except Exception:
                continue  # it says no to such arguments, or takes too long for them
            try:
                _called(mine.made, ours, mine)
            except (FaultError, TypeError, ValueError):
                refused += 1
                continue
            bad = _difference(ours, theirs)
            if bad:
                where = ", ".join(_shown(a) for a in arrays)
                return f"{kinds}: {bad} of ({where})", equal, refused
            equal += 1
    return "", equal, refused


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Python's own run of a function; a loop without an end is left."""

    def late(number: int, frame: Any) -> None:
        while frame is not None:
            if "/numba/" in frame.f_code.co_filename or "/llvmlite/" in frame.f_code.co_filename:
                return  # a helper is compiled, which must not be left
            frame = frame.f_back
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 2, 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _called(made: Any, arrays: list[Any], one: Declared) -> None:
    if one.is_elementwise:
        arrays[-1][...] = made(*arrays[:-1])
        return
    made(*arrays)


def _difference(ours: list[Any], theirs: list[Any]) -> str:
    # NumPy keeps a number of f32 beside one of Python in f32, where Numba takes f64.
    single = any(a.dtype == np.float32 for a in ours)
    for a, b in zip(ours, theirs, strict=True):
        if a.dtype.kind == "u" and b.size and b.max() > np.iinfo(a.dtype).max // 2:
            continue  # of a number below 0, which no unsigned integer has
        wide = a.dtype.itemsize >= 8 + 8 * (a.dtype.kind == "c") and not single
        close = {"rtol": 1e-9, "atol": 1e-11} if wide else {"rtol": 2e-4, "atol": 2e-5}
        if not np.allclose(a, b, equal_nan=True, **close):
            return f"{_shown(a)} is not {_shown(b)}"
    return ""


def _shown(array: Any) -> str:
    return re.sub(r"\s+", " ", np.array2string(array, precision=9, threshold=20))
