from hologram.lang import DeviceArray, f32, u32


def k(p: u32, /, a: DeviceArray[f32], n: u32 = 4, *rest: u32, key: u32, **more: u32) -> f32:
    a[0] = 1.0
