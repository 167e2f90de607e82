from hologram.lang import DeviceArray, f64


def literals(a: DeviceArray[f64]):
    a[0] = 0.1
    a[1] = 1e300
    a[2] = 5e-324
    a[3] = 0.30000000000000004
    a[4] = 1e22
    a[5] = 18446744073709551615
    a[6] = 0xFF_FF
    a[7] = 1_000.5
    a[8] = False
    a[9] = -9223372036854775808
