"""What each operation of hologram.ops is: the one definition behind its docstring, docs/ops.md, the
kernels that it finds and the tolerances of its tests.

Types are named as in kernels. Errors are in units in the last place (ulp, docs/math.md) of the
exact result: 0 is exact, 0.5 correctly rounded. f16 and bf16 are computed in f32 and rounded once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FLOATS = ("f32", "f64", "f16", "bf16")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
ALL = FLOATS + INTEGERS


@dataclass(frozen=True)
class Spec:
    """One operation. `bound` is an absolute error as an expression of n, the number of elements
    that a result is made of, eps, half the distance of 1 and the next number of the type (of f32
    for f16 and bf16), and `scale`, which the text of it explains; it replaces `ulp`."""

    name: str
    formula: str
    arrays: tuple[str, ...] = ("x",)
    scalars: tuple[str, ...] = ()
    types: tuple[str, ...] = FLOATS
    ulp: dict[str, float] = field(default_factory=dict)
    fast: float = 0.0  # ulp of the fast form, f32 only; 0: there is none
    bound: str = ""
    scale: str = ""
    notes: str = ""
    forms: tuple[str, ...] = ()  # of kernels for rows with gaps, besides flat and strided
    kernel: dict[str, str] = field(default_factory=dict)  # by type, where not op_NAME

    def ulp_of(self, kind: str) -> float:
        """The largest error of a type, in ulp of it."""
        return self.ulp.get(kind, self.ulp.get("all", 0.0))

    def kernel_of(self, kind: str) -> str:
        """The name of the kernel of a type without its type."""
        return self.kernel.get(kind, f"op_{self.name}")


ROWS = ("rows", "rows_left", "rows_right")
ROUNDED = {"f32": 0.5, "f64": 0.5, "f16": 0.5, "bf16": 0.5}
# f16 and bf16: half a unit for the last rounding, and what little the error of f32 adds.
FUNCTION = {"f32": 1.0, "f64": 1.5, "f16": 0.51, "bf16": 0.51}
NAN = "NaN gives NaN."


def _ulps(f32: float, f64: float) -> dict[str, float]:
    return {"f32": f32, "f64": f64, "f16": 0.51, "bf16": 0.51}


def _binary(  # noqa: PLR0913
    name: str,
    formula: str,
    notes: str,
    *,
    types: tuple[str, ...] = ALL,
    ulp: dict[str, float] | None = None,
    fast: float = 0.0,
    kernel: dict[str, str] | None = None,
) -> Spec:
    return Spec(
        *(name, formula, ("a", "b"), (), types, ulp or {}, fast),
        notes=notes,
        forms=ROWS,
        kernel=kernel or {},
    )


_ROWS: tuple[Spec, ...] = (
    _binary("add", "a + b", "Integers wrap.", ulp=ROUNDED),
    _binary("sub", "a - b", "Integers wrap.", ulp=ROUNDED),
    _binary("mul", "a * b", "Integers wrap.", ulp=ROUNDED),
    _binary(
        "div",
        "a / b",
        "Floats as in IEEE 754: x / 0 is an infinity. Integers round towards zero and wrap; one "
        "divided by 0 is a FaultError.",
        ulp=ROUNDED,
        kernel=dict.fromkeys(INTEGERS, "op_div_whole"),
    ),
    _binary("minimum", "the smaller of a and b", "A number comes before NaN, -0 before +0."),
    _binary("maximum", "the larger of a and b", "A number comes before NaN, +0 before -0."),
    _binary(
        "pow",
        "a to the power b",
        "Special values as in IEEE 754-2019, 9.2.1.",
        types=FLOATS,
        ulp=_ulps(1.5, 1.5),
        fast=4.0,
    ),
    Spec("abs", "|x|", types=FLOATS + SIGNED, notes="Integers wrap: the lowest stays as it is."),
    Spec("neg", "-x", types=FLOATS + SIGNED, notes="Integers wrap: the lowest stays as it is."),
    Spec("relu", "x where x > 0, else 0", types=ALL, notes="NaN gives NaN, -0 gives +0."),
    Spec(
        "clip",
        "min(max(x, low), high)",
        scalars=("low", "high"),
        types=ALL,
        notes="NaN gives low; low > high gives high.",
    ),
    Spec("scalar_add", "x + s", scalars=("s",), types=ALL, ulp=ROUNDED, notes="Integers wrap."),
    Spec("scalar_mul", "x * s", scalars=("s",), types=ALL, ulp=ROUNDED, notes="Integers wrap."),
    Spec("floor", "the largest whole number up to x", notes=NAN),
    Spec("ceil", "the smallest whole number from x on", notes=NAN),
    Spec("round", "x rounded to a whole number, ties to even", notes=NAN),
    Spec("sqrt", "the square root of x", ulp=ROUNDED, notes="x < 0 gives NaN, -0 gives -0."),
    Spec("rsqrt", "1 / sqrt(x)", ulp=FUNCTION, notes="x < 0 gives NaN, 0 an infinity."),
    Spec("exp", "e^x", ulp=FUNCTION, fast=4.0, notes="f32: +inf above 88.73, 0 below -103.97."),
    Spec(
        "log",
        "the natural logarithm of x",
        ulp=FUNCTION,
        fast=4.0,
        notes="x < 0 gives NaN, 0 gives -inf.",
    ),
    Spec(
        "log2",
        "the logarithm of x to base 2",
        ulp=FUNCTION,
        fast=4.0,
        notes="x < 0 gives NaN, 0 gives -inf.",
    ),
    Spec(
        "log10",
        "the logarithm of x to base 10",
        ulp=FUNCTION,
        fast=4.0,
        notes="x < 0 gives NaN, 0 gives -inf.",
    ),
    Spec("sin", "sin(x), x in radians", ulp=FUNCTION, fast=4.0, notes="An infinity gives NaN."),
    Spec("cos", "cos(x), x in radians", ulp=FUNCTION, fast=4.0, notes="An infinity gives NaN."),
    Spec("tan", "tan(x), x in radians", ulp=FUNCTION, notes="An infinity gives NaN."),
    Spec("tanh", "tanh(x)", ulp=FUNCTION, fast=4.0, notes=NAN),
    Spec("sigmoid", "1 / (1 + e^-x)", ulp=FUNCTION, fast=4.0, notes=NAN),
    Spec("erf", "the error function of x", ulp=FUNCTION, fast=4.0, notes=NAN),
    Spec(
        "silu",
        "x * sigmoid(x)",
        ulp=_ulps(2.0, 2.5),
        fast=5.0,
        notes="-inf gives NaN. The error is meant where |result| is a normal number.",
    ),
    Spec(
        "gelu",
        "x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2",
        ulp=_ulps(4.0, 4.0),
        fast=8.0,
        notes="The error is meant for x >= -1; below it grows, to 160 ulp of f32 at -9, where the "
        "result is -1e-32. approximate='none' gives x * (1 + erf(x / sqrt(2))) / 2, with an error "
        "of 2 ulp for x >= 0 and of 1.2e-7 * |x| below (f32).",
    ),
    Spec(
        "softplus",
        "log(1 + e^x)",
        ulp=_ulps(2.5, 3.0),
        notes="Computed as max(x, 0) + log1p(e^-|x|), which never overflows. NaN gives NaN.",
    ),
    Spec("elu", "x where x > 0, else alpha * (e^x - 1)", ("x",), ("alpha",), ulp=_ulps(2.0, 2.5)),
    Spec("leaky_relu", "x where x >= 0, else slope * x", ("x",), ("slope",), ulp=ROUNDED),
)

TABLE: dict[str, Spec] = {spec.name: spec for spec in _ROWS}
GELU_ERF = Spec("gelu_erf", "x * (1 + erf(x / sqrt(2))) / 2", ulp=_ulps(2.0, 2.5), fast=5.0)


def _number(value: float) -> str:
    return f"{value:g}"


def error_text(spec: Spec) -> str:
    """The largest error, in words."""
    if spec.bound:
        bound = spec.bound.replace("**", "^")
        return f"|error| <= {bound}" + (f", scale = {spec.scale}" if spec.scale else "")
    parts: dict[float, list[str]] = {}
    for kind in spec.types:
        if kind in FLOATS:
            parts.setdefault(spec.ulp_of(kind), []).append(kind)
    texts = []
    for value, kinds in parts.items():
        if value == 0.0:
            texts.append("exact")
        elif value == 0.5:
            texts.append("correctly rounded")
        else:
            texts.append(f"{_number(value)} ulp ({', '.join(kinds)})")
    if len(parts) == 1 and len(texts) == 1:
        texts = [texts[0].partition(" (")[0]]
    if spec.fast:
        texts.append(f"{_number(spec.fast)} ulp with accuracy='fast' (f32)")
    return ", ".join(texts)


def types_text(spec: Spec) -> str:
    """The element types, in words."""
    groups = ((ALL, "all"), (FLOATS + SIGNED, "floats and signed integers"), (FLOATS, "floats"))
    for kinds, text in groups:
        if spec.types == kinds:
            return f"{text} ({', '.join(kinds)})" if kinds != ALL else "all twelve"
    return ", ".join(spec.types)


def docstring(spec: Spec) -> str:
    """The docstring of the operation."""
    lines = [
        f"{spec.formula}.",
        "",
        f"Types: {types_text(spec)}.",
        f"Max error: {error_text(spec)}.",
    ]
    if spec.notes:
        lines.append(f"Range: {spec.notes}")
    lines.append("Deterministic across engines and threads: yes.")
    return "\n".join(lines)
