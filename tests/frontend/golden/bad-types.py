from hologram.lang import DeviceArray, exp, f32, f64, fma, i32, sqrt, u8, u32, u64


def k(c: DeviceArray[f32], b: DeviceArray[u8], x: f64, n: u32, w: u64, s: i32):
    c[0] = x
    c[0] = n
    b[0] = 300
    b[0] = 1.5
    b[0] = n < 3
    c[0] = 1e300
    c[x] = 1.0
    c[-1] = 1.0
    v = 1
    v = 2.5
    v = x
    if x:
        v = 3
    while n and x:
        v = 4
    t = w + s
    t = x & 1
    t = ~x
    t = not x
    t = n // 0
    t = n << 32
    t = (n < 3) + 1
    t = 3000000000
