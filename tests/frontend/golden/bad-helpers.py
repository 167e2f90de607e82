from hologram.lang import DeviceArray, f32, f64, get_global_id, inline, local, sqrt, u32


@inline
def even(n):
    return True if n == 0 else odd(n - 1)


@inline
def odd(n):
    return False if n == 0 else even(n - 1)


@inline
def maybe(x: f32):
    if x > 0.0:
        return x


@inline
def mixed(x: f32):
    if x > 0.0:
        return x, x
    return x


@inline
def typed(x: f32, n: u32) -> u32:
    return x


@inline
def nothing(a: DeviceArray[f32], x: f32):
    a[0] = x


@inline
def own_array():
    t = local(f32, 4)
    t[0] = 1.0


@inline
def outside(x):
    break_here = x
    return break_her


@inline
def pair(x):
    return x, x + 1


def k(a: DeviceArray[f32], w: DeviceArray[f64], n: u32, x: f32):
    i = get_global_id()
    if even(n):
        a[i] = maybe(x)
    y, z = mixed(x)
    a[i] = f32(typed(x, n))
    a[i] = nothing(a, x)
    own_array()
    a[i] = outside(x) + outside(y)
    a[i] = pair(x)
    p, q, r = pair(x)
    p, q = pair(x), 1
    a[i] = typed(x)
    a[i] = f32(typed(n, n))
    nothing(w, x)
    nothing(x, x)
    nothing(a[0], x)
    u, v = sqrt(x)
    a[i] = typd(x, n)
    return x
