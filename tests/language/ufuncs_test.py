"""`@hg.vectorize` and `@hg.guvectorize` beside NumPy: types, broadcasting, outputs; what is refused.

usage: ufuncs_test.py
"""

from __future__ import annotations

import sys
from typing import Any

import guarded  # noqa: F401
import numpy as np

import hologram as hg
from hologram.lang import f64, nan, sqrt


class ArrayOfNumba:
    """What `numba.float64[:]` has."""

    dtype, ndim = "float64", 1


float_array = ArrayOfNumba()


@hg.vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="parallel")
def hypotenuse(a, b):
    return sqrt(a * a + b * b)


@hg.vectorize
def plus(a, b):
    return a + b


@hg.vectorize("f8(i4)", nopython=True, cache=True)
def half(a):
    return f64(a) / 2


@hg.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
def shifted(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + by


@hg.guvectorize(["(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    t = x[0]
    for i in range(1, x.shape[0]):
        t += x[i]
    out[0] = t


@hg.vectorize(["f8(f8)"])
def half_of(a):
    return a / 2


@hg.guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)")
def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            t = a[i, 0] * b[0, j]
            for k in range(1, a.shape[1]):
                t += a[i, k] * b[k, j]
            c[i, j] = t


@hg.guvectorize([(float_array, float_array)], "(n)->(n)")
def scaled(x, out):
    """Written for Numba: whole arrays, locals that widen, an error."""
    out[:] = nan
    if np.isnan(x).any():
        return
    if len(x) < 2:
        raise ValueError("two elements at least")
    total = 0
    for value in x:
        total += value
    out[1:] = (x[:-1] - np.mean(x)) / total
    out[0] = x[-1] - np.max(x) + np.argmin(x) + np.linalg.norm(x[1:])


@hg.guvectorize("(n),()->(n)")
def above(x: np.ndarray, limit: float, out: np.ndarray) -> None:
    limit = limit * 2
    for k in range(len(x)):
        if x[k] > limit:
            kept = x[k]
        out[k] = kept
        if int(x[k]) % 2:
            kept = 0


@hg.guvectorize(["(i4[:], f8, f4[:])"], "(n),(),(n)")
def filled(x, y, out):
    for k in range(x.shape[0]):
        out[k] = x[k] / y


@hg.guvectorize(["(f8[:], f8[:])"], "(n),(m)")
def filled_up(x, out):
    out[:] = x


@hg.vectorize(["f8(f8)"])
def twice_half(a):
    t = 1
    if a > 1:
        t = half_of(a)
    return t * 2


def scaled_by_numpy(x):
    out = np.empty(len(x))
    out[1:] = (x[:-1] - np.mean(x)) / sum(x)
    out[0] = x[-1] - np.max(x) + np.argmin(x) + np.linalg.norm(x[1:])
    return out


def one(a, b):
    return a


@hg.vectorize(["int32(int32, int32)", "float64(float64, float64)"], identity=0)
def added(a, b):
    return a + b


def cases() -> list[tuple[str, Any, Any]]:
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 9, (3, 4)).astype(np.float32)
    wide = rng.uniform(0, 9, (2, 1, 4))
    a, b = rng.uniform(size=(5, 2, 3)).astype("f4"), rng.uniform(size=(3, 4)).astype("f4")
    out = np.zeros((4, 3), np.float32)
    hypotenuse(x.T, np.float32(1), out=out)
    given = np.zeros((2, 3))
    shifted(np.ones((2, 3)), 1.0, given)
    return [
        ("f32", hypotenuse(x, x[0]), np.sqrt(x * x + x[0] * x[0])),
        ("a number beside f32", hypotenuse(x, 2.0), np.sqrt(x * x + np.float32(4))),
        ("broadcast f64", hypotenuse(wide, x), np.sqrt(wide * wide + x.astype("f8") ** 2)),
        ("numbers alone", hypotenuse(3.0, 4.0), np.float64(5)),
        ("strides", hypotenuse(x[:, ::2], x[:, 1::2]), np.sqrt(x[:, ::2] ** 2 + x[:, 1::2] ** 2)),
        ("out", out, np.sqrt(x.T * x.T + np.float32(1))),
        ("types of the call", plus(np.arange(4, dtype="i2"), np.arange(4, dtype="i2")),
         2 * np.arange(4, dtype="i2")),
        ("an outer sum", plus(np.arange(3.0), np.arange(2.0)[:, None]),
         np.arange(3.0) + np.arange(2.0)[:, None]),
        ("nothing", plus(np.zeros((0, 3)), 1.0), np.zeros((0, 3))),
        ("another result", half(np.arange(5, dtype="i4")), np.arange(5) / 2),
        ("rows", shifted(np.arange(6.0).reshape(2, 3), np.array([10.0, 20.0])),
         np.arange(6.0).reshape(2, 3) + np.array([[10.0], [20.0]])),
        ("rows of one array", shifted(np.arange(3.0), np.array([1.0, 2.0])),
         np.arange(3.0) + np.array([[1.0], [2.0]])),
        ("the array that is given", given, np.full((2, 3), 2.0)),
        ("sums", total(np.arange(12.0).reshape(2, 2, 3)), np.arange(12.0).reshape(2, 2, 3).sum(-1)),
        ("one sum", total(np.arange(4.0)), np.float64(6)),
        ("a ufunc", isinstance(added, np.ufunc) and isinstance(shifted, np.ufunc), np.True_),
        ("its types", added.types == ["ii->i", "dd->d"], np.True_),
        ("reduce", added.reduce(np.arange(9, dtype="i4")), np.int32(36)),
        ("reduce of nothing", added.reduce(np.zeros(0, "i4")), np.int32(0)),
        ("accumulate", added.accumulate(np.arange(5000.0)), np.add.accumulate(np.arange(5000.0))),
        ("outer", added.outer(np.arange(3.0), np.arange(2.0)), np.add.outer(np.arange(3.0), np.arange(2.0))),
        ("parts of rows", total(np.arange(24.0).reshape(2, 3, 4)[:, ::2, ::-1]),
         np.arange(24.0).reshape(2, 3, 4)[:, ::2].sum(-1)),
        ("whole arrays", np.round(scaled(np.array([3.0, 1.0, 4.0, 1.5])), 12),
         np.round(scaled_by_numpy(np.array([3.0, 1.0, 4.0, 1.5])), 12)),
        ("a NaN", np.isnan(scaled(np.array([3.0, np.nan, 4.0]))), np.full(3, True)),
        ("types of the call, results too", above(np.array([2.0, 9.0, 1.0, 4.0]), 2.0, np.zeros(4)),
         np.array([0.0, 9.0, 0.0, 0.0])),
        ("no arrow", filled(np.arange(3, dtype="i4"), 2.0, np.zeros(3, "f4")),
         np.array([0, 0.5, 1], "f4")),
        ("a ufunc in a function", twice_half(np.array([0.5, 6.0])), np.array([2.0, 6.0])),
        ("columns", product(a.transpose(0, 2, 1)[:1], b[:2]).shape == (1, 3, 4), np.True_),
        ("where", added(np.arange(4.0), 1.0, where=np.arange(4) > 1, out=np.zeros(4)),
         np.array([0.0, 0.0, 3.0, 4.0])),
        ("products", np.abs(product(a, b) - a @ b).max() < 1e-5, np.True_),
    ]  # fmt: skip


REFUSED = [
    (lambda: hg.vectorize(target="cuda"), "target='cuda'"),
    (lambda: hg.vectorize(fastmath=True), "bits are the same everywhere"),
    (lambda: hg.vectorize(nopython=False), "a function is always compiled"),
    (lambda: hg.vectorize(identity=2), "`identity=2`"),
    (lambda: hg.vectorize(locals={}), "`locals=`"),
    (lambda: hg.vectorize("f8(f8)")(one), "takes 2 arguments, a signature has 1"),
    (lambda: hg.vectorize("f8 f8"), "is not a signature"),
    (lambda: hg.vectorize("void(f8)"), "has no type for the result"),
    (lambda: hg.vectorize("complex64(f8)"), "'complex64' is not a type here"),
    (lambda: hg.guvectorize(["void(f8[:])"], "(n)->(n)")(one), "has 2 arrays"),
    (lambda: hg.guvectorize(["void(f8[:], f8[:])"], "n->n")(one), "is not a layout"),
    (lambda: hypotenuse(np.zeros(3, complex), 1.0), "not supported for the input types"),
    (lambda: filled_up(np.ones(3), np.ones(2)), "arrays of different lengths"),
    (lambda: scaled(np.ones(1)), "two elements at least"),
    (lambda: above(np.ones(3), 1.0), "those to write among them"),
    (lambda: hg.guvectorize(["(f8[:], f8[:])"], 3), "a layout is a text"),
    (lambda: hypotenuse(1.0), "takes from 2 to 3 positional"),
    (lambda: plus(np.zeros(3)), "takes 2 arguments, not 1"),
    (lambda: hg.guvectorize(["void(f8[:], f8[:])"], "(n)->(m)")(one), "does not follow"),
    (lambda: plus.reduce(np.zeros(3)), "`plus.reduce` is not there"),
    (lambda: shifted(np.float64(1), 1.0), "does not have enough dimensions"),
    (
        lambda: product(np.zeros((2, 3), "f4"), np.zeros((2, 3), "f4")),
        "mismatch in its core dimension",
    ),
]


def main() -> int:
    failures = 0
    for name, got, wanted in cases():
        wanted = np.asarray(wanted)
        if np.asarray(got).dtype != wanted.dtype or not np.array_equal(got, wanted):
            print(f"FAIL {name}: {got!r}, expected {wanted!r}")
            failures += 1
    for run, words in REFUSED:
        try:
            run()
            text = "is accepted"
        except (TypeError, ValueError, AttributeError, hg.FaultError) as error:
            text = str(error)
        if words not in text:
            print(f"FAIL {text}, expected {words}")
            failures += 1
    print(f"{len(cases())} cases, {len(REFUSED)} refused, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
