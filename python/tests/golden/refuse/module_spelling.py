import hologram.lang as lang
from hologram.lang import DeviceArray, f32, u8, u32

exp = 2.0


def k(a: DeviceArray[f32], b: DeviceArray[u8], n: u32):
    max = n
    a[0] = lang.exp(a[1])
    a[1] = lang.max(a[0], 1.0)
    b[0] = "a"
    b[1] = ord("ab")
    b[2] = b"a"[1]
    a[2] = lang.expp(a[0])
