"""Transforms, filters, networks, quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "discrete Fourier transform with exp(-2j pi)",
    lambda: [(doubles(24) + 1j * doubles(24, seed=2)), np.zeros(24, np.complex128)],
    lambda x, y: np.fft.fft(x),
    """
@kernel
def dft(x: DeviceArray[complex128], y: DeviceArray[complex128]):
    k = get_global_id()
    n = len(x)
    if k < n:
        acc = complex128(0)
        for m in range(n):
            acc += x[m] * exp(-2j * math.pi * k * m / n)
        y[k] = acc
""",
    near=1e-11,
)

program(
    "causal convolution with taps of an array",
    lambda: [floats(50), floats(5, seed=2), zeros(50)],
    lambda x, h, y: np.convolve(x, h)[:50],
    """
@kernel
def fir(x: DeviceArray[f32], h: DeviceArray[f32], y: DeviceArray[f32]):
    n = int(get_global_id())
    if n < len(x):
        s = 0.0
        for k in range(len(h)):
            if n - k >= 0:
                s += h[k] * x[n - k]
        y[n] = s
""",
    near=2e-6,
)

program(
    "moving average over a window",
    lambda: [doubles(40), zeros(40, dtype=np.float64), 2],
    lambda x, y, w: [x[max(i - w, 0) : i + w + 1].mean() for i in range(40)],
    """
@kernel
def smooth(x: DeviceArray[f64], y: DeviceArray[f64], w: i32):
    i = i32(get_global_id())
    n = i32(len(x))
    if i < n:
        lo = max(i - w, 0)
        hi = min(i + w + 1, n)
        s = f64(0)
        for k in range(lo, hi):
            s += x[k]
        y[i] = s / (hi - lo)
""",
    near=1e-14,
)

program(
    "GELU as PyTorch's tanh form",
    lambda: [floats(60, low=-4, high=4), zeros(60)],
    lambda x, y: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    """
K = math.sqrt(2.0 / math.pi)


@kernel
def gelu(x: DeviceArray[f32], y: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        v = x[i]
        y[i] = 0.5 * v * (1.0 + np.tanh(K * (v + 0.044715 * v * v * v)))
""",
    near=1e-5,
)

program(
    "activations chosen by a constant string-free flag",
    lambda: [floats(30), zeros(30), 2],
    lambda x, y, kind: np.where(x > 0, x, np.float32(0.01) * x),
    """
RELU, TANH, LEAKY = 0, 1, 2


@inline
def activate(v: f32, kind: i32) -> f32:
    if kind == RELU:
        return max(v, 0.0)
    if kind == TANH:
        return tanh(v)
    return v if v > 0 else 0.01 * v


@kernel
def forward(x: DeviceArray[f32], y: DeviceArray[f32], kind: i32):
    i = get_global_id()
    if i < len(x):
        y[i] = activate(x[i], kind)
""",
)

program(
    "quantize to int8 with a scale",
    lambda: [floats(50, low=-3, high=3), zeros(50, dtype=np.int8), 0.02],
    lambda x, q, s: np.clip(np.rint(x / np.float32(s)), -128, 127).astype(np.int8),
    """
@kernel
def quantize(x: DeviceArray[f32], q: DeviceArray[i8], scale: f32):
    i = get_global_id()
    if i < len(x):
        q[i] = i8(max(-128.0, min(127.0, round(x[i] / scale))))
""",
)

program(
    "product of two int8 rows in int32",
    lambda: [
        integers(6, 40, low=-128, high=128, dtype=np.int8),
        integers(6, 40, low=-128, high=128, seed=2, dtype=np.int8),
        zeros(6, dtype=np.int32),
    ],
    lambda a, b, o: (a.astype(np.int32) * b.astype(np.int32)).sum(1),
    """
@kernel
def dot_rows(a: DeviceArray[i8, 2], b: DeviceArray[i8, 2], out: DeviceArray[i32]):
    i = get_global_id()
    if i < len(out):
        acc = 0
        for k in range(a.shape[1]):
            acc += i32(a[i, k]) * i32(b[i, k])
        out[i] = acc
""",
)

program(
    "great-circle distance in f64",
    lambda: [doubles(20, 4, low=-90, high=90), zeros(20, dtype=np.float64)],
    lambda p, o: haversine(p),
    """
EARTH_RADIUS_KM = 6371.0088


@inline
def radians(deg):
    return deg * math.pi / 180


@kernel
def haversine(p: DeviceArray[f64, 2], out: DeviceArray[f64]):
    i = get_global_id()
    if i < p.shape[0]:
        lat1, lon1, lat2, lon2 = radians(p[i, 0]), radians(p[i, 1]), radians(p[i, 2]), radians(p[i, 3])
        dlat = lat2 - lat1
        dlon = lon2 - lon1
        a = math.sin(dlat / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(dlon / 2) ** 2
        out[i] = 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(a))
""",
    near=1e-12,
)


def haversine(p: Any) -> Any:
    a1, o1, a2, o2 = np.radians(p).T
    a = np.sin((a2 - a1) / 2) ** 2 + np.cos(a1) * np.cos(a2) * np.sin((o2 - o1) / 2) ** 2
    return 2 * 6371.0088 * np.arcsin(np.sqrt(a))


program(
    "polynomial with coefficients from NumPy",
    lambda: [doubles(20), zeros(20, dtype=np.float64)],
    lambda x, y: np.polyval([2.5, -1.25, 0.1, 3.0], x),
    """
COEFFS = np.array([2.5, -1.25, 0.1, 3.0], dtype=np.float64)


@kernel
def polyval(x: DeviceArray[f64], y: DeviceArray[f64]):
    i = get_global_id()
    if i < len(x):
        acc = f64(0.0)
        for c in COEFFS:
            acc = acc * x[i] + c
        y[i] = acc
""",
)

program(
    "five-point Gauss rule with zip of two tables",
    lambda: [doubles(10, low=1, high=2), zeros(10, dtype=np.float64)],
    lambda b, o: np.exp(b) - 1,
    """
NODES = (-0.906179845938664, -0.538469310105683, 0.0, 0.538469310105683, 0.906179845938664)
WEIGHTS = (0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366, 0.236926885056189)


@kernel
def gauss(b: DeviceArray[f64], out: DeviceArray[f64]):
    i = get_global_id()
    if i < len(b):
        half = b[i] / 2
        out[i] = half * sum(w * math.exp(half + half * t) for t, w in zip(NODES, WEIGHTS))
""",
    near=1e-9,
)
