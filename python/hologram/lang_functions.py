"""Functions of the kernel language that are written in it (lang_library), and those of bits.

hologram/lang.py has their names, too: import them from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn, TypeVar

    T = TypeVar("T")
    N = TypeVar("N", int, float)


def outside(name: str) -> NoReturn:
    raise RuntimeError(
        f"{name}() works only inside a kernel; write `@hg.kernel` above the function that calls it"
    )


def bitcast(dtype: type[T], x: float) -> T:
    """The bits of x as a number of another type of the same size."""
    outside("bitcast")


def popc(x: int) -> int:
    """How many bits are 1."""
    outside("popc")


def clz(x: int) -> int:
    """How many bits are 0 above the highest 1; of 0 all."""
    outside("clz")


def ctz(x: int) -> int:
    """How many bits are 0 below the lowest 1; of 0 all."""
    outside("ctz")


def rotl(x: int, count: int) -> int:
    """The bits of an unsigned number, moved up in a circle."""
    outside("rotl")


def rotr(x: int, count: int) -> int:
    """The bits of an unsigned number, moved down in a circle."""
    outside("rotr")


def mulhi(a: int, b: int) -> int:
    """The upper half of the product."""
    outside("mulhi")


def isnan(x: float) -> bool:
    outside("isnan")


def isinf(x: float) -> bool:
    outside("isinf")


def isfinite(x: float) -> bool:
    outside("isfinite")


def clamp(x: N, low: N, high: N) -> N:
    """low below low, high above high, else x; NaN stays."""
    outside("clamp")


def sign(x: N) -> N:
    """1, -1, or x where that is 0 or NaN."""
    outside("sign")


def copysign(x: float, y: float) -> float:
    """x with the sign of y."""
    outside("copysign")


def hypot(x: float, y: float) -> float:
    """The length of (x, y)."""
    outside("hypot")


def fmod(x: float, y: float) -> float:
    """The exact rest of the division, with the sign of x, as in C."""
    outside("fmod")


def asin(x: float) -> float:
    outside("asin")


def acos(x: float) -> float:
    outside("acos")


def atan(x: float) -> float:
    outside("atan")


def sinh(x: float) -> float:
    outside("sinh")


def cosh(x: float) -> float:
    outside("cosh")


def asinh(x: float) -> float:
    outside("asinh")


def acosh(x: float) -> float:
    outside("acosh")


def atanh(x: float) -> float:
    outside("atanh")


def cbrt(x: float) -> float:
    """The cube root."""
    outside("cbrt")


def erfc(x: float) -> float:
    """1 - erf(x)"""
    outside("erfc")


def lgamma(x: float) -> float:
    """The logarithm of the absolute value of the gamma function."""
    outside("lgamma")
