from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32]):
    x = missing
    x = 1
    a[0] = x
