"""Operations on arrays, each a kernel that was compiled when this package was built.

    import hologram as hg

    hg.ops.add(a, b)                    a new NumPy array
    hg.ops.add(a, b, out=c)             into c, which is returned
    hg.ops.exp(x, accuracy="fast")      fewer operations, at most 4 ulp

Arrays are NumPy arrays or anything with the buffer protocol or DLPack in CPU memory, of one type;
the results are NumPy arrays. Shapes are broadcast by NumPy's rules and strides are honoured:
nothing is copied, and what would need a copy is an error. A plain number stands for an array of
the type of the others. `out` may be an input if each element is read where it is written. Results
are the same bits on every machine, whatever engine and however many threads; docs/ops.md has
formulas, types and largest errors. Errors are those of hologram.errors and name the parameter. Any
thread may call any operation, on memory that nobody else writes.
"""

from __future__ import annotations

from hologram import _module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram._elementwise import (
        abs,
        add,
        ceil,
        clip,
        cos,
        div,
        elu,
        erf,
        exp,
        floor,
        gelu,
        leaky_relu,
        log,
        log2,
        log10,
        maximum,
        minimum,
        mul,
        neg,
        pow,
        relu,
        round,
        rsqrt,
        scalar_add,
        scalar_mul,
        sigmoid,
        silu,
        sin,
        softplus,
        softsign,
        sqrt,
        sub,
        tan,
        tanh,
    )
    from hologram.library import path
    from hologram.ops.layers import cumsum, layer_norm, log_softmax, rms_norm, softmax
    from hologram.ops.linalg import (
        binary_cross_entropy,
        cross_entropy,
        dot,
        gemm,
        matmul,
        matvec,
        mse,
    )
    from hologram.ops.movement import cast, copy, fill, transpose, where
    from hologram.ops.reduction_operations import (
        all,
        any,
        argmax,
        argmin,
        max,
        mean,
        min,
        norm,
        prod,
        sum,
    )

__all__ = [
    "abs",
    "add",
    "all",
    "any",
    "argmax",
    "argmin",
    "binary_cross_entropy",
    "cast",
    "ceil",
    "clip",
    "copy",
    "cos",
    "cross_entropy",
    "cumsum",
    "div",
    "dot",
    "elu",
    "erf",
    "exp",
    "fill",
    "floor",
    "gelu",
    "gemm",
    "layer_norm",
    "leaky_relu",
    "log",
    "log2",
    "log10",
    "log_softmax",
    "matmul",
    "matvec",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mse",
    "mul",
    "neg",
    "norm",
    "path",
    "pow",
    "prod",
    "relu",
    "rms_norm",
    "round",
    "rsqrt",
    "scalar_add",
    "scalar_mul",
    "sigmoid",
    "silu",
    "sin",
    "softmax",
    "softplus",
    "softsign",
    "sqrt",
    "sub",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "where",
]

# Each module is loaded for the first of its names: who adds arrays does not wait for matrices.
_PLACES = {
    "hologram.library": ("path",),
    "hologram.ops.layers": ("cumsum", "layer_norm", "log_softmax", "rms_norm", "softmax"),
    "hologram.ops.linalg": (
        *("binary_cross_entropy", "cross_entropy", "dot", "gemm", "matmul", "matvec", "mse"),
    ),
    "hologram.ops.movement": ("cast", "copy", "fill", "transpose", "where"),
    "hologram.ops.reduction_operations": (
        *("all", "any", "argmax", "argmin", "max", "mean", "min", "norm", "prod", "sum"),
    ),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}


# Not for type checkers: they would take every name for an operation.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'hologram.ops' has no attribute {name!r}")
        place = _MODULE_OF.get(name, "hologram._elementwise")
        module = _module(place, f"hologram.ops.{name}")
        found: object = getattr(module, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
