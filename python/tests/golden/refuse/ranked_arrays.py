from hologram.lang import DeviceArray, f32, get_global_id, shared, u32

RANK = 3


def k(a: DeviceArray[f32, 0], b: DeviceArray[f32, 5], c: DeviceArray[f32, 2, 2], d: DeviceArray[f32, n]):
    a[0, 0] = 1.0


def types(a: DeviceArray[2, f32], b: DeviceArray[f32, 2.0], c: DeviceArray[f32, True], d: DeviceArray[f32, RANK]):
    x = d.shape
    d.shape[0] = 1
    x = d.shape[0].size
    d[0, 1, 2, 3, 4] = 1.0
    d[()] = 1.0
    y = d[0, (1, 2)]
    d[0, 1:2, 0] += 1.0
    z = select(True, (1, 2), 3)
    t = shared(f32, [4, 4])
    x, y, z = d.shape[0]
    x = len(d, key=1)
    x = d.ndim
    x = d.T[0]
