"""Parts, signs, limits and remainders of numbers."""

from hologram.lang import (
    abs,
    bf16,
    bitcast,
    f16,
    f32,
    f64,
    fma,
    i32,
    inf,
    inline,
    max,
    min,
    nan,
    select,
    sqrt,
    trunc,
    u16,
    u32,
    u64,
)


@inline
def isnan__float(x) -> bool:
    return x != x


@inline
def isinf__float(x) -> bool:
    return abs(x) == inf


@inline
def isfinite__float(x) -> bool:
    return abs(x) < inf


# By min and max, whose bounds the verifier knows.
@inline
def clamp__integer(x, low, high):
    return min(max(x, low), high)


# As in C++: what compares with neither limit stays, NaN and -0 for example.
@inline
def clamp__float(x, low, high):
    return select(x < low, low, select(x > high, high, x))


@inline
def sign__float(x):
    return select(x > 0, 1.0, select(x < 0, -1.0, x + 0.0))  # -0 becomes +0


@inline
def sign__signed(x):
    return min(max(x, -1), 1)


@inline
def sign__unsigned(x):
    return min(x, 1)


@inline
def copysign__f16(x: f16, y: f16) -> f16:
    return bitcast(f16, (bitcast(u16, x) & 0x7FFF) | (bitcast(u16, y) & 0x8000))


@inline
def copysign__bf16(x: bf16, y: bf16) -> bf16:
    return bitcast(bf16, (bitcast(u16, x) & 0x7FFF) | (bitcast(u16, y) & 0x8000))


@inline
def copysign__f32(x: f32, y: f32) -> f32:
    return bitcast(f32, (bitcast(u32, x) & 0x7FFFFFFF) | (bitcast(u32, y) & 0x80000000))


@inline
def copysign__f64(x: f64, y: f64) -> f64:
    low = bitcast(u64, x) & 0x7FFFFFFFFFFFFFFF
    return bitcast(f64, low | (bitcast(u64, y) & 0x8000000000000000))


# Squares of f32 are exact in f64, and so is the sum but for 2^-53 of it.
@inline
def hypot__f32(x: f32, y: f32) -> f32:
    a = f64(x)
    b = f64(y)
    length = f32(sqrt(fma(a, a, b * b)))
    return select((abs(x) == inf) or (abs(y) == inf), inf, length)


# The squares and their sum with what they lose, the root with what it is wrong by. Scaled by 2^600
# where a square leaves the range; a square that vanishes beside the other may.
@inline
def hypot__f64(x: f64, y: f64) -> f64:
    large = max(abs(x), abs(y))
    small = min(abs(x), abs(y))
    scale = select(large > 2.0**500, 2.0**-600, select(large < 2.0**-400, 2.0**600, f64(1.0)))
    a = large * scale
    b = small * scale
    square = a * a
    other = b * b
    total = square + other
    lost = ((square - total) + other) + (fma(a, a, -square) + fma(b, b, -other))
    root = sqrt(total)
    wrong = fma(-root, root, total) + lost
    length = fma(wrong, 0.5 / root, root) * (1.0 / scale)
    length = select(total == 0, total, length)
    length = select((x != x) or (y != y), nan, length)
    return select(large == inf, inf, length)


# The exponent of a finite number above 0, subnormal ones included.
@inline
def _exponent(x: f64) -> i32:
    small = x < 2.0**-1022
    scaled = select(small, x * 2.0**54, x)
    return i32(bitcast(u64, scaled) >> 52) - select(small, 54, 0)


# x less q y 2^k, q a whole number below 2^52, as often as it takes. A rounded quotient makes q at
# most 1 too large, and the difference is exact: it is a multiple of the last place of y 2^k or x,
# and smaller than y 2^k.
@inline
def fmod__f32(x: f32, y: f32) -> f32:
    step = f64(abs(y))
    rest = f64(abs(x))
    for _round in range(7):
        if not rest >= step:
            break
        gap = i32(bitcast(u64, rest) >> 52) - i32(bitcast(u64, step) >> 52)
        scaled = step * bitcast(f64, u64(max(gap - 51, 0) + 1023) << 52)
        rest = fma(-trunc(rest / scaled), scaled, rest)
        rest += select(rest < 0, scaled, f64(0.0))
    good = (abs(x) < inf) and (abs(y) > 0)
    return select(good, copysign__f32(f32(rest), x), nan)


@inline
def fmod__f64(x: f64, y: f64) -> f64:
    step = abs(y)
    rest = abs(x)
    for _round in range(44):
        if not rest >= step:
            break
        shift = max(_exponent(rest) - _exponent(step) - 51, 0)
        half = shift >> 1
        scaled = step * bitcast(f64, u64(half + 1023) << 52)
        scaled *= bitcast(f64, u64(shift - half + 1023) << 52)
        rest = fma(-trunc(rest / scaled), scaled, rest)
        rest += select(rest < 0, scaled, f64(0.0))
    good = (abs(x) < inf) and (abs(y) > 0)
    return select(good, copysign__f64(rest, x), nan)
