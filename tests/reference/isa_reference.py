"""A second, independent reference for the instructions: one value at a time, on bit patterns.

Written from the manual (the summaries in instructions.def, docs/math.md), not from the C++, and in another
style: floats are exact fractions that are rounded once, integers are Python integers. Slow and plain
on purpose. `evaluate` is the entry; tests/conformance/generate.py writes the vectors with it.
"""

from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from math import isqrt

INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
# name: (bits, mantissa bits without the leading one, smallest exponent of a normal number)
FLOATS = {
    "f16": (16, 10, -14),
    "bf16": (16, 7, -126),
    "f32": (32, 23, -126),
    "f64": (64, 52, -1022),
}
HALVES = ("f16", "bf16")
TYPES = [*INTEGERS, *FLOATS]


class DivisionByZero(Exception):
    """The lane faults."""


def bits_of(type_):
    return INTEGERS[type_] if type_ in INTEGERS else FLOATS[type_][0]


# ---- Integers: bit pattern <-> value


def to_int(type_, bits):
    size = INTEGERS[type_]
    if type_[0] == "i" and bits >> (size - 1):
        return bits - (1 << size)
    return bits


def from_int(type_, value):
    return value & ((1 << INTEGERS[type_]) - 1)


def limits(type_):
    size = INTEGERS[type_]
    return (-(1 << (size - 1)), (1 << (size - 1)) - 1) if type_[0] == "i" else (0, (1 << size) - 1)


# ---- Floats: bit pattern <-> exact value


class Float:
    """One of: NaN; an infinity; a finite value (a fraction, with a sign for zero)."""

    def __init__(self, type_, bits):
        size, mantissa, lowest = FLOATS[type_]
        self.negative = bool(bits >> (size - 1))
        exponent = (bits >> mantissa) & ((1 << (size - 1 - mantissa)) - 1)
        fraction = bits & ((1 << mantissa) - 1)
        all_ones = exponent == (1 << (size - 1 - mantissa)) - 1
        self.nan = all_ones and fraction != 0
        self.inf = all_ones and fraction == 0
        self.value = None
        if not all_ones:
            if exponent == 0:
                magnitude = Fraction(fraction) * Fraction(2) ** (lowest - mantissa)
            else:
                magnitude = Fraction(fraction + (1 << mantissa)) * Fraction(2) ** (
                    exponent - 1 + lowest - mantissa
                )
            self.value = -magnitude if self.negative else magnitude

    @property
    def zero(self):
        return self.value == 0


def nan(type_):
    return infinity(type_, False) | 1 << (FLOATS[type_][1] - 1)


def infinity(type_, negative):
    size, mantissa, _ = FLOATS[type_]
    return (int(negative) << (size - 1)) | (((1 << (size - 1 - mantissa)) - 1) << mantissa)


def zero(type_, negative):
    return int(negative) << (FLOATS[type_][0] - 1)


def half_even(fraction):
    """The nearest integer, ties to the even one."""
    floor = fraction.numerator // fraction.denominator
    rest = fraction - floor
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1):
        return floor + 1
    return floor


def log2_floor(fraction):
    """The largest e with 2**e <= fraction. REQUIRES: fraction > 0"""
    e = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    return e if fraction >= Fraction(2) ** e else e - 1


def round_float(type_, value, negative_zero=False):
    """The bits of the nearest float; a zero result takes the sign of the value or the given one."""
    size, mantissa, lowest = FLOATS[type_]
    if value == 0:
        return zero(type_, negative_zero)
    negative = value < 0
    magnitude = abs(value)
    exponent = max(log2_floor(magnitude), lowest)
    units = half_even(magnitude / Fraction(2) ** (exponent - mantissa))
    if units == 1 << (mantissa + 1):
        units >>= 1
        exponent += 1
    if units < 1 << mantissa:  # subnormal or zero
        field = 0
    else:
        field = exponent - lowest + 1
        units -= 1 << mantissa
    if field >= (1 << (size - 1 - mantissa)) - 1:
        return infinity(type_, negative)
    return (int(negative) << (size - 1)) | (field << mantissa) | units


# ---- Float arithmetic


def add_float(type_, a, b):
    x, y = Float(type_, a), Float(type_, b)
    if x.nan or y.nan or (x.inf and y.inf and x.negative != y.negative):
        return nan(type_)
    if x.inf:
        return a
    if y.inf:
        return b
    total = x.value + y.value
    return round_float(type_, total, negative_zero=x.zero and x.negative and y.zero and y.negative)


def negate_float(type_, a):
    return a ^ (1 << (bits_of(type_) - 1))


def sub_float(type_, a, b):
    if Float(type_, b).nan:
        return nan(type_)
    return add_float(type_, a, negate_float(type_, b))


def mul_float(type_, a, b):
    x, y = Float(type_, a), Float(type_, b)
    negative = x.negative != y.negative
    if x.nan or y.nan or (x.inf and y.zero) or (x.zero and y.inf):
        return nan(type_)
    if x.inf or y.inf:
        return infinity(type_, negative)
    return round_float(type_, x.value * y.value, negative)


def div_float(type_, a, b):
    x, y = Float(type_, a), Float(type_, b)
    negative = x.negative != y.negative
    if x.nan or y.nan or (x.inf and y.inf) or (x.zero and y.zero):
        return nan(type_)
    if x.inf or y.zero:
        return infinity(type_, negative)
    if y.inf:
        return zero(type_, negative)
    return round_float(type_, x.value / y.value, negative)


def fma_float(type_, a, b, c):
    x, y, z = Float(type_, a), Float(type_, b), Float(type_, c)
    negative = x.negative != y.negative
    if x.nan or y.nan or z.nan or (x.inf and y.zero) or (x.zero and y.inf):
        return nan(type_)
    if x.inf or y.inf:
        return nan(type_) if z.inf and z.negative != negative else infinity(type_, negative)
    if z.inf:
        return c
    product = x.value * y.value
    both_negative_zeros = product == 0 and negative and z.zero and z.negative
    return round_float(type_, product + z.value, both_negative_zeros)


def sqrt_float(type_, a):
    x = Float(type_, a)
    if x.nan or (x.negative and not x.zero):
        return nan(type_)
    if x.inf or x.zero:
        return a
    # Many more bits than the format needs, and a sticky bit: rounding that is rounding the root.
    scale = 2 * (x.value.denominator.bit_length() + 120)
    radicand = int(x.value * Fraction(2) ** scale)
    root = isqrt(radicand)
    exact = root * root == radicand
    return round_float(
        type_, (Fraction(root) + (0 if exact else Fraction(1, 2))) / Fraction(2) ** (scale // 2)
    )


def pick_float(type_, a, b, larger):
    x, y = Float(type_, a), Float(type_, b)
    if x.nan and y.nan:
        return nan(type_)
    if x.nan or y.nan:
        return b if x.nan else a

    def key(bits, value):
        order = Fraction(2) ** 2000 * (-1 if value.negative else 1) if value.inf else value.value
        return (order, not value.negative)

    first = (key(a, x) > key(b, y)) == larger
    return a if first else b


def integral_float(type_, a, rounding):
    x = Float(type_, a)
    if x.nan:
        return nan(type_)
    if x.inf or x.zero:
        return a
    floor = x.value.numerator // x.value.denominator
    ceil = -((-x.value.numerator) // x.value.denominator)
    value = {
        "floor": floor,
        "ceil": ceil,
        "trunc": ceil if x.negative else floor,
        "round": half_even(x.value),
    }[rounding]
    return round_float(type_, Fraction(value), x.negative)


# ---- Conversions


def convert(to, from_, a):
    if to == from_:
        return a
    if from_ in INTEGERS:
        value = to_int(from_, a)
        return from_int(to, value) if to in INTEGERS else round_float(to, Fraction(value))
    x = Float(from_, a)
    if to in FLOATS:
        if x.nan:
            return nan(to)
        return infinity(to, x.negative) if x.inf else round_float(to, x.value, x.negative)
    low, high = limits(to)
    if x.nan:
        return 0
    if x.inf:
        return from_int(to, low if x.negative else high)
    truncated = abs(x.value).numerator // abs(x.value).denominator
    return from_int(to, min(max(-truncated if x.negative else truncated, low), high))


# ---- The canonical functions, precise form (docs/math.md)

EXP = {
    "f32": {
        "l2e": "0x1.715476p0",
        "high": "0x1.62e43p-1",
        "low": "-0x1.05c61p-29",
        "plain": 87,
        "top": 89,
        "bottom": -104,
        "c": "0x1p-1 0x1.555552p-3 0x1.5554e4p-5 0x1.1115b6p-7 0x1.6d5166p-10 0x1.9a94e6p-13",
    },
    "f64": {
        "l2e": "0x1.71547652b82fep0",
        "high": "0x1.62e42fefa39efp-1",
        "low": "0x1.abc9e3b39803fp-56",
        "plain": 708,
        "top": 710,
        "bottom": -746,
        "c": "0x1.000000000000ap-1 0x1.55555555554fep-3 0x1.55555555506acp-5 0x1.1111111126b2ep-7"
        " 0x1.6c16c1847c94ap-10 0x1.a01a012ffa313p-13 0x1.a019994c1319bp-16 0x1.71df18b9a77afp-19"
        " 0x1.28ae10fc92d74p-22 0x1.ad9371fbf06c3p-26",
    },
}


def constant(type_, text):
    return round_float(type_, Fraction(float.fromhex(text) if isinstance(text, str) else text))


class Exponential:
    """n = round(x / ln 2), r = x - n ln 2 in two steps, e^x = 2^n (1 + r + r^2 q(r))."""

    def __init__(self, type_, x):
        c = EXP[type_]
        magic = constant(type_, Fraction(3, 2) * 2 ** FLOATS[type_][1])
        shifted = fma_float(type_, x, constant(type_, c["l2e"]), magic)
        n = sub_float(type_, shifted, magic)
        self.n = Float(type_, n).value
        minus_high = negate_float(type_, constant(type_, c["high"]))
        minus_low = negate_float(type_, constant(type_, c["low"]))
        r1 = fma_float(type_, n, minus_high, x)
        r = fma_float(type_, n, minus_low, r1)
        coefficients = [constant(type_, text) for text in c["c"].split()]
        q = coefficients[-1]
        for coefficient in reversed(coefficients[:-1]):
            q = fma_float(type_, q, r, coefficient)
        u = fma_float(type_, mul_float(type_, r, r), q, r)
        self.p = Float(type_, add_float(type_, u, constant(type_, 1))).value


def exp_precise(type_, a):
    if type_ in HALVES:
        return convert(type_, "f32", exp_precise("f32", convert("f32", type_, a)))
    x = Float(type_, a)
    if x.nan:
        return nan(type_)
    c = EXP[type_]
    top, bottom = Fraction(c["top"]), Fraction(c["bottom"])
    value = (bottom if x.negative else top) if x.inf else min(max(x.value, bottom), top)
    parts = Exponential(type_, round_float(type_, value, x.negative))
    return round_float(type_, parts.p * Fraction(2) ** int(parts.n))


def arctangent_of_inverse(n):
    """arctan(1 / n), by its series, to the precision of the context."""
    power = total = Decimal(1) / n
    k = 1
    while abs(power) > Decimal(10) ** -getcontext().prec:
        power /= -n * n
        k += 2
        total += power / k
    return total


def sine_and_cosine(x):
    pi = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))
    r = x - (x / (2 * pi)).to_integral_value() * 2 * pi
    sums = [Decimal(0), Decimal(0)]
    term, k = Decimal(1), 0
    while k < abs(r) or abs(term) > Decimal(10) ** -getcontext().prec:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term *= r / k
    return sums[1], sums[0]


def hyperbolic_tangent(x):
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


TRUE = {
    "exp": lambda x: x.exp(),
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "log": lambda x: x.ln(),
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": lambda x: x.log10(),
    "rsqrt": lambda x: 1 / x.sqrt(),
    "sin": lambda x: sine_and_cosine(x)[0],
    "cos": lambda x: sine_and_cosine(x)[1],
    "tan": lambda x: sine_and_cosine(x)[0] / sine_and_cosine(x)[1],
    "tanh": hyperbolic_tangent,
}


def true_value(function, type_, a):
    """The nearest float of the function, by some hundred decimal digits: for functions that are tested
    by their distance from it. Finite arguments only."""
    x = Float(type_, a)
    with localcontext() as context:
        # sin, cos and tan lose the digits of a large argument, tanh those of 1 + a small one.
        context.prec = 100 + max(len(str(abs(x.value).numerator)), len(str(x.value.denominator)))
        context.Emin, context.Emax = -(10**9), 10**9
        exact = Decimal(x.value.numerator) / Decimal(x.value.denominator)
        result = TRUE[function](exact)
        return round_float(type_, Fraction(result), result < 0)


# ---- Instructions

COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def compare(condition, type_, a, b):
    if type_ in INTEGERS:
        return COMPARISONS[condition](to_int(type_, a), to_int(type_, b))
    x, y = Float(type_, a), Float(type_, b)
    if x.nan or y.nan:
        return condition == "ne"

    def order(value):
        return Fraction(2) ** 2000 * (-1 if value.negative else 1) if value.inf else value.value

    return COMPARISONS[condition](order(x), order(y))


def quotient(type_, a, b):
    x, y = to_int(type_, a), to_int(type_, b)
    if y == 0:
        raise DivisionByZero
    magnitude = abs(x) // abs(y)
    return magnitude if (x < 0) == (y < 0) else -magnitude


def evaluate_integer(name, type_, a, b, c):
    x = to_int(type_, a)
    y = to_int(type_, b) if b is not None else 0
    z = to_int(type_, c) if c is not None else 0
    if name == "div":
        return from_int(type_, quotient(type_, a, b))
    if name == "rem":
        return from_int(type_, x - quotient(type_, a, b) * y)
    value = {
        "add": x + y,
        "sub": x - y,
        "mul": x * y,
        "mad": x * y + z,
        "min": min(x, y),
        "max": max(x, y),
        "abs": abs(x),
        "neg": -x,
        "and": x & y,
        "or": x | y,
        "xor": x ^ y,
        "not": ~x,
        "popc": a.bit_count(),
    }[name]
    return from_int(type_, value)


def evaluate_float(name, type_, a, b, c):
    if name == "mad":
        return add_float(type_, mul_float(type_, a, b), c)
    if name == "fma":
        return fma_float(type_, a, b, c)
    if name in ("min", "max"):
        return pick_float(type_, a, b, name == "max")
    if name == "abs":
        return a & ~(1 << (bits_of(type_) - 1))
    if name == "neg":
        return negate_float(type_, a)
    if name in ("floor", "ceil", "trunc", "round"):
        return integral_float(type_, a, name)
    if name in ("sqrt", "exp"):
        return {"sqrt": sqrt_float, "exp": exp_precise}[name](type_, a)
    return {"add": add_float, "sub": sub_float, "mul": mul_float, "div": div_float}[name](
        type_, a, b
    )


def shift(name, type_, a, amount):
    amount %= bits_of(type_)
    value = to_int(type_, a)
    return from_int(type_, value << amount if name == "shl" else value >> amount)


def evaluate(name, type_, a, b=None, c=None):
    """The bits that the instruction gives for operands given as bits."""
    if name in ("shl", "shr"):
        return shift(name, type_, a, b)
    if type_ in INTEGERS:
        return evaluate_integer(name, type_, a, b, c)
    return evaluate_float(name, type_, a, b, c)


def atomic(operation, type_, old, value):
    if type_ not in INTEGERS:
        return value if operation == "exchange" else evaluate(operation, type_, old, value)
    x, y = to_int(type_, old), to_int(type_, value)
    return from_int(
        type_,
        {
            "add": x + y,
            "min": min(x, y),
            "max": max(x, y),
            "and": x & y,
            "or": x | y,
            "xor": x ^ y,
            "exchange": y,
        }[operation],
    )


def padding_of(operation, type_):
    """What a lane that is not there counts as in BLK.RED and BLK.SCAN."""
    if type_ in INTEGERS:
        low, high = limits(type_)
        nothing = {"mul": 1, "min": high, "max": low, "and": -1}.get(operation, 0)
        return from_int(type_, nothing)
    if operation == "mul":
        return round_float(type_, Fraction(1))
    return zero(type_, True) if operation == "add" else nan(type_)


def block_scan(operation, type_, values):
    """BLK.SCAN: what each lane gets; None stands for a lane that is not there."""
    padding = padding_of(operation, type_)
    lanes = [padding if v is None else v for v in values]
    step = 1
    while step < 1024:
        lanes = [
            evaluate(operation, type_, lanes[i - step], x) if i >= step else x
            for i, x in enumerate(lanes)
        ]
        step *= 2
    # A NaN that no step touched becomes canonical too.
    return [evaluate("min", type_, x, x) for x in lanes]


def launch_sum(type_, old, values):
    """An ATGF.ADD that happens once: None stands for a lane that does not come there."""
    if all(v is None for v in values):
        return old

    def tree(sums):
        if len(sums) == 1:
            return sums[0]
        half = 1
        while 2 * half < len(sums):
            half *= 2
        return evaluate("add", type_, tree(sums[:half]), tree(sums[half:]))

    blocks = [values[i : i + 1024] for i in range(0, len(values), 1024)]
    return evaluate("add", type_, old, tree([block_reduce("add", type_, b) for b in blocks]))


def block_reduce(operation, type_, values):
    """BLK.RED: the tree over 1,024 lanes; None stands for a lane that is not there."""
    padding = padding_of(operation, type_)
    lanes = [padding if v is None else v for v in values]
    lanes += [padding] * (1024 - len(lanes))
    rows = [lanes[i : i + 16] for i in range(0, 1024, 16)]
    while len(rows) > 1:
        rows = [
            [evaluate(operation, type_, a, b) for a, b in zip(left, right)]
            for left, right in zip(rows[::2], rows[1::2])
        ]
    slots = rows[0]
    while len(slots) > 1:
        half = len(slots) // 2
        slots = [evaluate(operation, type_, slots[i], slots[i + half]) for i in range(half)]
    return slots[0]
