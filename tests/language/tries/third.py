"""Forms of a third round, written after whole programs had been pasted: habits of NumPy, C and Triton in constants,
loops over values, bools as numbers."""

from __future__ import annotations

import math

import numpy as np

from tries import N, form

f = np.float32  # as f32 in a kernel
i = np.arange(N)

form("relu by a mask", "f", "y[i] = x[i] * (x[i] > 0)", lambda x: x * (x > 0))
form(
    "count in a window",
    "f",
    "c = 0\nfor k in range(n):\n    c += (x[k] < x[i]) & (x[k] > -5.0)\ny[i] = f32(c)",
    lambda x: [((x < v) & (x > -5)).sum() for v in x],
)
form("steps of a branchless abs", "i", "y[i] = x[i] - 2 * x[i] * (x[i] < 0)", abs)
form(
    "bool to int by multiplication with 1",
    "i",
    "y[i] = (x[i] > 3) * 1 + (x[i] > 10) * 10",
    lambda x: (x > 3) * 1 + (x > 10) * 10,
)
form("minus a comparison", "u", "y[i] = x[i] - (x[i] > 50)", lambda x: x - (x > 50))
form(
    "a mask from a bool local",
    "f",
    "inside = -2.0 < x[i] < 2.0\ny[i] = x[i] * inside + 9.0 * f32(not inside)",
    lambda x: np.where((x > -2) & (x < 2), x, 9),
)
form(
    "a bool in an index",
    "f",
    "k = i + (i < n - 1)\ny[i] = x[k]",
    lambda x: x[np.minimum(i + 1, N - 1)],
)
form("bool into f64", "d", "y[i] = x[i] + (x[i] > 0)", lambda x: x + (x > 0))
form(
    "eight neighbours in a list of offsets",
    "i",
    "t = 0\nfor d in [-2, -1, 1, 2]:\n    j = i32(i) + d\n    if j < 0 or j >= i32(n):\n        continue\n    t += x[j]\ny[i] = t",
    lambda x: np.array(
        [sum(x[j] for j in (k - 2, k - 1, k + 1, k + 2) if 0 <= j < N) for k in range(N)]
    ),
)
form(
    "the first value that is larger",
    "f",
    "r = -1.0\nfor v in (-4.0, 0.0, 4.0, 8.0):\n    if v > x[i]:\n        r = v\n        break\ny[i] = r",
    lambda x: [next((v for v in (-4, 0, 4, 8) if v > w), -1) for w in x],
)
form(
    "bins by a table and break",
    "f",
    "k = 0\nfor e in EDGES:\n    if x[i] < e:\n        break\n    k += 1\ny[i] = f32(k)",
    lambda x: np.digitize(x, (-8.0, -1.0, 0.5, 7.25)),
    "import numpy as np\n\nEDGES = np.array([-8.0, -1.0, 0.5, 7.25])",
)
form(
    "nested loops over values with continue",
    "i",
    "t = 0\nfor a in (-1, 0, 1):\n    for b in (-1, 0, 1):\n        if a == 0 and b == 0:\n            continue\n        t += a * 3 + b + x[i]\ny[i] = t",
    lambda x: 8 * x,
)
form(
    "enumerate with an offset",
    "f",
    "t = 0.0\nfor k, c in enumerate(COEFFS, start=1):\n    t += c * k\ny[i] = t * x[i]",
    lambda x: f(14) * x,
    "COEFFS = (1.0, 2.0, 3.0)",
)
form(
    "Horner over reversed coefficients",
    "d",
    "t = f64(0)\nfor c in COEFFS[::-1]:\n    t = t * x[i] + c\ny[i] = t",
    lambda x: (3 * x + 2) * x + 1,
    "COEFFS = (1.0, 2.0, 3.0)",
)
form(
    "reversed of a table",
    "d",
    "t = f64(0)\nfor c in reversed(COEFFS):\n    t = t * x[i] + c\ny[i] = t",
    lambda x: (3 * x + 2) * x + 1,
    "COEFFS = (1.0, 2.0, 3.0)",
)
form(
    "a constant by a root",
    "f",
    "y[i] = x[i] * INV",
    lambda x: x * f(1 / math.sqrt(2 * math.pi)),
    "import math\n\nINV = 1 / math.sqrt(2 * math.pi)",
)
form(
    "a constant by exp and log",
    "d",
    "y[i] = x[i] * A + B",
    lambda x: x * math.exp(-1.5) + math.log(10),
    "import math\n\nA, B = math.exp(-1.5), math.log(10)",
)
form(
    "a constant of a power of two",
    "u",
    "y[i] = x[i] & MASK",
    lambda x: x & 15,
    "import math\n\nBITS = int(math.log2(16))\nMASK = (1 << BITS) - 1",
)
form(
    "np.pi in a constant",
    "d",
    "y[i] = x[i] * DEG",
    lambda x: x * (np.pi / 180),
    "import numpy as np\n\nDEG = np.pi / 180",
)
form(
    "np.deg2rad in a constant",
    "d",
    "y[i] = x[i] * DEG",
    lambda x: x * np.deg2rad(1.0),
    "import numpy as np\n\nDEG = np.deg2rad(1.0)",
)
form(
    "a constant vector and swizzle",
    "f",
    "y[i] = x[i] * AXIS.yx.x",
    lambda x: x * 5,
    "from hologram.lang import vec2\n\nAXIS = vec2(2.0, 5.0)",
)
form(
    "a light by default",
    "f",
    "y[i] = shade(vec3(x[i], 1.0, 0.0))",
    lambda x: f(0.5) * x + f(0.25),
    "from hologram.lang import dot, inline, vec3\n\nLIGHT = vec3(0.5, 0.25, 1.0)\n\n@inline\ndef shade(p: vec3, light: vec3 = LIGHT):\n    return dot(p, light)",
)
form(
    "palette of colours by number",
    "f",
    "c = PALETTE[i % 3]\ny[i] = c.r + 10.0 * c.b",
    lambda x: np.array([(1 + 30), (4 + 60), (7 + 90)])[i % 3],
    "from hologram.lang import vec3\n\nPALETTE = (vec3(1, 2, 3), vec3(4, 5, 6), vec3(7, 8, 9))",
)
form(
    "identity matrix as a constant",
    "f",
    "v = EYE @ vec2(x[i], 2.0)\ny[i] = v.x + v.y",
    lambda x: x + 2,
    "from hologram.lang import mat2, vec2\n\nEYE = mat2(1, 0, 0, 1)",
)
form(
    "complex constant times i",
    "f",
    "z = complex64(x[i], 1.0) * J\ny[i] = z.real",
    lambda x: -1 + 0 * x,
    "from hologram.lang import complex64\n\nJ = 1j",
)
form(
    "roots of unity",
    "d",
    "w = exp(2j * math.pi * i / n)\ny[i] = w.real",
    lambda x: np.exp(2j * np.pi * i / N).real,
    "import math",
)
form(
    "cis of a double",
    "d",
    "z = complex128(0) + exp(1j * x[i])\ny[i] = z.imag",
    lambda x: np.sin(x),
    "from hologram.lang import complex128, exp",
)
form(
    "complex128 times a literal",
    "d",
    "z = complex128(x[i], 1.0) * (0.1 + 0.2j)\ny[i] = z.real",
    lambda x: x * 0.1 - 0.2,
    "from hologram.lang import complex128",
)
form(
    "rotl by a counter",
    "u",
    "h = x[i]\nfor k in range(1, 4):\n    h = rotl(h, k) ^ 5\ny[i] = h",
    lambda x: rotated(x),
)
form(
    "shift of u32 by a counter",
    "u",
    "t = u32(0)\nfor k in range(4):\n    t += (x[i] >> u32(k)) & 1\ny[i] = t",
    lambda x: sum((x >> np.uint32(k)) & 1 for k in range(4)),
)
form(
    "zip of an array and itself shifted",
    "f",
    "t = 0.0\nfor a, b in zip(x[1:], x):\n    t += a - b\ny[i] = t",
    lambda x: np.full(N, x[-1] - x[0]),
)
form(
    "enumerate an array to find the largest",
    "f",
    "best, where = x[0], u32(0)\nfor k, v in enumerate(x):\n    if v > best:\n        best, where = v, k\ny[i] = f32(where)",
    lambda x: np.full(N, np.argmax(x)),
)
form(
    "sum of a zip",
    "f",
    "y[i] = sum(a * b for a, b in zip(A, B)) * x[i]",
    lambda x: 11 * x,
    "A = (1.0, 2.0)\nB = (3.0, 4.0)",
)
form(
    "all of a table with two names",
    "f",
    "y[i] = 1.0 if all(lo <= x[i] for lo, hi in BOXES) else 0.0",
    lambda x: x >= 1,
    "BOXES = ((0.0, 2.0), (1.0, 3.0))",
)
form(
    "a constant from len and sum",
    "f",
    "y[i] = x[i] * NORM",
    lambda x: x * f(1 / 16),
    "W = (1, 4, 6, 4, 1)\nNORM = 1 / sum(W)\nR = len(W) // 2",
)


def rotated(h):
    for k in range(1, 4):
        h = (h << np.uint32(k) | h >> np.uint32(32 - k)) ^ np.uint32(5)
    return h
