from hologram.lang import DeviceArray, i32


def control_flow(a: DeviceArray[i32], n: i32):
    if n < 0:
        pass
    elif n == 0:
        a[0] = 1
    else:
        a[0] = 2
    if n > 3:
        return
    for i in range(n):
        for j in range(1, n):
            for k in range(n, 0, -2):
                if k == j:
                    continue
                a[i] = k
    while True:
        n -= 1
        if n < 0:
            break
    return
