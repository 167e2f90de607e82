import typing
from typing import TypeVar

import hologram.lang as hl
from hologram.lang import DeviceArray, constexpr, f32, f64, inline

T = TypeVar("T", f32, hl.f64, int)
U = typing.TypeVar("U", f32, f64)
Unrelated = TypeVar("Unrelated")
WIDTH = 4


@inline
def scaled(x: U, n: constexpr) -> U:
    return x * U(n)


def k(a: DeviceArray[T], b: DeviceArray[U], s: T, R: constexpr, W: hl.constexpr = 2 * WIDTH):
    y: T = a[0] + s
    b[0] = U(y) + scaled(b[1], R) * W
