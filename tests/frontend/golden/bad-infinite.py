from hologram.lang import DeviceArray, f32, i32, inf, nan


def k(a: DeviceArray[f32], b: DeviceArray[i32], c: f32):
    b[0] = inf
    b[0] = nan
    a[0] = inf - inf
    a[0] = 2.0 * inf
    a[0] = 1e300 * 1e300
    a[0] = 0**-1
    a[inf] = 1.0
    b[0] = c & nan
    for i in range(inf):
        a[i] = c
