from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    try:
        a[0] = 1.0
    except* ValueError as group:
        a[1] = 1.0
    else:
        a[2] = 1.0
    finally:
        a[3] = 1.0
