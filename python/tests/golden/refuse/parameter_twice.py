from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32], a: f32):
    pass
