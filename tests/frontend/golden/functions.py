# Functions, casts, ids, atomics, shared memory.
from hologram.lang import (
    DeviceArray, abs, absf, atan2, atan2f, atomic_add, atomic_add_u32, atomic_exchange, atomic_max,
    atomic_min, barrier, ceil, erf, erff, exp, exp2, exp2f, expf, expm1, expm1f, f32, f64, floor, fma,
    get_block_dim, get_block_id, get_global_id, get_grid_dim, get_local_id, i8, i32, i64, kernel,
    log1p, log1pf, max, min, pow, powf, round, shared, sigmoid, sqrt, trunc, u8, u32, u64,
)

FAST = True
BLOCK = 64


def mathematics(a: DeviceArray[f32], d: DeviceArray[f64], b: DeviceArray[i32], x: f32, y: f64, n: i32, u: u32):
    a[0] = sqrt(x) + exp(x) + exp(x, fast=True) + sigmoid(x, fast=FAST) + sigmoid(x, fast=False)
    a[1] = floor(x) + ceil(x) + round(x) + trunc(x) + abs(x) + absf(x) + expf(1)
    a[2] = min(x, 1) + max(x, 0.5) + fma(x, 2.0, x)
    d[0] = exp(y) + max(x, y) + sqrt(y)
    b[0] = abs(n) + min(n, 3) + i32(abs(u))


def more_mathematics(a: DeviceArray[f32], d: DeviceArray[f64], x: f32, y: f64):
    a[0] = erf(x) + erff(x) + erf(x, fast=True) + exp2(x) + exp2f(x) + exp2(x, fast=True)
    a[1] = expm1(x) + expm1f(x) + expm1(x, fast=True) + log1p(x) + log1pf(x) + log1p(x, fast=True)
    a[2] = pow(x, 0.5) + powf(2, x) + pow(x, x, fast=True) + x**2 + 2**x
    a[3] = atan2(x, 1) + atan2f(1.0, x) + atan2(x, x, fast=True)
    a[4] **= 3
    d[0] = erf(y) + exp2(y) + expm1(y) + log1p(y) + pow(x, y) + y**x + atan2(y, x)


def casts(a: DeviceArray[u8], b: DeviceArray[i32], x: f32, w: i64, n: i32, u: u32):
    a[0] = u8(x)
    a[1] = u8(n)
    a[2] = u8(300) + u8(-5)
    b[0] = i32(w) + i32(u) + i32(2.9) + i32(i8(n))
    b[1] = i32(n < 3)


def ids(a: DeviceArray[u32], b: DeviceArray[u64]):
    i: u64 = get_global_id()
    a[get_global_id(1)] = get_local_id() + get_block_id(2) + get_block_dim() + get_grid_dim()
    b[i] = i
    k = get_global_id()
    k += 1
    a[k] = get_global_id()


def atomics(a: DeviceArray[u32], b: DeviceArray[i64], n: u32):
    atomic_add(a, n + 1, 1)
    atomic_add_u32(a, n)
    old = atomic_max(b, 0, -3)
    b[1] = atomic_exchange(b, 2, old)
    tile = shared(i32, 4)
    atomic_min(tile, 3, 7)


@kernel(block=BLOCK)
def sums(src: DeviceArray[f32], dst: DeviceArray[f32]):
    tile = shared(f32, BLOCK * 2)
    flags = shared(u8, 16)
    t = get_local_id()
    tile[t] = src[get_global_id()]
    flags[0] = 1
    barrier()
    tile[t] *= 2
    dst[get_global_id()] = tile[t + 1]


@kernel(contract=True)
def contracted(a: DeviceArray[f32], n: DeviceArray[i32], x: f32, y: f32):
    a[0] = x * y + a[1]
    a[1] = a[1] - x * y
    a[2] = x * x - y * y
    a[3] = (x * y) + 1
    n[0] = n[1] * n[2] + n[3]
