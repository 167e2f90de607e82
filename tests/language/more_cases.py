"""Rows of cases.py that came later: what guards say of differences, fields and atomics, small types in warps, memory
whose size comes with the launch."""

from __future__ import annotations

Rows = list[tuple[str, str, str]]

NEXT = "np.where(i > 0, np.roll(x, 1), 0)"
WRAPS: Rows = [
    ("under a guard", "if i > 0:\n    o[i] = x[(i - 1) % n]", NEXT),
    ("under a chain", "if 0 < i < n:\n    o[i] = x[(i - 1) % n]", NEXT),
    ("under a truth", "if i:\n    o[i] = x[(i - 1) % n]", NEXT),
    ("behind a return", "if not i:\n    return\no[i] = x[(i - 1) % n]", NEXT),
    ("in else", "if i == 0:\n    o[i] = 0.0\nelse:\n    o[i] = x[(i - 1) % n]", NEXT),
    ("in a choice", "o[i] = x[(i - 1) % n] if i > 0 else 0.0", NEXT),
    ("behind `and`", "if i >= 2 and x[(i - 2) % n] > 2.0:\n    o[i] = 1.0", "(i > 3) * 1.0"),
    ("behind `or`", "if i < 2 or x[(i - 2) % n] > 2.0:\n    o[i] = 1.0", "((i < 2) | (i > 3)) * 1.0"),
    ("a counter", "for j in range(1, n):\n    o[i] += x[(j - 1) % n]", "28 + 0 * x"),
    ("a `while`", "j = i\nwhile j > 0:\n    o[i] += x[(j - 1) % n]\n    j -= 1", "np.cumsum(x) - x"),
    ("the advice", "o[i] = x[(i + n - 1) % n]", "np.roll(x, 1)"),
    ("the advice of 3", "o[i] = x[(i + n - 3 % n) % n]", "np.roll(x, 3)"),
    ("the advice of 7 % 5", "o[i] = x[(i + 3) % 5]", "x[(i - 7) % 5]"),
    ("no guard", "o[i] = x[(i - 1) % n]", "!write (i + n - 1) % n"),
    ("no guard, 3", "o[i] = x[(i - 3) % n]", "!write (i + n - 3 % n) % n"),
    ("no guard, 7 % 5", "o[i] = x[(i - 7) % 5]", "!write (i + 3) % 5"),
    ("too weak a guard", "if i > 0:\n    o[i] = x[(i - 2) % n]", "!write (i + n - 2 % n) % n"),
    ("a guard that has ended", "if i > 0:\n    o[i] = 1.0\no[i] = x[(i - 1) % n]", "!write (i + n - 1)"),
    ("assigned behind it", "j = i\nif j > 0:\n    j -= 1\n    o[i] = x[(j - 1) % n]", "!write (j + n - 1)"),
    (
        "assigned in a loop",
        "j = i\nif j > 0:\n    for t in range(2):\n        o[i] += x[(j - 1) % n]\n        j = 0",
        "!write (j + n - 1)",
    ),
    (
        "a helper under a guard",
        "@inline\ndef left(x: DeviceArray[f32], j: u32, n: u32):\n    return x[(j - 1) % n]\n---\n"
        "if i > 0:\n    o[i] = left(x, i, n)",
        "!write (j + n - 1) % n",
    ),
]  # fmt: skip

KERNEL = "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n"
MIXED = (
    "class P(NamedTuple):\n    mass: f32\n    hits: u32\n    net: i32\n"
    + KERNEL
    + "    t = shared(P, 2)\n"
)
PAIR = "class Q(NamedTuple):\n    a: i32\n    b: i32\n" + KERNEL + "    t = shared(Q, 2)\n"
FIELDS: Rows = [
    (
        "atomic on a field among others",
        MIXED + "    atomic_add(t[i % 2].hits, 3)\n    barrier()\n    o[i] = f32(t[1].hits)",
        "12 + 0 * x",
    ),
    (
        "atomic on signed fields among others",
        MIXED + "    atomic_add(t[1].net, -2)\n    barrier()\n    o[i] = f32(t[1].net) + f32(t[0].hits)",
        "-16 + 0 * x",
    ),
    (
        "atomic on a field of one type",
        PAIR + "    atomic_min(t[0].b, -i32(i))\n    barrier()\n    o[i] = f32(t[0].b + t[0].a)",
        "-7 + 0 * x",
    ),
    (
        "atomic on a number of a vector",
        KERNEL + "    t = shared(vec2, 3)\n    atomic_add(t[2].y, x[i])\n    barrier()\n    o[i] = t[2].y - t[1].x",
        "36 + 0 * x",
    ),
    (
        "atomic exchange of a float among others",
        MIXED + "    if i == 0:\n        atomic_exchange(t[1].mass, 2.5)\n    barrier()\n    o[i] = t[1].mass",
        "2.5 + 0 * x",
    ),
    ("atomic max of a signed field among others", MIXED + "    atomic_max(t[0].net, 1)", "!give `.net` an array of its own"),
    ("atomic add to a float among others", MIXED + "    atomic_add(t[0].mass, 1.0)", "!give `.mass` an array of its own"),
    ("atomic on a field behind the array", MIXED + "    atomic_add(t.hits, 0, 1)", "!write `t[i].hits`"),
    ("atomic on all of a struct of several types", MIXED + "    atomic_add(t, 0, P(1.0, 2, 3))", "!as in `atomic_add(t[i].mass, ...)`"),
]  # fmt: skip


def _shuffled(kind: str) -> str:
    lines = (
        f"    v = {kind}(x[i])\n    a, b, c = shuffle(v, 2), shuffle_up(v, 1), shuffle_xor(v, 3)\n"
    )
    lines += "    d = shuffle_down(v, 6)\n    o[i] = f32(a) + f32(b) * 10.0 + f32(c) * 100.0 + f32(d) * 1000.0"
    return KERNEL + lines


SHUFFLED = "3 + np.where(i > 0, x - 1, 0) * 10 + x[i ^ 3] * 100 + np.where(i < 2, x + 6, 0) * 1000"
SMALL = ("i8", "u8", "i16", "u16", "f16", "bf16")
WARPS: Rows = [(f"shuffles of {kind}", _shuffled(kind), SHUFFLED) for kind in SMALL]
WARPS += [
    (
        "an i32 as a count",
        KERNEL + "    v = x[i]\n    offset = 4\n    while offset > 0:\n        v += shuffle_down(v, offset)\n        offset //= 2\n    o[i] = v",
        "np.cumsum(x[::-1])[::-1]",
    ),
    ("an i32 below 0 as a source", KERNEL + "    k = i32(i) - 1\n    o[i] = shuffle(x[i], k)", "np.roll(x, 1) * (i > 0)"),
    ("bits turned by a counter", KERNEL + "    h = i\n    for k in range(1, 3):\n        h = rotl(h, k)\n    o[i] = f32(h)", "i * 8.0"),
]  # fmt: skip
WARPS += [
    (
        f"sum of the lanes before, of {kind}",
        KERNEL + f"    s = warp_exclusive_scan_add({kind}(x[i]))\n    o[i] = f32(s)",
        "np.cumsum(x) - x",
    )
    for kind in SMALL[:4]
]

SIZED = KERNEL + "    m = i64(n) - {}\n    t = shared(f32, m, most=16)\n    o[i] = f32(len(t))"
SIGNED = "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: i64):\n    t = shared(f32, {}, most=16)\n"
MEMORY: Rows = [
    ("a size of i64", SIZED.format(3), "5 + 0 * x"),
    ("a size below 0", SIZED.format(9), "!fewer elements than none: shared(f32, m, most=16)"),
    ("a size below 0, computed", SIGNED.format("n - 20") + "    o[0] = f32(len(t))", "!(size = -12)"),
    ("a size that is a float", SIGNED.format("n").replace("n: i64", "n: f32") + "    o[0] = 1.0", "!a size is an integer, not f32; write u32(n)"),
    ("a most of the launch", KERNEL + "    t = shared(f32, 4, most=n)\n    o[i] = t[0]", "!`most=` is known when compiling"),
    ("a most without a size", KERNEL + "    t = shared(f32, most=4)\n    o[i] = t[0]", "!shared(f32, n, most=256)"),
]  # fmt: skip

# Names that the ways to run a kernel once used themselves.
NAMES: Rows = [
    (f"a local called {name}", f"{name} = x[i] * 2.0\no[i] += {name} + 1.0", "2 * x + 1")
    for name in ("_hg_index", "_hg_lane", "_value", "_field", "size", "lane", "np", "x_1")
]

# One name counts in ranges of several types.
SUMS = "for k in range(i32(n)):\n    o[i] += f32(k)\nfor k in range(n):\n    o[i] += x[k]"
TWO = "@inline\ndef two(x: DeviceArray[f32], n: u32, m: i32):\n    s = 0.0\n" + "\n".join(
    "    for k in range({}):\n        s += {}".format(*terms)
    for terms in (("m", "f32(k)"), ("n", "x[k]"))
)
REFUSED = "!cannot count in k, a local of type i32, over a range of u32; use another name"
COUNTERS: Rows = [
    ("one after another", SUMS, "64 + 0 * x"),
    ("in a loop", "for j in range(2):\n    " + SUMS.replace("\n", "\n    "), "128 + 0 * x"),
    ("and back", SUMS + "\nfor k in range(i64(n)):\n    o[i] += f32(k)", "92 + 0 * x"),
    ("in a helper", TWO + "\n    return s\n---\no[i] = two(x, n, 8)", "64 + 0 * x"),
    ("read behind the loops", SUMS + "\no[i] += f32(k)", REFUSED),
    ("read between the loops", SUMS.replace("\nfor", "\no[i] += f32(k)\nfor"), REFUSED),
    ("assigned too", "k = i32(n)\n" + SUMS, REFUSED),
    ("one in the other", "for k in range(i32(n)):\n    for k in range(n):\n        o[i] += x[k]", REFUSED),
]  # fmt: skip
