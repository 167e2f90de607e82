"""Bits, integers, text and dates."""

from __future__ import annotations

from typing import Any

import numpy as np

from pasted import floats, integers, program, zeros


def crc(data: Any, table: Any, out: Any) -> Any:
    import zlib

    return np.array([zlib.crc32(data[i].tobytes()) for i in range(len(data))], np.uint32)


program(
    "CRC-32 bit by bit",
    lambda: [integers(10, 16, high=256, dtype=np.uint8), zeros(10, dtype=np.uint32)],
    lambda d, o: crc(d, None, o),
    """
POLY = 0xEDB88320


@kernel
def crc32(data: DeviceArray[u8, 2], out: DeviceArray[u32]):
    r = get_global_id()
    if r < data.shape[0]:
        crc = u32(0xFFFFFFFF)
        for k in range(data.shape[1]):
            crc ^= data[r, k]
            for _ in range(8):
                if crc & 1:
                    crc = (crc >> 1) ^ POLY
                else:
                    crc >>= 1
        out[r] = ~crc
""",
)

program(
    "FNV-1a of rows of bytes",
    lambda: [integers(7, 9, high=256, dtype=np.uint8), zeros(7, dtype=np.uint64)],
    lambda d, o: np.array([fnv(bytes(row)) for row in d], np.uint64),
    """
FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


@kernel
def fnv1a(data: DeviceArray[u8, 2], out: DeviceArray[u64]):
    i = get_global_id()
    if i < len(out):
        h: u64 = FNV_OFFSET
        for byte in data[i]:
            h ^= byte
            h *= FNV_PRIME
        out[i] = h
""",
)


def fnv(row: bytes) -> int:
    h = 0xCBF29CE484222325
    for byte in row:
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


program(
    "finalizer of MurmurHash3",
    lambda: [integers(50, high=2**31, dtype=np.uint32), zeros(50, dtype=np.uint32)],
    lambda x, o: murmur(x),
    """
@inline
def fmix32(h: u32) -> u32:
    h ^= h >> 16
    h *= 0x85EBCA6B
    h ^= h >> 13
    h *= 0xC2B2AE35
    h ^= h >> 16
    return h


@kernel
def mix(x: DeviceArray[u32], out: DeviceArray[u32]):
    i = get_global_id()
    if i < len(x):
        out[i] = fmix32(x[i])
""",
)


def murmur(h: Any) -> Any:
    h = h ^ (h >> np.uint32(16))
    h = h * np.uint32(0x85EBCA6B)
    h = h ^ (h >> np.uint32(13))
    h = h * np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def spread(v: Any) -> Any:
    return sum(((v >> b) & 1) << (2 * b) for b in range(16))


program(
    "Morton code",
    lambda: [
        integers(40, high=65536, dtype=np.uint32),
        integers(40, high=65536, seed=2, dtype=np.uint32),
        zeros(40, dtype=np.uint32),
    ],
    lambda x, y, o: spread(x) | spread(y) << 1,
    """
@inline
def part1by1(n):
    n &= 0x0000FFFF
    n = (n ^ (n << 8)) & 0x00FF00FF
    n = (n ^ (n << 4)) & 0x0F0F0F0F
    n = (n ^ (n << 2)) & 0x33333333
    n = (n ^ (n << 1)) & 0x55555555
    return n


@kernel
def morton(x: DeviceArray[u32], y: DeviceArray[u32], code: DeviceArray[u32]):
    i = get_global_id()
    if i < len(code):
        code[i] = part1by1(x[i]) | (part1by1(y[i]) << 1)
""",
)

program(
    "the fast inverse square root",
    lambda: [floats(40, low=0.01, high=100), zeros(40)],
    lambda x, o: quake(x),
    """
@kernel
def q_rsqrt(number: DeviceArray[f32], out: DeviceArray[f32]):
    tid = get_global_id()
    if tid < number.shape[0]:
        x2 = number[tid] * 0.5
        y = number[tid]
        i = bitcast(i32, y)               # evil floating point bit level hacking
        i = 0x5F3759DF - (i >> 1)
        y = bitcast(f32, i)
        y = y * (1.5 - (x2 * y * y))      # 1st iteration
        out[tid] = y
""",
)


def quake(x: Any) -> Any:
    f = np.float32
    i = np.int32(0x5F3759DF) - (x.view(np.int32) >> 1)
    y = i.view(np.float32)
    return y * (f(1.5) - (x * f(0.5) * y * y))


program(
    "xorshift and a count for pi",
    lambda: [zeros(16, dtype=np.uint32), 200],
    lambda o, n: pi_counts(len(o), n),
    """
@inline
def xorshift32(state: u32):
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state


@kernel
def count_inside(out: DeviceArray[u32], iterations: i32):
    thread_id = get_global_id()
    if thread_id >= len(out):
        return
    state = u32(thread_id * 1664525 + 1013904223)
    inside = 0
    for i in range(iterations):
        state = xorshift32(state)
        x = f32(state >> 8) / (1 << 24)
        state = xorshift32(state)
        y = f32(state >> 8) / (1 << 24)
        if x**2 + y**2 <= 1.0:
            inside += 1
    out[thread_id] = u32(inside)
""",
)


def pi_counts(lanes: int, n: int) -> Any:
    def step(s: int) -> int:
        s ^= s << 13 & 0xFFFFFFFF
        s ^= s >> 17
        return s ^ (s << 5 & 0xFFFFFFFF)

    found = []
    for lane in range(lanes):
        s, inside = (lane * 1664525 + 1013904223) % 2**32, 0
        for _ in range(n):
            s = step(s)
            x = np.float32(s >> 8) / np.float32(1 << 24)
            s = step(s)
            y = np.float32(s >> 8) / np.float32(1 << 24)
            inside += bool(x * x + y * y <= 1)
        found.append(inside)
    return found


program(
    "Euclid's algorithm with a tuple",
    lambda: [
        integers(30, low=1, high=1000),
        integers(30, low=1, high=1000, seed=2),
        zeros(30, dtype=np.int32),
    ],
    lambda a, b, o: np.gcd(a, b),
    """
@inline
def gcd(a: i32, b: i32) -> i32:
    while b != 0:
        a, b = b, a % b
    return a


@kernel
def gcds(a: DeviceArray[i32], b: DeviceArray[i32], out: DeviceArray[i32]):
    i = get_global_id()
    if i < len(out):
        out[i] = gcd(a[i], b[i])
""",
)

program(
    "is_prime with for and else",
    lambda: [np.arange(60, dtype=np.int32), zeros(60, dtype=np.bool_)],
    lambda x, o: [v > 1 and all(v % d for d in range(2, v)) for v in x],
    """
@kernel
def is_prime(n: DeviceArray[i32], out: DeviceArray[bool]):
    i = get_global_id()
    if i < len(n):
        v = n[i]
        prime = v >= 2
        d = 2
        while d * d <= v:
            if v % d == 0:
                prime = False
                break
            d += 1
        out[i] = prime
""",
)

program(
    "is_prime with early returns of True and False",
    lambda: [np.arange(60, dtype=np.int32), zeros(60, dtype=np.int32)],
    lambda x, o: [v > 1 and all(v % d for d in range(2, v)) for v in x],
    """
@inline
def is_prime(n: i32) -> bool:
    if n < 2:
        return False
    if n < 4:
        return True
    if n % 2 == 0 or n % 3 == 0:
        return False
    i = 5
    while i * i <= n:
        if n % i == 0 or n % (i + 2) == 0:
            return False
        i += 6
    return True


@kernel
def count(n: DeviceArray[i32], out: DeviceArray[i32]):
    i = get_global_id()
    if i < len(n):
        out[i] = int(is_prime(n[i]))
""",
)

program(
    "modular power in u64",
    lambda: [integers(20, high=1000, dtype=np.uint64), zeros(20, dtype=np.uint64), 1000003],
    lambda b, o, m: [pow(int(v), 65537, m) for v in b],
    """
@inline
def powmod(base: u64, exp: u64, mod: u64) -> u64:
    result = u64(1)
    base %= mod
    while exp > 0:
        if exp & 1:
            result = result * base % mod
        base = base * base % mod
        exp >>= 1
    return result


@kernel
def pows(b: DeviceArray[u64], out: DeviceArray[u64], m: u64):
    i = get_global_id()
    if i < len(b):
        out[i] = powmod(b[i], 65537, m)
""",
)

program(
    "reverse the bits of a word",
    lambda: [integers(40, high=2**31, dtype=np.uint32), zeros(40, dtype=np.uint32)],
    lambda x, o: [int(f"{int(v):032b}"[::-1], 2) for v in x],
    """
@kernel
def reverse(x: DeviceArray[u32], out: DeviceArray[u32]):
    tid = get_global_id()
    if tid < len(x):
        v = x[tid]
        r: u32 = 0
        for b in range(32):
            r |= ((v >> b) & 1) << (31 - b)
        out[tid] = r
""",
)

program(
    "upper case of ASCII",
    lambda: [
        np.frombuffer(b"Hello, kernel language [z]!", np.uint8).copy(),
        zeros(27, dtype=np.uint8),
    ],
    lambda s, o: np.frombuffer(b"HELLO, KERNEL LANGUAGE [Z]!", np.uint8),
    """
@kernel
def upper(s: DeviceArray[u8], out: DeviceArray[u8]):
    i = get_global_id()
    if i < len(s):
        c = s[i]
        out[i] = c - 32 if ord("a") <= c <= ord("z") else c
""",
)

program(
    "Caesar's cipher that turns back with %",
    lambda: [np.frombuffer(b"abcxyzABCXYZ 09", np.uint8).copy(), -3],
    lambda s, k: np.frombuffer(b"xyzuvwXYZUVW 09", np.uint8),
    """
@kernel
def caesar(text: DeviceArray[u8], shift: i32):
    i = get_global_id()
    if i >= len(text):
        return
    c = i32(text[i])
    if ord('a') <= c <= ord('z'):
        text[i] = u8((c - ord('a') + shift) % 26 + ord('a'))
    elif ord('A') <= c <= ord('Z'):
        text[i] = u8((c - ord('A') + shift) % 26 + ord('A'))
""",
)


def civil(days: Any, o: Any) -> Any:
    import datetime

    first = datetime.date(1970, 1, 1)
    made = [first + datetime.timedelta(days=int(d)) for d in days]
    return np.array([[d.year, d.month, d.day] for d in made], np.int32)


program(
    "date of a number of days",
    lambda: [integers(40, low=-20000, high=40000), zeros(40, 3, dtype=np.int32)],
    civil,
    """
@inline
def civil_from_days(z: i32):
    z += 719468
    era = z // 146097
    doe = z - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    y = yoe + era * 400
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    d = doy - (153 * mp + 2) // 5 + 1
    m = mp + (3 if mp < 10 else -9)
    return y + (m <= 2), m, d


@kernel
def dates(days: DeviceArray[i32], out: DeviceArray[i32, 2]):
    i = get_global_id()
    if i < len(days):
        out[i, 0], out[i, 1], out[i, 2] = civil_from_days(days[i])
""",
)
