from hologram.lang import DeviceArray, atan2, barrier, f32, fma, get_global_id, inline, local, shared, sqrt, u32


@inline
def square(x: f32) -> f32:
    return x * x


@inline
def clamp01(x):
    if x < 0.0:
        return f32(0.0)
    if x > 1.0:
        return f32(1.0)
    return x


@inline
def polar(x: f32, y: f32) -> tuple[f32, f32]:
    r = sqrt(square(x) + square(y))
    return r, atan2(y, x)


@inline
def at(a: DeviceArray[f32], i: u32, n: u32):
    if i >= n:
        return 0.0
    return a[i]


@inline
def put(a: DeviceArray[f32], i, v: f32):
    a[i] = v


@inline
def count(n, step: u32) -> u32:
    c: u32 = 0
    for k in range(0, n, 1):
        if k > step:
            return c
        c += k
    return c


def k(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i, j = get_global_id(), u32(3)
    if i < n:
        r, phi = polar(a[i], at(a, i + 1, n))
        r, phi = phi, r
        b[i] = clamp01(r) + square(phi)
        put(c, i, f32(count(n, 3)))
        c[i], b[i] = b[i], c[i]


@inline
def fused(acc, x, y):
    acc = fma(x, y, acc)
    return acc


@inline
def same(x):
    return x


@inline
def fill(row: DeviceArray[f32], n: u32, value):
    for j in range(n):
        row[j] = value
    barrier()


def local_arrays(out: DeviceArray[f32], n: u32):
    i = get_global_id()
    scratch = local(f32, 8)
    tile = shared(f32, 8)
    fill(scratch, 8, 1.0)
    fill(tile, 8, f32(i))
    total = 0.0
    other = 1.0
    for j in range(8):
        total = fused(total, scratch[j], tile[j]) if j > 2 else other
        total, other = same(other), same(total)
    if i < n:
        out[i] = same(total)
