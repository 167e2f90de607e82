from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32 = "one", *, key: u32 = 4.5 + None):
    a[0] = 1.0
