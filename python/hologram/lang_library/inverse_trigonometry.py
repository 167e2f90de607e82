"""Inverse sine, cosine and tangent.

With P by Remez exchange (docs/math.md), asin x = x + x^3 P(x^2) up to 1/2; beyond, asin x is
pi/2 - 2 asin s with s^2 = (1 - x) / 2, which is exact. Forms of f32 are computed in f64.
"""

from hologram.lang import abs, atan2, copysign, f32, f64, fma, inline, select, sqrt


@inline
def _arcsine_short(z: f64) -> f64:
    p = fma(0.03469271973204305, z, 0.007469323010293889)
    p = fma(p, z, 0.02461830280218514)
    p = fma(p, z, 0.030110261556062678)
    p = fma(p, z, 0.04466016289822606)
    p = fma(p, z, 0.07499948158289696)
    return fma(p, z, 0.16666667189808151)


@inline
def _arcsine(z: f64) -> f64:
    p = fma(0.032675772957463906, z, -0.0210754748622407)
    p = fma(p, z, 0.021762192320171257)
    p = fma(p, z, 0.0036835884425987318)
    p = fma(p, z, 0.010786381915467231)
    p = fma(p, z, 0.011397802672131273)
    p = fma(p, z, 0.013980958138103738)
    p = fma(p, z, 0.01735160037258039)
    p = fma(p, z, 0.02237221564441312)
    p = fma(p, z, 0.03038194268419238)
    p = fma(p, z, 0.04464285717510849)
    p = fma(p, z, 0.07499999999970275)
    return fma(p, z, 0.16666666666666763)


@inline
def asin__f32(x: f32) -> f32:
    a = f64(abs(x))
    large = a > 0.5
    z = select(large, fma(a, -0.5, 0.5), a * a)
    base = select(large, sqrt(z), a)
    angle = fma(base * z, _arcsine_short(z), base)
    angle = select(large, fma(angle, -2.0, 1.5707963267948966), angle)
    return f32(angle * copysign(f64(1.0), f64(x)))


@inline
def acos__f32(x: f32) -> f32:
    a = f64(abs(x))
    large = a > 0.5
    z = select(large, fma(a, -0.5, 0.5), a * a)
    base = select(large, sqrt(z), a)
    angle = fma(base * z, _arcsine_short(z), base) * copysign(f64(1.0), f64(x))
    below = select(x < 0, f64(3.141592653589793), f64(0.0))
    return f32(select(large, fma(angle, 2.0, below), 1.5707963267948966 - angle))


# What the root is wrong by, s + correction = sqrt(z): beside 0 both are 0.
@inline
def _root_correction(root: f64, z: f64) -> f64:
    return fma(-root, root, z) * (0.5 / select(root == 0, 1.0, root))


@inline
def asin__f64(x: f64) -> f64:
    a = abs(x)
    large = a > 0.5
    z = select(large, fma(a, -0.5, 0.5), a * a)
    root = sqrt(z)
    base = select(large, root, a)
    rest = base * z * _arcsine(z)
    twice = 2.0 * root
    high = 1.5707963267948966 - twice
    low = (1.5707963267948966 - high) - twice
    low += fma(rest + _root_correction(root, z), -2.0, 6.123233995736766e-17)
    return select(large, high + low, a + rest) * copysign(f64(1.0), x)


@inline
def acos__f64(x: f64) -> f64:
    a = abs(x)
    large = a > 0.5
    z = select(large, fma(a, -0.5, 0.5), a * a)
    root = sqrt(z)
    base = select(large, root, a)
    rest = base * z * _arcsine(z) + select(large, _root_correction(root, z), f64(0.0))
    # start - (x + rest), start + 2 (root + rest) on the left and right sides.
    start = select(large, select(x < 0, f64(3.141592653589793), f64(0.0)), f64(1.5707963267948966))
    short = select(
        large, select(x < 0, f64(1.2246467991473532e-16), f64(0.0)), f64(6.123233995736766e-17)
    )
    side = copysign(f64(1.0), x)
    step = select(large, 2.0 * root, -a) * side
    rest *= select(large, f64(2.0), f64(-1.0)) * side
    high = start + step
    low = select(large and x > 0, f64(0.0), (start - high) + step)
    return high + (low + (short + rest))


@inline
def atan__f32(x: f32) -> f32:
    return f32(atan2(f64(x), 1.0))


@inline
def atan__f64(x: f64) -> f64:
    return atan2(x, 1.0)
