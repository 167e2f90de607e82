"""True values of ERF POW EXP2 EXPM1 LOG1P ATAN2 by 100 decimal digits, rounded once; special values
from IEEE 754-2019, 9.2.1. `nearest(name, type, operands)` is the entry; operands and result are bits.

The conformance vectors keep the engines within so many units of these; that all engines have the same
bits is checked by their runner. Series and halvings here, nothing of the algorithms of docs/math.md.
"""

import functools
from decimal import Decimal, localcontext
from fractions import Fraction

import isa_reference as isa

BEYOND = 3000  # no result of this magnitude in base 2 is finite, no inverse of it above zero


def decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def series(first, ratio):
    """first * (1 + ratio(1) + ratio(1) ratio(2) + ...) until nothing changes."""
    total, term, k = first, first, 0
    while True:
        k += 1
        term *= ratio(k)
        if total + term == total:
            return total
        total += term


def arctangent(z):
    """Of z >= 0: the angle is halved until the series is short."""
    halvings = 0
    while z > Decimal("0.01"):
        z /= 1 + (1 + z * z).sqrt()
        halvings += 1
    if z == 0:
        return z
    return 2**halvings * series(z, lambda k: -z * z * (2 * k - 1) / (2 * k + 1))


@functools.cache
def pi():
    return 4 * arctangent(Decimal(1))


def erf(x):
    if abs(x) > 8:
        return (1 - Decimal(10) ** -40) * (1 if x > 0 else -1)
    x = decimal(x)
    return 2 / pi().sqrt() * series(x, lambda k: -x * x * (2 * k - 1) / (k * (2 * k + 1)))


def exp2(x):
    if x.denominator == 1:
        return Fraction(2) ** max(min(int(x), BEYOND), -BEYOND)
    x = max(min(x, Fraction(BEYOND)), Fraction(-BEYOND))
    return (decimal(x) * Decimal(2).ln()).exp()


def expm1(x):
    if abs(x) > BEYOND:
        return Fraction(2) ** BEYOND if x > 0 else Fraction(-1)
    x = decimal(x)
    return x.exp() - 1 if abs(x) > 1 else series(x, lambda k: x / (k + 1))


def log1p(x):
    x = decimal(x)
    if abs(x) > Decimal("0.1"):
        return (1 + x).ln()
    return series(x, lambda k: -x * k / (k + 1))


def rounded(type_, value, negative=False):
    return isa.round_float(type_, Fraction(value), negative)


def of_one(name, type_, x):
    one = rounded(type_, 1)
    infinity = isa.infinity(type_, False)
    if x.inf:
        negative = {
            "erf": isa.negate_float(type_, one),
            "exp2": 0,
            "expm1": isa.negate_float(type_, one),
            "log1p": isa.nan(type_),
        }[name]
        positive = one if name == "erf" else infinity
        return negative if x.negative else positive
    if x.value == 0:
        return one if name == "exp2" else rounded(type_, 0, x.negative)
    if name == "log1p" and x.value <= -1:
        return isa.infinity(type_, True) if x.value == -1 else isa.nan(type_)
    return rounded(type_, {"erf": erf, "exp2": exp2, "expm1": expm1, "log1p": log1p}[name](x.value))


def is_whole(y):
    return y.inf or y.value.denominator == 1


def is_odd(y):
    return not y.inf and y.value.denominator == 1 and y.value.numerator % 2 == 1


def magnitude_of_power(type_, x, y):
    """|x|^y for y != 0, |x| != 1, no NaN."""
    if x.inf or x.value == 0 or y.inf:
        large = x.inf or (x.value != 0 and abs(x.value) > 1)
        return isa.infinity(type_, False) if large != y.negative else 0
    exponent = decimal(y.value) * decimal(abs(x.value)).ln() / Decimal(2).ln()
    if abs(exponent) > BEYOND:
        return isa.infinity(type_, False) if exponent > 0 else 0
    return rounded(type_, (exponent * Decimal(2).ln()).exp())


def power(type_, x, y):
    one = rounded(type_, 1)
    if (not y.nan and not y.inf and y.value == 0) or (not x.nan and not x.inf and x.value == 1):
        return one
    if x.nan or y.nan:
        return isa.nan(type_)
    if x.negative and not x.inf and x.value != 0 and not is_whole(y):
        return isa.nan(type_)
    unit = not x.inf and abs(x.value) == 1
    magnitude = one if unit else magnitude_of_power(type_, x, y)
    return isa.negate_float(type_, magnitude) if x.negative and is_odd(y) else magnitude


def angle(type_, y, x):
    """Of the point (x, y)."""
    if x.nan or y.nan:
        return isa.nan(type_)
    if x.inf or y.inf:
        across, up = Decimal(int(x.inf)), Decimal(int(y.inf))
    else:
        across, up = abs(decimal(x.value)), abs(decimal(y.value))
    if across == 0:
        result = pi() / 2 if up else Decimal(0)
        result = pi() if x.negative and not up else result
    else:
        result = arctangent(up / across)
        result = pi() - result if x.negative else result
    bits = rounded(type_, result)
    return isa.negate_float(type_, bits) if y.negative else bits


def nearest(name, type_, operands):
    if type_ in isa.HALVES:
        wide = nearest(name, "f32", [isa.convert("f32", type_, bits) for bits in operands])
        return isa.convert(type_, "f32", wide)
    with localcontext() as context:
        context.prec = 100
        context.Emin, context.Emax = -(10**9), 10**9
        values = [isa.Float(type_, bits) for bits in operands]
        if name == "pow":
            return power(type_, *values)
        if name == "atan2":
            return angle(type_, *values)
        if values[0].nan:
            return isa.nan(type_)
        return of_one(name, type_, values[0])
