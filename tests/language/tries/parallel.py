"""First tries: atomics, blocks, printing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32


def _first(x: Any, value: Any) -> Any:
    out = np.zeros_like(x)
    out[0] = value
    return out


# atomics, blocks, printing

form(
    "atomic_add",
    "i",
    "atomic_add(y, 0, x[i])",
    lambda x: _first(x, x.sum()),
    "from hologram.lang import atomic_add",
)
form("CUDA's atomicAdd", "i", "atomicAdd(y[0], x[i])", lambda x: _first(x, x.sum()))
form("Numba's cuda.atomic.add", "i", "cuda.atomic.add(y, 0, x[i])", lambda x: _first(x, x.sum()))
form("Triton's atomic_add", "i", "tl.atomic_add(y + 0, x[i])", lambda x: _first(x, x.sum()))
form(
    "atomic max",
    "i",
    "atomic_max(y, 0, x[i])",
    lambda x: _first(x, x.max()),
    "from hologram.lang import atomic_max",
)
form(
    "atomic of an element",
    "i",
    "atomic_add(y[0], x[i])",
    lambda x: _first(x, x.sum()),
    "from hologram.lang import atomic_add",
)
form(
    "histogram by atomics",
    "u",
    "atomic_add(y, x[i] % 8, 1)",
    lambda x: np.bincount(x % 8, minlength=N).astype(u32),
    "from hologram.lang import atomic_add",
)
form("threadIdx of CUDA", "f", "y[i] = x[blockIdx.x * blockDim.x + threadIdx.x]", lambda x: x)
form("Numba's grid", "f", "y[cuda.grid(1)] = x[i]", lambda x: x)
form("Triton's program_id", "f", "y[tl.program_id(0)] = x[i]", lambda x: x)
form(
    "OpenCL's get_local_id",
    "u",
    "y[i] = x[i] + 0 * get_local_id()",
    lambda x: x,
    "from hologram.lang import get_local_id",
)
form(
    "syncthreads",
    "f",
    """
__syncthreads()
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "Numba's shared array",
    "f",
    """
t = cuda.shared.array(64, f32)
t[0] = x[i]
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "print of a value",
    "f",
    """
if i == 0:
    print(x[i])
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "print of text and values",
    "f",
    """
if i == 0:
    print("x is", x[i], "at", i)
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "print of an f-string",
    "f",
    """
if i == 0:
    print(f"x[{i}] = {x[i]}")
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "C's printf",
    "f",
    """
if i == 0:
    printf("%f", x[i])
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "print with end",
    "f",
    """
if i == 0:
    print(x[i], end="")
y[i] = x[i]
""",
    lambda x: x,
)
form("C's cast", "f", "y[i] = (int)(x[i])", lambda x: np.trunc(x))
form(
    "C's increment",
    "i",
    """
t = x[i]
++t
y[i] = t
""",
    lambda x: x,
)
form(
    "static range",
    "i",
    """
s = 0
for k in static_range(4):
    s += k
y[i] = s
""",
    lambda x: np.full_like(x, 6),
)
form(
    "prange",
    "i",
    """
s = 0
for k in prange(4):
    s += k
y[i] = s
""",
    lambda x: np.full_like(x, 6),
)
form("Triton's load and store", "f", "tl.store(y + i, tl.load(x + i))", lambda x: x)
form("array method sum", "f", "y[i] = x.sum()", lambda x: np.full_like(x, x.sum()))
form("whole-array expression", "f", "y = x + 1", lambda x: x + 1)
form("return of a value", "f", "return x[i]", lambda x: np.zeros_like(x))
form("yield", "f", "yield x[i]", lambda x: np.zeros_like(x))
form(
    "import in a kernel",
    "f",
    """
import math
y[i] = math.sqrt(abs(x[i]))
""",
    lambda x: np.sqrt(np.abs(x)),
)
form(
    "with statement",
    "f",
    """
with lock:
    y[i] = x[i]
""",
    lambda x: x,
)
form("async call", "f", "await x[i]", lambda x: x)
form("isinstance", "f", "y[i] = x[i] if isinstance(x[i], float) else 0.0", lambda x: x)
form(
    "dtype of an array",
    "f",
    """
s = x.dtype(0)
y[i] = s + x[i]
""",
    lambda x: x,
)
form("transpose of an array", "f", "y[i] = x.T[i]", lambda x: x)
form(
    "double of f32 sums in f64",
    "d",
    """
s = 0.0
for k in range(n):
    s += x[k]
y[i] = s / n
""",
    lambda x: np.full_like(x, x.mean()),
)
form("third in f64", "d", "y[i] = x[i] * (1 / 3)", lambda x: x * (1 / 3))
form("64-bit mixed with 32-bit", "l", "y[i] = x[i] + i", lambda x: x + np.arange(N))
form("64-bit product", "l", "y[i] = i64(i) * 3000000007", lambda x: np.arange(N) * 3_000_000_007)
form(
    "rotation by shifts",
    "m",
    "y[i] = (x[i] << 7) | (x[i] >> 57)",
    lambda x: (x << np.uint64(7)) | (x >> np.uint64(57)),
)
