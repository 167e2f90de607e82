"""Vectors and matrices: bit for bit the stated order of fused operations, and within the documented
bound of binary64."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Expected, Step, Within, covers
from inputs import F, block_tree, ceil_div, cover, floats, fma

EPSILON = 2.0**-24
SHAPES = ((1, 1, 1), (5, 7, 3), (16, 16, 16), (33, 70, 20), (18, 130, 65))


def matrix(rows: int, columns: int, stride: int, key: object) -> np.ndarray:
    """Row-major with a leading dimension; what lies between the rows is NaN."""
    whole = np.full((rows, stride), np.nan, F)
    whole[:, :columns] = floats(rows * columns, key=key).reshape(rows, columns)
    return whole


def chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product as a sum in order, fused."""
    total = np.zeros((a.shape[0], b.shape[1]), F)
    for p in range(a.shape[1]):
        total = fma(a[:, p : p + 1], b[p : p + 1], total)
    return total


def bounded(a: np.ndarray, b: np.ndarray, factor: float) -> Within:
    a, b = a.astype(np.float64), b.astype(np.float64)
    return Within(a @ b, factor * EPSILON * (np.abs(a) @ np.abs(b)))


def products(kernel: str, launch, fused: bool = True) -> Cases:
    for m, n, k in SHAPES:
        lda, ldb, ldc = k + 2, n + 1, n + 3
        a, b = matrix(m, k, lda, "a"), matrix(k, n, ldb, "b")
        left, right = a[:, :k], b[:, :n]
        inside = np.zeros((m, ldc), bool)
        inside[:, :n] = True
        if fused:
            result = chain(left, right)
        else:
            result = np.zeros((m, n), F)
            for p in range(k):
                result = result + left[:, p : p + 1] * right[p : p + 1]
        checks: list[Expected] = [result, bounded(left, right, k if fused else 2 * k)]
        scalars = {"m": m, "n": n, "k": k, "lda": lda, "ldb": ldb, "ldc": ldc}
        for check in checks:
            if isinstance(check, Within):
                exact, bound = np.zeros((m, ldc)), np.zeros((m, ldc))
                exact[:, :n], bound[:, :n] = check.exact, check.bound
                expected: Expected = Within(exact, bound)
            else:
                expected = np.zeros((m, ldc), F)
                expected[:, :n] = check
            arrays = {"a": a, "b": b, "c": np.zeros((m, ldc), F)}
            yield Case(arrays, scalars, [Step(kernel, *launch(m, n))], {"c": expected})


@covers("linalg/gemm")
def gemm() -> Cases:
    yield from products("gemm", lambda m, n: cover(m * n, block=(256,)), fused=False)


@covers("linalg/gemm_rows")
def gemm_rows() -> Cases:
    yield from products("gemm_rows", lambda m, n: cover(n, ceil_div(m, 4)))


@covers("linalg/gemm_shared")
def gemm_shared() -> Cases:
    yield from products("gemm_shared", lambda m, n: cover(n, m, block=(16, 16)))


def scaled_sum(alpha: float, total: np.ndarray, beta: float, y: np.ndarray) -> np.ndarray:
    rest = F(beta) * y if beta != 0 else np.zeros_like(y)
    return F(alpha) * total + rest


VECTORS = ((1, 1, 2.5, 0.0), (7, 300, 1.0, 1.0), (260, 3, -0.5, 2.0), (65, 1000, 3.0, 0.0))


@covers("linalg/gemv")
def gemv() -> Cases:
    for m, n, alpha, beta in VECTORS:
        a, x = matrix(m, n, n + 3, "a"), floats(n, key="x")
        y = np.full(m, np.nan, F) if beta == 0 else floats(m, key="y")
        totals = np.zeros((m, 64), F)
        for first in range(0, n, 64):
            part = slice(first, min(first + 64, n))
            width = part.stop - part.start
            totals[:, :width] = fma(a[:, part], x[None, part], totals[:, :width])
        scalars = {"alpha": alpha, "beta": beta, "n": n, "lda": n + 3}
        steps = [Step("gemv", (m,), (64,))]
        result = scaled_sum(alpha, block_tree(totals), beta, y)
        yield Case({"a": a, "x": x, "y": y}, scalars, steps, {"y": result})
        wide, old = a[:, :n].astype(np.float64), 0 if beta == 0 else y.astype(np.float64)
        exact = alpha * (wide @ x) + beta * old
        size = abs(alpha) * (np.abs(wide) @ np.abs(x)) + np.abs(beta * old)
        bound = (10 + n / 64) * EPSILON * size
        yield Case({"a": a, "x": x, "y": y}, scalars, steps, {"y": Within(exact, bound)})


@covers("linalg/gemv_t")
def gemv_t() -> Cases:
    for m, n, alpha, beta in VECTORS:
        a, x = matrix(m, n, n + 3, "a"), floats(m, key="x")
        y = np.full(n, np.nan, F) if beta == 0 else floats(n, key="y")
        total = chain(x[None, :], a[:, :n])[0]
        scalars = {"alpha": alpha, "beta": beta, "m": m, "n": n, "lda": n + 3}
        steps = [Step("gemv_t", *cover(n))]
        result = scaled_sum(alpha, total, beta, y)
        yield Case({"a": a, "x": x, "y": y}, scalars, steps, {"y": result})


@covers("linalg/ger")
def ger() -> Cases:
    for m, n, alpha, _ in VECTORS:
        a, x, y = matrix(m, n, n + 2, "a"), floats(m, key="x"), floats(n, key="y")
        expected = a.copy()
        expected[:, :n] = fma((F(alpha) * x)[:, None], y[None, :], a[:, :n])
        scalars = {"alpha": alpha, "m": m, "n": n, "lda": n + 2}
        steps = [Step("ger", *cover(n, m))]
        yield Case({"x": x, "y": y, "a": a}, scalars, steps, {"a": expected})


def triangular(kernel: str, whole) -> Cases:
    """`whole(lower)` is the matrix that the lower triangle stands for; what is above it is NaN."""
    for m, n, alpha in ((1, 1, 1.0), (5, 3, 2.0), (40, 70, -0.75)):
        lda, ldb, ldc = m + 1, n + 2, n
        a, b = matrix(m, m, lda, "a"), matrix(m, n, ldb, "b")
        a[:, :m][np.triu_indices(m, 1)] = np.nan
        full = whole(np.tril(np.nan_to_num(a[:, :m])))
        total = np.zeros((m, n), F)
        for i in range(m):
            stop = i + 1 if kernel == "trmm" else m
            total[i] = chain(full[i : i + 1, :stop], b[:stop, :n])[0]
        scalars = {"alpha": alpha, "m": m, "n": n, "lda": lda, "ldb": ldb, "ldc": ldc}
        arrays = {"a": a, "b": b, "c": np.zeros((m, ldc), F)}
        steps = [Step(kernel, *cover(n, m))]
        yield Case(arrays, scalars, steps, {"c": F(alpha) * total})
        near = bounded(full, b[:, :n], (m + 1) * abs(alpha))
        yield Case(arrays, scalars, steps, {"c": Within(alpha * near.exact, near.bound)})


@covers("linalg/trmm")
def trmm() -> Cases:
    yield from triangular("trmm", lambda lower: lower)


@covers("linalg/symm")
def symm() -> Cases:
    yield from triangular("symm", lambda lower: lower + np.tril(lower, -1).T)
