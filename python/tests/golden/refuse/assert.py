from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    assert n > 0, n
    assert n > 1, f"{n} is too small"
    assert n > 2, "too\nsmall"
    a[0] = 1.0
