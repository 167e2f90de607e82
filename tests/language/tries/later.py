"""Forms that were added when those of the other files had been tried: what each of them hid, and warps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32
INLINE = "from hologram.lang import inline, select\n\n\n"

# helpers with the mark that the first tries lacked

form(
    "marked helper without annotations",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    INLINE
    + """
@inline
def twice(v):
    return 2 * v
""",
)
form(
    "marked helper with a default",
    "f",
    "y[i] = times(x[i]) + times(x[i], 3)",
    lambda x: 5 * x,
    INLINE
    + """
@inline
def times(v: f32, k: f32 = 2.0) -> f32:
    return k * v
""",
)
form(
    "marked helper by keyword",
    "f",
    "y[i] = axpy(x=x[i], a=2.0, b=1.0)",
    lambda x: 2 * x + 1,
    INLINE
    + """
@inline
def axpy(a: f32, x: f32, b: f32) -> f32:
    return a * x + b
""",
)
form(
    "marked helper with float annotations",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    INLINE
    + """
@inline
def twice(v: float) -> float:
    return 2 * v
""",
)
form(
    "marked helper with several returns",
    "f",
    "y[i] = relu(x[i])",
    lambda x: np.maximum(x, 0),
    INLINE
    + """
@inline
def relu(v: f32) -> f32:
    if v < 0:
        return 0.0
    return v
""",
)
form(
    "marked helper that returns two values",
    "f",
    """
lo, hi = minmax(x[i], 1.0)
y[i] = hi - lo
""",
    lambda x: np.abs(x - 1),
    INLINE
    + """
@inline
def minmax(a: f32, b: f32) -> tuple[f32, f32]:
    return min(a, b), max(a, b)
""",
)
form(
    "marked helper that stores",
    "f",
    "put(y, i, x[i])",
    lambda x: x,
    INLINE
    + """
@inline
def put(out: DeviceArray[f32], at: u32, v: f32):
    out[at] = v
""",
)
form(
    "marked recursive helper",
    "u",
    "y[i] = fact(x[i] % 5)",
    lambda x: np.array([1, 1, 2, 6, 24], u32)[x % 5],
    INLINE
    + """
@inline
def fact(v: u32) -> u32:
    return 1 if v <= 1 else v * fact(v - 1)
""",
)
form(
    "marked helper with star arguments",
    "f",
    "y[i] = total(x[i], 1.0, 2.0)",
    lambda x: x + 3,
    INLINE
    + """
@inline
def total(*values):
    s = 0.0
    for v in values:
        s += v
    return s
""",
)
form(
    "marked helper called with a star",
    "f",
    """
p = (x[i], 2.0)
y[i] = mul(*p)
""",
    lambda x: 2 * x,
    INLINE
    + """
@inline
def mul(a: f32, b: f32) -> f32:
    return a * b
""",
)
form(
    "marked helper of the name of a function of math",
    "f",
    "y[i] = hypot(x[i], 4.0)",
    lambda x: x + 4,
    INLINE
    + """
@inline
def hypot(a, b):
    return a + b
""",
)

# what else `i - 1` of an unsigned index does

form(
    "guard below 0",
    "f",
    """
if i - 1 >= 0:
    y[i] = x[i - 1]
""",
    lambda x: np.append(f32(0), x[:-1]),
)
form(
    "clamped index",
    "f",
    "y[i] = x[clamp(i - 1, 0, n - 1)]",
    lambda x: x[np.maximum(np.arange(N) - 1, 0)],
    "from hologram.lang import clamp",
)
form(
    "remainder of a difference by a power of two",
    "f",
    "y[i] = x[(i - 1) % 32]",
    lambda x: x[(np.arange(N) - 1) % 32],
)
form("remainder of a sum that loses one", "f", "y[i] = x[(i + n - 1) % n]", lambda x: np.roll(x, 1))
form("signed remainder", "f", "y[i] = x[(i32(i) - 1) % i32(n)]", lambda x: np.roll(x, 1))
form(
    "sum begun with a typed zero",
    "u",
    """
s = u32(0)
for k in range(4):
    s += x[i]
y[i] = s
""",
    lambda x: 4 * x,
)

# more of what goes over values

form(
    "generator over a table",
    "f",
    "y[i] = sum(w * x[i] for w in W)",
    lambda x: x,
    "W = (0.25, 0.5, 0.25)",
)
form(
    "all of a generator",
    "i",
    "y[i] = int(all(x[i] != k for k in range(-2, 3)))",
    lambda x: (np.abs(x) > 2).astype(i32),
)
form(
    "min of a generator over a tuple",
    "i",
    "y[i] = min(abs(x[i] - k) for k in (0, 10))",
    lambda x: np.minimum(np.abs(x), np.abs(x - 10)),
)
form(
    "membership in a table",
    "i",
    "y[i] = 1 if x[i] in PRIMES else 0",
    lambda x: np.isin(x, (2, 3, 5, 7)).astype(i32),
    "PRIMES = (2, 3, 5, 7)",
)
form(
    "membership joined by and",
    "i",
    """
if x[i] > 0 and x[i] in (1, 3, 5):
    y[i] = 1
""",
    lambda x: np.isin(x, (1, 3, 5)).astype(i32),
)
form(
    "membership in a while",
    "i",
    """
k = 0
while k not in (5, 7):
    k += 1
y[i] = k
""",
    lambda x: np.full_like(x, 5),
)
form("membership in an array", "i", "y[i] = 1 if 3 in x else 0", lambda x: np.ones_like(x))
form(
    "sum with a condition",
    "i",
    "y[i] = sum(k for k in range(6) if k % 2)",
    lambda x: np.full_like(x, 9),
)
form(
    "sum over a bound of the launch",
    "f",
    "y[i] = sum(x[k] for k in range(n))",
    lambda x: np.full_like(x, x.sum()),
)

# modules

form(
    "NumPy's functions of arrays' elements",
    "f",
    "y[i] = np.hypot(3 * x[i], 4 * x[i]) + np.floor(x[i])",
    lambda x: 5 * np.abs(x) + np.floor(x),
    "import numpy as np",
)
form(
    "NumPy's arctan2 imported",
    "f",
    "y[i] = arctan2(x[i], x[i] + 20) * 0",
    lambda x: 0 * x,
    "from numpy import arctan2",
)
form(
    "math under another name",
    "f",
    "y[i] = m.sqrt(abs(x[i]))",
    lambda x: np.sqrt(np.abs(x)),
    "import math as m",
)
form(
    "function of math as an argument",
    "f",
    "y[i] = apply(math.sqrt, abs(x[i]))",
    lambda x: np.sqrt(np.abs(x)),
    INLINE
    + """
import math
from typing import Callable
@inline
def apply(f: Callable, v: f32) -> f32:
    return f(v)
""",
)
form(
    "NumPy's type as an element type",
    "f",
    """
t = local(np.float32, 4)
t[1] = x[i]
y[i] = t[1]
""",
    lambda x: x,
    "import numpy as np\nfrom hologram.lang import local",
)

# warps, as other systems write them


def _warps(x: Any) -> Any:
    return x.reshape(-1, 32)


form("__shfl_down_sync", "f", "y[i] = __shfl_down_sync(0xffffffff, x[i], 1)", lambda x: x)
form("cuda.shfl_xor_sync", "f", "y[i] = cuda.shfl_xor_sync(0xffffffff, x[i], 1)", lambda x: x)
form("__ballot_sync", "u", "y[i] = __ballot_sync(0xffffffff, x[i] > 0)", lambda x: x)
form("cuda.all_sync", "u", "y[i] = cuda.all_sync(0xffffffff, x[i] > 0)", lambda x: x)
form("__reduce_add_sync", "u", "y[i] = __reduce_add_sync(0xffffffff, x[i])", lambda x: x)
form("tl.sum", "f", "y[i] = tl.sum(x[i], axis=0)", lambda x: x)
form("warp_sum", "f", "y[i] = warp_sum(x[i])", lambda x: x)
form("cuda.laneid", "u", "y[i] = cuda.laneid", lambda x: x)
form(
    "__syncwarp",
    "f",
    """
__syncwarp()
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "sum of a warp by shuffles",
    "i",
    """
s = x[i]
for d in (16, 8, 4, 2, 1):
    s += shuffle_xor(s, d)
y[i] = s
""",
    lambda x: np.repeat(_warps(x).sum(1), 32),
    "from hologram.lang import shuffle_xor",
)
