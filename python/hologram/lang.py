# ruff: noqa: F405 - names of lang_warps and vectors
"""The kernel language as Python names, for editors and type checkers.

A kernel file imports what it uses from here (or from `atlas_kernel`, the same names):

    from hologram.lang import DeviceArray, f32, get_global_id, u32

    def saxpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
        i = get_global_id()
        if i < n:
            y[i] = a * x[i] + y[i]

The front end reads the syntax tree of that file and never runs it, so nothing here computes: a call
outside a kernel raises RuntimeError. Only a decorated kernel can be called: it runs as Python, for
debugging (hologram.simulator). To a type checker the scalar types are `int` and `float`.
What each name computes is described with the kernel language; frontend/names.py lists the same
names for the compiler, and a test compares the two.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, overload

from hologram.lang_functions import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    bitcast,
    cbrt,
    clamp,
    clz,
    copysign,
    cosh,
    ctz,
    erfc,
    fmod,
    hypot,
    isfinite,
    isinf,
    isnan,
    lgamma,
    mulhi,
    popc,
    rotl,
    rotr,
    sign,
    sinh,
)
from hologram.lang_functions import outside as _outside
from hologram.lang_warps import *  # noqa: F403
from hologram.vectors import *  # noqa: F403

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Generic, TypeAlias

    # Type checkers know this module; a program that runs does not need it.
    from typing_extensions import TypeVar

    T = TypeVar("T")
    N = TypeVar("N", int, float)
    Rank = TypeVar("Rank", bound=int, default=Any)

    i8: TypeAlias = int
    i16: TypeAlias = int
    i32: TypeAlias = int
    i64: TypeAlias = int
    u8: TypeAlias = int
    u16: TypeAlias = int
    u32: TypeAlias = int
    u64: TypeAlias = int
    usize: TypeAlias = int
    f16: TypeAlias = float
    bf16: TypeAlias = float
    f32: TypeAlias = float
    f64: TypeAlias = float
    constexpr: TypeAlias = int

    class DeviceArray(Generic[T, Rank]):
        """An array in device memory: `a: DeviceArray[f32]`, `DeviceArray[f32, Literal[2]]`."""

        shape: tuple[int, ...]
        size: int

        @overload
        def __getitem__(self, index: int | tuple[int, ...]) -> T: ...
        @overload
        def __getitem__(self, index: slice) -> DeviceArray[T]: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: int | tuple[int, ...], value: T) -> None: ...
        def __iter__(self) -> Iterator[T]: ...
        def __len__(self) -> int: ...

else:

    class _ScalarType:
        """A scalar type; calling it in a kernel is a cast."""

        def __init__(self, name):
            self._name = name

        def __repr__(self):
            return self._name

        def __call__(self, *values):
            _outside(self._name)

    class DeviceArray:
        """An array in device memory: `a: DeviceArray[f32]`."""

        __class_getitem__ = classmethod(type(list[int]))  # DeviceArray[f32] keeps its argument

        def __init__(self, *arguments):
            raise RuntimeError("DeviceArray is the type of a kernel's parameter, not a container")

    i8, i16, i32, i64 = map(_ScalarType, ("i8", "i16", "i32", "i64"))
    u8, u16, u32, u64 = map(_ScalarType, ("u8", "u16", "u32", "u64"))
    f16, bf16, f32, f64 = map(_ScalarType, ("f16", "bf16", "f32", "f64"))
    usize = _ScalarType("usize")
    constexpr = _ScalarType("constexpr")  # the type of a parameter known at compile time


inf = float("inf")
nan = float("nan")


# Decorators


class Kernel:
    """A decorated kernel. The original function is kept as `_atlas_kernel`."""

    def __init__(
        self,
        function: Callable[..., None],
        block: int | tuple[int, ...] | None = None,
        contract: bool = False,
    ) -> None:
        self._atlas_kernel = function
        self.block = block
        self.contract = contract
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__qualname__: str = function.__qualname__
        self.__annotations__ = function.__annotations__

    def __call__(self, *arguments: object, **named: object) -> None:
        """Runs the kernel as Python, lane by lane, over NumPy arrays; see docs/debugging.md."""
        self[None](*arguments, **named)

    def __repr__(self) -> str:
        return f"<hologram.lang.Kernel {self.__name__}, runs as plain Python; @hg.kernel compiles>"

    def __getitem__(self, shape: object) -> Callable[..., None]:
        """`k[grid, block](...)` or `k[grid](...)`; each is a number or a tuple of up to three."""
        from hologram.simulator import launch

        grid, block = shape if isinstance(shape, tuple) and len(shape) == 2 else (shape, None)
        return launch(self, grid, block, warns=True)


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...
@overload
def kernel(
    *, block: int | tuple[int, ...] | None = None, contract: bool = False
) -> Callable[[Callable[..., None]], Kernel]: ...
def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    block: int | tuple[int, ...] | None = None,
    contract: bool = False,
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Marks a kernel: `@kernel` or `@kernel(block=128, contract=True)`.

    `block` is the block size of a default launch; `contract` fuses a product with the sum it is
    an operand of.
    """
    if function is not None:
        return Kernel(function)
    return lambda decorated: Kernel(decorated, block, contract)


atlas_kernel = kernel


def inline(function: Callable[..., T]) -> Callable[..., T]:
    """Marks a helper that kernels call."""

    def call(*arguments: object) -> T:
        _outside(function.__name__)

    call.__name__ = function.__name__
    call.__doc__ = function.__doc__
    call._atlas_helper = function  # type: ignore[attr-defined]
    if function.__code__.co_filename.startswith("<"):
        from hologram.functions import text

        text.keep(function)
    return call


# Ids. Dimensions are 0, 1 and 2.


def get_global_id(dimension: int = 0) -> int:
    """Block id * block size + local id, in one dimension."""
    _outside("get_global_id")


def get_local_id(dimension: int = 0) -> int:
    """The lane within its block."""
    _outside("get_local_id")


def get_block_id(dimension: int = 0) -> int:
    """The block within the grid."""
    _outside("get_block_id")


def get_block_dim(dimension: int = 0) -> int:
    """Lanes in a block."""
    _outside("get_block_dim")


def get_grid_dim(dimension: int = 0) -> int:
    """Blocks in the grid."""
    _outside("get_grid_dim")


# Blocks


def barrier() -> None:
    """Every lane of the block waits here for the others."""
    _outside("barrier")


def unique(array: DeviceArray[T]) -> None:
    """Declares that no two elements of a parameter, an array of integers that the kernel only
    reads, are equal: lanes that write to `out[p[i]]` then do not meet. Each launch checks it."""
    _outside("unique")


def shared(
    dtype: type[T], count: int | tuple[int, ...], *, most: int | None = None
) -> DeviceArray[T]:
    """An array that the lanes of a block share, zero at first: `shared(f32, (16, 16))`. With `most`
    its size comes with the launch: `shared(f32, n, most=256)`."""
    _outside("shared")


def local(
    dtype: type[T], count: int | tuple[int, ...], *, most: int | None = None
) -> DeviceArray[T]:
    """An array that each lane has for itself, zero at first; `most` as of `shared`."""
    _outside("local")


# Reductions of a block: of x in all its lanes that have not returned, by a fixed tree, the same in
# every lane. Each of them is a barrier.


def block_reduce_add(x: N) -> N:
    """The sum."""
    _outside("block_reduce_add")


def block_reduce_min(x: N) -> N:
    """The smallest; numbers come before NaN."""
    _outside("block_reduce_min")


def block_reduce_max(x: N) -> N:
    """The largest; numbers come before NaN."""
    _outside("block_reduce_max")


def block_reduce_mul(x: N) -> N:
    """The product."""
    _outside("block_reduce_mul")


def block_reduce_and(x: int) -> int:
    """The bits that are set in every lane."""
    _outside("block_reduce_and")


def block_reduce_or(x: int) -> int:
    """The bits that are set in some lane."""
    _outside("block_reduce_or")


def block_reduce_xor(x: int) -> int:
    """The bits that are set in an odd number of lanes."""
    _outside("block_reduce_xor")


# Scans of a block: each lane gets the combination of x in the lanes up to itself that have not
# returned, in a fixed order. Each of them is a barrier.


def block_scan_add(x: N) -> N:
    """The sums."""
    _outside("block_scan_add")


def block_scan_min(x: N) -> N:
    """The smallest so far; numbers come before NaN."""
    _outside("block_scan_min")


def block_scan_max(x: N) -> N:
    """The largest so far; numbers come before NaN."""
    _outside("block_scan_max")


def block_scan_mul(x: N) -> N:
    """The products."""
    _outside("block_scan_mul")


def block_scan_and(x: int) -> int:
    """The bits that have been set in every lane so far."""
    _outside("block_scan_and")


def block_scan_or(x: int) -> int:
    """The bits that have been set in some lane so far."""
    _outside("block_scan_or")


def block_scan_xor(x: int) -> int:
    """The bits that have been set in an odd number of lanes so far."""
    _outside("block_scan_xor")


# Short forms of whole kernels: element-wise over the first `count` elements, and a reduction that
# lane 0 makes in the order of the elements.


def parallel_map_unary(
    array: DeviceArray[N], output: DeviceArray[N], operation: str, count: int
) -> None:
    """output[i] = operation(array[i]): abs neg sqrt exp log sin cos tan sigmoid tanh relu ceil
    floor round reciprocal erf."""
    _outside("parallel_map_unary")


def parallel_map_binary(
    input_a: DeviceArray[N],
    input_b: DeviceArray[N],
    output: DeviceArray[N],
    operation: str,
    count: int,
) -> None:
    """output[i] = operation(input_a[i], input_b[i]): add sub mul div pow min max atan2."""
    _outside("parallel_map_binary")


def parallel_reduce(
    array: DeviceArray[N], output: DeviceArray[N], operation: str, count: int
) -> None:
    """output[0] = the sum, product, min or max of array[0], ..., array[count - 1]."""
    _outside("parallel_reduce")


# Atomics. Each returns the element as it was.


def atomic_add(array: DeviceArray[N], index: int | tuple[int, ...], value: N) -> N:
    """array[index] += value"""
    _outside("atomic_add")


def atomic_min(array: DeviceArray[N], index: int | tuple[int, ...], value: N) -> N:
    """array[index] = min(array[index], value)"""
    _outside("atomic_min")


def atomic_max(array: DeviceArray[N], index: int | tuple[int, ...], value: N) -> N:
    """array[index] = max(array[index], value)"""
    _outside("atomic_max")


def atomic_and(array: DeviceArray[int], index: int | tuple[int, ...], value: int) -> int:
    """array[index] &= value"""
    _outside("atomic_and")


def atomic_or(array: DeviceArray[int], index: int | tuple[int, ...], value: int) -> int:
    """array[index] |= value"""
    _outside("atomic_or")


def atomic_xor(array: DeviceArray[int], index: int | tuple[int, ...], value: int) -> int:
    """array[index] ^= value"""
    _outside("atomic_xor")


def atomic_exchange(array: DeviceArray[N], index: int | tuple[int, ...], value: N) -> N:
    """array[index] = value"""
    _outside("atomic_exchange")


def atomic_cas(array: DeviceArray[N], index: int | tuple[int, ...], expected: N, value: N) -> N:
    """array[index] = value where it was `expected`"""
    _outside("atomic_cas")


def atomic_add_f32(array: DeviceArray[float], value: float) -> float:
    """array[0] += value"""
    _outside("atomic_add_f32")


def atomic_add_u32(array: DeviceArray[int], value: int) -> int:
    """array[0] += value"""
    _outside("atomic_add_u32")


def atomic_add_i32(array: DeviceArray[int], value: int) -> int:
    """array[0] += value"""
    _outside("atomic_add_i32")


# Mathematics. `fast=True` chooses the fast form, where there is one. The suffix f changes nothing.


def abs(x: N) -> N:
    _outside("abs")


def min(a: N, b: N) -> N:
    """The smaller; the number where one side is NaN."""
    _outside("min")


def max(a: N, b: N) -> N:
    """The larger; the number where one side is NaN."""
    _outside("max")


def pow(x: float, y: float, *, fast: bool = False) -> float:
    _outside("pow")


def sqrt(x: float) -> float:
    _outside("sqrt")


def rsqrt(x: float) -> float:
    """1 / sqrt(x)"""
    _outside("rsqrt")


def exp(x: float, *, fast: bool = False) -> float:
    _outside("exp")


def exp2(x: float, *, fast: bool = False) -> float:
    _outside("exp2")


def expm1(x: float, *, fast: bool = False) -> float:
    """exp(x) - 1, exact near 0"""
    _outside("expm1")


def log(x: float, *, fast: bool = False) -> float:
    _outside("log")


def log2(x: float, *, fast: bool = False) -> float:
    _outside("log2")


def log10(x: float, *, fast: bool = False) -> float:
    _outside("log10")


def log1p(x: float, *, fast: bool = False) -> float:
    """log(1 + x), exact near 0"""
    _outside("log1p")


def sin(x: float, *, fast: bool = False) -> float:
    _outside("sin")


def cos(x: float, *, fast: bool = False) -> float:
    _outside("cos")


def tan(x: float) -> float:
    _outside("tan")


def tanh(x: float, *, fast: bool = False) -> float:
    _outside("tanh")


def atan2(y: float, x: float, *, fast: bool = False) -> float:
    _outside("atan2")


def sigmoid(x: float, *, fast: bool = False) -> float:
    """1 / (1 + exp(-x))"""
    _outside("sigmoid")


def erf(x: float, *, fast: bool = False) -> float:
    _outside("erf")


def floor(x: float) -> float:
    _outside("floor")


def ceil(x: float) -> float:
    _outside("ceil")


def round(x: float) -> float:
    """To the nearest integer, halves to even."""
    _outside("round")


def trunc(x: float) -> float:
    """Towards zero."""
    _outside("trunc")


def fma(a: float, b: float, c: float) -> float:
    """a * b + c, rounded once"""
    _outside("fma")


def select(condition: bool, a: N, b: N) -> N:
    """a where the condition holds, else b; both are evaluated."""
    _outside("select")


where = select  # its name in NumPy


# Random numbers: functions of their arguments alone, so that lanes need not agree about who draws
# next. seed, index and stream are u64; smaller unsigned integers are taken as they are.


def philox(seed: int, index: int, stream: int) -> tuple[int, int, int, int]:
    """Four random words, u32: Philox-4x32-10 with the key `seed`, its counter `index` below
    `stream`."""
    _outside("philox")


def random_uniform(seed: int, index: int, stream: int) -> float:
    """Number `index` of a stream, f32 in [0, 1): a multiple of 2^-24, of word index % 4 of
    `philox(seed, index // 4, stream)`."""
    _outside("random_uniform")


def random_normal(seed: int, index: int, stream: int) -> float:
    """Number `index` of a stream, f32, of the normal distribution with mean 0 and deviation 1, by
    Box and Muller from a pair of words of `philox(seed, index // 4, stream)`."""
    _outside("random_normal")


absf, minf, maxf, powf, sqrtf, rsqrtf = abs, min, max, pow, sqrt, rsqrt
expf, exp2f, expm1f, logf, log2f, log10f, log1pf = exp, exp2, expm1, log, log2, log10, log1p
sinf, cosf, tanf, tanhf, atan2f, sigmoidf, erff = sin, cos, tan, tanh, atan2, sigmoid, erf
floorf, ceilf, roundf, truncf, fmaf, selectf = floor, ceil, round, trunc, fma, select


# library
copysignf = copysign
hypotf = hypot
fmodf = fmod
asinf = asin
acosf = acos
atanf = atan
sinhf = sinh
coshf = cosh
asinhf = asinh
acoshf = acosh
atanhf = atanh
cbrtf = cbrt
erfcf = erfc
lgammaf = lgamma

# fmt: off
__all__ = [  # noqa: RUF022
    "DeviceArray", "atlas_kernel", "constexpr", "inline", "kernel", "bf16", "f16", "f32", "f64",
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "get_block_dim", "get_block_id",
    "get_global_id", "get_grid_dim", "get_local_id", "barrier", "local", "shared", "inf", "nan",
    "unique",
    "block_reduce_add", "block_reduce_and", "block_reduce_max", "block_reduce_min",
    "block_reduce_mul", "block_reduce_or", "block_reduce_xor", "block_scan_add", "block_scan_and",
    "block_scan_max", "block_scan_min", "block_scan_mul", "block_scan_or", "block_scan_xor",
    "parallel_map_binary", "parallel_map_unary", "parallel_reduce", "atomic_add",
    "atomic_and", "atomic_cas", "atomic_exchange", "atomic_max", "atomic_min", "atomic_or",
    "atomic_xor", "atomic_add_f32", "atomic_add_i32", "atomic_add_u32", "abs", "atan2", "ceil",
    "cos", "erf", "exp", "exp2", "expm1", "floor", "fma", "log", "log10", "log1p", "log2", "max",
    "min", "pow", "round", "rsqrt", "select", "sigmoid", "sin", "sqrt", "tan", "tanh", "trunc",
    "where",
    "absf", "atan2f", "ceilf", "cosf", "erff", "expf", "exp2f", "expm1f", "floorf", "fmaf", "logf",
    "log10f", "log1pf", "log2f", "maxf", "minf", "powf", "roundf", "rsqrtf", "selectf", "sigmoidf",
    "philox", "random_normal", "random_uniform", "sinf", "sqrtf", "tanf", "tanhf", "truncf",
    # library
    "bitcast", "popc", "clz", "ctz", "rotl", "rotr", "mulhi", "isnan", "isinf", "isfinite",
    "clamp", "sign", "copysign", "hypot", "fmod", "asin", "acos", "atan", "sinh", "cosh", "asinh",
    "acosh", "atanh", "cbrt", "erfc", "lgamma", "copysignf", "hypotf", "fmodf", "asinf", "acosf",
    "atanf", "sinhf", "coshf", "asinhf", "acoshf", "atanhf", "cbrtf", "erfcf", "lgammaf",
    # end
    # Of lang_warps and vectors: type checkers read only names that are written here.
    "ballot", "shuffle", "shuffle_down", "shuffle_up", "shuffle_xor", "warp_all", "warp_any",
    "warp_exclusive_scan_add", "warp_reduce_add", "warp_reduce_and", "warp_reduce_max",
    "warp_reduce_min", "warp_reduce_mul", "warp_reduce_or", "warp_reduce_xor", "warp_scan_add",
    "warp_scan_and", "warp_scan_max", "warp_scan_min", "warp_scan_mul", "warp_scan_or",
    "warp_scan_xor",
    "vec2", "vec3", "vec4", "dvec2", "dvec3", "dvec4", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3",
    "uvec4", "mat2", "mat3", "mat4", "dmat2", "dmat3", "dmat4", "complex64", "complex128", "dot",
    "cross", "length", "distance", "normalize", "reflect", "outer", "transpose", "determinant",
    "inverse", "conj",
]
# fmt: on


if not TYPE_CHECKING:
    # `from hologram.lang import *` must leave plain Python its own; kernels know them by name.
    for _name in ("abs", "max", "min", "pow", "round"):
        globals()[_name] = getattr(builtins, _name)
