from hologram.lang import DeviceArray, f32, get_global_id, inline


@inline
def maybe(x: f32):
    if x > 0.0:
        return x


@inline
def unset(x: f32):
    if x > 0.0:
        y = x
    return y


def k(a: DeviceArray[f32], x: f32):
    i = get_global_id()
    a[i] = maybe(x) + unset(x)
    p, q = x, p
