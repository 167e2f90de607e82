from hologram.lang import DeviceArray, f32, i32, shared, u8, u32


def k(a: DeviceArray[i32], n: i32, u: u32):
    for i in range(n, 0, 0):
        a[i] = 1
    for j in range(0, n, n):
        a[j] = 1
    for m in range(1.5):
        a[m] = 1
    for a in range(3):
        pass
    for d in range(u, -2, -1):
        a[d] = 1
    x = 1.0
    for x in range(3):
        pass
    if n > 0:
        tile = shared(f32, 16)
    big = shared(f32, 1000000)
    none = shared(f32, n)
    return n


def steps(a: DeviceArray[i32], n: i32, u: u32, f: f32):
    for i in range(0, n, f):
        a[i] = 1
    for j in range(0, n, later):
        later = u32(1)
    k: u8 = 0
    for k in range(0, 9, u):
        a[k] = 1
    for m in range(0, n, 1 if n > 3 else 2):
        a[m] = 1
