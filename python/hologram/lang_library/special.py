"""erfc and lgamma. Forms of f32 are computed in f64."""

from hologram.lang import (
    abs,
    bitcast,
    erf,
    exp,
    f32,
    f64,
    fma,
    i32,
    inf,
    inline,
    log,
    round,
    select,
    sin,
    u64,
)


# (1 + 2 a) e^(a^2) erfc a for a from 0 to 10.25, t = (a - 3) / (a + 3)
@inline
def _scaled_erfc_short(t: f64) -> f64:
    p = fma(3.302107668683408e-05, t, 0.00012650943575648284)
    p = fma(p, t, -0.00012683039623686537)
    p = fma(p, t, -0.0007899097619855397)
    p = fma(p, t, 0.0018943617400908512)
    p = fma(p, t, 0.0025335329002247895)
    p = fma(p, t, -0.02377107122588997)
    p = fma(p, t, 0.06830736681702612)
    p = fma(p, t, -0.11927365198084615)
    p = fma(p, t, 0.12964520112522102)
    p = fma(p, t, -0.047562293902967887)
    p = fma(p, t, -0.13562110689676318)
    return fma(p, t, 1.2530080582660177)


@inline
def erfc__f32(x: f32) -> f32:
    a = f64(abs(x))
    a = select(a > 10.25, 10.25, a)
    scaled = _scaled_erfc_short((a - 3.0) / (a + 3.0))
    tail = exp(-(a * a)) * scaled / fma(a, 2.0, 1.0)
    return f32(select(x < 0, 2.0 - tail, tail))


# The same from 1/2 to 27.5, t = (a - 3.75) / (a + 3.75), less its value at t = 0, over t
@inline
def _scaled_erfc(t: f64) -> f64:
    p = fma(-3.880524464206511e-09, t, -2.8230017333367154e-09)
    p = fma(p, t, 3.712992850797163e-08)
    p = fma(p, t, 2.2160491765931606e-08)
    p = fma(p, t, -2.578696569526697e-07)
    p = fma(p, t, -5.657572205418259e-08)
    p = fma(p, t, 1.7516507647543006e-06)
    p = fma(p, t, -9.736953959449944e-07)
    p = fma(p, t, -1.1444399441033348e-05)
    p = fma(p, t, 2.238418909548785e-05)
    p = fma(p, t, 5.164925094482328e-05)
    p = fma(p, t, -0.0002901540387271326)
    p = fma(p, t, 0.00029371361959191046)
    p = fma(p, t, 0.0017556258405854357)
    p = fma(p, t, -0.00974657955007905)
    p = fma(p, t, 0.02836227742083408)
    p = fma(p, t, -0.05869339859040578)
    p = fma(p, t, 0.09230432116022971)
    p = fma(p, t, -0.1088039301417116)
    p = fma(p, t, 0.08227673849015037)
    p = fma(p, t, 0.003585415485463736)
    return fma(p, t, -0.14024059858554702)


# e^-(a^2) = 2^n (1 + r + grown) with the low part of the square in r and grown; near 0, where the
# quotient t loses too much, 1 - erf x.
@inline
def erfc__f64(x: f64) -> f64:
    a = abs(x)
    a = select(a > 27.5, 27.5, a)
    square = a * a
    n = fma(square, -1.4426950408889634, 6755399441055744.0) - 6755399441055744.0
    rest = fma(n, -0.6931471805599453, -square)
    low = fma(n, -2.3190468138462996e-17, -fma(a, a, -square))
    r = rest + low
    low += rest - r
    p = fma(1.1470745597729725e-11, r, 1.6059043836821613e-10)
    p = fma(p, r, 2.08767569878681e-09)
    p = fma(p, r, 2.505210838544172e-08)
    p = fma(p, r, 2.755731922398589e-07)
    p = fma(p, r, 2.7557319223985893e-06)
    p = fma(p, r, 2.48015873015873e-05)
    p = fma(p, r, 0.0001984126984126984)
    p = fma(p, r, 0.001388888888888889)
    p = fma(p, r, 0.008333333333333333)
    p = fma(p, r, 0.041666666666666664)
    p = fma(p, r, 0.16666666666666666)
    p = fma(p, r, 0.5)
    grown = fma(r * r, p, low)
    t = (a - 3.75) / (a + 3.75)
    part = t * _scaled_erfc(t)
    high = 1.2375126308378275 + part
    low = (1.2375126308378275 - high) + part + 1.0528031482433012e-16
    below = fma(a, 2.0, 1.0)
    tail = high / below
    lost = fma(a, 2.0, 1.0 - below)
    rest = (fma(-tail, below, high) + (low - tail * lost)) / below
    # times 1 + r + grown
    product = tail * r
    sum = tail + product
    rest = fma(rest, r + grown, rest)
    rest += ((tail - sum) + product) + fma(tail, r, -product) + tail * grown
    sum += rest
    half = round(n * 0.5)
    first = bitcast(f64, (bitcast(u64, half + 6755399441055744.0) << 52) + 0x3FF0000000000000)
    other = bitcast(f64, (bitcast(u64, n - half + 6755399441055744.0) << 52) + 0x3FF0000000000000)
    near = sum * first * other
    far = select(x < 0, 2.0 - near, near)
    return select(a < 0.5, 1.0 - erf(x), far)


# lgamma (2 + u) / u for u from -1/2 to 1/2, less its value at u = 0, over u
@inline
def _near_two(u: f64) -> f64:
    p = fma(-1.3613118451201026e-07, u, 2.788017943262632e-07)
    p = fma(p, u, -4.2810148618476824e-07)
    p = fma(p, u, 9.199880183125636e-07)
    p = fma(p, u, -2.045977454619491e-06)
    p = fma(p, u, 4.3847327149802505e-06)
    p = fma(p, u, -9.438191282583087e-06)
    p = fma(p, u, 2.0505584195281368e-05)
    p = fma(p, u, -4.4926390533326526e-05)
    p = fma(p, u, 9.945767442289632e-05)
    p = fma(p, u, -0.00022315474732960742)
    p = fma(p, u, 0.000509669515347048)
    p = fma(p, u, -0.0011927539121672878)
    p = fma(p, u, 0.0028905103310368067)
    p = fma(p, u, -0.007385551028664097)
    p = fma(p, u, 0.020580808427780335)
    p = fma(p, u, -0.06735230105319817)
    return fma(p, u, 0.32246703342411326)


# (lgamma a - (a - 1/2) log a + a - log(2 pi) / 2) a for a from 8 on, z = 1 / a^2
@inline
def _stirling(z: f64) -> f64:
    p = fma(0.00506925625540309, z, -0.0018905402502079494)
    p = fma(p, z, 0.0008414728534873363)
    p = fma(p, z, -0.000595236606974557)
    p = fma(p, z, 0.000793650789834893)
    p = fma(p, z, -0.002777777777774099)
    return fma(p, z, 0.08333333333333333)


# From 1/2 up to 5/2 about the root that is near, below through lgamma (1 + a), from 5/2 to 8
# through lgamma (a - m), then Stirling; negative x by reflection, in f64 from -1/2 on.
@inline
def lgamma__f32(x: f32) -> f32:
    a = f64(abs(x))
    y = a
    product = f64(1.0)
    for _step in range(6):
        large = y > 2.5
        y = select(large, y - 1.0, y)
        product = select(large, product * y, product)
    below = y < 1.5
    tiny = y < 0.5
    u = select(tiny, y, select(below, y - 1.0, y - 2.0))
    factor = select(tiny, y * (1.0 + y), select(below, y, product))
    far = a >= 8
    logarithm = log(select(far, a, factor))
    near = fma(u, fma(u, _near_two(u), 0.42278433509846713), select(below, -logarithm, logarithm))
    inverse = 1.0 / a
    series = fma(inverse, _stirling(inverse * inverse), 0.4189385332046727)
    positive = select(far, fma(a - 0.5, logarithm - 1.0, series), near)
    sine = abs(sin((a - round(a)) * 3.141592653589793))
    negative = log(3.141592653589793 / (a * sine)) - positive
    return f32(select(a == inf, inf, select(x < 0, negative, positive)))


# (lgamma a - its minimum) / v^2 for a from 5/4 to 7/4, v = a - its place
@inline
def _near_minimum(v: f64) -> f64:
    p = fma(0.00011111562413561587, v, -0.00023514066205019296)
    p = fma(p, v, 0.0003581541024826205)
    p = fma(p, v, -0.0005539542162303605)
    p = fma(p, v, 0.0008778148936711507)
    p = fma(p, v, -0.0014022395160236375)
    p = fma(p, v, 0.0022597785411794294)
    p = fma(p, v, -0.0036845702925748835)
    p = fma(p, v, 0.0061005357867646055)
    p = fma(p, v, -0.010314223024713584)
    p = fma(p, v, 0.01797067511714817)
    p = fma(p, v, -0.032788541088558845)
    p = fma(p, v, 0.06462494023890655)
    p = fma(p, v, -0.14758772299453057)
    return fma(p, v, 0.4838361227238106)


@inline
def _log_series(z: f64) -> f64:
    p = fma(0.13251870189880582, z, 0.13250058687898306)
    p = fma(p, z, 0.1538709339177168)
    p = fma(p, z, 0.18181775605321934)
    p = fma(p, z, 0.2222222264754729)
    p = fma(p, z, 0.2857142856908093)
    p = fma(p, z, 0.40000000000006264)
    return fma(p, z, 0.6666666666666666)


# The logarithm of a normal number as a sum
@inline
def _log_pair(x: f64) -> tuple[f64, f64]:
    bits = bitcast(u64, x) - 0x3FE6A09E667F3BCD
    # the exponent, biased by 2048 so that it is not negative
    e = f64(i32((bits + 0x8000000000000000) >> 52) - 2048)
    m = bitcast(f64, (bits & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD)
    f = m - 1.0
    d = f + 2.0
    s = f / d
    low = (fma(-s, d, f) - s * (f - (d - 2.0))) / d
    z = s * s
    first = e * 0.6931471803691238
    second = 2.0 * s
    high = first + second
    rest = (first - high) + second
    low = fma(s * z, _log_series(z), 2.0 * low)
    return high, rest + fma(e, 1.9082149292705877e-10, low)


@inline
def lgamma__f64(x: f64) -> f64:
    a = abs(x)
    y = a
    product = f64(1.0)
    lost = f64(0.0)
    for _step in range(6):
        large = y > 2.5
        y = select(large, y - 1.0, y)
        longer = product * y
        lost = select(large, fma(product, y, -longer) + lost * y, lost)
        product = select(large, longer, product)
    below = y < 1.5
    tiny = y < 0.5
    u = select(tiny, x, select(below, y - 1.0, y - 2.0))
    above = 1.0 + x
    factor = select(tiny, a * above, select(below, y, product))
    lost = select(tiny, fma(a, above, -factor) + a * (x - (above - 1.0)), select(below, 0.0, lost))
    far = a >= 8
    subnormal = factor < 2.0**-1000
    argument = select(far, a, select(subnormal, factor * 2.0**100, factor))
    high, low = _log_pair(argument)
    # near: u R(u) with the constant term apart, and the logarithm
    side = select(below, f64(-1.0), f64(1.0))
    shift = select(subnormal, f64(69.31471805599453), f64(0.0))
    part = fma(u * u, _near_two(u), u * 4.942915152430645e-18)
    start = side * (high - shift)
    curve = u * 0.42278433509846713
    bent = fma(u, 0.42278433509846713, -curve)
    top = start + curve
    larger = abs(start) > abs(curve)
    error = select(larger, (start - top) + curve, (curve - top) + start)
    near = top + (error + (part + (bent + side * (low + lost / factor))))
    # Between the roots these would nearly cancel.
    v = (a - 1.4616321449683622) - 9.549995429965697e-17
    valley = fma(v * v, _near_minimum(v), 3.364991468473138e-18) - 0.12148629053584961
    near = select((a > 1.25) and (a < 1.75), valley, near)
    # far: (a - 1/2) (log a - 1) with all its bits, and the series
    m = a - 0.5
    q = high - 1.0
    scaled = m * q
    error = fma(m, q, -scaled) + m * (((high - q) - 1.0) + low)
    inverse = 1.0 / a
    series = fma(inverse, _stirling(inverse * inverse), 0.4189385332046727)
    distant = select(scaled == inf, inf, scaled + (error + series))
    positive = select(far, distant, near)
    f = a - round(a)
    turn = f * 3.141592653589793
    sine = abs(sin(turn))
    negative = log(3.141592653589793 / (a * sine)) - positive
    negative = select(tiny, near, select(sine == 0, inf, negative))
    return select((a == 0) or (a == inf), inf, select(x < 0, negative, positive))
