from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32]):
    a[0] = None
    a[1] = None
    a[2] = None
    a[3] = None
    a[4] = None
    a[5] = None
    a[6] = None
    a[7] = None
    a[8] = None
    a[9] = None
    a[10] = None
    a[11] = None
    a[12] = None
    a[13] = None
    a[14] = None
    a[15] = None
    a[16] = None
    a[17] = None
    a[18] = None
    a[19] = None
    a[20] = None
    a[21] = None
    a[22] = None
