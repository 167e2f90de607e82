from hologram.lang import DeviceArray, i32


def k(a: DeviceArray[i32], n: i32):
    while n > 3:
        a[2] = late
        late = 1
