"""Prices of a million options with the kernel of the standard library, against NumPy in f64.

usage: black_scholes.py [OPTIONS]

Prints the time of both and the largest difference; exit 1 beyond the bound that the kernel states.
"""

import math
import sys
import time

import numpy as np
from numpy.typing import NDArray

import hologram as hg

RATE, VOLATILITY = 0.03, 0.25
Array = NDArray[np.float64]


def reference(spot: Array, strike: Array, years: Array) -> Array:
    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    normal = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    price: Array = spot * normal(d1) - strike * np.exp(-RATE * years) * normal(d1 - spread)
    return price


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    price = hg.kernels.black_scholes
    rng = np.random.default_rng(5)
    spot = rng.uniform(50, 150, n).astype(np.float32)
    strike = rng.uniform(50, 150, n).astype(np.float32)
    years = rng.uniform(0.1, 5, n).astype(np.float32)
    call, put = np.empty_like(spot), np.empty_like(spot)
    arguments = (spot, strike, years, call, put, RATE, VOLATILITY, n)
    price(*arguments)
    start = time.perf_counter()
    price(*arguments)
    ours = time.perf_counter() - start
    few = slice(0, 20_000)
    exact = reference(*(array[few].astype(np.float64) for array in (spot, strike, years)))
    error = np.abs(call[few] - exact) / (spot[few] + strike[few])
    print(f"{price.path}: {n} options in {ours * 1e3:.2f} ms, {n / ours / 1e6:.0f} million/s")
    print(f"largest error of a call: {error.max() * 2**20:.2f} of the bound")
    # put - call = K - spot, whatever the model
    parity = put - call - (strike * np.exp(-RATE * years) - spot)
    print(f"largest gap in put-call parity: {np.abs(parity).max():.1e}")
    return 0 if error.max() <= 2**-20 else 1


if __name__ == "__main__":
    sys.exit(main())
