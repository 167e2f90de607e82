"""The names of the kernel language. hologram/lang.py defines each of them for editors."""

from __future__ import annotations

SCALARS = frozenset(
    (
        *("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"),
        *("f16", "bf16", "f32", "f64", "bool"),
    )
)
# Other spellings of scalar types, in annotations and casts.
SCALAR_ALIASES = {"int": "i32", "float": "f32", "usize": "u64"}

KERNEL_DECORATORS = frozenset(("kernel", "atlas_kernel"))
INLINE_DECORATOR = "inline"
DEVICE_ARRAY = "DeviceArray"
CONSTEXPR = "constexpr"
MAX_RANK = 4
TYPE_VARIABLE = "TypeVar"  # of typing

# Values that have no literal in Python. The same names of these modules mean the same.
VALUES = {"inf": float("inf"), "nan": float("nan")}
_CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045}
VALUE_MODULES = {
    "math": {**VALUES, **_CONSTANTS, "tau": 6.283185307179586},
    "numpy": {**VALUES, **_CONSTANTS},
}

# Functions and types of Python's modules that mean the same as one of the language. Not those of
# `math` that give an integer, nor NumPy's minimum, which gives NaN where `min` gives the number.
_SAME = (
    *("sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh"),
    *("sinh", "cosh", "cbrt", "hypot", "fmod", "copysign", "isnan", "isinf", "isfinite"),
)
_INVERSE = ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")
MODULE_FUNCTIONS = {
    "math": {
        **{name: name for name in (*_SAME, *_INVERSE, "erf", "erfc", "lgamma", "pow")},
        "fabs": "abs",
    },
    "numpy": {
        **{name: name for name in (*_SAME, "abs", "floor", "ceil", "trunc", "sign")},
        **{f"arc{name[1:]}": name for name in _INVERSE},
        "absolute": "abs",
        "fabs": "abs",
        "rint": "round",
        "where": "select",
        "clip": "clamp",
        "fmin": "min",
        "fmax": "max",
        **{
            f"{kind}{bits}": f"{kind[0]}{bits}"
            for kind in ("int", "uint")
            for bits in (8, 16, 32, 64)
        },
        **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
        "bool_": "bool",
    },
}
# Those of NumPy and C that may be called by their plain name, `where(c, a, b)`, where no other
# function has it.
SPELLINGS = {
    name: MODULE_FUNCTIONS["numpy"][name]
    for name in (
        *("where", "clip", "fabs", "fmin", "fmax", "rint"),
        *(f"arc{name[1:]}" for name in _INVERSE),
    )
}

IDS = ("get_global_id", "get_local_id", "get_block_id", "get_block_dim", "get_grid_dim")
MATH = (
    *("abs", "min", "max", "pow", "sqrt", "rsqrt", "exp", "exp2", "expm1"),
    *("log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "atan2", "sigmoid", "erf"),
    *("floor", "ceil", "round", "trunc", "fma", "select"),
)
ATOMICS = (
    *("atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor"),
    *("atomic_exchange", "atomic_cas", "atomic_add_f32", "atomic_add_u32", "atomic_add_i32"),
)
# The keyword arguments that functions have.
_HAVE_FAST = (
    *("pow", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "tanh", "atan2", "sigmoid", "erf"),
)
KEYWORDS = {name + suffix: ("fast",) for name in _HAVE_FAST for suffix in ("", "f")}
BLOCK = (
    *("block_reduce_add", "block_reduce_min", "block_reduce_max", "block_reduce_mul"),
    *("block_reduce_and", "block_reduce_or", "block_reduce_xor", "barrier", "shared", "local"),
    *("block_scan_add", "block_scan_min", "block_scan_max", "block_scan_mul"),
    "unique",
    *("block_scan_and", "block_scan_or", "block_scan_xor"),
    *("warp_reduce_add", "warp_reduce_min", "warp_reduce_max", "warp_reduce_mul"),
    *("warp_reduce_and", "warp_reduce_or", "warp_reduce_xor"),
    *("warp_scan_add", "warp_scan_min", "warp_scan_max", "warp_scan_mul"),
    *("warp_scan_and", "warp_scan_or", "warp_scan_xor"),
)
# Statements that are called like functions, and the arguments of each. One is a text.
PARALLEL = {
    "parallel_map_unary": ("input", "output", "operation", "count"),
    "parallel_map_binary": ("input_a", "input_b", "output", "operation", "count"),
    "parallel_reduce": ("input", "output", "operation", "count"),
}
# Functions that are written in the language: hologram/lang_library. Those of floats have a form
# with the suffix `f`, too, which takes f32.
RANDOM = ("philox", "random_uniform", "random_normal")
LIBRARY_FLOAT = (
    *("copysign", "fmod", "hypot", "asin", "acos", "atan", "sinh", "cosh"),
    *("asinh", "acosh", "atanh", "cbrt", "erfc", "lgamma"),
)
LIBRARY = (
    *RANDOM,
    *LIBRARY_FLOAT,
    *("clz", "ctz", "rotl", "rotr", "mulhi"),
    *("isnan", "isinf", "isfinite", "clamp", "sign"),
    *("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"),
    *("ballot", "warp_any", "warp_all", "warp_exclusive_scan_add"),
)
BITS = ("bitcast", "popc")
FUNCTIONS = frozenset(
    (
        *(*IDS, *MATH, *ATOMICS, *BLOCK, *PARALLEL, *LIBRARY, *BITS),
        *(name + "f" for name in (*MATH, *LIBRARY_FLOAT)),
    )
)

# What forms/ takes apart: types of several numbers, and functions of them.
FORM_TYPES = frozenset(
    (
        *(f"{kind}{size}" for kind in ("vec", "dvec", "ivec", "uvec") for size in (2, 3, 4)),
        *(f"{kind}{size}" for kind in ("mat", "dmat") for size in (2, 3, 4)),
        *("complex64", "complex128"),
    )
)
FORM_FUNCTIONS = frozenset(
    (
        *("dot", "cross", "length", "normalize", "distance", "reflect"),
        *("transpose", "determinant", "inverse", "outer", "conj"),
    )
)

# What `from hologram.lang import ...` may name.
LANGUAGE = frozenset(
    (
        *(SCALARS - {"bool"}),
        "usize",
        *FUNCTIONS,
        *KERNEL_DECORATORS,
        INLINE_DECORATOR,
        DEVICE_ARRAY,
        CONSTEXPR,
        *FORM_TYPES,
        *FORM_FUNCTIONS,
        *VALUES,
        "where",
    )
)
LANGUAGE_MODULES = frozenset(("hologram.lang", "atlas_kernel"))
PACKAGE = "hologram"
# Names of the language that may come from other modules.
REEXPORTED = {
    PACKAGE: LANGUAGE,
    **{module: frozenset(values) for module, values in VALUE_MODULES.items()},
}


def language_function(name: str) -> str:
    """The function that a name of hologram.lang means: `where` is `select`."""
    return "select" if name == "where" else name


def canonical_scalar(name: str) -> str | None:
    """The type a name stands for (`float` is f32), or None if it is no scalar type."""
    if name in SCALARS:
        return name
    return SCALAR_ALIASES.get(name)
