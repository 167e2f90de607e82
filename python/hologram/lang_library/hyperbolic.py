"""Hyperbolic functions and their inverses, and the cube root.

Forms of f32 are computed in f64. Polynomials are by Remez exchange (docs/math.md), those of sinh
and cosh are the series.
"""

from hologram.lang import (
    abs,
    bitcast,
    copysign,
    f32,
    f64,
    fma,
    inf,
    inline,
    log,
    log1p,
    nan,
    select,
    sqrt,
    u32,
    u64,
)


# a = n ln 2 + high + low with a whole n and |high| below 0.35; REQUIRES: |a| below 2^20.
@inline
def _reduced(a: f64) -> tuple[f64, f64, f64]:
    n = fma(a, 1.4426950408889634, 6755399441055744.0) - 6755399441055744.0
    rest = fma(n, -0.6931471805599453, a)  # exact
    high = fma(n, -2.3190468138462996e-17, rest)
    return n, high, fma(n, -2.3190468138462996e-17, rest - high)


# 2^n for whole n from -1022 to 1023
@inline
def _power_of_two(n: f64) -> f64:
    return bitcast(f64, (bitcast(u64, n + 6755399441055744.0) << 52) + 0x3FF0000000000000)


# sinh r = r + r^3 S, cosh r = 1 + r^2 C
@inline
def _sinh_series(z: f64) -> f64:
    p = fma(2.8114572543455206e-15, z, 7.647163731819816e-13)
    p = fma(p, z, 1.6059043836821613e-10)
    p = fma(p, z, 2.505210838544172e-08)
    p = fma(p, z, 2.7557319223985893e-06)
    p = fma(p, z, 0.0001984126984126984)
    p = fma(p, z, 0.008333333333333333)
    return fma(p, z, 0.16666666666666666)


@inline
def _cosh_series(z: f64) -> f64:
    p = fma(4.779477332387385e-14, z, 1.1470745597729725e-11)
    p = fma(p, z, 2.08767569878681e-09)
    p = fma(p, z, 2.755731922398589e-07)
    p = fma(p, z, 2.48015873015873e-05)
    p = fma(p, z, 0.001388888888888889)
    p = fma(p, z, 0.041666666666666664)
    return fma(p, z, 0.5)


@inline
def _sinh_series_short(z: f64) -> f64:
    p = fma(2.505210838544172e-08, z, 2.7557319223985893e-06)
    p = fma(p, z, 0.0001984126984126984)
    p = fma(p, z, 0.008333333333333333)
    return fma(p, z, 0.16666666666666666)


@inline
def _cosh_series_short(z: f64) -> f64:
    p = fma(2.755731922398589e-07, z, 2.48015873015873e-05)
    p = fma(p, z, 0.001388888888888889)
    p = fma(p, z, 0.041666666666666664)
    return fma(p, z, 0.5)


# sinh (n ln 2 + r) = cosh (n ln 2) sinh r + sinh (n ln 2) cosh r, and the like for cosh
@inline
def sinh__f32(x: f32) -> f32:
    a = f64(abs(x))
    a = select(a > 100, 100.0, a)
    n, r, _low = _reduced(a)
    up = _power_of_two(n - 1.0)
    down = _power_of_two(-n - 1.0)
    z = r * r
    odd = fma(r * z, _sinh_series_short(z), r)
    even = fma(z, _cosh_series_short(z), 1.0)
    y = fma(up + down, odd, (up - down) * even)
    return f32(y * copysign(f64(1.0), f64(x)))


@inline
def cosh__f32(x: f32) -> f32:
    a = f64(abs(x))
    a = select(a > 100, 100.0, a)
    n, r, _low = _reduced(a)
    up = _power_of_two(n - 1.0)
    down = _power_of_two(-n - 1.0)
    z = r * r
    odd = fma(r * z, _sinh_series_short(z), r)
    even = fma(z, _cosh_series_short(z), 1.0)
    return f32(fma(up + down, even, (up - down) * odd))


# first + second sinh (high + low) + first (cosh (high + low) - 1), times 2^scale. The largest
# product is added with all its bits.
@inline
def _hyperbolic(first: f64, second: f64, high: f64, low: f64, scale: f64) -> f64:
    z = high * high
    odd = fma(high * z, _sinh_series(z), low)
    even = fma(z, _cosh_series(z), high * low)
    product = second * high
    lost = fma(second, high, -product)
    top = first + product
    rest = ((first - top) + product) + lost
    return (top + (rest + fma(first, even, second * odd))) * _power_of_two(scale)


# Above n = 64 the smaller power does not count, and the larger one is split: 2^n may be infinite.
@inline
def sinh__f64(x: f64) -> f64:
    a = abs(x)
    a = select(a > 720, 720.0, a)
    n, high, low = _reduced(a)
    least = select(n > 64, 64.0, n)
    up = _power_of_two(least - 1.0)
    down = _power_of_two(-least - 1.0)
    y = _hyperbolic(up - down, up + down, high, low, n - least)
    return y * copysign(f64(1.0), x)


@inline
def cosh__f64(x: f64) -> f64:
    a = abs(x)
    a = select(a > 720, 720.0, a)
    n, high, low = _reduced(a)
    least = select(n > 64, 64.0, n)
    up = _power_of_two(least - 1.0)
    down = _power_of_two(-least - 1.0)
    return _hyperbolic(up + down, up - down, high, low, n - least)


@inline
def asinh__f32(x: f32) -> f32:
    a = f64(abs(x))
    square = a * a
    y = log1p(a + square / (1.0 + sqrt(square + 1.0)))
    y = select(a == inf, inf, y)
    return f32(y * copysign(f64(1.0), f64(x)))


@inline
def acosh__f32(x: f32) -> f32:
    t = f64(x) - 1.0
    y = log1p(t + sqrt(t * (t + 2.0)))
    return f32(select(t >= 0, y, nan))


@inline
def atanh__f32(x: f32) -> f32:
    a = f64(abs(x))
    y = 0.5 * log1p(2.0 * a / (1.0 - a))
    return f32(y * copysign(f64(1.0), f64(x)))


@inline
def _asinh_small(z: f64) -> f64:
    p = fma(0.0017196780729312176, z, -0.00474989331709063)
    p = fma(p, z, 0.007467153706563043)
    p = fma(p, z, -0.009534724227043987)
    p = fma(p, z, 0.011513121872803686)
    p = fma(p, z, -0.013960253758929017)
    p = fma(p, z, 0.017352389185967463)
    p = fma(p, z, -0.02237213850989803)
    p = fma(p, z, 0.030381943722878637)
    p = fma(p, z, -0.04464285712799272)
    p = fma(p, z, 0.07499999999984616)
    return fma(p, z, -0.1666666666666661)


@inline
def _atanh_small(z: f64) -> f64:
    p = fma(0.2254737159935604, z, -0.15402435205922876)
    p = fma(p, z, 0.1457368308563547)
    p = fma(p, z, 0.014227823896056572)
    p = fma(p, z, 0.059914461928540885)
    p = fma(p, z, 0.057727611765577225)
    p = fma(p, z, 0.06678146849442805)
    p = fma(p, z, 0.07691477644229226)
    p = fma(p, z, 0.09090949449347678)
    p = fma(p, z, 0.11111109854052045)
    p = fma(p, z, 0.14285714308760966)
    p = fma(p, z, 0.19999999999787463)
    return fma(p, z, 0.3333333333333402)


@inline
def _acosh_small(t: f64) -> f64:
    p = fma(4.198432242415468e-07, t, -2.319283677092911e-06)
    p = fma(p, t, 7.29214206470803e-06)
    p = fma(p, t, -1.8622508080753795e-05)
    p = fma(p, t, 4.49731322296075e-05)
    p = fma(p, t, -0.00010906448246363587)
    p = fma(p, t, 0.00027113108102463896)
    p = fma(p, t, -0.0006991293284334332)
    p = fma(p, t, 0.0018988714826798337)
    p = fma(p, t, -0.005580357140999086)
    p = fma(p, t, 0.01874999999996154)
    return fma(p, t, -0.08333333333333305)


# The logarithm of a + sqrt(a^2 + 1), whose low part is added to that of its high part; of 2 a where
# the square would leave the range.
@inline
def asinh__f64(x: f64) -> f64:
    a = abs(x)
    z = a * a
    small = fma(a * z, _asinh_small(z), a)
    total = z + 1.0
    low = select(z > 1, 1.0 - (total - z), z - (total - 1.0)) + fma(a, a, -z)
    root = sqrt(total)
    low = (fma(-root, root, total) + low) * (0.5 / root)
    high = a + root
    low += a - (high - root)
    huge = a > 2.0**28
    y = log(select(huge, a, high)) + select(huge, 0.6931471805599453, low / high)
    return select(a < 0.5, small, y) * copysign(f64(1.0), x)


# Near 1, sqrt(2 t) (1 + t P(t)) with t = x - 1.
@inline
def acosh__f64(x: f64) -> f64:
    t = x - 1.0
    twice = 2.0 * t
    root = sqrt(twice)
    wrong = fma(-root, root, twice) * (0.5 / select(root == 0, 1.0, root))
    small = root + fma(root * t, _acosh_small(t), wrong)
    z = x * x
    total = z - 1.0
    low = ((z - total) - 1.0) + fma(x, x, -z)
    root = sqrt(total)
    low = (fma(-root, root, total) + low) * (0.5 / root)
    high = x + root
    low += root - (high - x)
    huge = x > 2.0**28
    y = log(select(huge, x, high)) + select(huge, 0.6931471805599453, low / high)
    return select(x < 1, nan, select(x < 1.5, small, y))


# Half the logarithm of (1 + a) / (1 - a)
@inline
def atanh__f64(x: f64) -> f64:
    a = abs(x)
    z = a * a
    small = fma(a * z, _atanh_small(z), a)
    above = 1.0 + a
    lost = a - (above - 1.0)
    below = 1.0 - a
    high = above / below
    low = (fma(-high, below, above) + lost) / below
    y = 0.5 * (log(high) + low / high)
    y = select(a == 1, inf, y)
    return select(a < 0.5, small, y) * copysign(f64(1.0), x)


# A third of the exponent and, linearly, of the significand; within 3.3 percent.
@inline
def _cube_root_guess(a: f64) -> f64:
    word = u32(bitcast(u64, a) >> 32) // 3 + 715_094_163
    return bitcast(f64, u64(word) << 32)


# Halley: an error e becomes 2/3 e^3.
@inline
def _cube_root_step(y: f64, a: f64) -> f64:
    cube = y * y * y
    return y * (fma(a, 0.5, cube * 0.25) / fma(cube, 0.5, a * 0.25))


@inline
def cbrt__f32(x: f32) -> f32:
    a = f64(abs(x))
    y = _cube_root_step(_cube_root_step(_cube_root_guess(a), a), a)
    y = select((a > 0) and (a < inf), y, a + a)
    return f32(y * copysign(f64(1.0), f64(x)))


@inline
def cbrt__f64(x: f64) -> f64:
    size = abs(x)
    tiny = size < 2.0**-1000
    huge = size > 2.0**1000
    a = size * select(tiny, f64(2.0**54), select(huge, 2.0**-54, 1.0))
    y = _cube_root_step(_cube_root_step(_cube_root_guess(a), a), a)
    square = y * y
    cube = square * y
    lost = fma(square, y, -cube) + fma(y, y, -square) * y
    y = fma(((a - cube) - lost) / square, 0.3333333333333333, y)
    y *= select(tiny, f64(2.0**-18), select(huge, 2.0**18, 1.0))
    y = select((size > 0) and (size < inf), y, size + size)
    return y * copysign(f64(1.0), x)
