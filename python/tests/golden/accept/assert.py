from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    assert n > 0
    assert (
        a[0] > 0.0  # the first
        and a[1] > 0.0
    ), "both are positive"
    a[0] = 1.0
