from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, local, u32


def k(c: DeviceArray[u32, 3], n: u32):
    i = get_global_id()
    grid = local(f32, (4, n))
    good = local(f32, (2, 2))
    good[0] = 1.0
    atomic_add(c, 0, 1)
    atomic_add(c, (i, i, missing), 1)
    good[2, n] = 1.0
    x = c
    y = c[i, i, i, i]
    c[i, i, n] += 1.0
    p, q = c.shape
