from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    assert n > 0
    assert (
        a[0] > 0.0  # the first
        and a[1] > 0.0
    ), "both are positive"
    assert a[2] < 1.0, f"a[2] is {a[2]:.2f} of {n}"
    a[0] = 1.0
