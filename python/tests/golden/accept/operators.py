from hologram.lang import DeviceArray, i32, kernel


@kernel(contract=True)
def operators(a: DeviceArray[i32], n: i32):
    x = 1 + 2 - 3 * 4 / 5
    x = n // 2 % 3 ** 2
    x = n & 1 | 2 ^ 3
    x = n << 1 >> 2
    x = -n + +n + ~n
    t = not (n < 1 or n <= 2 or n > 3 or n >= 4) and n == 5 and n != 6
    t = 0 <= n < 10 != n
    t = True if t else False
    x += 1
    x -= 1
    x *= 1
    x /= 1
    x //= 1
    x %= 1
    x **= 1
    x &= 1
    x |= 1
    x ^= 1
    x <<= 1
    x >>= 1
    a[n + 1] += x
