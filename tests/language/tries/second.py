"""Second tries: 92 more forms of a user of CUDA, NumPy, Numba and Triton, new to the list."""

from __future__ import annotations

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32
LANE = np.arange(N)
HEAD = "from hologram.lang import "

# C and CUDA
form(
    "Horner with fma",
    "f",
    "y[i] = fma(fma(2.0, x[i], 3.0), x[i], 1.0)",
    lambda x: (2 * x.astype("d") + 3) * x + 1,
    HEAD + "fma",
)
form("CUDA's fused product", "f", "y[i] = fmaf(x[i], 2.0, 1.0)", lambda x: 2 * x + 1)
form("CUDA's reciprocal root", "f", "y[i] = rsqrtf(1.0)", lambda x: np.ones_like(x))
form("CUDA's fast exp", "f", "y[i] = __expf(0.0) * x[i]", lambda x: x)
form("CUDA's saturate", "f", "y[i] = __saturatef(x[i])", lambda x: np.clip(x, 0, 1))
form(
    "C's ternary by and-or",
    "i",
    "y[i] = (x[i] > 0) * 3 + (x[i] <= 0) * 5",
    lambda x: np.where(x > 0, 3, 5),
)
form("bool as a factor", "f", "y[i] = (x[i] > 0) * x[i]", lambda x: np.where(x > 0, x, 0))
form(
    "count of trues",
    "i",
    "c = 0\nfor k in range(4):\n    c += x[i] > k * 10 - 20\ny[i] = c",
    lambda x: sum((x > k * 10 - 20).astype(i32) for k in range(4)),
)
form("sign by two comparisons", "i", "y[i] = (x[i] > 0) - (x[i] < 0)", np.sign)
form("C's cast of a bool", "i", "y[i] = int(x[i] > 0)", lambda x: x > 0)
form("bit field", "u", "y[i] = (x[i] >> 2) & ((1 << 4) - 1)", lambda x: (x >> 2) & 15)
form(
    "bit set and test",
    "u",
    "m = 0\nm |= 1 << (x[i] & 7)\ny[i] = m if m & 0xF else 0",
    lambda x: np.where((1 << (x & 7)) & 15, 1 << (x & 7), 0),
)
form(
    "swap by xor",
    "u",
    "a = x[i]\nb = u32(7)\na ^= b\nb ^= a\na ^= b\ny[i] = a * 1000 + b",
    lambda x: 7000 + x,
)
form(
    "do while",
    "u",
    "v = x[i]\nwhile True:\n    v = v // 2\n    if not v > 10:\n        break\ny[i] = v",
    lambda x: [_halved(int(v)) for v in x],
)
form(
    "goto by a flag",
    "i",
    "found = False\nfor k in range(10):\n    if not found and k * k > x[i]:\n        found = True\n        y[i] = k\nif not found:\n    y[i] = -1",
    lambda x: [next((k for k in range(10) if k * k > v), -1) for v in x],
)
form(
    "early continue in nested loops",
    "i",
    "s = 0\nfor a in range(4):\n    for b in range(4):\n        if (a + b) % 2 == 1:\n            continue\n        s += a * b\ny[i] = s + x[i]",
    lambda x: x + sum(a * b for a in range(4) for b in range(4) if (a + b) % 2 == 0),
)
form(
    "binary search",
    "u",
    "lo = 0\nhi = n\nwhile lo < hi:\n    mid = (lo + hi) // 2\n    if mid * mid < x[i]:\n        lo = mid + 1\n    else:\n        hi = mid\ny[i] = lo",
    lambda x: [next(k for k in range(N + 1) if k * k >= v) for v in x.tolist()],
)
form(
    "gcd",
    "u",
    "a, b = x[i], u32(12)\nwhile b:\n    a, b = b, a % b\ny[i] = a",
    lambda x: np.gcd(x, 12),
)
form(
    "digits",
    "u",
    "v, s = x[i], 0\nwhile v > 0:\n    s += v % 10\n    v //= 10\ny[i] = s",
    lambda x: [sum(map(int, str(v))) for v in x],
)
form("fixed point", "i", "y[i] = (x[i] * 181) >> 8", lambda x: (x * 181) >> 8)
form(
    "average without overflow",
    "u",
    "y[i] = (x[i] & 9) + ((x[i] ^ 9) >> 1)",
    lambda x: (x.astype("u8") + 9) // 2,
)
form("literal suffix by a call", "f", "y[i] = f32(1e-3) * x[i]", lambda x: f32(1e-3) * x)
form(
    "unsigned shift right",
    "i",
    "y[i] = i32(bitcast(u32, x[i]) >> 28)",
    lambda x: x.view(u32) >> 28,
    HEAD + "bitcast",
)
form(
    "hexadecimal and binary literals",
    "u",
    "y[i] = x[i] & 0b1011 | 0x10",
    lambda x: x & 0b1011 | 0x10,
)
form(
    "pragma unroll as a comment",
    "f",
    "s = 0.0\n# unroll\nfor k in range(4):\n    s += x[i] * k\ny[i] = s",
    lambda x: 6 * x,
)

# NumPy
form(
    "square and cube", "f", "y[i] = np.square(x[i]) + 1", lambda x: x * x + 1, "import numpy as np"
)
form(
    "NumPy's clip",
    "f",
    "y[i] = np.clip(x[i], -1, 1)",
    lambda x: np.clip(x, -1, 1),
    "import numpy as np",
)
form("NumPy's sign", "f", "y[i] = np.sign(x[i])", np.sign, "import numpy as np")
form(
    "NumPy's fmax", "f", "y[i] = np.fmax(x[i], 2.0)", lambda x: np.fmax(x, 2), "import numpy as np"
)
form(
    "NumPy's logical functions",
    "i",
    "y[i] = 1 if np.logical_and(x[i] > 0, x[i] < 9) else 0",
    lambda x: (x > 0) & (x < 9),
    "import numpy as np",
)
form(
    "NumPy's deg2rad", "f", "y[i] = np.deg2rad(180.0) * 0 + x[i]", lambda x: x, "import numpy as np"
)
form("math.radians", "f", "y[i] = math.radians(x[i]) * 0.0", lambda x: x * 0, "import math")
form("math.fmod", "f", "y[i] = math.fmod(x[i], 3.0)", lambda x: np.fmod(x, f32(3)), "import math")
form("math.pow", "f", "y[i] = math.pow(x[i], 2.0)", lambda x: x * x, "import math")
form("math.trunc", "f", "y[i] = math.trunc(x[i])", np.trunc, "import math")
form("math.exp of a constant", "d", "y[i] = math.exp(1.0) * 0.0 + x[i]", lambda x: x, "import math")
form("pow by name", "i", "y[i] = pow(x[i], 2)", lambda x: x * x)
form("abs of an integer", "i", "y[i] = abs(x[i])", np.abs)
form(
    "max of an array's two elements",
    "f",
    "y[i] = max(x[i], x[n - 1 - i])",
    lambda x: np.maximum(x, x[::-1]),
)
form("float division of integers", "d", "y[i] = i / n", lambda x: LANE / N)
form("floor division of floats by 2", "f", "y[i] = x[i] // 2", lambda x: x // 2)
form("remainder of floats by 2", "f", "y[i] = x[i] % 2", lambda x: x % 2)
form("is even", "i", "y[i] = 1 if x[i] % 2 == 0 else 0", lambda x: x % 2 == 0)
form(
    "type of a local by NumPy",
    "d",
    "s: np.float64 = 0.0\ns += x[i]\ny[i] = s",
    lambda x: x,
    "import numpy as np",
)
form("finfo", "f", "y[i] = x[i] + np.finfo(np.float32).eps * 0", lambda x: x, "import numpy as np")
form("iinfo", "i", "y[i] = min(x[i], np.iinfo(np.int32).max)", lambda x: x, "import numpy as np")

# Numba and Triton
form(
    "Numba's stride loop",
    "f",
    "for j in range(i, n, get_grid_dim() * get_block_dim()):\n    y[j] = x[j]",
    lambda x: x,
    HEAD + "get_block_dim, get_grid_dim",
)
form(
    "Numba's literal_unroll",
    "f",
    "s = 0.0\nfor w in literal_unroll((1.0, 2.0)):\n    s += w * x[i]\ny[i] = s",
    lambda x: 3 * x,
)
form(
    "Triton's static_range",
    "f",
    "s = 0.0\nfor k in tl.static_range(3):\n    s += x[i]\ny[i] = s",
    lambda x: 3 * x,
)
form("Triton's where", "f", "y[i] = tl.where(x[i] > 0, x[i], 0.0)", lambda x: np.maximum(x, 0))
form(
    "Triton's load with a mask",
    "f",
    "v = tl.load(x + i, mask=i < n, other=0.0)\ny[i] = v",
    lambda x: x,
)
form("Triton's cdiv", "u", "y[i] = tl.cdiv(x[i], 4)", lambda x: -(-x.astype(int) // 4))
form("ceiling division", "u", "y[i] = (x[i] + 4 - 1) // 4", lambda x: (x + 3) // 4)
form("negated floor division", "i", "y[i] = -(-x[i] // 4)", lambda x: -(-x // 4))
form(
    "Numba's block and thread ids",
    "f",
    "j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x\ny[j] = x[j]",
    lambda x: x,
)
form("float of a type variable", "f", "half = type(x[i])(0.5)\ny[i] = half * x[i]", lambda x: x / 2)
form("isinstance of float", "f", "y[i] = x[i] if isinstance(x[i], float) else 0", lambda x: x)
form(
    "power with a negative base",
    "f",
    "y[i] = (-1) ** i * x[i]",
    lambda x: np.where(LANE % 2, -x, x),
)
form("a power of two by a lane", "u", "y[i] = 2 ** (x[i] % 8)", lambda x: 1 << (x % 8))
form(
    "running minimum with its place",
    "u",
    "best, place = u32(1000), u32(0)\nfor k in range(n):\n    if x[k] < best:\n        best, place = x[k], k\ny[i] = place",
    lambda x: np.full(N, np.argmin(x)),
)
form(
    "two results in one line",
    "f",
    "lo, hi = min(x[i], 0.0), max(x[i], 0.0)\ny[i] = hi - lo",
    np.abs,
)
form(
    "ring buffer",
    "f",
    "ring = local(f32, 4)\nfor k in range(8):\n    ring[k % 4] = x[i] + k\ny[i] = ring[0]",
    lambda x: x + 4,
    HEAD + "local",
)
form(
    "local table filled in a loop",
    "f",
    "t = local(f32, 4)\nfor k in range(len(t)):\n    t[k] = k * x[i]\ny[i] = t[3] - t[1]",
    lambda x: 2 * x,
    HEAD + "local",
)
form(
    "Kahan sum",
    "f",
    "s, c = 0.0, 0.0\nfor k in range(n):\n    v = x[k] - c\n    t = s + v\n    c = (t - s) - v\n    s = t\ny[i] = s",
    lambda x: np.full(N, x.sum()),
)
form(
    "logistic map",
    "d",
    "v = 0.5\nfor _ in range(3):\n    v = 3.5 * v * (1 - v)\ny[i] = f64(v) * 0 + x[i]",
    lambda x: x,
)
form(
    "Newton's root",
    "d",
    "g = abs(x[i]) + 1.0\nfor _ in range(40):\n    g = 0.5 * (g + 2.0 / g)\ny[i] = g",
    lambda x: [_root(abs(v) + 1.0) for v in x],
)

# Values of several numbers, shared memory, warps, atomics
form(
    "record of a struct returned twice",
    "f",
    "a = pair(x[i], 1.0)\nb = pair(a.hi, a.lo)\ny[i] = b.lo - b.hi",
    lambda x: 1 - x,
    "from typing import NamedTuple\n"
    + HEAD
    + "inline\n\n\nclass Pair(NamedTuple):\n    lo: f32\n    hi: f32\n\n\n@inline\ndef pair(a: f32, b: f32) -> Pair:\n    return Pair(a, b)\n",
)
form(
    "struct by position unpacked",
    "f",
    "lo, hi = Pair(x[i], 2.0)\ny[i] = lo * hi",
    lambda x: 2 * x,
    "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    lo: f32\n    hi: f32\n",
)
form(
    "_replace of a named tuple",
    "f",
    "p = Pair(x[i], 2.0)\np = p._replace(hi=3.0)\ny[i] = p.lo * p.hi",
    lambda x: 3 * x,
    "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    lo: f32\n    hi: f32\n",
)
form(
    "method of a dataclass",
    "f",
    "y[i] = Pair(x[i], 2.0).product()",
    lambda x: 2 * x,
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Pair:\n    lo: f32\n    hi: f32\n\n    def product(self):\n        return self.lo * self.hi\n",
)
form(
    "default of a field",
    "f",
    "y[i] = Pair(x[i]).hi * x[i]",
    lambda x: 2 * x,
    "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    lo: f32\n    hi: f32 = 2.0\n",
)
form(
    "a vector in a conditional",
    "f",
    "v = vec2(x[i], 1.0) if x[i] > 0 else vec2(0.0, 2.0)\ny[i] = v.x + v.y",
    lambda x: np.where(x > 0, x + 1, 2),
    HEAD + "vec2",
)
form(
    "length of a difference",
    "f",
    "d = vec3(x[i], 0.0, 0.0) - vec3(1.0, 0.0, 0.0)\ny[i] = length(d)",
    lambda x: np.abs(x - 1),
    HEAD + "length, vec3",
)
form(
    "scalar minus a vector",
    "f",
    "v = 1.0 - vec2(x[i], 0.0)\ny[i] = v.x",
    lambda x: 1 - x,
    HEAD + "vec2",
)
form("sum of a vector", "f", "y[i] = sum(vec3(x[i], 1.0, 2.0))", lambda x: x + 3, HEAD + "vec3")
form(
    "max of a vector",
    "f",
    "v = vec3(x[i], 1.0, 2.0)\ny[i] = max(v)",
    lambda x: np.maximum(x, 2),
    HEAD + "vec3",
)
form(
    "enumerate of an array",
    "f",
    "s = 0.0\nfor k, v in enumerate(x):\n    if k < 3:\n        s += v\ny[i] = s",
    lambda x: np.full(N, x[:3].sum()),
)
form(
    "zip of two arrays",
    "f",
    "s = 0.0\nfor a, b in zip(x, x):\n    s = a + b\ny[i] = s",
    lambda x: np.full(N, 2 * x[-1]),
)
form(
    "range of len with a step",
    "f",
    "s = 0.0\nfor k in range(0, len(x), 32):\n    s += x[k]\ny[i] = s",
    lambda x: np.full(N, x[::32].sum()),
)
form("array of several by reshape", "f", "y[i] = x.reshape(8, 12)[i // 12, i % 12]", lambda x: x)
form(
    "the maximum of a row by a loop and else",
    "f",
    "m = x[0]\nfor k in range(1, n):\n    m = x[k] if x[k] > m else m\ny[i] = m",
    lambda x: np.full(N, x.max()),
)
form(
    "warp's first lane",
    "f",
    "y[i] = shuffle(x[i], 0)",
    lambda x: np.repeat(x[::32], 32),
    HEAD + "shuffle",
)
form("atomic increment of C", "u", "atomicInc(y, 0)", lambda x: x)
form("atomic subtraction", "u", "atomic_sub(y, x[i] % 8, 1)", lambda x: x)
form(
    "assert of several values",
    "i",
    "assert x[i] > -100 and x[i] < 100, f'{x[i]} of {i}'\ny[i] = x[i]",
    lambda x: x,
)
form("assert with a comma", "i", "assert (x[i] > -100, 'text')\ny[i] = x[i]", lambda x: x)
form("empty return value", "i", "y[i] = x[i]\nreturn None", lambda x: x)
form("ellipsis as a body", "i", "if x[i] > 0:\n    ...\ny[i] = x[i]", lambda x: x)
form("lambda in a local", "f", "f = lambda v: 2 * v\ny[i] = f(x[i])", lambda x: 2 * x)
form(
    "a function chosen when compiling",
    "f",
    "y[i] = (sqrt if True else exp)(abs(x[i]))",
    lambda x: np.sqrt(np.abs(x)),
    HEAD + "exp, sqrt",
)
form(
    "text with a percent sign",
    "i",
    "if x[i] > 1000:\n    print('%d' % x[i])\ny[i] = x[i]",
    lambda x: x,
)
form(
    "format by a method",
    "i",
    "if x[i] > 1000:\n    print('{}'.format(x[i]))\ny[i] = x[i]",
    lambda x: x,
)


def _root(guess: float) -> float:
    for _ in range(40):
        guess = 0.5 * (guess + 2.0 / guess)
    return guess


def _halved(value: int) -> int:
    while True:
        value //= 2
        if value <= 10:
            return value
