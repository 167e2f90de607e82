from hologram.lang import DeviceArray, i32, u64


def k(a: DeviceArray[i32], n: i32, m: u64):
    a[0] = n**-2
    a[0] = n**n
    a[0] = 2**n
    a[0] = n**1000
    a[0] = True**2
    a[0] = (n > 0) ** 2
    a[0] **= 2.0
