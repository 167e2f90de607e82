from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, inline, local, shared, u32


@inline
def first(a: DeviceArray[f32, 2]):
    return a[0, 0]


@inline
def flat(a: DeviceArray[f32]):
    return a[0]


def k(a: DeviceArray[f32, 2], b: DeviceArray[f32], c: DeviceArray[u32, 3], n: u32):
    i = get_global_id()
    a[i] = 1.0
    b[i, i] = 1.0
    a[i, i, i] = 1.0
    a[i, 0.5] = 1.0
    a[-1, 0] = 1.0
    a[i, n > 0] = 1.0
    b[0] = f32(a.shape[2])
    b[0] = f32(a.shape[n])
    b[0] = f32(b.shape[-2])
    b[0] = f32(n.shape[0])
    b[0] = f32(m.shape[0])
    b[0] = f32(len(n))
    b[0] = f32(len(a, b))
    b[0] = first(b) + flat(a)
    x, y, z = a.shape
    tile = shared(f32, (4, 0))
    more = local(f32, (4, 4, 4, 4, 4))
    wide = shared(f32, (200, 200))
