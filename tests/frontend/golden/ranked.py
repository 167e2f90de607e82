from hologram.lang import DeviceArray, atomic_add, barrier, f32, get_block_id, get_global_id, get_local_id, inline, shared, u32


def add2(a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]):
    j = get_global_id(0)
    i = get_global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[i, j] + b[i, j]


def matmul(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2], C: DeviceArray[f32, 2]):
    t = get_global_id()
    if t < C.shape[0] * C.shape[1]:
        i = t // C.shape[1]
        j = t % C.shape[1]
        total = 0.0
        for k in range(A.shape[1]):
            total += A[i, k] * B[k, j]
        C[i, j] = total


def transpose(a: DeviceArray[f32, 2], b: DeviceArray[f32, 2]):
    tile = shared(f32, (16, 17))
    x = get_local_id(0)
    y = get_local_id(1)
    j = get_block_id(0) * 16 + x
    i = get_block_id(1) * 16 + y
    if i < a.shape[0] and j < a.shape[1]:
        tile[y, x] = a[i, j]
    barrier()
    p = get_block_id(0) * 16 + y
    q = get_block_id(1) * 16 + x
    if p < b.shape[0] and q < b.shape[1]:
        b[p, q] = tile[x, y]


def scale(a: DeviceArray[f32], b: DeviceArray[f32]):
    i = get_global_id()
    if i < len(a):
        b[i] = 2.0 * a[i]


@inline
def corner(a: DeviceArray[f32, 3], k: u32):
    return a[0, 0, k] + a[1, 2, 0]


def corners(a: DeviceArray[f32, 3], counts: DeviceArray[u32, 2], out: DeviceArray[f32]):
    planes, rows, columns = a.shape
    out[0], out[1] = corner(a, 1), f32(planes * rows)
    out[2] = a[planes - 1, rows - 1, columns - 1]
    atomic_add(counts, (0, 1), 1)
    tile = shared(f32, (2, 3, 4))
    tile[1, 2, 3] = f32(tile.shape[1] + len(tile))
    out[3] = tile[1, 2, 3]
