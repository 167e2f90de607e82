from typing import TypeVar

from hologram.lang import DeviceArray, constexpr, f32, f64, get_global_id, i32, inline, local, shared, u32

T = TypeVar("T", f32, f64, i32)
S = TypeVar("S", f32, f64)
D = TypeVar("D", f32, f64)


@inline
def twice(x: T) -> T:
    y: T = T(2)
    return x * y


@inline
def power(x, n: constexpr):
    return x**n


def add(a: DeviceArray[T], b: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        b[i] += twice(a[i])


def cast(a: DeviceArray[S], b: DeviceArray[D], scale: S, n: u32):
    i = get_global_id()
    tile = shared(D, 256)
    if i < n:
        b[i] = D(a[i] * scale)


def blur(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32, R: constexpr = 2, EXACT: constexpr = False):
    i = get_global_id()
    buffer = local(f32, 2 * R + 1)
    if i >= R and i + R < n:
        for k in range(2 * R + 1):
            buffer[k] = src[i + k - R]
        if EXACT:
            x = power(buffer[R], R)
        else:
            x = buffer[0]
        dst[i] = x
