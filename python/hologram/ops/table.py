"""What each operation of hologram.ops is: behind its docstring, docs/ops.md, the kernels that it
finds and the tolerances of its tests. Rows of operations on elements come from operations/.

Types are named as in kernels. Errors are in units in the last place (ulp, docs/math.md) of the
exact result: 0 is exact, 0.5 correctly rounded. f16 and bf16 are computed in f32 and rounded once.
"""

from __future__ import annotations

from typing import NamedTuple

from hologram._operations import OPTIONS, ROWS

FLOATS = ("f32", "f64", "f16", "bf16")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
ALL = FLOATS + INTEGERS
_NONE: dict[str, str] = {}
_EXACT: dict[str, float] = {}


class Spec(NamedTuple):  # a dataclass would import inspect
    """One operation. `bound` is an absolute error as an expression of n, the number of elements
    that a result is made of, eps, half the distance of 1 and the next number of the type (of f32
    for f16 and bf16), and `scale`, which the text of it explains; it replaces `ulp`."""

    name: str
    formula: str
    arrays: tuple[str, ...] = ("x",)
    scalars: tuple[str, ...] = ()
    types: tuple[str, ...] = FLOATS
    ulp: dict[str, float] = _EXACT
    fast: float = 0.0  # ulp of the fast form, f32 only; 0: there is none
    bound: str = ""
    scale: str = ""
    notes: str = ""
    forms: tuple[str, ...] = ()  # of kernels for two operands, besides flat and strided
    kernel: dict[str, str] = _NONE  # by type, where not op_NAME
    family: str = "pointwise"

    def ulp_of(self, kind: str) -> float:
        """The largest error of a type, in ulp of it."""
        return self.ulp.get(kind, self.ulp.get("all", 0.0))

    def kernel_of(self, kind: str) -> str:
        """The name of the kernel of a type without its type."""
        return self.kernel.get(kind, f"op_{self.name}")


ROUNDED = {"f32": 0.5, "f64": 0.5, "f16": 0.5, "bf16": 0.5}
_ELEMENTWISE = tuple(Spec(*row) for row in ROWS)
_ANY = "Axes are all without `axis`, one, or a tuple of them; `keepdims` keeps them as 1. "
_SUM = "Integers are summed in i64 or u64 and wrap; f16 and bf16 in f32. "
_SUM_BOUND = "min(n, 512 + n / 512) * eps * scale"


def _reduction(  # noqa: PLR0913
    name: str,
    formula: str,
    notes: str,
    types: tuple[str, ...] = ALL,
    bound: str = "",
    scale: str = "",
) -> Spec:
    spec = Spec(name, formula, types=types, family="reduction", notes=_ANY + notes)
    return spec._replace(bound=bound, scale=scale)


_REDUCTIONS: tuple[Spec, ...] = (
    _reduction(
        *("sum", "the sum of the elements", _SUM + "Of nothing it is 0."),
        bound=_SUM_BOUND,
        scale="the sum of all |x|",
    ),
    _reduction(
        *("mean", "the sum of the elements / n", "Of integers it is f64. Of nothing it is NaN."),
        bound="(min(n, 512 + n / 512) + 2) * eps * scale",
        scale="the mean of all |x|",
    ),
    _reduction(
        *("prod", "the product of the elements", _SUM + "Of nothing it is 1."),
        bound="n * eps * scale",
        scale="|result|, while nothing overflows or underflows on the way",
    ),
    _reduction("min", "the smallest element", "A number comes before NaN. Of nothing: an error."),
    _reduction("max", "the largest element", "A number comes before NaN. Of nothing: an error."),
    _reduction(
        *("argmin", "the index of the smallest element, the first of equals"),
        notes="An i64. A number comes before NaN; if all are NaN it is 0. Of nothing: an error.",
    ),
    _reduction(
        *("argmax", "the index of the largest element, the first of equals"),
        notes="An i64. A number comes before NaN; if all are NaN it is 0. Of nothing: an error.",
    ),
    _reduction(
        *("any", "whether an element is not 0"),
        notes="A bool. NaN is not 0, -0 is. Of nothing it is False.",
        types=(*ALL, "bool"),
    ),
    _reduction(
        *("all", "whether no element is 0"),
        notes="A bool. NaN is not 0, -0 is. Of nothing it is True.",
        types=(*ALL, "bool"),
    ),
    _reduction(
        *("norm", "the square root of the sum of squares", "Of nothing it is 0."),
        types=FLOATS,
        bound="(min(n, 512 + n / 512) + 2) * eps * scale",
        scale="|result|, for a norm whose square is a normal number of the type",
    ),
)
_MOVED = "Any array of numbers or bool."
_MOVEMENT: tuple[Spec, ...] = (
    Spec("copy", "x, bit for bit", types=(*ALL, "bool"), family="movement", notes=_MOVED),
    Spec(
        *("transpose", "x with its axes in another order, in memory of its own"),
        types=(*ALL, "bool"),
        family="movement",
        notes="Without `axes` in reverse.",
    ),
    Spec(
        *("fill", "out = one number, everywhere", ("out",), ("value",), (*ALL, "bool")),
        family="movement",
        notes="The number must fit the type.",
    ),
    Spec(
        *("cast", "x as another type", ("x",), ("dtype",), ALL),
        ulp=ROUNDED,
        family="movement",
        notes="To floats rounded to nearest even, to integers towards zero. What does not fit an "
        "integer becomes the nearest integer that does, NaN becomes 0. `dtype` is a type of NumPy "
        "or a name as 'bf16'. Arrays with gaps are refused.",
    ),
    Spec(
        *("where", "a where the condition is not 0, else b", ("condition", "a", "b")),
        types=(*ALL, "bool"),
        family="movement",
        notes="The condition is bool or u8; all three are broadcast.",
    ),
)
_HALVES = " f16 and bf16 are computed in f32."
_LAST = "Along the last axis."
_LAYERS: tuple[Spec, ...] = (
    Spec(
        *("softmax", "e^(x - m) / sum of e^(x - m), m the largest of the row"),
        family="row",
        bound="(8 + log(1 / scale) + n / 64) * 2 * eps * scale",
        scale="the result",
        notes=_LAST + " A row with NaN, +inf or nothing but -inf gives NaN.",
    ),
    Spec(
        *("log_softmax", "x - m - log(sum of e^(x - m)), m the largest of the row"),
        family="row",
        bound="(8 + n / 64) * 2 * eps * (1 + scale)",
        scale="|x| + |m|",
        notes=_LAST,
    ),
    Spec(
        *("layer_norm", "gamma * (x - mean) / sqrt(variance + epsilon) + beta"),
        ("x", "gamma", "beta"),
        ("epsilon",),
        family="row",
        bound="(16 + n / 64) * 2 * eps * scale",
        scale="|gamma| * (|x| + max |x|) / sqrt(variance + epsilon) + |beta|",
        notes=_LAST + " Without gamma 1, without beta 0. epsilon is taken as f32.",
    ),
    Spec(
        *("rms_norm", "gamma * x / sqrt(mean of x^2 + epsilon)", ("x", "gamma"), ("epsilon",)),
        family="row",
        bound="(8 + n / 64) * 2 * eps * scale",
        scale="|result|, while the mean of x^2 is a normal number",
        notes=_LAST + " Without gamma 1. epsilon is taken as f32.",
    ),
    Spec(
        *("cumsum", "the sum of the elements so far"),
        types=ALL,
        family="row",
        bound="n * eps * scale",
        scale="the sum of all |x| so far",
        notes="Along `axis`; without it of all elements. Integers are summed in i64 or u64 and "
        "wrap. Arrays with gaps are refused.",
    ),
)
_PAIR = ("prediction", "target")
_EPS = "eps is 1e-7 without being given, for f64 1e-12; 0 gives the plain formula."
_PRODUCTS: tuple[Spec, ...] = (
    Spec(
        *("mse", "the mean of (prediction - target)^2", _PAIR),
        family="loss",
        bound="(min(n, 512 + n / 512) + 6) * eps * scale",
        scale="|result|",
    ),
    Spec(
        *("cross_entropy", "-(1 / n) * the sum of target * log(max(prediction, eps))", _PAIR),
        family="loss",
        bound="(min(n, 512 + n / 512) + 8) * eps * scale",
        scale="|result|, for targets and predictions in 0 .. 1",
        notes=_EPS + " n counts elements; with `axis`, the axis of classes, it counts samples.",
    ),
    Spec(
        "binary_cross_entropy",
        "-(1 / n) * the sum of target * log(prediction) + (1 - target) * log(1 - prediction)",
        _PAIR,
        family="loss",
        bound="(min(n, 512 + n / 512) + 8) * 2 * eps * (1 + scale)",
        scale="|result|, for targets and predictions in 0 .. 1",
        notes="What a logarithm is taken of is at least eps. " + _EPS,
    ),
    Spec(
        *("dot", "the sum of all x[i] * y[i]", ("x", "y")),
        family="product",
        bound="min(n, 512 + n / 512) * eps * scale",
        scale="the sum of all |x[i] * y[i]|",
        notes="Fused." + _HALVES,
    ),
    Spec(
        *("matvec", "the product of a matrix and a vector", ("a", "x")),
        family="product",
        bound="min(n, 512 + n / 64) * eps * scale",
        scale="|a| |x|",
        notes="`a` by rows or by columns, with gaps between them. Fused." + _HALVES,
    ),
    Spec(
        *("gemm", "the product of two matrices", ("a", "b")),
        family="product",
        bound="n * eps * scale",
        scale="|a| |b|",
        notes="`a` and `b` with any positive strides, so also transposed. Each element is a sum in "
        "order, fused. Also called matmul." + _HALVES,
    ),
)
TABLE: dict[str, Spec] = {
    spec.name: spec for spec in (*_ELEMENTWISE, *_REDUCTIONS, *_MOVEMENT, *_LAYERS, *_PRODUCTS)
}
# What an option of another operation chooses: gelu with approximate="none".
OPTIONAL: dict[str, Spec] = {spec.name: spec for spec in (Spec(*row) for row in OPTIONS)}


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
    if spec.types == (*ALL, "bool"):
        return "all twelve and bool"
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
