# Conditions branch, short-circuit and mind NaN; values of conditions are bools.
from hologram.lang import DeviceArray, f32, i32, select, u8, u32


def floats(a: DeviceArray[f32], x: f32, y: f32):
    if x < y:
        a[0] = 1
    if not x >= y:
        a[1] = 1
    if x != y or x == 1.0:
        a[2] = 1
    if 0 < x <= y < 10.0:
        a[3] = 1


def values(a: DeviceArray[u8], b: DeviceArray[i32], n: i32, m: i32):
    small = n < m
    both = small and m != 3
    loaded = both or b[n] > 0
    chain = 0 <= n < m < 100
    a[0] = u8(small) + u8(both) + u8(loaded) + u8(not chain)
    if small == both and bool(n):
        a[1] = 1
    flag: bool = True
    while flag:
        flag = False


def choices(a: DeviceArray[i32], b: DeviceArray[f32], n: i32, x: f32):
    a[0] = 1 if n > 0 else -1
    a[1] = a[n - 1] if n > 0 else 0
    a[2] = n // 3 if n > 5 else n
    a[3] = select(n > 1 and n < 9, n, 5)
    b[0] = x if x > 0 else 0
    b[1] = (x if n == 1 else -x) if False else 2.0 * (x if n > 0 else 1)
