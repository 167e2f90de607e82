"""Reductions and losses: the function that takes one element more, under a row of facts.

The build makes their kernels of the forms in operations/reduction_forms.py, as it does those of
operations/elementwise.py. hg.ops has them by hand: hologram.ops.table, reduction_operations.py and
linalg.py. `total` is the sum so far, in the type that is accumulated; elements are converted to it.
"""

from generator.reductions import (
    ARRAYS_OF_LOSS,
    EXTREMES,
    INDICES,
    PAIRS,
    SUMS,
    SUMS_OF_FLOATS,
    WIDE,
    helper,
    reduction,
)

from hologram import lang

# ---- Of one array, along its rows or columns


@reduction("the sum of the elements", (*SUMS, *WIDE), start=0, join="block_reduce_add")
def sum(total, x):
    return total + x


@reduction("the product of the elements", SUMS, start=1, join="block_reduce_mul")
def prod(total, x):
    return total * x


@reduction(
    "the sum of the squares of the elements", SUMS_OF_FLOATS, start=0, join="block_reduce_add"
)
def sum_squares(total, x):
    return lang.fma(x, x, total)


# A comparison takes half as long as min() and max(), and gives the same but where all are NaN, or
# the first is, and for the sign of zero: these are looked at again. Integers have no such cases.
@reduction("the smallest of the elements", EXTREMES, join="block_reduce_min")
def min(best, x):
    return lang.min(best, x)


@helper("min", "ahead")
def min_ahead(best, x):
    return x < best


@reduction("the largest of the elements", EXTREMES, join="block_reduce_max")
def max(best, x):
    return lang.max(best, x)


@helper("max", "ahead")
def max_ahead(best, x):
    return x > best


@reduction(
    "the index of the smallest element, the first of equals", INDICES, join="block_reduce_min"
)
def argmin(best, x):
    return lang.min(best, x)


@helper("argmin", "better")
def argmin_better(best, x):
    return x < best or (best != best and x == x)


@reduction(
    "the index of the largest element, the first of equals", INDICES, join="block_reduce_max"
)
def argmax(best, x):
    return lang.max(best, x)


@helper("argmax", "better")
def argmax_better(best, x):
    return x > best or (best != best and x == x)


# ---- Of two arrays


@reduction("the sum of all x[i] * y[i]", PAIRS, start=0, join="block_reduce_add", arrays=("x", "y"))
def dot(total, p, t):
    return lang.fma(p, t, total)


@reduction(
    "the sum of all (prediction - target)^2",
    PAIRS,
    start=0,
    join="block_reduce_add",
    arrays=ARRAYS_OF_LOSS,
)
def mse(total, p, t):
    off = p - t
    return lang.fma(off, off, total)


@reduction(
    "the sum of all -target * log(prediction); a prediction below eps counts as eps",
    PAIRS,
    start=0,
    join="block_reduce_add",
    arrays=ARRAYS_OF_LOSS,
)
def cross_entropy(total, p, t, eps):
    kept = eps if p < eps else p
    return total - t * lang.log(kept)


# What a logarithm is taken of counts as eps where it is below.
@reduction(
    "the sum of all -(target * log(prediction) + (1 - target) * log(1 - prediction))",
    PAIRS,
    start=0,
    join="block_reduce_add",
    arrays=ARRAYS_OF_LOSS,
)
def binary_cross_entropy(total, p, t, eps):
    kept = eps if p < eps else p
    rest = eps if 1.0 - p < eps else 1.0 - p
    return total - (t * lang.log(kept) + (1.0 - t) * lang.log(rest))
