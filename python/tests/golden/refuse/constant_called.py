from hologram.lang import DeviceArray, f32

SIZE = 4


def k(a: DeviceArray[f32]):
    a[0] = SIZE(1)
