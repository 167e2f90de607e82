"""Rows of cases.py that came after whole programs had been pasted: loops over values, constants of a module, bools
beside numbers."""

from __future__ import annotations

Rows = list[tuple[str, str, str]]

LOOPS: Rows = [
    ("continue over values", "o[i] = 0.0\nfor w in (1.0, 2.0, 4.0):\n    if w == 2.0:\n        continue\n    o[i] += w", "5 + 0 * x"),
    ("continue over values, by lane", "o[i] = 0.0\nfor w in (1.0, 2.0, 4.0):\n    if w > x[i]:\n        continue\n    o[i] += w", "np.where(x >= 4, 7, np.where(x >= 2, 3, 1))"),
    ("break over values", "W = (1.0, 2.0, 4.0)\n---\nt = 0.0\nfor w in W:\n    if w > x[i]:\n        break\n    t += w\no[i] = t", "np.where(x >= 4, 7, np.where(x >= 2, 3, 1))"),
    ("break and continue over values", "t = 0.0\nfor w in (1.0, 3.0, 2.0, 4.0):\n    if w == 3.0:\n        continue\n    elif w > x[i]:\n        break\n    t += w\no[i] = t", "np.where(x >= 4, 7, np.where(x >= 2, 3, 1))"),
    ("break in a loop in a loop over values", "t = 0.0\nfor w in (1.0, 2.0):\n    for k in range(8):\n        if f32(k) >= x[i]:\n            break\n        t += w\no[i] = t", "3 * x"),
    ("continue in both loops", "t = 0.0\nfor a in (1.0, 2.0):\n    for b in (3.0, 5.0):\n        if a + b == 5.0:\n            continue\n        t += a * b\n    if a == 1.0:\n        continue\n    t += 100.0\no[i] = t", "118 + 0 * x"),
    ("return out of values", "for w in (1.0, 2.0, 4.0):\n    if w >= x[i]:\n        o[i] = w\n        return\no[i] = 9.0", "np.where(x <= 1, 1, np.where(x <= 2, 2, np.where(x <= 4, 4, 9)))"),
    ("enumerate an array", "o[i] = 0.0\nfor k, v in enumerate(x):\n    if k <= i:\n        o[i] += v", "np.cumsum(x)"),
    ("enumerate from 1", "o[i] = 0.0\nfor k, v in enumerate(x, 1):\n    o[i] = max(o[i], v - f32(k))", "0 * x"),
    ("enumerate a table from 10", "o[i] = 0.0\nfor k, w in enumerate((1.0, 2.0), 10):\n    o[i] += w * k", "32 + 0 * x"),
    ("zip two arrays", "t = 0.0\nfor a, b in zip(x, x):\n    t += a * b\no[i] = t", "204 + 0 * x"),
    ("zip with a part of an array", "t = 0.0\nfor a, b in zip(x, x[1:]):\n    t += b - a\no[i] = t", "7 + 0 * x"),
    ("enumerate into one name", "for p in enumerate(x):\n    o[i] = 1.0", "!`enumerate` gives 2 values here"),
    ("zip an array and a table", "for a, w in zip(x, (1.0, 2.0)):\n    o[i] = a * w", "!takes arrays or tables, not both"),
    ("an array from its end", "t = 0.0\nfor v in reversed(x):\n    t = t * 0.5 + v\no[i] = t", "sum(v * 0.5**k for k, v in enumerate(x)) + 0 * x"),
    ("a table from its end", "W = (1.0, 2.0, 4.0)\n---\nt = 0.0\nfor w in reversed(W):\n    t = t * x[i] + w\no[i] = t", "1 + x * (2 + x * 4)"),
    ("parts of a table", "W = (1.0, 2.0, 4.0)\n---\nt = 0.0\nfor w in W[1:]:\n    t += w\nfor w in W[::-1]:\n    t = t * 2.0 + w\no[i] = t + len(W[:2])", "71 + 0 * x"),
    ("no part of a table", "W = (1.0, 2.0)\n---\nfor w in W[2:]:\n    o[i] = w", "!`W[2:]` has no rows"),
    ("a part of a table that is not known", "W = (1.0, 2.0)\n---\nfor w in W[:n]:\n    o[i] = w", "!with ends that are known"),
    ("a sum over zip", "A = (1.0, 2.0)\nB = (3.0, 5.0)\n---\no[i] = sum(a * b * x[i] for a, b in zip(A, B))", "13 * x"),
    ("a sum over enumerate", "o[i] = sum(k * w * x[i] for k, w in enumerate((7.0, 2.0)))", "2 * x"),
    ("a negative step of a table beside a lane", "o[i] = 0.0\nfor d in (-1, 0, 1):\n    o[i] += x[(i + d + n) % n]", "np.roll(x, 1) + x + np.roll(x, -1)"),
    ("less a negative step", "o[i] = 0.0\nfor d in (-1, -2):\n    o[i] += x[(i - d) % n]", "np.roll(x, -1) + np.roll(x, -2)"),
]  # fmt: skip

CONSTANTS: Rows = [
    ("a vector", "UP = vec3(0.0, 1.0, 2.0)\n---\no[i] = dot(UP, vec3(x[i], 2.0, 3.0)) + UP.z", "10 + 0 * x"),
    ("a vector of integers, for all", "S = vec2(2)\nT = ivec2(1, -1)\n---\np = S * x[i]\no[i] = p.y + T.y", "2 * x - 1"),
    ("a vector of a vector", "A = vec2(1.0, 2.0)\nB = vec3(A, 3.0)\n---\no[i] = B.x + B.y * 10 + B.z * x[i]", "21 + 3 * x"),
    ("a matrix", "M = mat2(1.0, 2.0, 3.0, 4.0)\n---\nv = M @ vec2(x[i], 1.0)\no[i] = v.x + v.y", "4 * x + 6"),
    ("a matrix of a table", "R = ((1.0, 2.0), (3.0, 4.0))\n---\nv = mat2(R) @ vec2(x[i], 1.0)\no[i] = v.x + v.y", "4 * x + 6"),
    ("a vector of a table", "W = (1.0, 2.0, 4.0)\n---\no[i] = dot(vec3(W), vec3(x[i]))", "7 * x"),
    ("a struct", "class P(NamedTuple):\n    mass: f32\n    at: vec2\n\n\nSUN = P(2.0, vec2(1.0, 3.0))\n---\no[i] = SUN.mass * SUN.at.y * x[i]", "6 * x"),
    ("a dataclass by name", "@dataclass\nclass P:\n    a: f32\n    b: f32 = 5.0\n\n\nSUN = P(a=2.0)\n---\no[i] = SUN.a * SUN.b * x[i]", "10 * x"),
    ("a complex number", "C = complex(1.0, 2.0)\n---\nz = complex64(x[i], 0.0) * C\no[i] = z.real + z.imag", "3 * x"),
    ("a complex sum", "C = 1 + 2j\nD = -C * 2\n---\nz = complex64(x[i], 0.0) * D\no[i] = z.real + z.imag", "-6 * x"),
    ("a complex number's part", "C = complex(1.0, 2.0)\n---\no[i] = C.imag * x[i]", "2 * x"),
    ("a tuple of vectors", "L = (vec2(1.0, 2.0), vec2(3.0, 4.0))\n---\nt = 0.0\nfor p in L:\n    t += p.x * x[i] + p.y\no[i] = t", "4 * x + 6"),
    ("one of a tuple of vectors", "L = [vec2(1.0, 2.0), vec2(3.0, 4.0)]\n---\np = L[1]\no[i] = p.x * x[i] + L[0].y", "3 * x + 2"),
    ("a tuple of structs, by number", "class P(NamedTuple):\n    a: f32\n    b: f32\n\n\nL = (P(1.0, 2.0), P(3.0, 4.0))\n---\np = L[i % 2]\no[i] = p.a * x[i] + p.b", "np.where(i % 2, 3 * x + 4, x + 2)"),
    ("a root", "ROOT = math.sqrt(2.25)\n---\no[i] = ROOT * x[i]", "1.5 * x"),
    ("a root of NumPy", "ROOT = np.sqrt(2.25) * 2\n---\no[i] = ROOT * x[i]", "3 * x"),
    ("a number of blocks", "N = 100\nBLOCKS = math.ceil(N / 16)\nREST = abs(min(N, 7) - max(3, 9))\n---\no[i] = x[i] + BLOCKS * 10 + REST", "x + 72"),
    ("int of a float", "N = int(16 * 1.6)\n---\no[i] = x[i] + N // 2", "x + 12"),
    ("the size and the sum of a table", "W = (1, 2, 4)\nN = len(W)\nALL = sum(W)\n---\no[i] = x[i] * ALL + N", "7 * x + 3"),
    ("several at once", "A, B = 2.0, 3.0\n---\no[i] = A * x[i] + B", "2 * x + 3"),
    ("the same for two names", "A = B = 2.0\n---\no[i] = A * x[i] + B", "2 * x + 2"),
    ("several that are tables", "A, B = (1.0, 2.0), (3.0, 4.0)\n---\no[i] = A[1] * x[i] + B[0]", "2 * x + 3"),
    ("radians", "HALF = math.radians(180.0) / math.pi\n---\no[i] = HALF * x[i]", "x"),
    ("the logarithm of a factorial", "A = math.lgamma(3.0)\n---\no[i] = A * x[i]", "np.float32(np.log(2.0)) * x"),
    ("a function of NumPy that the machine has", "A = np.exp(1.0)\n---\no[i] = A * x[i]", "!write math.exp(...)"),
    ("a function that is not one of constants", "A = math.dist((1, 2), (3, 4))\n---\no[i] = A * x[i]", "!`A` is"),
]  # fmt: skip

BOOLS: Rows = [
    ("times a number", "o[i] = x[i] * (x[i] > 3.0)", "x * (x > 3)"),
    ("added to a count", "c = 0\nfor k in range(8):\n    c += x[k] > x[i]\no[i] = f32(c)", "8 - x"),
    ("an integer and a bool", "o[i] = f32(1 + (x[i] > 3.0) * 2)", "1 + 2 * (x > 3)"),
    ("less a bool", "o[i] = x[i] - (x[i] > 3.0)", "x - (x > 3)"),
    ("True", "o[i] = x[i] + True", "x + 1"),
    ("an id and a bool", "o[i] = f32(i + (x[i] > 3.0))", "i + (x > 3)"),
    ("by C's choice", "o[i] = x[i] * (x[i] > 3.0) - x[i] * (x[i] <= 3.0)", "np.where(x > 3, x, -x)"),
    ("two bools", "o[i] = f32((x[i] > 3.0) - (x[i] < 3.0))", "!`-` needs numbers, not bool; write i32(x[i] > 3.0)"),
    ("a literal with a point", "o[i] = 0.1 * (x[i] > 3.0)", "!`*` needs numbers, not bool; write f32(x[i] > 3.0)"),
    ("divided", "o[i] = (x[i] > 3.0) / x[i]", "!`/` needs numbers, not bool; write f32(x[i] > 3.0)"),
]  # fmt: skip

SHIFTS: Rows = [
    ("by a counter", "h = i\nfor k in range(1, 3):\n    h = h ^ (h << k)\no[i] = f32(h)", "(i ^ i << 1) ^ (i ^ i << 1) << 2"),
    ("in place by a counter", "h = i\nfor k in range(1, 3):\n    h <<= k\no[i] = f32(h)", "i << 3"),
    ("a rotation by a local", "h = i\nk = 3\nh = (h << k) | (h >> (32 - k))\no[i] = f32(h)", "i << 3"),
    ("by a counter of u32", "h = i\nfor k in range(1, 3):\n    h = h ^ (h << u32(k))\no[i] = f32(h)", "(i ^ i << 1) ^ (i ^ i << 1) << 2"),
    ("of a literal by a counter", "h = 0\nfor k in range(3):\n    h |= 1 << k\no[i] = f32(h)", "7 + 0 * x"),
]  # fmt: skip
