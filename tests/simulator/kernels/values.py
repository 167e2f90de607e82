# Locals, loops, conversions, helpers and types: one lane each, or a few.
from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    constexpr,
    exp,
    f16,
    f32,
    f64,
    fma,
    get_global_id,
    i32,
    i64,
    inline,
    local,
    max,
    select,
    u8,
    u16,
    u32,
    u64,
)

SIZE = 4
HALF = SIZE / 8
T = TypeVar("T", f32, f64, i32)


def first_assignment(out: DeviceArray[f64], n: i32, x: f32):
    if n > 50:
        pass
    if n > 2:
        a = x * 2.0
        b = 1.0
    else:
        a = f32(0.1)
        b = x
    c: f32 = 0.1 if n > 3 else (x if n > 2 else 0.3)
    d: f64 = 0.1 if n > 3 else 2
    out[0] = a
    out[1] = b
    out[2] = c
    out[3] = d
    out[4] = HALF + x


def halves(out: DeviceArray[f16], wide: DeviceArray[bf16], n: i32, x: f32):
    a = f16(x)
    b = bf16(x)
    for k in range(n):
        a = a * a + f16(k)
        b = b * b + bf16(k)
    out[0] = a
    out[1] = f16(b)
    out[2] = f16(a / 3.0)
    out[3] = max(a, 0.5)
    wide[0] = b
    wide[1] = bf16(a)
    wide[2] = fma(b, b, 0.1)
    wide[3] = bf16(n * 1000003)


def loops(out: DeviceArray[i32], n: i32):
    i = 0
    while True:
        i += 1
        if i % 3 == 0:
            continue
        if i > n:
            break
        out[0] += i
    for j in range(n, 0, -2):
        for k in range(j):
            if k == 4:
                break
            out[1] += k * j
    last = n
    for last in range(3):
        out[2] += last
    out[3] = last


def windows(out: DeviceArray[i32], n: i32):
    stack = local(i32, 8)
    for k in range(8):
        stack[k] = n * k % 5
    best = stack[0]
    for k in range(1, 8):
        best = stack[k] if stack[k] > best else best
    out[0] = best
    out[1] = stack[7 - u32(SIZE)]
    stack[1], stack[2] = stack[2], stack[1]
    out[2] = stack[1] * 10 + stack[2]


def casts(out: DeviceArray[i64], bytes: DeviceArray[u8], n: i32, x: f32, w: i64):
    out[0] = i64(x * 1e15)
    out[1] = i32(w)
    out[2] = u32(n)
    out[3] = i64(u64(w))
    out[4] = u16(f64(w) * 0.5)
    bytes[0] = u8(n)
    bytes[1] = u8(x)
    bytes[2] = u8(bool(n)) + u8(n > 2)
    bytes[3] = 200 + u8(n)


@inline
def square(v):
    return v * v


@inline
def clamp(v: f32, low: f32, high: f32) -> f32:
    if v < low:
        return low
    return high if v > high else v


@inline
def fill(target: DeviceArray[f32], first: u32, v: f32):
    for k in range(2):
        target[first + u32(k)] = v


@inline
def both(n):
    n += 1
    return square(n), n


def with_helpers(out: DeviceArray[f32], n: i32, x: f32):
    out[0] = square(x) + f32(square(n))
    out[1] = clamp(x, 0, 1)
    fill(out, 2, clamp(x * 3.0, -1, 2))
    a, b = both(n)
    out[4] = f32(a * 100 + b)
    out[5] = f32(n)
    out[6] = x**3 + x**-2 + f32(n**2)
    out[7] = select(x > 1.0, 1, x)


@inline
def scaled(a: DeviceArray[T], i: u32, by: T) -> T:
    return a[i] * by


def generic(a: DeviceArray[T], out: DeviceArray[T], times: constexpr = 3):
    i = get_global_id()
    if i < 8:
        total = a[i]
        for _k in range(times):
            total += scaled(a, i, 2)
        out[i] = total


def exponentials(out: DeviceArray[f64], x: f32):
    out[0] = exp(x)
    out[1] = exp(f64(x))
    out[2] = exp(f16(x))
    out[3] = exp(bf16(x), fast=True)
    out[4] = exp(x, fast=True)


@inline
def row_sum(m: DeviceArray[f32, 2], row: u32) -> f32:
    total: f32 = 0.0
    for column in range(m.shape[1]):
        total += m[row, column]
    return total


def ranked(a: DeviceArray[f32, 2], out: DeviceArray[f32, 2], cube: DeviceArray[i32, 3]):
    t = get_global_id()
    table = local(f32, (2, 3))
    rows, columns = out.shape
    table[1, 2] = 0.5
    table[0, 1] += table[1, 2]
    if t < rows * columns:
        i, j = t // columns, t % columns
        out[i, j] = a[i, j] + row_sum(a, i) * table[0, 1]
        out[i, j] *= f32(len(a))
    if t < len(cube):
        cube[t, 1, 0] = i32(t) + i32(cube.shape[2])
