# Every operator in the types it has; literals take the type of what stands beside them.
from hologram.lang import DeviceArray, f32, f64, i32, i64, u8, u32, u64


def integers(a: DeviceArray[i32], n: i32, m: i32):
    a[0] = n + m * 3 - 1
    a[1] = n & m | n ^ 7
    a[2] = n << 2 >> m
    a[3] = -n + ~m + +n
    a[4] = n // m
    a[5] = n % m
    a[6] = n // 7
    a[7] = n % 8
    a[8] = n // 16


def unsigned(a: DeviceArray[u32], n: u32, m: u32):
    a[0] = n // m + n % m
    a[1] = -n
    a[2] = n >> 3


def floats(a: DeviceArray[f32], x: f32, n: i32):
    a[0] = x / 3 + 0.1
    a[1] = x // 2.5
    a[2] = x % 2.5
    a[3] = x * n
    a[4] = n / 3
    a[5] = -x


def promotions(a: DeviceArray[i64], b: DeviceArray[f64], u: u32, i: i32, w: u64, c: u8, x: f32, y: f64):
    a[0] = u + i
    a[1] = c + i
    a[2] = i
    b[0] = x + y
    b[1] = w / 2
    b[2] = x


def bytes_wrap(a: DeviceArray[u8], n: u32):
    a[n] = a[n + 1] + a[n + 2]
    a[n] += 1


def folded(a: DeviceArray[u32], b: DeviceArray[f32]):
    a[0] = 2**10 - 1 - 7 // 2 % 3
    a[1] = 1 << 20 | 5
    b[0] = 1 / 3 * 2
    b[1] = -(2.5 // 1)


def powers(a: DeviceArray[i32], b: DeviceArray[f32], n: i32, x: f32):
    a[0] = n**5
    a[1] **= 2
    b[0] = x**2
    b[1] = x**-3
    b[2] = x**0.5
    b[3] = x**17
    b[4] = x**n
    b[5] = 2.0**n
