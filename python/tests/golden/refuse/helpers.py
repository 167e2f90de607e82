from typing import Tuple

from hologram.lang import DeviceArray, f32, inline, kernel, u32


@inline()
def called(x: f32) -> f32:
    return x


@inline
@kernel
def both(x: f32):
    return x


@inline
@staticmethod
def decorated(x: f32):
    return x


@inline
async def asynchronous(x: f32):
    return x


@inline
def square(x: f32) -> f32:
    return x * x


@inline
def square(x: f32) -> f32:
    return x


@inline
def parameters(x: f32 = 0.0, /, *more, y, **rest) -> list[f32]:
    import os

    return x


@inline
def one(x: f32) -> tuple[f32]:
    return (x,)


@inline
def quoted(x: "f32") -> Tuple[f32, "u32"]:
    return x, 1


def k(a: DeviceArray[f32]):
    a[0] = 1.0
