"""Bits of integers. A shift count counts modulo the bits of what is shifted."""

from hologram.lang import bitcast, i8, i16, i32, i64, inline, popc, u8, u16, u32, u64


@inline
def clz__u32(x: u32) -> u32:
    x |= x >> 1
    x |= x >> 2
    x |= x >> 4
    x |= x >> 8
    x |= x >> 16
    return popc(~x)


@inline
def clz__u64(x: u64) -> u64:
    x |= x >> 1
    x |= x >> 2
    x |= x >> 4
    x |= x >> 8
    x |= x >> 16
    x |= x >> 32
    return popc(~x)


@inline
def clz__u8(x: u8) -> u8:
    x |= x >> 1
    x |= x >> 2
    x |= x >> 4
    return popc(~x)


@inline
def clz__u16(x: u16) -> u16:
    x |= x >> 1
    x |= x >> 2
    x |= x >> 4
    x |= x >> 8
    return popc(~x)


@inline
def clz__i8(x: i8) -> i8:
    return bitcast(i8, clz__u8(bitcast(u8, x)))


@inline
def clz__i16(x: i16) -> i16:
    return bitcast(i16, clz__u16(bitcast(u16, x)))


@inline
def clz__i32(x: i32) -> i32:
    return bitcast(i32, clz__u32(bitcast(u32, x)))


@inline
def clz__i64(x: i64) -> i64:
    return bitcast(i64, clz__u64(bitcast(u64, x)))


# The bits below the lowest 1.
@inline
def ctz__integer(x):
    return popc(~x & (x - 1))


@inline
def rotl__u8(x: u8, count: u32) -> u8:
    n = u8(count & 7)
    return (x << n) | (x >> (8 - n))


@inline
def rotl__u16(x: u16, count: u32) -> u16:
    n = u16(count & 15)
    return (x << n) | (x >> (16 - n))


@inline
def rotl__u32(x: u32, count: u32) -> u32:
    return (x << count) | (x >> (32 - count))


@inline
def rotl__u64(x: u64, count: u32) -> u64:
    n = u64(count)
    return (x << n) | (x >> (64 - n))


@inline
def rotr__u8(x: u8, count: u32) -> u8:
    return rotl__u8(x, 8 - count)


@inline
def rotr__u16(x: u16, count: u32) -> u16:
    return rotl__u16(x, 16 - count)


@inline
def rotr__u32(x: u32, count: u32) -> u32:
    return (x >> count) | (x << (32 - count))


@inline
def rotr__u64(x: u64, count: u32) -> u64:
    n = u64(count)
    return (x >> n) | (x << (64 - n))


# The upper half of the product.
@inline
def mulhi__u8(a: u8, b: u8) -> u8:
    return u8((u32(a) * u32(b)) >> 8)


@inline
def mulhi__u16(a: u16, b: u16) -> u16:
    return u16((u32(a) * u32(b)) >> 16)


@inline
def mulhi__u32(a: u32, b: u32) -> u32:
    return u32((u64(a) * u64(b)) >> 32)


# Products of halves; none of the sums is above 2^64.
@inline
def mulhi__u64(a: u64, b: u64) -> u64:
    low_a = a & 0xFFFFFFFF
    low_b = b & 0xFFFFFFFF
    high_a = a >> 32
    high_b = b >> 32
    first = high_a * low_b + ((low_a * low_b) >> 32)
    second = low_a * high_b + (first & 0xFFFFFFFF)
    return high_a * high_b + (first >> 32) + (second >> 32)


@inline
def mulhi__i8(a: i8, b: i8) -> i8:
    return i8((i32(a) * i32(b)) >> 8)


@inline
def mulhi__i16(a: i16, b: i16) -> i16:
    return i16((i32(a) * i32(b)) >> 16)


@inline
def mulhi__i32(a: i32, b: i32) -> i32:
    return i32((i64(a) * i64(b)) >> 32)


# A negative number counts 2^64 too much as an unsigned one.
@inline
def mulhi__i64(a: i64, b: i64) -> i64:
    high = bitcast(i64, mulhi__u64(bitcast(u64, a), bitcast(u64, b)))
    return high - (b & (a >> 63)) - (a & (b >> 63))
