"""First tries: control flow, indexing."""

from __future__ import annotations

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32

# control flow

form(
    "early return",
    "f",
    """
if x[i] < 0:
    return
y[i] = x[i]
""",
    lambda x: np.where(x < 0, f32(0), x),
)
form(
    "elif chain",
    "f",
    """
if x[i] < -1:
    y[i] = -1
elif x[i] > 1:
    y[i] = 1
else:
    y[i] = x[i]
""",
    lambda x: np.clip(x, -1, 1),
)
form("conditional expression", "f", "y[i] = x[i] if x[i] > 0 else 0", lambda x: np.maximum(x, 0))
form(
    "nested conditional expression",
    "f",
    "y[i] = 1 if x[i] > 0 else -1 if x[i] < 0 else 0",
    lambda x: np.sign(x),
)
form(
    "chained comparison",
    "f",
    "y[i] = 1.0 if -1 < x[i] <= 1 else 0.0",
    lambda x: ((x > -1) & (x <= 1)).astype(f32),
)
form(
    "chain of three comparisons",
    "i",
    "y[i] = 1 if -9 < x[i] < 5 < 6 else 0",
    lambda x: ((x > -9) & (x < 5)).astype(i32),
)
form(
    "and or not",
    "f",
    "y[i] = 1.0 if not (x[i] < 0 or x[i] > 4) and x[i] != 2 else 0.0",
    lambda x: ((x >= 0) & (x <= 4) & (x != 2)).astype(f32),
)
form(
    "while countdown",
    "u",
    """
k = x[i]
s = 0
while k > 0:
    s += k
    k -= 1
y[i] = s
""",
    lambda x: x * (x + 1) // 2,
)
form(
    "while true break",
    "u",
    """
k = 1
while True:
    if k * k > x[i]:
        break
    k += 1
y[i] = k
""",
    lambda x: np.floor(np.sqrt(x)).astype(u32) + 1,
)
form(
    "while with else",
    "u",
    """
k = 0
while k < 5:
    if k == x[i]:
        break
    k += 1
else:
    k = 100
y[i] = k
""",
    lambda x: np.where(x < 5, x, 100),
)
form(
    "for with else",
    "u",
    """
for k in range(2, 12):
    if x[i] == k * k:
        y[i] = 1
        break
else:
    y[i] = 2
""",
    lambda x: np.where(np.isin(x, np.arange(2, 12) ** 2), 1, 2),
)
form(
    "continue in for",
    "i",
    """
s = 0
for k in range(10):
    if k % 2:
        continue
    s += k * x[i]
y[i] = s
""",
    lambda x: 20 * x,
)
form(
    "range with step",
    "i",
    """
s = 0
for k in range(1, 20, 3):
    s += k
y[i] = s + x[i]
""",
    lambda x: x + sum(range(1, 20, 3)),
)
form(
    "range down",
    "i",
    """
s = 0
for k in range(10, 0, -2):
    s = s * 2 + k
y[i] = s
""",
    lambda x: np.full_like(x, (((10 * 2 + 8) * 2 + 6) * 2 + 4) * 2 + 2),
)
form(
    "reversed range",
    "i",
    """
s = 0
for k in reversed(range(4)):
    s = s * 10 + k
y[i] = s
""",
    lambda x: np.full_like(x, 3210),
)
form(
    "range over an argument",
    "f",
    """
s = 0.0
for k in range(n):
    s += x[k]
y[i] = s
""",
    lambda x: np.full_like(x, x.sum()),
)
form(
    "range of a signed bound",
    "i",
    """
s = 0
for k in range(x[i]):
    s += 1
y[i] = s
""",
    lambda x: np.maximum(x, 0),
)
form(
    "nested loops",
    "i",
    """
s = 0
for a in range(3):
    for b in range(a):
        s += a * b
y[i] = s + x[i]
""",
    lambda x: x + 2,
)
form(
    "loop over a tuple",
    "f",
    """
s = 0.0
for w in (0.25, 0.5, 0.25):
    s += w * x[i]
y[i] = s
""",
    lambda x: x,
)
form(
    "loop over a list",
    "i",
    """
s = 0
for w in [1, 2, 3]:
    s += w * x[i]
y[i] = s
""",
    lambda x: 6 * x,
)
form(
    "enumerate of a tuple",
    "i",
    """
s = 0
for k, w in enumerate((5, 7, 9)):
    s += k * w
y[i] = s
""",
    lambda x: np.full_like(x, 25),
)
form(
    "zip of two tuples",
    "i",
    """
s = 0
for a, b in zip((1, 2, 3), (4, 5, 6)):
    s += a * b
y[i] = s
""",
    lambda x: np.full_like(x, 32),
)
form(
    "loop over an array",
    "f",
    """
s = 0.0
for v in x:
    s += v
y[i] = s
""",
    lambda x: np.full_like(x, x.sum()),
)
form(
    "pass",
    "i",
    """
if x[i] > 0:
    pass
else:
    y[i] = 7
""",
    lambda x: np.where(x > 0, 0, 7),
)
form(
    "match statement",
    "u",
    """
match x[i]:
    case 0:
        y[i] = 10
    case 1 | 2:
        y[i] = 20
    case _:
        y[i] = 30
""",
    lambda x: np.where(x == 0, 10, np.where(x <= 2, 20, 30)),
)
form(
    "walrus in a condition",
    "f",
    """
if (v := x[i] * 2) > 1:
    y[i] = v
""",
    lambda x: np.where(x * 2 > 1, x * 2, 0),
)
form(
    "walrus in a while",
    "u",
    """
k = x[i]
while (k := k // 2) > 3:
    y[i] += 1
""",
    lambda x: np.array([max(0, sum(1 for j in range(1, 9) if (int(v) >> j) > 3)) for v in x], u32),
)
form(
    "docstring",
    "f",
    '''
"""Copies x to y."""
y[i] = x[i]
''',
    lambda x: x,
)
form(
    "del of a local",
    "f",
    """
t = x[i]
y[i] = t
del t
""",
    lambda x: x,
)
form(
    "try and except",
    "i",
    """
try:
    y[i] = 10 // x[i]
except ZeroDivisionError:
    y[i] = 0
""",
    lambda x: np.where(x == 0, 0, 10 // np.where(x == 0, 1, x)),
)
form(
    "assert",
    "i",
    """
assert x[i] > -1000
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "assert with a message",
    "i",
    """
assert x[i] > -1000, "too small"
y[i] = x[i]
""",
    lambda x: x,
)
form(
    "raise",
    "i",
    """
if x[i] < -1000:
    raise ValueError("too small")
y[i] = x[i]
""",
    lambda x: x,
)
form("single-line if", "i", "if x[i] > 3: y[i] = x[i]", lambda x: np.where(x > 3, x, 0))
form("semicolons", "i", "t = x[i]; y[i] = t + 1", lambda x: x + 1)

# indexing

form("last element", "f", "y[i] = x[-1]", lambda x: np.full_like(x, x[-1]))
form(
    "negative index in a variable",
    "f",
    """
k = -1
y[i] = x[k]
""",
    lambda x: np.full_like(x, x[-1]),
)
form("len of an array", "f", "y[i] = len(x)", lambda x: np.full_like(x, N))
form("size of an array", "f", "y[i] = x.size", lambda x: np.full_like(x, N))
form("shape of an array", "f", "y[i] = x.shape[0]", lambda x: np.full_like(x, N))
form(
    "guard by len",
    "f",
    """
if i < len(x) - 1:
    y[i] = x[i + 1] - x[i]
""",
    lambda x: np.append(np.diff(x), f32(0)),
)
form(
    "augmented element",
    "f",
    """
y[i] += x[i]
y[i] *= 2
""",
    lambda x: 2 * x,
)
form(
    "all augmented operators of integers",
    "u",
    """
t = x[i]
t += 5
t -= 1
t *= 3
t //= 2
t %= 50
t <<= 2
t >>= 1
t |= 8
t &= 127
t ^= 3
y[i] = t
""",
    lambda x: ((((((x + 4) * 3 // 2) % 50) << 2) >> 1 | 8) & 127) ^ 3,
)
form(
    "augmented power",
    "f",
    """
t = x[i]
t **= 2
y[i] = t
""",
    lambda x: x * x,
)
form(
    "augmented division",
    "f",
    """
t = x[i]
t /= 4
y[i] = t
""",
    lambda x: x / 4,
)
form("index with a cast", "f", "y[i] = x[int(i)]", lambda x: x)
form("index by an array", "u", "y[i] = x[x[i] % n]", lambda x: x[x % N])
form("slice assignment", "f", "y[:] = x[:]", lambda x: x)
form("slice of a range", "f", "y[i:i + 1] = x[i:i + 1]", lambda x: x)
form(
    "slice then index",
    "f",
    """
row = x[1:]
y[i] = row[0]
""",
    lambda x: np.full_like(x, x[1]),
)
form("ellipsis", "f", "y[...] = 0", lambda x: np.zeros_like(x))
form("index by a tuple", "f", "y[(i,)] = x[(i,)]", lambda x: x)
form(
    "swap of elements",
    "f",
    """
if i % 2 == 0:
    y[i], y[i + 1] = x[i + 1], x[i]
""",
    lambda x: x.reshape(-1, 2)[:, ::-1].ravel(),
)
form(
    "in-bounds neighbours with wrap",
    "f",
    "y[i] = x[(i + 1) % n] - x[(i - 1) % n]",
    lambda x: np.roll(x, -1) - np.roll(x, 1),
)
form(
    "clamped neighbour",
    "f",
    "y[i] = x[max(i - 1, 0)]",
    lambda x: x[np.maximum(np.arange(N) - 1, 0)],
)
form(
    "clamped upper neighbour",
    "f",
    "y[i] = x[min(i + 1, n - 1)]",
    lambda x: x[np.minimum(np.arange(N) + 1, N - 1)],
)
form("global id used twice", "f", "y[get_global_id()] = x[get_global_id()]", lambda x: x)
form("global id with a dimension", "f", "y[get_global_id(0)] = x[i]", lambda x: x)
form(
    "grid of two by mod",
    "f",
    """
r, c = i // 8, i % 8
y[r * 8 + c] = x[c * 12 + r]
""",
    lambda x: x[(np.arange(N) % 8) * 12 + np.arange(N) // 8],
)
form(
    "divmod for two indices",
    "f",
    """
r, c = divmod(i, 8)
y[r * 8 + c] = x[c * 12 + r]
""",
    lambda x: x[(np.arange(N) % 8) * 12 + np.arange(N) // 8],
)
