"""First tries: casts and literals, arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32


def _xorshift(s: Any) -> Any:
    s = s ^ (s << u32(13))
    s = s ^ (s >> u32(17))
    return s ^ (s << u32(5))


# casts and literals

form("int of a float", "f", "y[i] = int(x[i])", lambda x: np.trunc(x))
form(
    "float of an integer",
    "i",
    "y[i] = int(float(x[i]) * 0.5)",
    lambda x: np.trunc(x * 0.5).astype(i32),
)
form(
    "cast by a type",
    "i",
    "y[i] = i32(f32(x[i]) * f32(0.5))",
    lambda x: np.trunc(x * 0.5).astype(i32),
)
form(
    "cast by NumPy's type",
    "f",
    "y[i] = np.float32(2) * x[i]",
    lambda x: 2 * x,
    "import numpy as np",
)
form("NumPy's int32", "f", "y[i] = np.int32(x[i])", lambda x: np.trunc(x), "import numpy as np")
form("astype", "f", "y[i] = x[i].astype(i32)", lambda x: np.trunc(x))
form("Triton's to", "f", "y[i] = x[i].to(i32)", lambda x: np.trunc(x))
form(
    "annotated local",
    "f",
    """
s: f32 = 0.0
s += x[i]
y[i] = s
""",
    lambda x: x,
)
form(
    "annotated by int",
    "i",
    """
s: int = 3
y[i] = s + x[i]
""",
    lambda x: x + 3,
)
form(
    "declaration without a value",
    "f",
    """
s: f32
s = x[i]
y[i] = s
""",
    lambda x: x,
)
form("hexadecimal literal", "u", "y[i] = x[i] & 0xF", lambda x: x & 15)
form("binary literal with underscores", "u", "y[i] = x[i] & 0b0101_0101", lambda x: x & 0x55)
form("octal literal", "u", "y[i] = x[i] ^ 0o17", lambda x: x ^ 15)
form("scientific literal", "f", "y[i] = x[i] * 1e3 + 1_000.0", lambda x: x * 1000 + 1000)
form("big unsigned literal", "u", "y[i] = x[i] * 2654435761", lambda x: x * u32(2654435761))
form(
    "64-bit literal",
    "m",
    "y[i] = x[i] ^ 0x9E3779B97F4A7C15",
    lambda x: x ^ np.uint64(0x9E3779B97F4A7C15),
)
form("negative literal in unsigned", "u", "y[i] = x[i] + (-1)", lambda x: x - u32(1))
form(
    "infinity by float",
    "f",
    """
m = float("inf")
for k in range(n):
    m = min(m, x[k])
y[i] = m
""",
    lambda x: np.full_like(x, x.min()),
)
form(
    "negative infinity by math",
    "f",
    """
m = -math.inf
for k in range(n):
    m = max(m, x[k])
y[i] = m
""",
    lambda x: np.full_like(x, x.max()),
    "import math",
)
form(
    "infinity by NumPy",
    "f",
    "y[i] = np.inf if x[i] > 0 else -np.inf",
    lambda x: np.where(x > 0, f32(np.inf), f32(-np.inf)),
    "import numpy as np",
)
form(
    "NaN by NumPy",
    "f",
    "y[i] = np.nan if x[i] > 0 else x[i]",
    lambda x: np.where(x > 0, f32(np.nan), x),
    "import numpy as np",
)
form("NumPy's pi", "f", "y[i] = np.pi * x[i]", lambda x: f32(np.pi) * x, "import numpy as np")
form("math.pi from math", "f", "y[i] = pi + x[i]", lambda x: f32(np.pi) + x, "from math import pi")
form(
    "math.tau and e",
    "f",
    "y[i] = math.tau - math.e + x[i]",
    lambda x: f32(np.pi * 2 - np.e) + x,
    "import math",
)
form("bool literal as a number", "i", "y[i] = x[i] + True", lambda x: x + 1)
form("bool arithmetic", "f", "y[i] = (x[i] > 0) * x[i]", lambda x: np.where(x > 0, x, 0))
form("sum of bools", "f", "y[i] = (x[i] > 0) + (x[i] > 2)", lambda x: (x > 0) + (x > 2.0) * f32(1))
form("difference of bools", "f", "y[i] = float(x[i] > 0) - float(x[i] < 0)", lambda x: np.sign(x))
form("int of a bool", "i", "y[i] = int(x[i] > 3)", lambda x: (x > 3).astype(i32))
form("bool of an integer", "i", "y[i] = 5 if bool(x[i]) else 6", lambda x: np.where(x != 0, 5, 6))
form("truth of an integer", "i", "y[i] = 5 if x[i] & 1 else 6", lambda x: np.where(x & 1, 5, 6))
form("truth of a float", "f", "y[i] = 5 if x[i] else 6", lambda x: np.where(x != 0, f32(5), f32(6)))
form("or that picks a value", "i", "y[i] = x[i] or 9", lambda x: np.where(x != 0, x, 9))
form("not of an integer", "i", "y[i] = not x[i]", lambda x: (x == 0).astype(i32))
form(
    "complex literal",
    "f",
    """
z = x[i] + 2j
y[i] = (z * z).real
""",
    lambda x: x * x - 4,
)
form(
    "complex call",
    "f",
    """
z = complex(x[i], 1.0)
w = z * z.conjugate()
y[i] = w.real + w.imag
""",
    lambda x: x * x + 1,
)
form(
    "string literal",
    "f",
    """
mode = "fast"
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "None as a value",
    "f",
    """
best = None
y[i] = x[i]
""",
    lambda x: x,
)

# arithmetic

form("floor division of negatives", "i", "y[i] = x[i] // 4", lambda x: x // 4)
form("remainder of negatives", "i", "y[i] = x[i] % 4", lambda x: x % 4)
form("remainder by a negative", "i", "y[i] = x[i] % -7", lambda x: x % -7)
form("remainder of floats", "f", "y[i] = x[i] % 1.5", lambda x: x % f32(1.5))
form("floor division of floats", "f", "y[i] = x[i] // 1.5", lambda x: x // f32(1.5))
form("true division of integers", "f", "y[i] = i / 4", lambda x: (np.arange(N) / 4).astype(f32))
form("square by power", "f", "y[i] = x[i] ** 2", lambda x: x * x)
form("square root by power", "f", "y[i] = abs(x[i]) ** 0.5", lambda x: np.sqrt(np.abs(x)))
form("cube of an integer", "i", "y[i] = x[i] ** 3", lambda x: x**3)
form("two to the power", "u", "y[i] = 2 ** (x[i] % 20)", lambda x: u32(1) << (x % u32(20)))
form("shift of one", "u", "y[i] = 1 << (x[i] % 20)", lambda x: u32(1) << (x % u32(20)))
form("arithmetic right shift", "i", "y[i] = x[i] >> 2", lambda x: x >> 2)
form("inversion", "i", "y[i] = ~x[i]", lambda x: ~x)
form("inversion of unsigned", "u", "y[i] = ~x[i]", lambda x: ~x)
form("unary plus", "i", "y[i] = +x[i]", lambda x: x)
form("negation of unsigned", "u", "y[i] = -x[i]", lambda x: (np.zeros_like(x) - x))
form("integer and float mixed", "f", "y[i] = i * x[i]", lambda x: np.arange(N).astype(f32) * x)
form("signed and unsigned mixed", "i", "y[i] = x[i] + i", lambda x: x + np.arange(N, dtype=i32))
form(
    "xorshift",
    "u",
    """
s = x[i] + 1
s ^= s << 13
s ^= s >> 17
s ^= s << 5
y[i] = s
""",
    lambda x: _xorshift(x + u32(1)),
)
form("isolated lowest bit", "i", "y[i] = x[i] & -x[i]", lambda x: x & -x)
form(
    "power of two test",
    "u",
    "y[i] = x[i] and (x[i] & (x[i] - 1)) == 0",
    lambda x: ((x != 0) & ((x & (x - u32(1))) == 0)).astype(u32),
)
form(
    "matrix multiplication operator", "f", "y[i] = x @ x", lambda x: np.full_like(x, (x * x).sum())
)
form("is comparison", "i", "y[i] = 1 if x[i] is 3 else 0", lambda x: (x == 3).astype(i32))
form(
    "membership in a tuple",
    "i",
    "y[i] = 1 if x[i] in (1, 3, 5) else 0",
    lambda x: np.isin(x, (1, 3, 5)).astype(i32),
)
form(
    "not in a tuple",
    "i",
    "y[i] = 1 if x[i] not in (1, 3, 5) else 0",
    lambda x: (~np.isin(x, (1, 3, 5))).astype(i32),
)
form(
    "membership in a range",
    "i",
    "y[i] = 1 if x[i] in range(3, 9) else 0",
    lambda x: ((x >= 3) & (x < 9)).astype(i32),
)
