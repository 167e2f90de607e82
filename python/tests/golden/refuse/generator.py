from hologram.lang import DeviceArray, f32, get_global_id, u32


def k(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    x = sum(i for i in range(4) if i != n)
    y = sum(a[i] for i in range(n))
    z = (i for i in range(4))
