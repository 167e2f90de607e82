"""First tries: built-in functions, functions of mathematics."""

from __future__ import annotations

import numpy as np

from tries import form

f32 = np.float32
i32 = np.int32
u32 = np.uint32

# built-in functions

form("abs", "i", "y[i] = abs(x[i])", lambda x: np.abs(x))
form(
    "min of three", "f", "y[i] = min(x[i], 1.0, -x[i])", lambda x: np.minimum(np.minimum(x, 1), -x)
)
form("min of a tuple", "f", "y[i] = min((x[i], 1.0))", lambda x: np.minimum(x, 1))
form("max of integer and literal", "i", "y[i] = max(x[i], 0)", lambda x: np.maximum(x, 0))
form("round", "f", "y[i] = round(x[i])", lambda x: np.rint(x))
form(
    "round to digits",
    "f",
    "y[i] = round(x[i], 1)",
    lambda x: np.round(x.astype(float), 1).astype(f32),
)
form("pow with two arguments", "f", "y[i] = pow(x[i], 2)", lambda x: x * x)
form(
    "divmod",
    "i",
    """
q, r = divmod(x[i], 7)
y[i] = q * 100 + r
""",
    lambda x: x // 7 * 100 + x % 7,
)
form("sum of a tuple", "f", "y[i] = sum((x[i], 1.0, 2.0))", lambda x: x + 3)
form("sum of a generator", "f", "y[i] = sum(x[i] * k for k in range(4))", lambda x: 6 * x)
form("sum of an array", "f", "y[i] = sum(x)", lambda x: np.full_like(x, x.sum()))
form(
    "any of a generator",
    "i",
    "y[i] = 1 if any(x[i] == k * k for k in range(6)) else 0",
    lambda x: np.isin(x, np.arange(6) ** 2).astype(i32),
)
form(
    "all of a tuple",
    "i",
    "y[i] = 1 if all((x[i] > 0, x[i] < 9)) else 0",
    lambda x: ((x > 0) & (x < 9)).astype(i32),
)
form(
    "max of a generator",
    "i",
    "y[i] = max(x[i] * k for k in range(3))",
    lambda x: np.maximum(2 * x, 0),
)
form(
    "list comprehension",
    "i",
    """
t = [x[i] * k for k in range(4)]
y[i] = t[0] + t[1] + t[3]
""",
    lambda x: 4 * x,
)
form(
    "list literal as a local array",
    "i",
    """
t = [0, 0, 0]
t[x[i] % 3] = 1
y[i] = t[0] + 2 * t[1] + 4 * t[2]
""",
    lambda x: (1 << (x % 3)).astype(i32),
)
form(
    "list multiplied",
    "i",
    """
t = [0] * 4
for k in range(4):
    t[k] = k * x[i]
y[i] = t[3]
""",
    lambda x: 3 * x,
)
form(
    "np.zeros as a local array",
    "f",
    """
t = np.zeros(4, np.float32)
for k in range(4):
    t[k] = k * x[i]
y[i] = t[3]
""",
    lambda x: 3 * x,
    "import numpy as np",
)
form(
    "dictionary",
    "i",
    """
d = {0: 5, 1: 6}
y[i] = d[x[i] & 1]
""",
    lambda x: np.where(x & 1, 6, 5),
)
form(
    "lambda",
    "f",
    """
g = lambda v: v * 2
y[i] = g(x[i])
""",
    lambda x: 2 * x,
)
form(
    "function inside a kernel",
    "f",
    """
def g(v):
    return v * 2
y[i] = g(x[i])
""",
    lambda x: 2 * x,
)
form("ord of a character", "u", 'y[i] = x[i] + ord("a")', lambda x: x + u32(97))

# functions of mathematics

form("math.sqrt", "f", "y[i] = math.sqrt(abs(x[i]))", lambda x: np.sqrt(np.abs(x)), "import math")
form(
    "np.sqrt",
    "f",
    "y[i] = np.sqrt(np.abs(x[i]))",
    lambda x: np.sqrt(np.abs(x)),
    "import numpy as np",
)
form(
    "sqrt from math",
    "f",
    "y[i] = sqrt(fabs(x[i]))",
    lambda x: np.sqrt(np.abs(x)),
    "from math import sqrt, fabs",
)
form("C's fabsf and sqrtf", "f", "y[i] = sqrtf(fabsf(x[i]))", lambda x: np.sqrt(np.abs(x)))
form(
    "math.floor and ceil",
    "f",
    "y[i] = math.floor(x[i]) + math.ceil(x[i])",
    lambda x: np.floor(x) + np.ceil(x),
    "import math",
)
form(
    "np.where",
    "f",
    "y[i] = np.where(x[i] > 0, x[i], 0)",
    lambda x: np.maximum(x, 0),
    "import numpy as np",
)
form(
    "np.clip", "f", "y[i] = np.clip(x[i], -1, 1)", lambda x: np.clip(x, -1, 1), "import numpy as np"
)
form(
    "np.maximum",
    "f",
    "y[i] = np.maximum(x[i], 0)",
    lambda x: np.maximum(x, 0),
    "import numpy as np",
)
form("np.sign", "f", "y[i] = np.sign(x[i])", lambda x: np.sign(x), "import numpy as np")
form(
    "math.hypot",
    "f",
    "y[i] = math.hypot(3 * x[i], 4 * x[i])",
    lambda x: 5 * np.abs(x),
    "import math",
)
form("math.fma", "f", "y[i] = math.fma(x[i], 2.0, 1.0)", lambda x: 2 * x + 1, "import math")
form(
    "math.isnan",
    "f",
    "y[i] = 1 if math.isnan(x[i]) else 0",
    lambda x: np.zeros_like(x),
    "import math",
)
form("x != x", "f", "y[i] = 1 if x[i] != x[i] else 0", lambda x: np.zeros_like(x))
form(
    "math.copysign",
    "f",
    "y[i] = math.copysign(2.0, x[i])",
    lambda x: np.copysign(f32(2), x),
    "import math",
)
form("math.gcd", "u", "y[i] = math.gcd(x[i], 12)", lambda x: np.gcd(x, u32(12)), "import math")
form(
    "bit_count",
    "u",
    "y[i] = x[i].bit_count()",
    lambda x: np.array([int(v).bit_count() for v in x], u32),
)
form(
    "CUDA's popc",
    "u",
    "y[i] = popc(x[i])",
    lambda x: np.array([int(v).bit_count() for v in x], u32),
    "from hologram.lang import popc",
)
form("__popc", "u", "y[i] = __popc(x[i])", lambda x: np.array([int(v).bit_count() for v in x], u32))
form(
    "cuda.popc",
    "u",
    "y[i] = cuda.popc(x[i])",
    lambda x: np.array([int(v).bit_count() for v in x], u32),
)
form(
    "bit_length",
    "u",
    "y[i] = x[i].bit_length()",
    lambda x: np.array([int(v).bit_length() for v in x], u32),
)
form(
    "view of the bits",
    "f",
    "y[i] = x[i].view(np.uint32) >> 31",
    lambda x: (x < 0).astype(f32),
    "import numpy as np",
)
form("__float_as_int", "f", "y[i] = __float_as_int(x[i]) < 0", lambda x: (x < 0).astype(f32))
form("power by np", "f", "y[i] = np.power(x[i], 2)", lambda x: x * x, "import numpy as np")
form(
    "np.arange as a loop",
    "i",
    """
s = 0
for k in np.arange(4):
    s += k
y[i] = s
""",
    lambda x: np.full_like(x, 6),
    "import numpy as np",
)
