"""Functions as they are written for Numba beside Python: each is run by Python on its parts of the
same arrays, and must give the same. Then types that are Numba's and not Python's, and refusals.

usage: numba_test.py
"""

from __future__ import annotations

import sys
from math import ceil
from types import SimpleNamespace
from typing import Any

import guarded  # noqa: F401
import numpy as np

import hologram as hg

DAYS = np.array([[31.0, 28.5, 31.0], 3 * [7], [1.5, 2.5, 3.5]])


class StencilFunc:
    """What an object of `numba.stencil` has."""

    def __init__(self, function: Any) -> None:
        self.kernel_ir = SimpleNamespace(func_id=SimpleNamespace(func=function))
        self.options: dict[str, Any] = {}
        self.mode = "constant"

    def __call__(self, x: Any, *rest: Any) -> Any:
        function = self.kernel_ir.func_id.func
        inside = [function(Neighbours(x, k), *rest) for k in range(1, len(x) - 1)]
        return np.array([0, *inside, 0])


class Neighbours:
    def __init__(self, x: Any, k: int) -> None:
        self.x, self.k = x, k

    def __getitem__(self, by: int) -> Any:
        return self.x[self.k + by]


@StencilFunc
def is_peak(x, least):
    return x[0] > x[-1] and x[0] >= x[1] + least


@hg.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")
def doubled(x, out):
    for k in range(len(x)):
        out[k] = 2 * x[k]


def else_of_loops(x, out):
    for k in range(len(x)):
        if x[k] > 2:
            out[0] = k
            break
    else:
        out[0] = -1
    k = 0
    while k < len(x):
        if x[k] < 0:
            break
        k += 1
    else:
        out[1] = 7
    out[2] = k


def characters(x, mode, out):
    if chr(mode) == "a":
        out[:] = x
    elif chr(mode) in ("b", "c"):
        out[:] = -x
    elif mode == ord("d"):
        out[:] = 0
    else:
        raise ValueError("no such mode")


def small_arrays(x, out):
    t = np.zeros(3, dtype=np.float64)
    t[0] = x[0]
    for k in range(1, len(x)):
        t[1] = t[0] + x[k] / 2
        t[-1] += t[1]
        out[k] = t[2]
        t[0] = t[1]
    out[0] = t[0]


def own_arrays(x, out):
    n = len(x)
    sums = np.zeros(n)
    last = np.full(len(x), 0.5)
    kept = x.copy()
    for k in range(1, n - 1):
        sums[k] = sums[k - 1] + x[k]
        last[k] = last[k - 1] / 2
    for k in range(n - 1, -1, -1):
        kept[k] = kept[k] + sums[k] * last[k]
    out[:] = kept


def orders(x, y, out):
    places = np.argsort(x)
    rising = np.sort(y)
    total = np.cumsum(x) - x / 2
    for k in range(len(places)):
        out[places[k]] = k + total[k] + rising[k]


def sorted_in_place(x, out):
    out[:] = x
    out.sort()


def ring(x, a, out):
    memory = np.full(len(a), 0.25)
    for i in range(len(x)):
        at = i % len(memory)
        memory[at] = x[i]
        for j in range(1, len(a)):
            memory[at] -= a[j] * memory[at - j]
        out[i] = memory[at] + x[i - 1]


def element_by_element(x, v, out, where, between):
    out[:] = np.linspace(x[0], x[-1] + 1, len(out)) + 2 * np.arange(len(out))
    where[:] = np.searchsorted(x, v, side="right")
    between[:] = np.interp(v, x, x)


def quantiles(x, q, out):
    out[0] = np.median(x)
    out[1] = np.nanquantile(x, q)
    out[2] = np.nanmax(x) - np.nanmin(x)


def products(m, v, w, out):
    out[:] = m @ v + np.dot(w, m)


def versions(x, first, way, out):
    if way > 0:
        way = 1
    elif way < 0:
        way = -1
    else:
        raise ValueError("no way")
    first = int(first)
    out[:] = 0
    for k in range(first, len(x) if way > 0 else -1, way):
        out[k] = x[k] + first


def parts(x, y, out):
    total = 0.0
    for i, value in enumerate(x):
        total += i * value
    for a, b in zip(x, y):
        total += a * b
    for value in x[2:]:
        total -= value
    a, b = (total, total + 1)
    out[: len(x) - 2] = x[2:]
    out[len(x) - 2 :] = total
    out /= 2


def taken_apart(x, out):
    a, b, c = x
    out[0] = a - b
    out[1] = c
    out[2] = out[1] = a


def stencils(x, least, out):
    out[:] = is_peak(x, least)


def rows_of_tables(x, month, out):
    if x[0] < 1:
        days = DAYS[0, :]
    elif x[0] < 2:
        days = DAYS[1]
    else:
        days = DAYS[2, :]
    out[0] = days[month - 1] * x[0]


def without_dimensions(x, y, mean, spread):
    mean[0] = spread[0] = 0
    if y:
        for k in range(len(x)):
            mean += x[k] / (k + 1) * y[0]
            spread += x[k] * x[k]
    spread /= len(x)
    np.sqrt(spread, spread)


def of_one_element(y, out):
    y = y[0]
    if np.isnan(y):
        out[0] = -1
        return
    out[0] = y * 2


def of_other_ufuncs(x, out):
    doubled(x, out)
    out[-1] = ceil(out[0] / 3) + np.floor(-x[1]) + np.signbit(x[0] - 1)


def in_place(out):
    n = len(out)
    out[:] = np.arange(1, n + 1, 1) * n - np.ones(n) * out[0]
    out[:] = out[::-1]


def counts(x, out):
    out[:] = 0
    for k in range(len(x)):
        place = int(x[k])
        if 0 <= place < len(out):
            out[place] += 1


X = np.array([[0.5, 3.0, 1.25, 2.0], [2.5, -1.0, 4.0, 0.75], [1.0, 0.5, 0.25, 0.5]])
UP = np.sort(X, axis=1)
V = np.array([[0.6, 2.1], [9.0, -9.0], [0.5, np.nan]])
GAPS = np.array([[0.5, np.nan, 1.25, 2.0], [2.5, -1.0, 4.0, 0.75], 4 * [np.nan]])
M = np.arange(18.0).reshape(2, 3, 3)

# Function, types, layout, arrays to read, and for each array to write its own shape.
CASES: list[tuple[Any, str, str, tuple[Any, ...], tuple[tuple[int, ...], ...]]] = [
    (else_of_loops, "(f8[:], f8[:])", "(n)->(n)", (X,), ((4,),)),
    (characters, "(f8[:], char, f8[:])", "(n),()->(n)", (X, np.array([97, 99, 100], "i1")), ((4,),)),
    (small_arrays, "(f8[:], f8[:])", "(n)->(n)", (X,), ((4,),)),
    (small_arrays, "(f4[:], f4[:])", "(n)->(n)", (X.astype("f4"),), ((4,),)),
    (own_arrays, "(f8[:], f8[:])", "(n)->(n)", (X,), ((4,),)),
    (own_arrays, "(f8[:], f8[:])", "(n)->(n)", (X[:, ::-1],), ((4,),)),
    (orders, "(f8[:], f8[:], f8[:])", "(n),(n)->(n)", (X, X[::-1]), ((4,),)),
    (sorted_in_place, "(f8[:], f8[:])", "(n)->(n)", (X,), ((4,),)),
    (ring, "(f8[:], f8[:], f8[:])", "(n),(m)->(n)", (X, X[:, :2]), ((4,),)),
    (element_by_element, "(f8[:], f8[:], f8[:], i8[:], f8[:])", "(n),(m)->(n),(m),(m)",
     (UP, V), ((4,), (2,), (2,))),
    (quantiles, "(f8[:], f8, f8[:])", "(n),(),(m)", (X, np.array([0.25, 1.0, 0.6])), ((3,),)),
    (quantiles, "(f8[:], f8, f8[:])", "(n),(),(m)", (GAPS, np.array([0.25, 1.0, 0.6])), ((3,),)),
    (products, "(f8[:,:], f8[:], f8[:], f8[:])", "(n,n),(n),(n)->(n)",
     (M, X[:2, :3], X[1:, :3]), ((3,),)),
    (versions, "(f8[:], f8, f8, f8[:])", "(n),(),()->(n)",
     (X, np.array([1.5, 2.0, 3.0]), np.array([4.0, -2.0, -1.0])), ((4,),)),
    (parts, "(f8[:], f8[:], f8[:])", "(n),(n)->(n)", (X, X[::-1]), ((4,),)),
    (taken_apart, "(f8[:], f8[:])", "(n)->(n)", (X[:, :3],), ((3,),)),
    (stencils, "(f8[:], f8, b1[:])", "(n),()->(n)", (X, np.array([0.0, 1.0, 0.1])), ((4,),)),
    (rows_of_tables, "(f8[:], i8, f8[:])", "(n),()->()", (X, np.array([1, 2, 3])), ((),)),
    (without_dimensions, "(f8[:], f8[:], f8[:], f8[:])", "(n),()->(),()",
     (X, np.array([1.0, 0.0, 2.0])), ((), ())),
    (of_one_element, "(f8[:], f8[:])", "()->()", (np.array([1.0, np.nan, 2.0]),), ((),)),
    (of_other_ufuncs, "(f8[:], f8[:])", "(n)->(n)", (X,), ((4,),)),
    (in_place, "(f8[:],)", "(n)", (), ((4,),)),
    (counts, "(f8[:], i8[:])", "(n),(m)", (X,), ((3,),)),
]  # fmt: skip


def compared(function: Any, types: str, layout: str, arrays: Any, shapes: Any) -> str:
    """What differs between the function under guvectorize and Python's run of it."""
    made = hg.guvectorize([types], layout, nopython=True, forceobj=True)(function)
    kinds = types.strip("(), ").replace(" ", "").split(",")
    kinds = [k.partition("[")[0].replace("char", "i1") for k in kinds if not k.startswith(":")]
    calls = len(arrays[0]) if arrays else 3
    outs = [
        np.ones((calls, *shape), kind)
        for shape, kind in zip(shapes, kinds[len(arrays) :], strict=True)
    ]
    expected = [out.copy() for out in outs]
    for k in range(calls):
        inputs = [a[k] if np.ndim(a[k]) else given(types, n, a[k]) for n, a in enumerate(arrays)]
        function(*inputs, *(e[k] if e[k].ndim else e[k : k + 1] for e in expected))
    made(*arrays, *outs)
    for out, wanted in zip(outs, expected, strict=True):
        if not np.allclose(out, wanted, rtol=1e-12, equal_nan=True):
            return f"{function.__name__}: {out.tolist()}, Python {wanted.tolist()}"
    return ""


def given(types: str, place: int, value: Any) -> Any:
    """A number, or an array of one where the types say so."""
    parts = types.strip("()").replace("[:,:]", "[]").split(",")
    return np.array([value]) if "[" in parts[place] else value


@hg.vectorize(["f8(f4, i8)"])
def wide_product(a, b):
    return a * b


@hg.vectorize(["f8(f4)"])
def beside_literals(a):
    return 0.1 * a


@hg.vectorize(["i8(i4, i4)"])
def wide_sum(a, b):
    return a + b


@hg.vectorize(["f8(u8, i8)"])
def signs(a, b):
    return a - b


@hg.vectorize(["i8(i8, i8)"])
def power(a, b):
    return a**b


@hg.vectorize(["f8(f8, f8)"])
def least(a, b):
    return min(a, b) + 10 * np.minimum(a, b)


@hg.vectorize(["i8(f8)"])
def checked(a):
    if a < 2:
        return round(a)
    raise ValueError("too large")


def types_of_numba() -> list[tuple[str, Any, Any]]:
    third = np.float32(1 / 3)
    return [
        ("f32 and i64 are f64", wide_product(third, 16777217), np.float64(third) * 16777217),
        ("0.1 is f64", beside_literals(third), 0.1 * np.float64(third)),
        ("i32 and i32 are i64", wide_sum(np.int32(2**31 - 1), np.int32(1)), 2**31),
        ("u64 and i64 are f64", signs(np.uint64(1), 3), -2.0),
        ("a power of integers", power(np.array([3, -2]), np.array([20, 5])), [3**20, -32]),
        ("min and NaN", least(1.0, np.nan), np.nan),
        ("a result behind a fault", checked(np.array([1.6, -0.4])), [2, 0]),
    ]


def by_data(x, out):
    memory = np.zeros(int(x[0]))
    out[0] = len(memory)


def too_long(x, out):
    for k in range(len(x)):
        out[int(x[k])] = 1


REFUSED = [
    (lambda: hg.guvectorize(["(f8[:], f8[:])"], "(n)->()")(by_data), "np.zeros"),
    (lambda: hg.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")(too_long)(X + 5), "beyond the array"),
    (lambda: hg.guvectorize(["(f8[:], char, f8[:])"], "(n),()->(n)")(characters)(X, 101),
     "no such mode"),
    (lambda: checked(3.0), "too large"),
    (lambda: power(2, -1), "negative integer powers"),
    (lambda: hg.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")(taken_apart)(X), "different lengths"),
]  # fmt: skip


def main() -> int:
    found = []
    for case in CASES:
        try:
            found.append(compared(*case))
        except (TypeError, ValueError, hg.FaultError, hg.CompileError) as error:
            found.append(f"{case[0].__name__}: {error}")
    for name, got, wanted in types_of_numba():
        if not np.array_equal(got, wanted, equal_nan=True):
            found.append(f"{name}: {got}, expected {wanted}")
    for run, words in REFUSED:
        try:
            run()
            text = "is accepted"
        except (TypeError, ValueError, hg.FaultError, hg.CompileError) as error:
            text = str(error)
        if words not in text:
            found.append(f"{text}, expected {words}")
    failures = [one for one in found if one]
    for one in failures:
        print(f"FAIL {one}")
    print(f"{len(CASES)} functions, {len(REFUSED)} refused, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
