from hologram.lang import DeviceArray, f32, kernel


def make():
    if True:

        @kernel
        def k(a: DeviceArray[f32]):
            a[0] = 1.0

    return k
