# What the instructions compute; meaning_test.cc runs one lane of each kernel and knows the answers.
import math
from math import inf as endless

from hologram.lang import (
    DeviceArray,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    inf,
    inline,
    kernel,
    max,
    nan,
    select,
    u8,
    u16,
    u32,
    u64,
)


def floor_divide(out: DeviceArray[i32], a: i32, b: i32):
    out[0] = a // b
    out[1] = a % b
    out[2] = a // 4
    out[3] = a % 4
    out[4] = a // 7
    out[5] = a % 7
    out[6] = a // -3
    out[7] = a % -3


def floor_divide_bytes(out: DeviceArray[i32], a: i8, b: i8):
    out[0] = a // b
    out[1] = a % b
    out[2] = i8(a // 2)


def floor_floats(out: DeviceArray[f32], a: f32, b: f32):
    out[0] = a // b
    out[1] = a % b


def ranges(out: DeviceArray[i32], n: i32):
    for i in range(n):
        out[0] += i
    for i in range(n, -2, -1):
        out[1] += i
    for i in range(2, n, 3):
        out[2] += i
    last = -1
    for last in range(n):
        last += 0
    out[3] = last
    count = 0
    end = n
    for i in range(end):
        end = 0
        count += 1
        if count == 4:
            continue
        if count == 5:
            break
        out[5] += 1
    out[4] = count


def range_of_bytes(out: DeviceArray[i32], n: u8):
    for i in range(0, n, 2):
        out[0] += 1
    for i in range(n, 0, -3):
        out[1] += 1


def nested(out: DeviceArray[i32], n: i32):
    for i in range(n):
        for j in range(i, n):
            if j == 3:
                break
            out[0] += i * 10 + j
        else_count = 0
        while else_count < i:
            else_count += 1
            if else_count == 2:
                continue
            out[1] += 1


def nan_conditions(out: DeviceArray[i32], x: f32, y: f32):
    if x < y:
        out[0] = 1
    if not x < y:
        out[1] = 1
    if x >= y or x < y:
        out[2] = 1
    if not (x >= y or x < y):
        out[3] = 1
    if x != y and not x == y:
        out[4] = 1
    out[5] = 1 if x < y else 2
    below = x < y
    out[6] = i32(not below)
    out[7] = select(x <= y, 1, 2)


def short_circuit(out: DeviceArray[i32], n: i32, d: i32):
    if d != 0 and n // d > 2:
        out[0] = 1
    if d == 0 or n // d > 2:
        out[1] = 1
    safe = d != 0 and n % d == 1
    out[2] = i32(safe)
    out[3] = n // d if d != 0 else -1
    out[4] = i32(0 <= n < 10 <= d)
    out[5] = i32(not (n > 5 or d > 5) or (n == 7 and d == 0))


def casts(bytes: DeviceArray[u8], out: DeviceArray[i64], x: f32, n: i32, w: i64, u: u64):
    bytes[0] = u8(x)
    bytes[1] = u8(n)
    out[0] = i32(w)
    out[1] = i8(n)
    out[2] = u32(n)
    out[3] = i64(u)
    out[4] = u16(w)
    out[5] = i32(x)


def promotions(out: DeviceArray[f64], wide: DeviceArray[i64], u: u32, i: i32, b: u8):
    wide[0] = u + i
    wide[1] = b + b
    wide[2] = i * 2 - u
    out[0] = u / 4
    out[1] = u64(u) / 3
    out[2] = b * 0.5


@kernel(contract=True)
def contracted(out: DeviceArray[f32], a: f32, b: f32, c: f32):
    out[0] = a * b + c
    out[1] = c + a * b
    out[2] = a * b - c
    out[3] = c - a * b
    out[4] = a * b - c * c


def plain(out: DeviceArray[f32], a: f32, b: f32, c: f32):
    out[0] = a * b + c
    out[1] = c - a * b
    out[2] = -(a * b)


def swap(out: DeviceArray[i32], n: i32):
    x = n
    y = 2
    x = (y if x > 3 else x + 1) + x
    y = x if y == 2 else y
    x = x - x * 2
    out[x + 100] = y
    out[0] += out[0] + x


@inline
def swapped(a, b):
    return b, a


@inline
def gcd(a, b) -> i32:
    while b != 0:
        a, b = b, a % b
    return a


@inline
def first_above(values: DeviceArray[i32], n: i32, limit: i32) -> i32:
    for k in range(n):
        if values[k] > limit:
            return k
    return -1


@inline
def distinct(x: i32):
    x += 1
    y = x * 10
    y += 0
    return y


def helpers(out: DeviceArray[i32], a: i32, b: i32):
    x, y = swapped(a, b)
    x, y = swapped(y, x)
    out[0], out[1] = swapped(x, y)
    out[2] = gcd(a, b)
    y = 5
    out[3] = distinct(y) + y
    k = 1
    k, out[k + 6] = 2, 77
    out[5] = first_above(out, 4, 1000000)
    out[6] = first_above(out, 4, 50) if a > 0 else gcd(0, 0)
    p, q, r = a, b, a + b
    p, q, r = r, p, q
    out[7] = p * 10000 + q * 100 + r


def powers(out: DeviceArray[i32], floats: DeviceArray[f32], x: i32, y: f32):
    out[0] = x**2
    out[1] = x**3
    out[2] = x**5
    out[3] = x**0
    out[4] = x**1
    out[5] = x**31
    y2 = y
    y2 **= 2
    floats[0] = y2
    floats[1] = y**3
    floats[2] = y**7
    floats[3] = y**-1
    floats[4] = y**-2
    floats[5] = y**0


LEAST = -inf
NO_NUMBER = float("nan")


def endless_literals(
    floats: DeviceArray[f32],
    doubles: DeviceArray[f64],
    halves: DeviceArray[f16],
    brains: DeviceArray[bf16],
    out: DeviceArray[i32],
    x: f32,
):
    floats[0] = inf
    floats[1] = -inf
    floats[2] = nan
    floats[3] = -nan
    floats[4] = inf if x > 0.0 else LEAST
    floats[5] = max(nan, x)
    floats[6] = x + inf
    floats[7] = float("-inf")
    doubles[0] = endless
    doubles[1] = LEAST
    doubles[2] = NO_NUMBER
    doubles[3] = math.inf
    doubles[4] = f64(x) * -math.inf
    halves[0] = inf
    halves[1] = f16(nan)
    brains[0] = -inf
    brains[1] = nan
    out[0] = i32(inf)
    out[1] = i32(-inf)
    out[2] = i32(nan)
    out[3] = 1 if x < inf else 0
    out[4] = 1 if nan == nan else 0
    out[5] = 1 if x > LEAST else 0
