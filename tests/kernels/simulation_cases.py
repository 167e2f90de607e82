"""Pictures, grids, bodies and options."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Step, Within, covers
from inputs import F, cover, floats, fma, normal, random

PLANES = ((1, 1), (67, 33), (128, 5))


@covers("image/sobel")
def sobel() -> Cases:
    for width, height in PLANES:
        src = random(width, height).integers(0, 256, (height, width)).astype(np.uint8)
        p = src.astype(np.int32)
        gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
        gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
        dst = np.zeros_like(src)
        dst[1:-1, 1:-1] = np.minimum(np.abs(gx) + np.abs(gy), 255)
        arrays = {"src": src, "dst": np.ones(src.size, np.uint8)}
        scalars = {"width": width, "height": height}
        yield Case(arrays, scalars, [Step("sobel", *cover(width, height))], {"dst": dst})


@covers("image/median5")
def median5() -> Cases:
    for n in (1, 4, 5, 700, 5000):
        x = floats(n)
        medians = np.zeros(n, F)
        if n > 4:
            medians[2:-2] = np.median(np.lib.stride_tricks.sliding_window_view(x, 5), axis=1)
        yield Case({"src": x, "out": np.zeros(n, F)}, {"n": n}, [Step("median5")], {"out": medians})


@covers("simulation/stencil5")
def stencil5() -> Cases:
    for width, height in PLANES:
        src = floats(width * height).reshape(height, width)
        dst = src.copy()
        around = src[1:-1, 1:-1] + src[1:-1, :-2] + src[1:-1, 2:] + src[:-2, 1:-1] + src[2:, 1:-1]
        dst[1:-1, 1:-1] = F(0.2) * around
        arrays = {"src": src, "dst": np.zeros(src.size, F)}
        scalars = {"width": width, "height": height}
        yield Case(arrays, scalars, [Step("stencil5", *cover(width, height))], {"dst": dst})


@covers("simulation/stencil7")
def stencil7() -> Cases:
    for width, height, depth in ((1, 1, 1), (3, 3, 3), (67, 9, 5), (20, 2, 6)):
        src = floats(width * height * depth).reshape(depth, height, width)
        dst, inner = src.copy(), (slice(1, -1),) * 3
        here = src[inner]
        around = src[1:-1, 1:-1, :-2] + src[1:-1, 1:-1, 2:]
        around = around + (src[1:-1, :-2, 1:-1] + src[1:-1, 2:, 1:-1])
        around = around + (src[:-2, 1:-1, 1:-1] + src[2:, 1:-1, 1:-1])
        rate = F(0.15)
        dst[inner] = fma(rate, fma(F(-6), here, around), here)
        arrays = {"src": src, "dst": np.zeros(src.size, F)}
        scalars = {"rate": float(rate), "width": width, "height": height, "depth": depth}
        yield Case(arrays, scalars, [Step("stencil7", *cover(width, height, depth))], {"dst": dst})


def escape_rounds(width: int, height: int, limit: int) -> np.ndarray:
    dx, dy = F(2.5 / width), F(2.5 / height)
    cx = F(-2.0) + np.arange(width).astype(F) * dx
    cy = (F(-1.25) + np.arange(height).astype(F) * dy)[:, None]
    cx, cy = np.broadcast_arrays(cx, cy)
    zx, zy = np.zeros_like(cx), np.zeros_like(cx)
    count = np.zeros(cx.shape, np.uint32)
    live = np.ones(cx.shape, bool)
    for _ in range(limit):
        xx, yy = zx * zx, zy * zy
        live &= ~(xx + yy > F(4))
        zy = np.where(live, fma(zx + zx, zy, cy), zy)
        zx = np.where(live, xx - yy + cx, zx)
        count += live
    return count


@covers("simulation/mandelbrot")
def mandelbrot() -> Cases:
    for width, height in PLANES:
        step = {"dx": float(F(2.5 / width)), "dy": float(F(2.5 / height))}
        view = {"width": width, "height": height, "x0": -2.0, "y0": -1.25, **step, "limit": 60}
        arrays = {"out": np.zeros(width * height, np.uint32)}
        expected = {"out": escape_rounds(width, height, 60)}
        yield Case(arrays, view, [Step("mandelbrot", *cover(width, height))], expected)


@covers("simulation/nbody")
def nbody() -> Cases:
    for n in (1, 2, 100, 333):
        place = {axis: floats(n, key=axis) for axis in "xyz"}
        speed = {f"v{axis}": floats(n, key=f"v{axis}") for axis in "xyz"}
        mass = floats(n, 0, 1, "mass")
        dt, softening = F(0.01), F(1e-3)
        p = np.stack([place[axis].astype(np.float64) for axis in "xyz"])
        off = p[:, None, :] - p[:, :, None]
        pull = mass / ((off**2).sum(0) + softening) ** 1.5
        force, size = (pull * off).sum(2), np.abs(pull * off).sum(2)
        # The differences of places are exact but for one rounding, which the cube triples.
        error = (n + 16) * 2.0**-24 * size * float(dt)
        expected = {}
        for k, axis in enumerate("xyz"):
            old = speed[f"v{axis}"].astype(np.float64)
            new = old + float(dt) * force[k]
            slack = error[k] + 2.0**-23 * (np.abs(old) + np.abs(new))
            expected[f"v{axis}"] = Within(new, slack)
            moved = p[k] + float(dt) * new
            expected[axis] = Within(moved, slack * float(dt) + 2.0**-23 * np.abs(moved))
        scalars = {"n": n, "dt": float(dt), "softening": float(softening)}
        steps = [Step("nbody_velocity"), Step("nbody_position")]
        yield Case({**place, **speed, "mass": mass}, scalars, steps, expected)


@covers("simulation/black_scholes")
def black_scholes() -> Cases:
    for n in (1, 100, 4099):
        spot, years = floats(n, 10, 100, "spot"), floats(n, 0.05, 10, "years")
        strike = (spot * floats(n, 0.1, 10, "ratio")).astype(F)
        for rate, volatility in ((F(0.02), F(0.3)), (F(0.1), F(0.05)), (F(0), F(1))):
            s, k, t = (v.astype(np.float64) for v in (spot, strike, years))
            spread = float(volatility) * np.sqrt(t)
            d1 = (np.log(s / k) + (float(rate) + float(volatility) ** 2 / 2) * t) / spread
            discounted = k * np.exp(-float(rate) * t)
            call = s * normal(d1) - discounted * normal(d1 - spread)
            put = discounted * normal(spread - d1) - s * normal(-d1)
            arrays = {
                "spot": spot, "strike": strike, "years": years,
                "call": np.zeros(n, F), "put": np.zeros(n, F),
            }  # fmt: skip
            scalars = {"n": n, "rate": float(rate), "volatility": float(volatility)}
            bound = 2.0**-20 * (s + k)
            expected = {"call": Within(call, bound), "put": Within(put, bound)}
            yield Case(arrays, scalars, [Step("black_scholes")], expected)
