from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    s = t"{n}"
