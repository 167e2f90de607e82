"""Prices of European options by Black and Scholes.

d1 = (log(spot / strike) + (rate + volatility^2 / 2) * years) / (volatility * sqrt(years)),
d2 = d1 - volatility * sqrt(years), N the normal distribution, K = strike * e^(-rate * years):
call = spot * N(d1) - K * N(d2),  put = K * N(-d2) - spot * N(-d1)

Arrays: spot, strike, years, call, put f32[n], all inputs above 0; rate and volatility per year.
Launch: one lane per option.
Accuracy: absolute error at most 2^-20 * (spot + strike) for spot / strike in 0.1 .. 10, years <= 10,
volatility in 0.05 .. 1.

N(d) = (1 + erf(d / sqrt(2))) / 2.
"""

from hologram.lang import DeviceArray, erf, exp, f32, fma, get_global_id, log, sqrt, u32

SQRT_HALF = 0.7071067811865476


def black_scholes(
    spot: DeviceArray[f32],
    strike: DeviceArray[f32],
    years: DeviceArray[f32],
    call: DeviceArray[f32],
    put: DeviceArray[f32],
    rate: f32,
    volatility: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        s = spot[i]
        k = strike[i]
        t = years[i]
        spread = volatility * sqrt(t)
        drift = fma(0.5 * volatility, volatility, rate)
        d1 = fma(drift, t, log(s / k)) / spread
        d2 = d1 - spread
        n1 = 0.5 + 0.5 * erf(d1 * SQRT_HALF)
        n2 = 0.5 + 0.5 * erf(d2 * SQRT_HALF)
        discounted = k * exp(-rate * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)
