from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32]):
    a[0] = 1.0


def k(a: DeviceArray[f32]):
    a[0] = 2.0
