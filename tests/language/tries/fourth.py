"""Forms of a fourth round: shifts by counts of another type, NumPy's `where` by its plain name, literals passed to
helpers whose parameters are f64."""

from __future__ import annotations

import numpy as np

from tries import N, form

i = np.arange(N)
u = np.uint32

form(
    "u32 shifted right by an i32",
    "u",
    "b = 3\ny[i] = (x[i] >> b) & 15",
    lambda x: (x >> u(3)) & u(15),
)
form(
    "xorshift with counts of a loop",
    "u",
    "r = x[i]\nfor k in range(1, 6):\n    r ^= r << k\n    r ^= r >> k\ny[i] = r",
    lambda x: mixed(x),
)
form(
    "set bit k",
    "u",
    "m = x[i]\nfor k in range(0, 8, 2):\n    m |= 1 << k\ny[i] = m",
    lambda x: x | u(0b01010101),
)
form("clear bit k", "u", "k = 3\ny[i] = x[i] & ~(1 << k)", lambda x: x & ~u(8))
form("the lowest k bits", "u", "k = 4\ny[i] = x[i] & ((1 << k) - 1)", lambda x: x & u(15))
form("a bit with a type", "u", "k = 31\nbit: u32 = 1 << k\ny[i] = bit", lambda x: 0 * x + u(2**31))
form("i32 shifted by a lane", "i", "y[i] = (x[i] << (i % 4)) >> (i % 4)", lambda x: x)
form(
    "i32 with a bit of a lane",
    "i",
    "y[i] = x[i] | (1 << (i % 8))",
    lambda x: x | (1 << (i % 8)).astype(np.int32),
)
form(
    "u64 shifted by a counter",
    "u",
    "w = u64(x[i])\nfor k in range(33):\n    w = (w << 1) | ((w >> k) & 1)\ny[i] = u32(w & 0xFFFF)",
    lambda x: [wide(v) for v in x],
)
form(
    "partner in a butterfly",
    "u",
    "t = x[i] * 0\nfor s in range(3):\n    t += i ^ (1 << s)\ny[i] = t",
    lambda x: sum(i ^ (1 << s) for s in range(3)),
)
form("where without a module", "f", "y[i] = where(x[i] > 0, x[i], 0.0)", lambda x: x * (x > 0))
form(
    "where of NumPy",
    "f",
    "y[i] = where(x[i] > 0, x[i], 0.0)",
    lambda x: x * (x > 0),
    "from numpy import where",
)
form(
    "where of the language",
    "f",
    "y[i] = where(x[i] > 0, x[i], 0.0)",
    lambda x: x * (x > 0),
    "from hologram.lang import where",
)
form(
    "a helper of one's own called where",
    "f",
    "y[i] = where(x[i] > 0, x[i], 1.0)",
    lambda x: np.where(x > 0, 1, x),
    "from hologram.lang import inline\n\n@inline\ndef where(c, a, b):\n    return b if c else a",
)
form(
    "where of vectors",
    "f",
    "v = where(x[i] > 0, vec2(1.0), vec2(2.0))\ny[i] = v.y",
    lambda x: np.where(x > 0, 1, 2),
)
form("a local called where", "f", "where = x[i] * 2.0\ny[i] = where", lambda x: x * 2)
form(
    "clip, fabs and fmin by their plain names",
    "f",
    "y[i] = clip(fabs(x[i]), 0.5, 4.0) + fmin(x[i], 0.0)",
    lambda x: np.clip(np.abs(x), np.float32(0.5), 4) + np.minimum(x, 0),
)
form(
    "a helper of one's own called clip",
    "f",
    "y[i] = clip(x[i], 1.0)",
    lambda x: np.minimum(x, 1),
    "from hologram.lang import inline, min\n\n@inline\ndef clip(v, top):\n    return min(v, top)",
)
SCALE = "from hologram.lang import inline\n\n@inline\ndef scale(v: f64, by: f64 = 0.1):\n    return v * by"
form("a literal for an f64 parameter", "d", "y[i] = scale(0.3, x[i])", lambda x: 0.3 * x, SCALE)
form(
    "literals for all of them",
    "d",
    "y[i] = scale(1.0 / 3.0, 0.7) + 0 * x[i]",
    lambda x: 0 * x + 1 / 3 * 0.7,
    SCALE,
)
form("an f64 parameter by default", "d", "y[i] = scale(x[i])", lambda x: x * 0.1, SCALE)
form(
    "an integer and a literal for f64",
    "d",
    "y[i] = scale(i * 0.1, 0.7)",
    lambda x: i * 0.1 * 0.7,
    SCALE,
)
form(
    "a constant of the module for f64",
    "d",
    "y[i] = scale(H, x[i])",
    lambda x: 0.1 * x,
    SCALE + "\n\nH = 0.1",
)
form(
    "a root of a literal for f64",
    "d",
    "y[i] = scale(sqrt(2.0), x[i])",
    lambda x: np.sqrt(2.0) * x,
    SCALE,
)
form(
    "a local that is f32 for f64",
    "d",
    "h = 0.1\ny[i] = scale(h, x[i])",
    lambda x: 0.1 * x,
    SCALE,
)
form(
    "a complex number of literals in f64",
    "d",
    "w = 0.5 + 2j\nfor _ in range(3):\n    w = w * w\ny[i] = w.imag * x[i]",
    lambda x: ((0.5 + 2j) ** 8).imag * x,
)


def mixed(r):
    for k in range(1, 6):
        r = r ^ (r << u(k))
        r = r ^ (r >> u(k))
    return r


def wide(v):
    w = int(v)
    for k in range(33):
        w = ((w << 1) | ((w >> k) & 1)) % 2**64
    return w & 0xFFFF
