"""Bodies of kernels, and what they leave in o[i], or the end of what refuses them.

Each runs in lanes i = 0..7 of a kernel with these arguments: arrays a: i32 = -2..5, w: u32 = 0..7,
b: u8 = 0, 36, .. 252, x: f32 = i / 4, d: f64 = i / 10, u: u64 = 2^40 + i, m: bool = i % 3 == 0,
o: f64 and q: bool (zeros); scalars n: u32 = 8, k: i32 = -3, one: f32 = 1 and flag: bool = True. The
value is Python of `i` and those arrays, in f64.
"""

from __future__ import annotations

HEAD = """from hologram.lang import *

TENTH = 0.1
ON = 1


@inline
def times(value, factor):
    return value * factor


@inline
def tenth(value):
    return value * 0.1


@inline
def tenth_of_f64(value: f64) -> f64:
    return value * 0.1


@inline
def any_of(first, second):
    return first or second


@inline
def doubled(value):
    value = value + value
    return value


"""
PARAMETERS = (
    "a: DeviceArray[i32], w: DeviceArray[u32], b: DeviceArray[u8], x: DeviceArray[f32], "
    "d: DeviceArray[f64], u: DeviceArray[u64], m: DeviceArray[bool], o: DeviceArray[f64], "
    "q: DeviceArray[bool], n: u32, k: i32, one: f32, flag: bool"
)

BY_FLAG = "if flag:\n            o[i] = 1.0"

# f64 is never silently f32.
WIDENED = [
    ("o[i] = 0.1", "0.1"),
    ("o[i] = TENTH * 3.0", "TENTH * 3.0"),
    ("o[i] = (i * 0.1) * m[i]", "(i * 0.1) * (i % 3 == 0)"),
    ("o[i] = d[i] * (x[i] > 1.0) - flag", "d[i] * (i > 4) - 1"),
    ("t = m[i] + 1\n        o[i] = f64(t)", "(i % 3 == 0) + 1"),
    ("t = u[i] - m[i]\n        o[i] = f64(t)", "u[i] - (i % 3 == 0)"),
    ("t = b[i] * m[i]\n        o[i] = f64(t)", "b[i] * (i % 3 == 0)"),
    ("t = x[i] + m[i]\n        o[i] = t", "x[i] + (i % 3 == 0)"),
    ("o[i] = i * 0.1", "i * 0.1"),
    ("o[i] = 0.1 * i + 1.0", "0.1 * i + 1.0"),
    ("o[i] = a[i] / 3", "a[i] / 3"),
    ("o[i] = a[i] / (a[i] + 7)", "a[i] / (a[i] + 7)"),
    ("o[i] = b[i] / 7", "b[i] / 7"),
    ("o[i] = b[i] * 0.1", "b[i] * 0.1"),
    ("o[i] = u[i] * 0.5", "u[i] * 0.5"),
    ("o[i] = u[i] / 3", "u[i] / 3"),
    ("o[i] = sqrt(2.0)", "sqrt(2.0)"),
    ("o[i] = sqrt(i * 0.1)", "sqrt(i * 0.1)"),
    ("o[i] = d[i] * (1.0 / 3.0)", "d[i] * (1.0 / 3.0)"),
    ("o[i] = (i * 0.1 - 1.0) * d[i]", "(i * 0.1 - 1.0) * d[i]"),
    ("o[i] = -(i * 0.1)", "-(i * 0.1)"),
    ("o[i] = abs(a[i] * 0.1)", "abs(a[i] * 0.1)"),
    ("o[i] = max(i * 0.1, 0.25)", "max(i * 0.1, 0.25)"),
    ("o[i] = fma(0.1, 0.2, d[i])", "fma(0.1, 0.2, d[i])"),
    ("o[i] = i * 0.1 if i > 3 else 0.2", "i * 0.1 if i > 3 else 0.2"),
    ("o[i] = select(i > 3, i / 3, 0.1)", "i / 3 if i > 3 else 0.1"),
    ("o[i] = (i * 0.1) ** 2", "(i * 0.1) * (i * 0.1)"),
    ("o[i] = i // 0.3", "floor(i / 0.3)"),
    ("o[i] = f64(i * 0.1)", "i * 0.1"),
    ("o[i] = f64(1) / 3", "1 / 3"),
    ("o[i] = 1.0 if d[i] < w[i] * 0.1 else 0.0", "1.0 if d[i] < i * 0.1 else 0.0"),
    ("t: f64 = i * 0.1\n        o[i] = t", "i * 0.1"),
    ("t = f64(0.1)\n        o[i] = t * 3.0", "0.1 * 3.0"),
    ("t = d[i]\n        t = a[i] * 0.1\n        o[i] = t", "a[i] * 0.1"),
    ("s = f64(0.0)\n        for j in range(5):\n            s += d[j]\n        o[i] = s", "0.1 + 0.2 + 0.30000000000000004 + 0.4"),
    ("o[i] = times(d[i], 0.1)", "d[i] * 0.1"),
    ("o[i] = times(0.1, d[i])", "0.1 * d[i]"),
    ("o[i] = tenth(d[i])", "d[i] * 0.1"),
    ("o[i] = tenth_of_f64(i * 0.1)", "i * 0.1 * 0.1"),
    ("o[i] += i * 0.1", "i * 0.1"),
    ("o[i], j = i * 0.1, 2", "i * 0.1"),
    ("o[i] = hypot(0.3, 0.4)", "0.5"),
    ("o[i] = fmod(0.7, 0.1)", "0.09999999999999992"),
    ("o[i] = copysign(0.1, -1.0)", "-0.1"),
    ("o[i] = clamp(i * 0.1, 0.2, 0.5)", "max(0.2, min(i * 0.1, 0.5))"),
    ("o[i] = sign(i * 0.1) * 0.1", "0.1 if i else 0.0"),
    ("o[i] = cbrt(0.008) * 3.0", "0.2 * 3.0"),
    ("o[i] = f64(copysign(i * 0.1, -1.0)) + 1.0", "1.0 - i * 0.1"),
    ("o[i] = max(copysign(0.1, 1.0), i * 0.2)", "max(0.1, i * 0.2)"),
    ("o[i] = d[i] * copysign(0.1, 1.0)", "d[i] * 0.1"),
    ("o[i] = fmod(a[i] / 3, 1.0)", "fmod(a[i] / 3, 1.0)"),
]  # fmt: skip
# What the kernel says is f32, or computes of data in f32, may be widened.
OF_DATA = [
    ("o[i] = x[i]", "x[i]"),
    ("o[i] = x[i] * 0.1", "f32(x[i] * f32(0.1))"),
    ("o[i] = x[i] * b[i]", "x[i] * f32(b[i])"),
    ("o[i] = f64(x[i] * w[i])", "x[i] * f32(w[i])"),
    ("o[i] = x[i] * f32(w[i])", "x[i] * f32(w[i])"),
    ("t = f32(0.1)\n        o[i] = t * 3.0", "f32(0.1) * f32(3.0)"),
    ("t: f32 = 0.1\n        o[i] = t", "f32(0.1)"),
    ("s = 0.0\n        for j in range(8):\n            s += x[j]\n        o[i] = s", "7.0"),
    ("t = 0.5\n        o[i] = t", "0.5"),
    ("t = 0.1\n        o[i] = x[i] * t", "x[i] * f32(0.1)"),
    ("best = -inf\n        for j in range(8):\n            best = max(best, x[j])\n        o[i] = best", "1.75"),
    ("o[i] = tenth(x[i])", "x[i] * f32(0.1)"),
    ("o[i] = x[i] if flag else 0.1", "x[i]"),
    ("o[i] = copysign(x[i], -1.0)", "-x[i]"),
    ("t = copysign(f32(0.1), -1.0)\n        o[i] = t", "-f32(0.1)"),
    ("t = copysignf(0.1, -1.0)\n        o[i] = t", "-f32(0.1)"),
    ("t = clamp(0.5, 0.25, 1.0)\n        o[i] = t", "0.5"),
]  # fmt: skip
TRUTH = [
    ("if w[i] & 1:\n            o[i] = 1.0", "i & 1"),
    ("if a[i]:\n            o[i] = 1.0", "a[i] != 0"),
    ("hit = a[i]\n        if hit:\n            o[i] = 1.0", "a[i] != 0"),
    ("if not a[i]:\n            o[i] = 1.0", "a[i] == 0"),
    ("if u[i]:\n            o[i] = 1.0", "1"),
    ("if w[i] and a[i]:\n            o[i] = 1.0", "i != 0 and a[i] != 0"),
    ("if w[i] & 1 or a[i] < 0:\n            o[i] = 1.0", "i & 1 or a[i] < 0"),
    ("if not (w[i] and a[i]):\n            o[i] = 1.0", "not (i and a[i])"),
    ("if ON:\n            o[i] = 1.0", "1"),
    ("if ON and a[i]:\n            o[i] = 1.0", "a[i] != 0"),
    ("o[i] = 1.0 if a[i] else 2.0", "1 if a[i] else 2"),
    ("o[i] = select(a[i], 1.0, 2.0)", "1 if a[i] else 2"),
    ("o[i] = select(a[i] and w[i], 1.0, 2.0)", "1 if a[i] and i else 2"),
    ("t = w[i]\n        while t:\n            t -= 1\n            o[i] += 1.0", "i"),
    ("t = w[i]\n        while not t & 4 and t:\n            t -= 1\n            o[i] += 1.0", "i if i < 4 else 0"),
    ("t = not a[i]\n        if t:\n            o[i] = 1.0", "a[i] == 0"),
    ("t = bool(a[i] and w[i])\n        if t:\n            o[i] = 1.0", "a[i] != 0 and i != 0"),
    ("assert n and w[i] + 1\n        o[i] = 1.0", "1"),
    ("if any_of(m[i], w[i] > 5):\n            o[i] = 1.0", "i % 3 == 0 or i > 5"),
    ("if k:\n            o[i] = 1.0", "1"),
]  # fmt: skip
BOOLS = [
    ("t = w[i] > 2\n        if t & m[i]:\n            o[i] = 1.0", "i > 2 and i % 3 == 0"),
    ("if (w[i] > 2) & (w[i] < 6):\n            o[i] = 1.0", "2 < i < 6"),
    ("if (w[i] < 2) | (w[i] > 6):\n            o[i] = 1.0", "i < 2 or i > 6"),
    ("if (w[i] < 4) ^ m[i]:\n            o[i] = 1.0", "(i < 4) != (i % 3 == 0)"),
    ("if ~m[i]:\n            o[i] = 1.0", "i % 3 != 0"),
    ("t = False\n        t |= m[i]\n        t |= w[i] == 7\n        if t:\n            o[i] = 1.0", "i % 3 == 0 or i == 7"),
    ("t = flag\n        t &= m[i]\n        t ^= w[i] > 5\n        o[i] = f64(t)", "(i % 3 == 0) != (i > 5)"),
    (BY_FLAG, "1"),
    ("if not flag:\n            o[i] = 1.0", "0"),
    ("t = flag and m[i]\n        o[i] = f64(t)", "i % 3 == 0"),
    ("q[i] = m[i] & (w[i] > 2)\n        if q[i]:\n            o[i] = 1.0", "i % 3 == 0 and i > 2"),
    ("q[i] |= m[i]\n        q[i] ^= flag\n        o[i] = f64(q[i])", "i % 3 != 0"),
    ("q[i] = ~m[i]\n        o[i] = 2.0 if q[i] == m[i] else 1.0", "1"),
    ("if m[i] == flag:\n            o[i] = 1.0", "i % 3 == 0"),
    ("o[i] = select(m[i], 1.0, 2.0)", "1 if i % 3 == 0 else 2"),
    ("t = True & False\n        o[i] = f64(t) + f64(True | False) + f64(True ^ True)", "1"),
    ("t = not (m[i] & flag) | (w[i] == 0)\n        o[i] = f64(t)", "not (i % 3 == 0 or i == 0)"),
    ("o[i] = f64(m[i]) + f64(u32(m[i]))", "2 * (i % 3 == 0)"),
]  # fmt: skip
COUNTING = [
    ("for j in range(n - 1, -1, -1):\n            o[i] = o[i] * 2.0 + f64(j)", "1538"),
    ("for j in range(w[i] - 1, -1, -1):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 1, -1, -1)"),
    ("for j in range(w[i], -1, -1):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i, -1, -1)"),
    ("for j in range(w[i] - 3, -1, -1):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 3, -1, -1)"),
    ("for j in range(n - 1, -1, -2):\n            o[i] = o[i] * 10.0 + f64(j)", "down(7, -1, -2)"),
    ("for j in range(b[i] - 250, -1, -1):\n            o[i] = o[i] * 10.0 + f64(j)", "down(int(b[i]) - 250, -1, -1)"),
    ("for j in range(u8(255), -1, -1):\n            o[i] += f64(j)", "255 * 128"),
    ("for j in range(u64(w[i]) - 1, -1, -1):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 1, -1, -1)"),
    ("for j in range(u64(w[i]) - 2, -1, -3):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 2, -1, -3)"),
    ("for j in reversed(range(w[i])):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 1, -1, -1)"),
    ("for j in reversed(range(2, w[i])):\n            o[i] = o[i] * 10.0 + f64(j)", "down(i - 1, 1, -1)"),
    ("for j in reversed(range(5)):\n            o[i] = o[i] * 10.0 + f64(j)", "43210"),
    ("for j in reversed(range(k, 2)):\n            o[i] = o[i] * 10.0 + f64(j)", "down(1, -4, -1)"),
    ("for j in reversed(range(a[i])):\n            o[i] = o[i] * 10.0 + f64(j)", "down(a[i] - 1, -1, -1)"),
    ("for j in reversed(range(n)):\n            if j == 5:\n                continue\n            if j == 2:\n                break\n            o[i] = o[i] * 10.0 + f64(j)", "7643"),
    ("j: i64 = 0\n        for j in range(n - 1, -1, -1):\n            o[i] = o[i] + f64(j)", "28"),
    ("for j in range(n - 1, -1, -1):\n            for l in reversed(range(j)):\n                o[i] += f64(l)", "56"),
    ("for j in range(4):\n            o[i] += f64(u[i] + j)", "4 * (2**40 + i) + 6"),
    ("for j in range(4):\n            o[i] += f64(u[i] + (3 - j) * 2)", "4 * (2**40 + i) + 12"),
    ("for j in range(3, -1, -1):\n            o[i] += f64(u[i] - j)", "4 * (2**40 + i) - 6"),
]  # fmt: skip
# Friction 12: what only one of the two accepted.
BOTH = [
    ("t, s = i * 0.5, x[i]\n        o[i] = s + t", "i * 0.5 + x[i]"),
]
ACCEPTED = [*WIDENED, *OF_DATA, *TRUTH, *BOOLS, *COUNTING, *BOTH]

REFUSED = [
    *(
        (f"if i {condition}:\n            {met}", "reached by some lanes of a block only")
        for condition in ("% 2 == 0", "> 2")
        for met in (
            "barrier()",
            "o[i] = f64(warp_reduce_add(x[i]))",
            "o[i] = f64(warp_scan_max(a[i]))",
            "o[i] = f64(block_reduce_add(x[i]))",
            "o[i] = f64(shuffle(x[i], 0))",
            "o[i] = f64(ballot(m[i]))",
            "q[i] = warp_any(m[i])",
        )
    ),
    ("for j in range(i):\n            o[i] = f64(shuffle_up(x[i], 1))", "reached by some lanes"),
    ("t = 0.1\n        o[i] = t * 3.0", "cannot widen"),
    ("t = asin(0.1)\n        o[i] = t", "cannot widen"),
    ("t = hypot(0.1, 0.2)\n        o[i] = d[i] + t", "cannot widen"),
    ("t = 0.1\n        s = hypot(t, 0.2)\n        o[i] = s", "cannot widen"),
    ("t = asin(0.1)\n        s = asin(t)\n        o[i] = s", "cannot widen"),
    ("t = clamp(0.1, 0.0, 1.0)\n        o[i] = t", "cannot widen"),
    ("t = sqrt(2.0)\n        o[i] = t", "cannot widen"),
    ("t = 1.0 / 3.0\n        o[i] = d[i] * t", "cannot widen"),
    ("t = i * 0.5\n        o[i] = t", "cannot widen"),
    ("t = a[i] / 3\n        o[i] = t", "cannot widen"),
    ("t = 0.1\n        o[i] = f64(t)", "cannot widen"),
    ("s = 0.0\n        for j in range(3):\n            s += 1.0\n        o[i] = s", "cannot widen"),
    ("s = 0.0\n        for j in range(8):\n            s += a[j]\n        o[i] = s", "cannot widen"),
    ("s = 0.0\n        for j in range(8):\n            s += d[j]\n        o[i] = s", "cannot assign f64"),
    ("t = 0.1 if i > 3 else x[i] * 0.1\n        t = 0.2\n        o[i] = t", "cannot widen"),
    ("o[i] = x[i] * w[i]", "cannot widen"),
    ("o[i] = x[i] * u[i]", "cannot widen"),
    ("o[i] = tenth(2.0)", "cannot widen"),
    ("o[i] = doubled(0.1)", "cannot widen"),
    ("t = 0.1\n        o[i] = 1.0 if d[i] < t else 0.0", "cannot widen"),
    ("t = 0.1\n        l = t\n        o[i] = l", "cannot widen"),
    ("l = 0.5\n        for j in range(4):\n            o[i] = l\n            l = l * 0.1", "cannot widen"),
    ("if x[i]:\n            o[i] = 1.0", "a condition is a bool or an integer"),
    ("while d[i]:\n            o[i] = 1.0", "a condition is a bool or an integer"),
    ("if not x[i]:\n            o[i] = 1.0", "`not` needs a bool or an integer"),
    ("if a[i] and x[i]:\n            o[i] = 1.0", "`and` needs a bool or an integer"),
    ("t = a[i] and w[i]\n        o[i] = f64(t)", "the value of `and` needs bools"),
    ("t = a[i] or 1\n        o[i] = f64(t)", "the value of `or` needs bools"),
    ("t = m[i] & 1\n        o[i] = f64(t)", "needs numbers, not bool"),
    ("o[i] = 0.5 * m[i]", "needs numbers, not bool"),
    ("o[i] = f64(m[i] + q[i])", "needs numbers, not bool"),
    ("t = (i * 0.1) * m[i]\n        o[i] = t", "cannot widen"),
    ("t = x[i] / m[i]\n        o[i] = f64(t)", "needs numbers, not bool"),
    ("q[i] = a[i]\n        o[i] = 1.0", "cannot store i32 in q, an array of bool"),
    ("for j in range(n, -2, -1):\n            o[i] = 1.0", "literal -2 does not fit u32"),
    ("for j in reversed(range(0, 8, 2)):\n            o[i] = 1.0", "reversed takes a range whose step is 1"),
    ("for j in reversed(range(1.5)):\n            o[i] = 1.0", "range takes integers"),
    ("for j in range(4):\n            o[i] = f64(u[i] + (j - 1))", "has no common type"),
    ("for j in range(k, 4):\n            o[i] = f64(u[i] + j)", "has no common type"),
    ("for j in range(4):\n            j = k\n            o[i] = f64(u[i] + j)", "has no common type"),
]  # fmt: skip
# Whole kernels that both accept: (source of the parameters and the body, constants).
KERNELS = {
    "pairs_of_arrays": "@kernel(block=8)\ndef pairs_of_arrays(o: DeviceArray[f32]):\n    s, t = shared(f32, 8), local(bool, 2)\n    s[get_local_id()] = 1.0\n    barrier()\n    t[1] = True\n    if t[1] and not t[0]:\n        o[get_local_id()] = s[7 - get_local_id()]\n",
    "switches": "def switches(o: DeviceArray[f32], C: constexpr = True, D: constexpr = 0):\n    if C and not D:\n        o[get_global_id()] = 1.0\n",
}  # fmt: skip


def source(body: str, name: str) -> str:
    return f"def {name}({PARAMETERS}):\n    i = get_global_id()\n    if i < n:\n        {body}\n"
