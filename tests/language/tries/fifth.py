"""Forms of a fifth round: C's syntax as it is pasted, names of headers and libraries, kernels whose parameters are
assigned, targets in loops, names of Python's own functions."""

from __future__ import annotations

import math

import numpy as np

from tries import N, form

i = np.arange(N)
u = np.uint32

# C and CUDA, as they stand
form("C's and", "i", "if x[i] > 0 && x[i] < 9:\n    y[i] = 1", lambda x: (x > 0) & (x < 9))
form("C's or", "i", "y[i] = 1 if x[i] < 0 || x[i] > 9 else 0", lambda x: (x < 0) | (x > 9))
form("C's not", "i", "if !x[i]:\n    y[i] = 1", lambda x: x == 0)
form("C's choice", "f", "y[i] = x[i] > 0 ? x[i] : 0", lambda x: np.maximum(x, 0))
form("C's cast in brackets", "i", "y[i] = (int) f32(x[i])", lambda x: x)
form("C's declaration", "f", "float t = x[i]\ny[i] = t", lambda x: x)
form("C's for", "f", "for (int j = 0; j < 4; j++) {\n    y[i] += x[i];\n}", lambda x: 4 * x)
form("C's block of if", "f", "if (x[i] > 0) {\n    y[i] = 1;\n}", lambda x: x > 0)
form("C's literal of float", "f", "y[i] = 0.5f * x[i]", lambda x: x / 2)
form("C's literal of unsigned", "u", "y[i] = x[i] & 0xFFu", lambda x: x & u(255))
form("C's comment", "f", "// twice\ny[i] = 2 * x[i]", lambda x: 2 * x)
form("increment before", "i", "t = x[i]\n++t\ny[i] = t", lambda x: x + 1)
form("increment of an element", "i", "y[i] = x[i]\ny[i]++", lambda x: x + 1)
form("address of an element", "i", "atomic_add(&y[i], x[i])", lambda x: x)
form("else if", "i", "if x[i] > 0:\n    y[i] = 1\nelse if x[i] < 0:\n    y[i] = -1", np.sign)
form("true of C", "i", "done = false\nif not done:\n    y[i] = 1", lambda x: 0 * x + 1)
form("M_PI", "d", "y[i] = x[i] * M_PI", lambda x: x * math.pi)
form(
    "FLT_MAX",
    "f",
    "m = FLT_MAX\nfor v in x:\n    m = min(m, v)\ny[i] = m",
    lambda x: x.min() + 0 * x,
)
form("INT_MAX", "i", "y[i] = min(x[i], INT_MAX)", lambda x: x)
form("UINT32_MAX", "u", "y[i] = x[i] ^ UINT32_MAX", lambda x: ~x)
form("INFINITY", "f", "y[i] = min(x[i], INFINITY)", lambda x: x)
form("uint32_t as a cast", "u", "y[i] = uint32_t(x[i])", lambda x: x)
form("unsigned as a cast", "u", "y[i] = unsigned(x[i])", lambda x: x)
form("double as a cast", "d", "y[i] = double(x[i])", lambda x: x)
form("float32 as a cast", "f", "y[i] = float32(x[i])", lambda x: x)
form("sizeof", "u", "y[i] = sizeof(x[i])", lambda x: 0 * x + 4)
form("fmaxf and powf", "f", "y[i] = fmaxf(powf(x[i], 2.0), 1.0)", lambda x: np.maximum(x * x, 1))
form("rand", "f", "y[i] = rand() / 3", lambda x: x)
form("__ffs", "u", "y[i] = __ffs(x[i])", lambda x: x)
form("__brev", "u", "y[i] = __brev(x[i])", lambda x: x)
form("__umulhi", "u", "y[i] = __umulhi(x[i], 5)", lambda x: 0 * x)
form("__ldg", "f", "y[i] = __ldg(x[i])", lambda x: x)
form("__fdividef", "f", "y[i] = __fdividef(x[i], 2.0)", lambda x: x / 2)
form("__int_as_float", "i", "y[i] = __int_as_float(x[i])", lambda x: x)
form("__syncthreads_or", "i", "y[i] = __syncthreads_or(x[i] > 0)", lambda x: 0 * x + 1)
form("atomicCAS", "i", "atomicCAS(y[i], 0, x[i])", lambda x: x)
form("warpSize", "u", "y[i] = i % warpSize", lambda x: i % 32)
form("lerp", "f", "y[i] = lerp(x[i], 1.0, 0.5)", lambda x: x + (1 - x) * 0.5)
form("smoothstep", "f", "y[i] = smoothstep(0.0, 1.0, x[i])", lambda x: x)
form("fract", "f", "y[i] = fract(x[i])", lambda x: x - np.floor(x))

# NumPy, Numba, Triton, Taichi, Warp
NP = "import numpy as np"
form("np.mod", "i", "y[i] = np.mod(x[i], 7)", lambda x: x % 7, NP)
form("np.add", "f", "y[i] = np.add(x[i], 1)", lambda x: x + 1, NP)
form(
    "np.float64 of a sum",
    "d",
    "s = np.float64(0)\nfor v in x:\n    s += v\ny[i] = s",
    lambda x: x.sum() + 0 * x,
    NP,
)
form("np.heaviside", "f", "y[i] = np.heaviside(x[i], 0.5)", lambda x: np.heaviside(x, 0.5), NP)
form("np.reciprocal", "f", "y[i] = np.reciprocal(x[i])", lambda x: 1 / x, NP)
form("np.isclose", "f", "y[i] = 1 if np.isclose(x[i], 1) else 0", lambda x: x == 1, NP)
form("np.nan_to_num", "f", "y[i] = np.nan_to_num(x[i])", lambda x: x, NP)
form(
    "np.hypot and np.cbrt",
    "d",
    "y[i] = np.hypot(3 * x[i], 4 * x[i]) + 0 * np.cbrt(x[i])",
    lambda x: np.hypot(3 * x, 4 * x),
    NP,
)
form("np.dot of two arrays", "f", "y[i] = np.dot(x, x)", lambda x: x, NP)
form("np.argmax", "f", "y[i] = np.argmax(x)", lambda x: x, NP)
form("np.linalg.norm", "f", "y[i] = np.linalg.norm(x)", lambda x: x, NP)
form(
    "np.array in a kernel", "f", "w = np.array([1.0, 2.0])\ny[i] = w[1] * x[i]", lambda x: 2 * x, NP
)
form("np.bitwise_and", "u", "y[i] = np.bitwise_and(x[i], 12)", lambda x: x & u(12), NP)
form("np.uint8 wraps or saturates", "i", "y[i] = np.uint8(200)", lambda x: 0 * x + 200, NP)
form("ndim", "u", "y[i] = x.ndim", lambda x: 0 * x + 1)
form("last of shape", "u", "y[i] = x.shape[-1]", lambda x: 0 * x + N)
form("index with None", "f", "y[i] = x[None, i]", lambda x: x)
form("item", "f", "y[i] = x[i].item()", lambda x: x)
form("reversed by a step", "f", "y[i] = x[::-1][i]", lambda x: x[::-1])
form("power of a negation", "i", "y[i] = -x[i] ** 2", lambda x: -(x**2))
form("math.log of two", "d", "y[i] = math.log(8.0, 2) * x[i]", lambda x: 3 * x, "import math")
form(
    "math.isclose", "d", "y[i] = 1 if math.isclose(x[i], 2) else 0", lambda x: x == 2, "import math"
)
form("math.degrees", "d", "y[i] = math.degrees(x[i])", lambda x: x, "import math")
form("math.isqrt", "i", "y[i] = math.isqrt(x[i])", lambda x: x, "import math")
form("math.factorial", "i", "y[i] = math.factorial(3) * x[i]", lambda x: 6 * x, "import math")
form("math.erf and gamma", "d", "y[i] = math.gamma(x[i])", lambda x: x, "import math")
form("cuda.local.array", "f", "t = cuda.local.array(4, f32)\ny[i] = x[i]", lambda x: x)
form("cuda.gridsize", "f", "for j in range(i, n, cuda.gridsize(1)):\n    y[j] = x[j]", lambda x: x)
form("tl.arange", "f", "o = tl.arange(0, 32)\ny[i] = x[i]", lambda x: x)
form("tl.maximum", "f", "y[i] = tl.maximum(x[i], 0.0)", lambda x: np.maximum(x, 0))
form("tl.exp", "f", "y[i] = tl.exp(0.0) * x[i]", lambda x: x)
form("tl.num_programs", "u", "y[i] = tl.num_programs(0)", lambda x: 0 * x + 3)
form("ti.sqrt", "f", "y[i] = ti.sqrt(4.0) * x[i]", lambda x: 2 * x)
form("ti.cast", "f", "y[i] = ti.cast(x[i], ti.f32)", lambda x: x)
form("ti.random", "f", "y[i] = ti.random()", lambda x: x)
form("ti.ndrange", "f", "for a, b in ti.ndrange(2, 3):\n    y[i] += x[i]", lambda x: 6 * x)
form(
    "ti.static of a range", "f", "for k in ti.static(range(3)):\n    y[i] += x[i]", lambda x: 3 * x
)
form("wp.tid", "f", "j = wp.tid()\ny[j] = x[j]", lambda x: x)
form("jnp.where", "f", "y[i] = jnp.where(x[i] > 0, x[i], 0)", lambda x: np.maximum(x, 0))

# Python
form(
    "pairs of a tuple",
    "i",
    "for a, b in ((1, 2), (3, 4)):\n    y[i] += a * b * x[i]",
    lambda x: 14 * x,
)
form(
    "pairs of a list of the module",
    "i",
    "for dx, dy in DIRS:\n    y[i] += dx - 2 * dy",
    lambda x: 0 * x - 1,
    "DIRS = [(0, 1), (1, 0)]",
)
form(
    "pairs with their number",
    "i",
    "for k, (a, b) in enumerate(P):\n    y[i] += k * (a + b)",
    lambda x: 0 * x + 7,
    "P = ((1, 2), (3, 4))",
)
form(
    "pairs beside a table",
    "i",
    "for (a, b), w in zip(P, W):\n    y[i] += w * (a + b)",
    lambda x: 0 * x + 170,
    "P = ((1, 2), (3, 4))\nW = (10, 20)",
)
form("values without brackets", "i", "for k in 1, 5, 7:\n    y[i] += k", lambda x: 0 * x + 13)
form(
    "a result that is not used",
    "f",
    "_, b = pair(x[i])\ny[i] = b",
    lambda x: x + 1,
    "from hologram.lang import inline\n\n@inline\ndef pair(v):\n    return v, v + 1.0",
)
form("a parameter that is assigned", "f", "n = min(n, 4)\ny[i] = f32(n)", lambda x: 0 * x + 4)
form("an array's name for its element", "f", "x = x[i]\ny[i] = x", lambda x: x)
form(
    "the lane's number counted up", "f", "j = i\ni += 1\ny[j] = x[j] + f32(i - j)", lambda x: x + 1
)
form(
    "a sum called sum",
    "f",
    "sum = 0.0\nfor v in x:\n    sum += v\ny[i] = sum",
    lambda x: 0 * x + x.sum(),
)
form(
    "a local called max",
    "f",
    "max = x[0]\nfor v in x:\n    if v > max:\n        max = v\ny[i] = max",
    lambda x: 0 * x + x.max(),
)
form("a local called len", "i", "len = 3\ny[i] = len", lambda x: 0 * x + 3)
form("a local called f32", "i", "f32 = 3\ny[i] = f32", lambda x: 0 * x + 3)
form("a local called lambda_", "i", "lambda_ = 3\ny[i] = lambda_ * x[i]", lambda x: 3 * x)
form("a local with a letter of German", "f", "ü = 2.0\ny[i] = ü * x[i]", lambda x: 2 * x)
form("a set", "i", "y[i] = 1 if x[i] in {1, 3} else 0", lambda x: (x == 1) | (x == 3))
form("equal bools", "i", "y[i] = 1 if (x[i] > 0) == (i > 50) else 0", lambda x: (x > 0) == (i > 50))
form(
    "bools that differ",
    "i",
    "y[i] = 1 if (x[i] > 0) != (i > 50) else 0",
    lambda x: (x > 0) != (i > 50),
)
form("compared with True", "i", "y[i] = 1 if (x[i] > 0) is True else 0", lambda x: x > 0)
form("not not", "i", "y[i] = 1 if not not x[i] else 0", lambda x: x != 0)
form("a chain down and up", "i", "y[i] = 1 if 9 > x[i] < 5 else 0", lambda x: x < 5)
form("an index that is a float", "f", "y[i] = x[i / 2]", lambda x: x[i // 2])
form("an index that is a literal float", "f", "y[i] = x[1.0]", lambda x: x)
form("an index that is a bool", "f", "y[i] = x[i > 5]", lambda x: np.where(i > 5, x[1], x[0]))
form("a float that is an int", "f", "t: float = 3\ny[i] = t * x[i]", lambda x: 3 * x)
form("an int that is a float", "i", "t: int = 3.0\ny[i] = t", lambda x: 0 * x + 3)
form(
    "a Final local", "i", "t: Final = 3\ny[i] = t", lambda x: 0 * x + 3, "from typing import Final"
)
form(
    "unpacked twice",
    "i",
    "(a, b), c = divmod(x[i], 7), 2\ny[i] = a * b * c",
    lambda x: (x // 7) * (x % 7) * 2,
)
form("sorted", "f", "a, b = sorted((x[i], 1.0))\ny[i] = b - a", lambda x: np.abs(x - 1))
form("map", "f", "y[i] = sum(map(sqrt, (1.0, 4.0))) * x[i]", lambda x: 3 * x)
form("index of a table", "i", "y[i] = W.index(3)", lambda x: x, "W = (1, 3)")
form(
    "a table by a comprehension",
    "i",
    "y[i] = W[3] * x[i]",
    lambda x: 9 * x,
    "W = tuple(k * k for k in range(4))",
)
form(
    "a table by a list comprehension",
    "i",
    "y[i] = W[3] * x[i]",
    lambda x: 9 * x,
    "W = [k * k for k in range(4)]",
)
form("a table by a sum of tables", "i", "y[i] = W[2] * x[i]", lambda x: 3 * x, "W = (1, 2) + (3,)")
form(
    "a table by np.arange",
    "i",
    "y[i] = W[2] * x[i]",
    lambda x: 2 * x,
    "import numpy as np\nW = np.arange(4)",
)
form(
    "a table by np.linspace",
    "f",
    "y[i] = W[2] * x[i]",
    lambda x: 0.5 * x,
    "import numpy as np\nW = np.linspace(0, 1, 5)",
)
form("a table by a range", "i", "y[i] = W[2] * x[i]", lambda x: 2 * x, "W = range(4)")
form(
    "a constant by a choice",
    "i",
    "y[i] = A * x[i]",
    lambda x: 2 * x,
    "N = 5\nA = 2 if N > 4 else 3",
)
form("a constant by max", "i", "y[i] = A * x[i]", lambda x: 7 * x, "A = max(3, 7)")
form("a constant of all bits", "u", "y[i] = x[i] ^ M", lambda x: ~x, "M = 0xFFFFFFFF")
form(
    "a constant behind the helper that reads it",
    "f",
    "y[i] = g(x[i])",
    lambda x: 3 * x,
    "from hologram.lang import inline\n\n@inline\ndef g(v):\n    return C * h(v)\n\n@inline\ndef h(v):\n    return v\n\nC = 3.0",
)
form("a dictionary of the module", "i", "y[i] = D['a'] * x[i]", lambda x: 3 * x, "D = {'a': 3}")
form("a local that hides a constant", "i", "C = 5\ny[i] = C * x[i]", lambda x: 5 * x, "C = 3")
form(
    "a constant from the environment",
    "i",
    "y[i] = C * x[i]",
    lambda x: 3 * x,
    "import os\nC = int(os.environ.get('C', 3))",
)
form(
    "an enumeration with auto",
    "i",
    "y[i] = Kind.B * x[i]",
    lambda x: 2 * x,
    "from enum import IntEnum, auto\n\nclass Kind(IntEnum):\n    A = auto()\n    B = auto()",
)
form(
    "a parameter and a local of the same name in a helper",
    "f",
    "y[i] = g(x[i], 2.0)",
    lambda x: 2 * x + 1,
    "from hologram.lang import inline\n\n@inline\ndef g(x, y):\n    n = x * y\n    i = n + 1.0\n    return i",
)
form(
    "a helper that returns in all branches of a match of ifs",
    "i",
    "y[i] = kind(x[i])",
    lambda x: np.where(x > 0, 1, np.where(x < 0, -1, 0)),
    "from hologram.lang import inline\n\n@inline\ndef kind(v: i32) -> i32:\n    if v > 0:\n        return 1\n    elif v < 0:\n        return -1\n    else:\n        return 0",
)
form(
    "a helper that does not return on one way",
    "i",
    "y[i] = kind(x[i])",
    lambda x: x,
    "from hologram.lang import inline\n\n@inline\ndef kind(v: i32) -> i32:\n    if v > 0:\n        return 1",
)
form(
    "a helper in a helper's argument",
    "f",
    "y[i] = g(g(g(x[i])))",
    lambda x: x + 3,
    "from hologram.lang import inline\n\n@inline\ndef g(v):\n    return v + 1.0",
)
form(
    "while with a counter that is a float",
    "f",
    "t = 0.0\nwhile t < 1.0:\n    t += 0.25\n    y[i] += x[i]",
    lambda x: 4 * x,
)
form("a range of floats", "f", "for t in range(0, 1, 0.25):\n    y[i] += x[i]", lambda x: 4 * x)
form(
    "a range by a quotient",
    "f",
    "for k in range(n / 2):\n    y[i] += 1.0",
    lambda x: 0 * x + N // 2,
)
form(
    "print with a percent sign and a comma",
    "f",
    "if x[i] > 1000:\n    print('%f', x[i])\ny[i] = x[i]",
    lambda x: x,
)
form("a value with a unit", "f", "y[i] = x[i] * 10 ** -3", lambda x: x * np.float32(10**-3))
form("a literal with an exponent for an integer", "i", "y[i] = x[i] + 1e3", lambda x: x + 1000)
form("a remainder of a negative literal", "i", "y[i] = -7 % 3 + x[i]", lambda x: x + 2)
form(
    "wrapped difference of i32 ids",
    "f",
    "j = (i32(i) - 1) % i32(n)\ny[i] = x[j]",
    lambda x: np.roll(x, 1),
)
form("a condition with a comma", "i", "if x[i] > 0, x[i] < 9:\n    y[i] = 1", lambda x: x)
form("assignment in a condition", "i", "if x[i] = 0:\n    y[i] = 1", lambda x: x == 0)
form("missing colon", "i", "if x[i] == 0\n    y[i] = 1", lambda x: x == 0)
form("a bracket that does not close", "i", "y[i] = min(x[i], 3", lambda x: x)
