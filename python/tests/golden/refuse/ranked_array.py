from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32, 2]):
    a[0, 0] = 1.0
