# Branches, loops, and what the counter of a loop becomes.
from hologram.lang import DeviceArray, f32, i32, u8, u32, get_global_id

LIMIT = 10


def early_return(a: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i >= n:
        return
    a[i] = 1


def branches(a: DeviceArray[i32], n: i32):
    if n < 0:
        a[0] = 1
    elif n == 0:
        a[0] = 2
    else:
        a[0] = 3


def counters(a: DeviceArray[i32], n: i32):
    for i in range(n):
        a[i] = i
    for j in range(n, 0, -1):
        a[j] = 0
    for k in range(0, n, 3):
        a[k] = 1
    for k in range(0, 30, 3):
        a[k] = 2
    last = 0
    for last in range(LIMIT):
        if last == n:
            break
    a[0] = last


def downward(a: DeviceArray[u32], n: u32):
    for i in range(n, 0, -1):
        a[i - 1] = i
    for i in range(n, 1, -2):
        a[i - 1] = i


def endless(a: DeviceArray[i32], n: i32):
    k = 0
    while True:
        k += 1
        if k % 2 == 0:
            continue
        if k > n:
            break
        a[k] = k
    while k > 0 and a[k] != 5:
        k -= 1
    end = k
    for i in range(end):
        end = i
        a[i] = end
