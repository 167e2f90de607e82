from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, inline, local, shared, u32

RANK = 2


@inline
def corner(a: DeviceArray[f32, RANK]):
    return a[0, 0]


def k(a: DeviceArray[f32, 2], b: DeviceArray[f32, RANK + 1], c: DeviceArray[u32, 1], d: DeviceArray[u32, 2]):
    i, j = get_global_id(0), get_global_id(1)
    rows, columns = a.shape
    tile = shared(f32, (4, 8))
    row = local(f32, 8)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] += b[i, j, 0] * corner(a)
        tile[0, j] = row[j]
        atomic_add(d, (i, j), 1)
    c[len(c) - 1], c[0] = c.shape[0], len(tile)
