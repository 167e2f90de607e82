from hologram.lang import DeviceArray, i32


def k(a: DeviceArray[i32], n: i32):
    if n > 0:
        some = 1
    a[0] = some
    for i in range(n):
        inside = i
    a[1] = inside + i
    while True:
        if n > 5:
            break
        after = 2
    a[3] = after
    if n > 0:
        both = 1
    else:
        both = 2
    a[4] = both
    while True:
        found = 3
        break
    a[5] = found
