from hologram.lang import DeviceArray, f32, inline


@inline
def square(x: f32) -> f32:
    return x * x


def k(a: DeviceArray[f32]):
    a[0] = square(a[0])
