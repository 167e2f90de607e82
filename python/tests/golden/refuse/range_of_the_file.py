from hologram.lang import DeviceArray, f32


def range(n):
    return [n]


def k(a: DeviceArray[f32]):
    for i in range(4):
        a[i] = 1.0
