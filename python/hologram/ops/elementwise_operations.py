"""The operations on elements. Their docstrings come from hologram.ops.table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hologram.errors import ArgumentError
from hologram.ops.arrays import shown
from hologram.ops.elementwise_calls import check_accuracy, elements, operation
from hologram.ops.table import GELU_ERF, TABLE

if TYPE_CHECKING:
    from hologram.ops.arrays import Array

__all__ = [
    "abs",
    "add",
    "ceil",
    "clip",
    "cos",
    "div",
    "elu",
    "erf",
    "exp",
    "floor",
    "gelu",
    "leaky_relu",
    "log",
    "log2",
    "log10",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "pow",
    "relu",
    "round",
    "rsqrt",
    "scalar_add",
    "scalar_mul",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "sub",
    "tan",
    "tanh",
]


@operation
def scalar_add(x: Any, s: float, out: Any = None) -> Array:
    return elements(TABLE["scalar_add"], (x,), (s,), out)


@operation
def scalar_mul(x: Any, s: float, out: Any = None) -> Array:
    return elements(TABLE["scalar_mul"], (x,), (s,), out)


@operation
def add(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["add"], (a, b), (), out)


@operation
def sub(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["sub"], (a, b), (), out)


@operation
def mul(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["mul"], (a, b), (), out)


@operation
def div(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["div"], (a, b), (), out)


@operation
def minimum(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["minimum"], (a, b), (), out)


@operation
def maximum(a: Any, b: Any, out: Any = None) -> Array:
    return elements(TABLE["maximum"], (a, b), (), out)


@operation
def pow(a: Any, b: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["pow"], (a, b), (), out, fast=check_accuracy("pow", accuracy))


@operation
def abs(x: Any, out: Any = None) -> Array:
    return elements(TABLE["abs"], (x,), (), out)


@operation
def neg(x: Any, out: Any = None) -> Array:
    return elements(TABLE["neg"], (x,), (), out)


@operation
def relu(x: Any, out: Any = None) -> Array:
    return elements(TABLE["relu"], (x,), (), out)


@operation
def floor(x: Any, out: Any = None) -> Array:
    return elements(TABLE["floor"], (x,), (), out)


@operation
def ceil(x: Any, out: Any = None) -> Array:
    return elements(TABLE["ceil"], (x,), (), out)


@operation
def round(x: Any, out: Any = None) -> Array:
    return elements(TABLE["round"], (x,), (), out)


@operation
def sqrt(x: Any, out: Any = None) -> Array:
    return elements(TABLE["sqrt"], (x,), (), out)


@operation
def rsqrt(x: Any, out: Any = None) -> Array:
    return elements(TABLE["rsqrt"], (x,), (), out)


@operation
def tan(x: Any, out: Any = None) -> Array:
    return elements(TABLE["tan"], (x,), (), out)


@operation
def softplus(x: Any, out: Any = None) -> Array:
    return elements(TABLE["softplus"], (x,), (), out)


@operation
def exp(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["exp"], (x,), (), out, fast=check_accuracy("exp", accuracy))


@operation
def log(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["log"], (x,), (), out, fast=check_accuracy("log", accuracy))


@operation
def log2(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["log2"], (x,), (), out, fast=check_accuracy("log2", accuracy))


@operation
def log10(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["log10"], (x,), (), out, fast=check_accuracy("log10", accuracy))


@operation
def sin(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["sin"], (x,), (), out, fast=check_accuracy("sin", accuracy))


@operation
def cos(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["cos"], (x,), (), out, fast=check_accuracy("cos", accuracy))


@operation
def tanh(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["tanh"], (x,), (), out, fast=check_accuracy("tanh", accuracy))


@operation
def sigmoid(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["sigmoid"], (x,), (), out, fast=check_accuracy("sigmoid", accuracy))


@operation
def erf(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["erf"], (x,), (), out, fast=check_accuracy("erf", accuracy))


@operation
def silu(x: Any, out: Any = None, *, accuracy: str = "precise") -> Array:
    return elements(TABLE["silu"], (x,), (), out, fast=check_accuracy("silu", accuracy))


@operation
def gelu(x: Any, out: Any = None, *, approximate: str = "tanh", accuracy: str = "precise") -> Array:
    if approximate not in ("tanh", "none"):
        raise ArgumentError(
            f"gelu: 'approximate' expects 'tanh' or 'none', found {shown(approximate)}"
        )
    spec = TABLE["gelu"] if approximate == "tanh" else GELU_ERF
    return elements(spec, (x,), (), out, fast=check_accuracy("gelu", accuracy))


@operation
def clip(x: Any, low: float, high: float, out: Any = None) -> Array:
    return elements(TABLE["clip"], (x,), (low, high), out)


@operation
def elu(x: Any, alpha: float = 1.0, out: Any = None) -> Array:
    return elements(TABLE["elu"], (x,), (alpha,), out)


@operation
def leaky_relu(x: Any, slope: float = 0.01, out: Any = None) -> Array:
    return elements(TABLE["leaky_relu"], (x,), (slope,), out)
