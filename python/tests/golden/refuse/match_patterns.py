from hologram.lang import DeviceArray, f32, u32


def k(a: DeviceArray[f32], n: u32):
    match n:
        case None:
            a[0] = 1.0
        case 1 | 2:
            a[1] = 1.0
        case [first, *rest]:
            a[2] = 1.0
        case {"key": value, **others}:
            a[3] = 1.0
        case int(real=4) as four:
            a[4] = 1.0
        case other if other > 5:
            a[5] = 1.0
