from hologram.lang import DeviceArray, f32, inline


@inline
def square(x: f32) -> f32:
    return x * x


def plain(x):
    return x


def k(a: DeviceArray[f32]):
    a[0] = square
    a[1] = square(x=1.0)
    a[2] = plain(a[0])

    @inline
    def inner(x):
        return x

    (b, c), d = 1, 2, 3
    [b, c] = 1, 2
    (b,) = 1
    b, c = a
    b, *c = 1, 2
    a[3] = (1, 2)


class Holder:
    @inline
    def method(x):
        return x
