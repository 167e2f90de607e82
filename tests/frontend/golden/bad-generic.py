from typing import TypeVar

from hologram.lang import DeviceArray, constexpr, f32, f64, inline, local, u8, u32

T = TypeVar("T", f32, f64, u8)
S = TypeVar("S", f32, f64)
A = TypeVar("A", f32, f64, u8, u32)


@inline
def half(x: S) -> S:
    return x * S(0.5)


@inline
def both(x: S, y: S):
    return x + y


@inline
def times(x, n: constexpr):
    n = 2
    return x * n


@inline
def of_array(a: DeviceArray[S], x: S):
    a[0] = x


def no_value(a: DeviceArray[f32], N: constexpr):
    a[0] = N


def generic(a: DeviceArray[T], b: DeviceArray[f32], n: u32, N: constexpr = 3):
    b[0] = a[0]
    b[1] = half(b[1]) + half(n)
    b[2] = both(b[0], f64(b[1]))
    b[3] = times(b[0], n)
    b[4] = times(b[0], N)
    b[5] = S(b[0])
    x: S = b[0]
    M = N
    y = local(f32, M)
    of_array(a, 1)
    of_array(b, f64(1))
    if f32(N):
        b[6] = 1.0


def many(a: DeviceArray[A], b: DeviceArray[T], c: DeviceArray[S], n: u32):
    a[0] = a[1] << 1


def assigned(a: DeviceArray[f32], N: constexpr = 3):
    N = 4
    a[0] = 1.0
