from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32 = 1, *, key: u32 = 4):
    a[0] = 1.0
