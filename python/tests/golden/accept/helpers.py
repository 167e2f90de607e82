import hologram.lang as hl
from hologram.lang import DeviceArray, f32, get_global_id, inline, u32


@inline
def lengths(a: DeviceArray[f32], i, scale: f32) -> tuple[f32, f32]:
    """Two of them."""
    if i == 0:
        return 0.0, 0.0
    return square(a[i]), scale


@hl.inline
def square(x):
    return x * x


@inline
def store(a: DeviceArray[f32], i: u32, x: f32) -> None:
    a[i] = x


@inline
def unused(x: bool) -> bool:
    return not x


def k(a: DeviceArray[f32], b: DeviceArray[f32]):
    i = get_global_id()
    x, y = lengths(a, i, 2.0)
    x, y = y, x
    a[i], b[i] = x, y
    store(a, i, x)


def square_twice(a: DeviceArray[f32]):
    a[0] = square(a[0])
