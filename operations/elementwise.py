"""The operations on elements: one function in the kernel language under one row of facts for each.

The build makes the rest of them (operations/generator): kernels in all forms and types, hg.ops, its
docstrings and docs/ops.md, steps of hg.fuse and of C++ expressions, hologram::Ops. How to add one:
docs/add-an-operation.md. What a row may say: operations/generator/rows.py.

Parameters x, a and b are elements, the others numbers; a default value is that of hg.ops. The type
of a result is that of x or a. `wide(x)` is x in the type to compute in: f32 for f16 and bf16.
"""

from generator.rows import (
    ALL,
    FLOATS,
    FUNCTION,
    INTEGERS,
    NAN,
    ROUNDED,
    SIGNED,
    operation,
    ulps,
    variant,
    wide,
)

from hologram import lang

# ---- Two arrays


@operation("a + b", ALL, ROUNDED, notes="Integers wrap.", reference="a + b")
def add(a, b):
    return a + b


@operation("a - b", ALL, ROUNDED, notes="Integers wrap.", reference="a - b")
def sub(a, b):
    return a - b


@operation("a * b", ALL, ROUNDED, notes="Integers wrap.", reference="a * b")
def mul(a, b):
    return a * b


@operation(
    "a / b",
    ALL,
    ROUNDED,
    notes="Floats as in IEEE 754: x / 0 is an infinity. Integers round towards zero and wrap; one "
    "divided by 0 is a FaultError.",
    reference="divide(a, b)",
)
def div(a, b):
    return a / b


@variant("div", "whole", INTEGERS)
def div_whole(a, b):
    quotient = a // b
    if quotient * b != a and (a < 0) != (b < 0):
        quotient += 1
    return quotient


@operation(
    "the smaller of a and b",
    ALL,
    notes="A number comes before NaN, -0 before +0.",
    reference="number_first(a, b, False)",
)
def minimum(a, b):
    return lang.min(a, b)


@operation(
    "the larger of a and b",
    ALL,
    notes="A number comes before NaN, +0 before -0.",
    reference="number_first(a, b, True)",
)
def maximum(a, b):
    return lang.max(a, b)


@operation(
    "a to the power b",
    FLOATS,
    ulps(1.5, 1.5),
    fast=4.0,
    notes="Special values as in IEEE 754-2019, 9.2.1. Where b is the number 2: a * a.",
    reference="np.power(a, b)",
    span=(0, 10),
)
def pow(a, b):
    return lang.pow(a, b)


# ---- One array


@operation(
    "|x|",
    FLOATS + SIGNED,
    notes="Integers wrap: the lowest stays as it is.",
    reference="np.abs(x)",
)
def abs(x):
    return lang.abs(x)


@operation(
    "-x",
    FLOATS + SIGNED,
    notes="Integers wrap: the lowest stays as it is.",
    reference="np.negative(x)",
)
def neg(x):
    return -x


@operation(
    "x where x > 0, else 0",
    ALL,
    notes="NaN gives NaN, -0 gives +0.",
    reference="np.where(x <= 0, x.dtype.type(0), x)",
)
def relu(x):
    return 0 if x <= 0 else x


@operation(
    "min(max(x, low), high)",
    ALL,
    notes="NaN counts as low; where low > high every element gives high, NaN too.",
    reference="number_first(number_first(x, like(low, x), True), like(high, x), False)",
    numbers=(2, 7),
)
def clip(x, low, high):
    return lang.min(lang.max(x, low), high)


@operation("x + s", ALL, ROUNDED, notes="Integers wrap.", reference="x + s", numbers=(3,))
def scalar_add(x, s):
    return x + s


@operation("x * s", ALL, ROUNDED, notes="Integers wrap.", reference="x * s", numbers=(3,))
def scalar_mul(x, s):
    return x * s


@operation("the largest whole number up to x", FLOATS, notes=NAN, reference="np.floor(x)")
def floor(x):
    return lang.floor(x)


@operation("the smallest whole number from x on", FLOATS, notes=NAN, reference="np.ceil(x)")
def ceil(x):
    return lang.ceil(x)


@operation("x rounded to a whole number, ties to even", FLOATS, notes=NAN, reference="np.rint(x)")
def round(x):
    return lang.round(x)


@operation(
    "the square root of x",
    FLOATS,
    ROUNDED,
    notes="x < 0 gives NaN, -0 gives -0.",
    reference="np.sqrt(x)",
)
def sqrt(x):
    return lang.sqrt(x)


@operation(
    "1 / sqrt(x)",
    FLOATS,
    FUNCTION,
    notes="x < 0 gives NaN, 0 an infinity.",
    reference="1 / np.sqrt(x)",
)
def rsqrt(x):
    return lang.rsqrt(x)


@operation(
    "e^x",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="f32: +inf above 88.73, 0 below -103.97.",
    reference="np.exp(x)",
)
def exp(x):
    return lang.exp(x)


@operation(
    "the natural logarithm of x",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="x < 0 gives NaN, 0 gives -inf.",
    reference="np.log(x)",
)
def log(x):
    return lang.log(x)


@operation(
    "the logarithm of x to base 2",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="x < 0 gives NaN, 0 gives -inf.",
    reference="np.log2(x)",
)
def log2(x):
    return lang.log2(x)


@operation(
    "the logarithm of x to base 10",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="x < 0 gives NaN, 0 gives -inf.",
    reference="np.log10(x)",
)
def log10(x):
    return lang.log10(x)


@operation(
    "sin(x), x in radians",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="An infinity gives NaN.",
    reference="np.sin(x)",
    span=(-1000, 1000),
)
def sin(x):
    return lang.sin(x)


@operation(
    "cos(x), x in radians",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes="An infinity gives NaN.",
    reference="np.cos(x)",
    span=(-1000, 1000),
)
def cos(x):
    return lang.cos(x)


@operation(
    "tan(x), x in radians",
    FLOATS,
    FUNCTION,
    notes="An infinity gives NaN.",
    reference="np.tan(x)",
    span=(-1000, 1000),
)
def tan(x):
    return lang.tan(x)


@operation("tanh(x)", FLOATS, FUNCTION, fast=4.0, notes=NAN, reference="np.tanh(x)")
def tanh(x):
    return lang.tanh(x)


@operation("1 / (1 + e^-x)", FLOATS, FUNCTION, fast=4.0, notes=NAN, reference="sigmoid(x)")
def sigmoid(x):
    return lang.sigmoid(x)


@operation(
    "the error function of x",
    FLOATS,
    FUNCTION,
    fast=4.0,
    notes=NAN,
    reference="erf(x)",
    span=(-6, 6),
)
def erf(x):
    return lang.erf(x)


# Below -87 sigmoid(x) is so small that it loses bits before it is multiplied. There it is e^x to
# the last bit: e^(x + 45) is none of the small numbers, and the factor e^-45 comes last.
SMALL = -87.0
MOVED = 45.0
FACTOR = 2.8625185805493937e-20  # e^-45, to 0.1 ulp of f32 too


@operation(
    "x * sigmoid(x)",
    FLOATS,
    ulps(2.0, 2.5),
    fast=5.0,
    notes="-inf gives NaN.",
    reference="x * sigmoid(x)",
    span=(-9, 9),
)
def silu(x):
    v = wide(x)
    product = v * lang.sigmoid(v + MOVED if v < SMALL else v)
    return product * FACTOR if v < SMALL else product


SCALE = 1.5957691216057308  # 2 * sqrt(2 / pi)
CUBIC = 0.044715


# (1 + tanh(u)) / 2 is sigmoid(2 u), which loses nothing where tanh(u) is close to -1.
@operation(
    "x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2",
    FLOATS,
    ulps(4.0, 4.0),
    fast=8.0,
    notes="The error is meant for x >= -1; below it grows, to 220 ulp of f32 at -10 and 2200 "
    "ulp of f64 at -21, where results become subnormal. approximate='none' gives "
    "x * (1 + erf(x / sqrt(2))) / 2, with an error of 2 ulp for x >= 0 and of 1.2e-7 * |x| "
    "below (f32). -inf gives NaN.",
    reference="gelu(x)",
    span=(-1, 8),
    option=("approximate", "tanh"),
)
def gelu(x):
    v = wide(x)
    return v * lang.sigmoid(SCALE * (v + CUBIC * (v * v * v)))


SQRT_HALF = 0.7071067811865476


@operation(
    "x * (1 + erf(x / sqrt(2))) / 2",
    FLOATS,
    ulps(2.0, 2.5),
    fast=5.0,
    notes="Below 0 an absolute error of at most 1.2e-7 * |x| (f32).",
    reference="gelu_erf(x)",
    span=(0, 9),
    option=("approximate", "none", "gelu"),
)
def gelu_erf(x):
    v = wide(x)
    return 0.5 * v * (1.0 + lang.erf(v * SQRT_HALF))


@operation(
    "log(1 + e^x)",
    FLOATS,
    ulps(2.5, 3.0),
    notes="Computed as max(x, 0) + log1p(e^-|x|), which never overflows. NaN gives NaN.",
    reference="np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))",
    span=(-9, 9),
)
def softplus(x):
    v = wide(x)
    return lang.max(v, 0.0) + lang.log1p(lang.exp(-lang.abs(v)))


@operation(
    "x where x > 0, else alpha * (e^x - 1)",
    FLOATS,
    ulps(2.0, 2.5),
    reference="np.where(x > 0, x, alpha * np.expm1(x))",
    span=(-9, 9),
    numbers=(1.5,),
)
def elu(x, alpha=1.0):
    v = wide(x)
    return v if v > 0.0 else alpha * lang.expm1(v)


@operation(
    "x where x >= 0, else slope * x",
    FLOATS,
    ROUNDED,
    reference="np.where(x < 0, slope * x, x)",
    numbers=(0.25,),
)
def leaky_relu(x, slope=0.01):
    return slope * x if x < 0.0 else x


@operation(
    "x / (1 + |x|)",
    FLOATS,
    ulps(1.5, 1.5),
    notes="An infinity gives NaN.",
    reference="x / (1 + np.abs(x))",
)
def softsign(x):
    v = wide(x)
    return v / (1.0 + lang.abs(v))
