"""Forms that people write, each with what it means, or with the words that refuse it.

A case is the text of a kernel file, or only the lines that lane i < n of a kernel
`k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32)` runs, with what comes before the kernel above a
line of dashes. The meaning is an expression of NumPy over x (1 to 8, f32) and i (0 to 7), which `o`
must equal.
"""

from __future__ import annotations

from typing import NamedTuple

from later_cases import BOOLS, CONSTANTS, LOOPS, SHIFTS
from more_cases import COUNTERS, FIELDS, MEMORY, NAMES, WARPS, WRAPS

HEAD = "from typing import NamedTuple, TypeVar, Optional, Callable\nfrom dataclasses import dataclass\n"
HEAD += "import numpy as np\nimport math\nfrom hologram.lang import *\n"
KERNEL = "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n"


class Case(NamedTuple):
    group: str
    name: str
    text: str
    expected: str = ""
    refused: str = ""

    @property
    def source(self) -> str:
        before, dashes, body = self.text.strip("\n").partition("\n---\n")
        if not dashes:
            before, body = "", before
        if "def k(" in before + body:
            return f"{HEAD}\n{before}\n{body}\n"
        lines = "\n".join(f"        {line}" for line in body.split("\n"))
        return f"{HEAD}\n{before}\n\n{KERNEL}    if i < n:\n{lines}\n"


VECTORS = [
    ("a vector and its fields", "p = vec3(x[i], 2.0, 3.0)\no[i] = p.x * p.y + p.z", "x * 2 + 3"),
    ("integers are cast", "p = vec2(i, 1)\no[i] = p.x + p.y", "i + 1.0"),
    ("one number for all", "p = vec4(x[i])\no[i] = p.x + p.w", "x + x"),
    ("a vector in a vector", "p = vec3(vec2(x[i], 2.0), 5.0)\no[i] = p.z + p.y", "7 + 0 * x"),
    (
        "sum, difference",
        "a = vec3(x[i], 1.0, 2.0)\nb = vec3(1.0)\nc = a + b - 2.0\no[i] = c.x",
        "x - 1",
    ),
    ("number times vector", "a = 2.0 * vec2(x[i], 1.0) / 4.0\no[i] = a.x", "x * 2 / 4"),
    ("negation", "a = -vec2(x[i], 1.0)\no[i] = a.x + a.y", "-x - 1"),
    (
        "assigned in place",
        "a = vec2(x[i], 1.0)\na += vec2(1.0, 2.0)\na *= 2.0\no[i] = a.x",
        "(x + 1) * 2",
    ),
    ("a field assigned", "a = vec2(x[i], 1.0)\na.y = 7.0\na.x += 1.0\no[i] = a.x + a.y", "x + 8"),
    ("by number", "a = vec3(x[i], 1.0, 2.0)\no[i] = a[0] + a[2]", "x + 2"),
    ("from the end", "a = vec3(x[i], 1.0, 2.0)\no[i] = a[-1] + a[-3]", "x + 2"),
    (
        "by a number in a loop",
        "a = vec3(x[i], 1.0, 2.0)\ns = 0.0\nfor d in range(3):\n    s += a[d]\no[i] = s",
        "x + 3",
    ),
    (
        "stored by a number in a loop",
        "a = vec3(0.0)\nfor d in range(3):\n    a[d] = x[i] + f32(d)\no[i] = a.x + a.z",
        "x + x + 2",
    ),
    (
        "updated by a number in a loop",
        "a = vec3(1.0)\nfor d in range(3):\n    a[d] += f32(d)\no[i] = a.x + 10.0 * a.z",
        "31.0 + 0 * x",
    ),
    ("swizzle", "a = vec3(x[i], 1.0, 2.0)\nb = a.zyx\no[i] = b.z + b.x", "x + 2"),
    ("swizzle of colours", "c = vec4(x[i], 0.5, 0.25, 1.0)\no[i] = c.r + c.rgb.z", "x + 0.25"),
    (
        "swizzle assigned",
        "a = vec3(x[i], 1.0, 2.0)\na.xy = a.yx\no[i] = a.y * 10.0 + a.x",
        "x * 10 + 1",
    ),
    ("swap", "a, b = vec2(x[i], 1.0), vec2(2.0, 3.0)\na, b = b, a\no[i] = b.x + a.x", "x + 2"),
    ("dot", "o[i] = dot(vec3(x[i], 2.0, 3.0), vec3(1.0, 2.0, 3.0))", "x + 13"),
    ("dot of itself", "a = vec2(x[i], 2.0)\no[i] = dot(a, a)", "x * x + 4"),
    ("cross", "o[i] = cross(vec3(x[i], 0.0, 0.0), vec3(0.0, 1.0, 0.0)).z", "x"),
    ("length", "o[i] = length(vec2(3.0 * x[i], 4.0 * x[i]))", "5 * x"),
    (
        "normalize",
        "o[i] = normalize(vec2(3.0 * x[i], 4.0 * x[i])).x",
        "np.float32(3) * x / (5 * x)",
    ),
    ("distance", "o[i] = distance(vec2(x[i], 0.0), vec2(x[i], 2.0))", "2 + 0 * x"),
    ("reflect", "o[i] = reflect(vec2(x[i], -1.0), vec2(0.0, 1.0)).y", "1 + 0 * x"),
    ("functions by place", "a = abs(vec2(-x[i], 1.0))\no[i] = a.x + max(a, 2.0).y", "x + 2"),
    ("min of two vectors", "a = min(vec2(x[i], 1.0), vec2(3.0))\no[i] = a.x", "np.minimum(x, 3)"),
    (
        "select of vectors",
        "a = select(i < 4, vec2(1.0), vec2(2.0))\no[i] = a.y",
        "np.where(i < 4, 1, 2)",
    ),
    (
        "a choice of vectors",
        "a = vec2(x[i], 1.0) if i > 2 else vec2(0.0)\no[i] = a.x",
        "np.where(i > 2, x, 0)",
    ),
    (
        "compared",
        "a = vec2(x[i], 1.0)\no[i] = 1.0 if a == vec2(3.0, 1.0) else 0.0",
        "(x == 3) * 1.0",
    ),
    ("f64", "a = dvec2(x[i], 0.1)\no[i] = f32(a.y * 10.0 - 1.0)", "0 * x"),
    ("integers", "a = ivec2(i, 3) * 2\no[i] = f32(a.x + a.y)", "i * 2 + 6"),
    ("length of the type", "a = vec3(x[i])\no[i] = f32(len(a))", "3 + 0 * x"),
    ("taken apart", "a, b = vec2(x[i], 2.0)\no[i] = a * b", "x * 2"),
    ("a typed local", "a: vec2 = vec2(x[i], 2.0)\no[i] = a.x", "x"),
    (
        "in a loop",
        "p = vec2(0.0)\nfor t in range(3):\n    p = p + vec2(x[i], 1.0)\no[i] = p.x + p.y",
        "3 * x + 3",
    ),
    (
        "in a while",
        "p = vec2(x[i], 0.0)\nwhile length(p) < 10.0:\n    p *= 2.0\no[i] = p.x",
        "x * 2.0 ** np.ceil(np.log2(10 / x))",
    ),
    (
        "sum of a loop over its numbers",
        "s = 0.0\nfor v in vec3(x[i], 1.0, 2.0):\n    s += v\no[i] = s",
        "x + 3",
    ),
]
MATRICES = [
    (
        "matrix by rows",
        "m = mat2(vec2(1.0, 2.0), vec2(3.0, x[i]))\no[i] = m[1, 1] + m[0][1]",
        "x + 2",
    ),
    ("matrix by numbers", "m = mat2(1.0, 2.0, 3.0, x[i])\no[i] = m[1].y", "x"),
    (
        "matrix times vector",
        "m = mat2(1.0, 2.0, 3.0, 4.0)\nv = m @ vec2(x[i], 1.0)\no[i] = v.y",
        "3 * x + 4",
    ),
    (
        "vector times matrix",
        "m = mat2(1.0, 2.0, 3.0, 4.0)\nv = vec2(x[i], 1.0) @ m\no[i] = v.y",
        "2 * x + 4",
    ),
    ("matrix times matrix", "m = mat2(1.0, 2.0, 3.0, 4.0)\no[i] = (m @ m)[1, 0] * x[i]", "15 * x"),
    ("matrix times number", "m = mat2(1.0, 2.0, 3.0, 4.0) * x[i]\no[i] = m[1, 1]", "4 * x"),
    ("sum of matrices", "m = mat2(1.0, 2.0, 3.0, 4.0)\no[i] = (m + m)[0, 1]", "4 + 0 * x"),
    (
        "transpose",
        "m = mat3(x[i], 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)\no[i] = m.T[0, 2] + transpose(m)[0, 0]",
        "x + 7",
    ),
    ("determinant", "o[i] = determinant(mat2(x[i], 2.0, 3.0, 4.0))", "4 * x - 6"),
    ("inverse", "m = inverse(mat2(2.0, 0.0, 0.0, 4.0))\no[i] = m[1, 1] * x[i]", "x / 4"),
    ("outer", "o[i] = outer(vec2(x[i], 1.0), vec2(2.0, 3.0))[0, 1]", "3 * x"),
    (
        "element of a matrix assigned",
        "m = mat2(0.0, 0.0, 0.0, 0.0)\nm[0, 1] = x[i]\nm[1] = vec2(5.0, 6.0)\no[i] = m[0, 1] + m[1, 1]",
        "x + 6",
    ),
    (
        "product of matrices with *",
        "m = mat2(1.0, 2.0, 3.0, 4.0)\nq = m * m\no[i] = q[0, 0]",
        "!the product of matrices is written `a @ b`",
    ),
]
COMPLEX = [
    ("complex numbers", "z = complex64(x[i], 1.0)\no[i] = z.real + z.imag", "x + 1"),
    (
        "complex product",
        "z = complex64(x[i], 1.0) * complex64(2.0, 3.0)\no[i] = z.imag",
        "3 * x + 2",
    ),
    (
        "complex with real",
        "z = 2.0 * complex64(x[i], 1.0) + 1.0\no[i] = z.real + z.imag",
        "2 * x + 3",
    ),
    ("complex quotient", "z = complex64(x[i], 0.0) / complex64(0.0, 2.0)\no[i] = z.imag", "-x / 2"),
    ("imaginary unit", "z = x[i] + 2j\nz = z * 1j\no[i] = z.imag", "x"),
    (
        "complex square",
        "z = complex64(x[i], 1.0)\nz = z * z + z\nz = z ** 2\no[i] = z.imag",
        "2 * (x * x - 1 + x) * (2 * x + 1)",
    ),
    ("absolute value", "o[i] = abs(complex64(3.0 * x[i], 4.0 * x[i]))", "5 * x"),
    (
        "conjugate",
        "z = complex64(x[i], 1.0)\no[i] = z.conjugate().imag + conj(z).imag",
        "-2 + 0 * x",
    ),
    ("exp of a complex number", "o[i] = exp(complex64(0.0, 0.0)).real * x[i]", "x"),
    ("complex128", "z = complex128(x[i], 0.5)\no[i] = f32(z.imag)", "0.5 + 0 * x"),
    (
        "complex mandelbrot",
        "z = complex64(0.0, 0.0)\nc = complex64(0.25, 0.0)\nfor t in range(3):\n    z = z * z + c\no[i] = z.real",
        "0.37890625 * np.ones(8) ** 1 * 1 if False else np.full(8, ((0.25 ** 2 + 0.25) ** 2 + 0.25), np.float32)",
    ),
    ("complex without a type", "z = complex(x[i], 1.0)\no[i] = z.real", "!write `complex64(a, b)`"),
]
RAY = "class Ray(NamedTuple):\n    o: vec3\n    d: vec3\n    t: f32 = 0.5\n"
STRUCTS = [
    ("named tuple", RAY + "---\nr = Ray(vec3(x[i]), vec3(1.0))\no[i] = r.o.x + r.t", "x + 0.5"),
    (
        "fields by name",
        RAY + "---\nr = Ray(d=vec3(x[i]), o=vec3(1.0), t=2.0)\no[i] = r.d.y + r.t",
        "x + 2",
    ),
    (
        "dataclass",
        "@dataclass\nclass P:\n    m: f32\n    k: i32\n---\np = P(x[i], 3)\np.m *= 2.0\np.k += 1\no[i] = p.m + f32(p.k)",
        "2 * x + 4",
    ),
    (
        "struct in a struct",
        RAY
        + "class Hit(NamedTuple):\n    r: Ray\n    ok: bool\n---\nh = Hit(Ray(vec3(x[i]), vec3(1.0)), x[i] > 3.0)\no[i] = h.r.o.z if h.ok else 0.0",
        "np.where(x > 3, x, 0)",
    ),
    (
        "struct assigned whole",
        RAY
        + "---\nr = Ray(vec3(0.0), vec3(0.0))\nif i > 3:\n    r = Ray(vec3(x[i]), vec3(1.0), 1.0)\no[i] = r.o.x + r.t",
        "np.where(i > 3, x + 1, 0.5)",
    ),
    (
        "struct copied",
        RAY + "---\nr = Ray(vec3(x[i]), vec3(0.0))\ns = r\ns.t = 9.0\no[i] = r.t + s.o.x",
        "x + 0.5",
    ),
    ("tuple in a local", "p = (x[i], 2.0)\no[i] = p[0] * p[1]", "2 * x"),
    ("tuple of tuples", "p = ((x[i], 2.0), 3.0)\n(a, b), c = p\no[i] = a * b + c", "2 * x + 3"),
    (
        "unknown field",
        RAY + "---\nr = Ray(vec3(x[i]), vec3(1.0))\no[i] = r.q",
        "!a Ray has no `.q`; it has `.o`, `.d`, `.t`",
    ),
    (
        "struct as a number",
        RAY + "---\nr = Ray(vec3(x[i]), vec3(1.0))\no[i] = r + 1.0",
        "!operators take numbers and vectors, not a Ray",
    ),
    (
        "vector stored in an array of numbers",
        "o[i] = vec3(x[i])",
        "!`o[i]` is a number, the value a vec3",
    ),
    (
        "another shape",
        "p = vec3(x[i])\np = vec2(1.0, 2.0)\no[i] = p.x",
        "!`p` is a vec3 since line",
    ),
    ("wrong count", "p = vec3(x[i], 1.0)\no[i] = p.x", "!vec3 is made of 3 numbers or one, not 2"),
    (
        "vectors of two sizes",
        "p = vec3(x[i]) + vec2(1.0)\no[i] = p.x",
        "!a vec3 and a vec2 do not fit together",
    ),
    ("a list", "p = [x[i], 2.0]\no[i] = p[0]", "!a list is not in the kernel language"),
]
HELPERS = [
    (
        "vector parameter and result",
        "@inline\ndef twice(v: vec3) -> vec3:\n    return v * 2.0\n---\no[i] = twice(vec3(x[i])).y",
        "2 * x",
    ),
    (
        "no annotations",
        "@inline\ndef twice(v):\n    return v * 2.0\n---\no[i] = twice(vec3(x[i])).y + twice(1.0)",
        "2 * x + 2",
    ),
    (
        "struct result",
        RAY
        + "@inline\ndef make(v: f32) -> Ray:\n    return Ray(vec3(v), vec3(1.0))\n---\nr = make(x[i])\no[i] = r.o.x + make(2.0).d.x",
        "x + 1",
    ),
    (
        "vector and number together",
        "@inline\ndef both(v: vec2):\n    return v + 1.0, v.x\n---\nw, a = both(vec2(x[i], 2.0))\no[i] = w.x + a",
        "2 * x + 1",
    ),
    (
        "tuple annotation",
        "@inline\ndef both(v: vec2) -> tuple[vec2, f32]:\n    return v + 1.0, v.x\n---\nw, a = both(vec2(x[i], 2.0))\no[i] = w.y + a",
        "x + 3",
    ),
    (
        "result in a local",
        "@inline\ndef two(v):\n    return v, v + 1.0\n---\np = two(x[i])\no[i] = p[0] + p[1]",
        "2 * x + 1",
    ),
    (
        "early return of vectors",
        "@inline\ndef f(v: vec2) -> vec2:\n    if v.x > 3.0:\n        return vec2(0.0)\n    return v\n---\no[i] = f(vec2(x[i], 1.0)).x",
        "np.where(x > 3, 0, x)",
    ),
    (
        "parameter assigned",
        "@inline\ndef f(v: vec2):\n    v.x += 1.0\n    v = v * 2.0\n    return v.x\n---\np = vec2(x[i], 0.0)\no[i] = f(p) + p.x",
        "(x + 1) * 2 + x",
    ),
    (
        "result in a condition",
        "@inline\ndef f(v):\n    return vec2(v, v)\n---\ns = 0.0\nif i > 2 and f(x[i]).x > 4.0:\n    s = 1.0\no[i] = s",
        "((i > 2) & (x > 4)) * 1.0",
    ),
    (
        "result in a choice",
        "@inline\ndef f(v):\n    return vec2(v, v)\n---\no[i] = f(x[i]).y if i > 2 else 7.0",
        "np.where(i > 2, x, 7)",
    ),
    (
        "result in a while",
        "@inline\ndef f(v):\n    return vec2(v, v + 1.0)\n---\ns = 0.0\nwhile f(s).y < x[i]:\n    s += 1.0\no[i] = s",
        "x - 1",
    ),
    (
        "default value",
        "@inline\ndef f(v, s=2.0):\n    return v * s\n---\no[i] = f(x[i]) + f(x[i], 3.0)",
        "5 * x",
    ),
    ("keywords", "@inline\ndef f(v, s):\n    return v - s\n---\no[i] = f(s=1.0, v=x[i])", "x - 1"),
    (
        "by place only",
        "@inline\ndef f(v, /, s):\n    return v * s\n---\no[i] = f(x[i], s=4.0)",
        "4 * x",
    ),
    (
        "keyword only",
        "@inline\ndef f(v, *, s=2.0):\n    return v * s\n---\no[i] = f(x[i], s=4.0)",
        "4 * x",
    ),
    (
        "default constant",
        "S = 3.0\n@inline\ndef f(v, s=S):\n    return v * s\n---\no[i] = f(x[i])",
        "3 * x",
    ),
    (
        "default vector",
        "@inline\ndef f(v: vec2, s: vec2 = vec2(1.0, 2.0)):\n    return dot(v, s)\n---\no[i] = f(vec2(x[i], 1.0))",
        "x + 2",
    ),
    (
        "function argument",
        "@inline\ndef sq(v):\n    return v * v\n@inline\ndef app(f, v):\n    return f(v)\n---\no[i] = app(sq, x[i])",
        "x * x",
    ),
    (
        "function of the language",
        "@inline\ndef app(f, v):\n    return f(v)\n---\no[i] = app(sqrt, x[i] * x[i])",
        "x",
    ),
    (
        "function argument with a type",
        "@inline\ndef sq(v):\n    return v * v\n@inline\ndef app(f: Callable[[f32], f32], v: f32) -> f32:\n    return f(f(v))\n---\no[i] = app(sq, x[i])",
        "x ** 4",
    ),
    (
        "function of vectors",
        "@inline\ndef field(p: vec2) -> vec2:\n    return vec2(p.y, -p.x)\n@inline\ndef step(f, p, h):\n    return p + h * f(p)\n---\no[i] = step(field, vec2(1.0, x[i]), 0.5).x",
        "1 + 0.5 * x",
    ),
    (
        "function by another name",
        "@inline\ndef sq(v):\n    return v * v\n---\nf = sq\no[i] = f(x[i])",
        "x * x",
    ),
    (
        "default function",
        "@inline\ndef sq(v):\n    return v * v\n@inline\ndef app(v, f=sq):\n    return f(v)\n---\no[i] = app(x[i])",
        "x * x",
    ),
    (
        "default None",
        "@inline\ndef f(v, s=None):\n    if s is None:\n        return v\n    return v * s\n---\no[i] = f(x[i]) + f(x[i], 2.0)",
        "3 * x",
    ),
    (
        "table argument",
        "W = (1.0, 2.0)\n@inline\ndef f(w, v):\n    s = 0.0\n    for a in w:\n        s += a * v\n    return s\n---\no[i] = f(W, x[i])",
        "3 * x",
    ),
    (
        "unknown keyword",
        "@inline\ndef f(v):\n    return v\n---\no[i] = f(w=x[i])",
        "!`f` has no parameter `w`; it has v",
    ),
    (
        "missing argument",
        "@inline\ndef f(v, w, s=1.0):\n    return v\n---\no[i] = f(x[i])",
        "!`f` needs `w`",
    ),
    (
        "number for a vector",
        "@inline\ndef f(v: vec3):\n    return v.x\n---\no[i] = f(x[i])",
        "!parameter `v` is a vec3, the argument is a number",
    ),
    (
        "calls itself",
        "@inline\ndef f(v):\n    return f(v + vec2(1.0))\n---\no[i] = f(vec2(x[i])).x",
        "!`f` calls itself",
    ),
]
TABLES = [
    ("table by number", "W = (0.25, 0.5, 2.0)\n---\no[i] = x[i] * W[1] + W[-1]", "x * 0.5 + 2"),
    (
        "loop over a table",
        "W = (0.25, 0.5, 0.25)\n---\ns = 0.0\nfor w in W:\n    s += w * x[i]\no[i] = s",
        "x",
    ),
    ("loop over a tuple", "s = 0.0\nfor w in (0.25, 0.5, 0.25):\n    s += w * x[i]\no[i] = s", "x"),
    ("loop over a list", "s = 0.0\nfor w in [1, 2, 3]:\n    s += w * x[i]\no[i] = s", "6 * x"),
    (
        "table in a loop",
        "W = (1.0, 2.0, 4.0)\n---\ns = 0.0\nfor t in range(3):\n    s += W[t]\no[i] = s + x[i]",
        "x + 7",
    ),
    (
        "table by lane",
        "W = (1.0, 2.0, 4.0)\n---\no[i] = W[i % 3]",
        "np.array([1, 2, 4, 1, 2, 4, 1, 2])",
    ),
    ("list", "W = [3, 5]\n---\no[i] = f32(W[i % 2])", "np.where(i % 2 == 0, 3, 5)"),
    ("NumPy array", "W = np.array([1.5, 2.5])\n---\no[i] = W[0] + W[1] * x[i]", "1.5 + 2.5 * x"),
    (
        "NumPy array of f32",
        "W = np.array([0.1, 2.5], dtype=np.float32)\n---\no[i] = f32(f64(W[0]) * 1.0)",
        "np.float32(0.1) + 0 * x",
    ),
    (
        "rows",
        "K = ((1.0, 2.0), (3.0, 4.0))\n---\no[i] = K[1][0] + K[0][1] * x[i] + K[1, 1]",
        "7 + 2 * x",
    ),
    (
        "rows by lane",
        "K = ((1.0, 2.0), (3.0, 4.0))\n---\no[i] = K[i % 2][1]",
        "np.where(i % 2 == 0, 2, 4)",
    ),
    (
        "loop over rows",
        "K = ((1.0, 2.0), (3.0, 4.0))\n---\ns = 0.0\nfor a, b in K:\n    s += a * b\no[i] = s",
        "14 + 0 * x",
    ),
    (
        "enumerate",
        "W = (1.0, 2.0)\n---\ns = 0.0\nfor t, w in enumerate(W):\n    s += w * t\no[i] = s",
        "2 + 0 * x",
    ),
    (
        "zip",
        "W = (1.0, 2.0)\nV = (3.0, 4.0)\n---\ns = 0.0\nfor a, b in zip(W, V):\n    s += a * b\no[i] = s",
        "11 + 0 * x",
    ),
    ("length of a table", "W = (1.0, 2.0)\n---\no[i] = f32(len(W))", "2 + 0 * x"),
    ("taken apart", "W = (1.0, 2.0)\n---\na, b = W\no[i] = a + b", "3 + 0 * x"),
    (
        "a table made of constants",
        "A = 2.0\nW = (A, A * A, -A)\n---\no[i] = W[1] + W[2]",
        "2 + 0 * x",
    ),
    (
        "a table of one type beside f64",
        "W = (0.1, 0.2)\n---\nd = f64(x[i]) * W[0]\no[i] = f32(d * 10.0 - f64(x[i]))",
        "x.astype('f8') * 0.1 * 10 - x",
    ),
    ("beyond the end", "W = (1.0, 2.0)\n---\no[i] = W[2]", "!index 2 is outside of the 2 values"),
    (
        "a long table by lane",
        "W = tuple([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] * 7)\n---\no[i] = 1.0",
        "1 + 0 * x",
    ),
    (
        "a table as a value",
        "W = (1.0, 2.0)\n---\no[i] = W",
        "!`W` is a table of constants; write one of them, as in `W[0]`",
    ),
]
HABITS = [
    ("chained assignment", "a = b = x[i]\na += 1.0\no[i] = a + b", "2 * x + 1"),
    ("chained assignment to elements", "o[i] = a = x[i] * 2.0\no[i] += a", "4 * x"),
    (
        ":=",
        "if (y := x[i] * 2.0) > 8.0:\n    o[i] = y\nelse:\n    o[i] = -y",
        "np.where(x > 4, 2 * x, -2 * x)",
    ),
    (":= in a while", "s = 0.0\nwhile (t := s + 1.0) < x[i]:\n    s = t\no[i] = s", "x - 1"),
    (
        ":= on the right of and, in a while",
        "s = 0.0\nwhile s < 9.0 and (t := s + 1.0) < x[i]:\n    s = t\no[i] = s",
        "x - 1",
    ),
    (
        ":= read behind and",
        "o[i] = 0.0\nif i > 3 and (y := x[i]) > 5.0:\n    o[i] = y",
        "np.where((i > 3) & (x > 5), x, 0)",
    ),
    (
        ":= on the right of and",
        "s = 0.0\nif i > 3 and (y := x[i]) > 5.0:\n    s = 1.0\no[i] = s",
        "((i > 3) & (x > 5)) * 1.0",
    ),
    ("min of three", "o[i] = min(x[i], 4.0, 6.0 - x[i])", "np.minimum(np.minimum(x, 4), 6 - x)"),
    ("max of four", "o[i] = max(1.0, x[i], 2.0, 3.0)", "np.maximum(x, 3)"),
    ("divmod", "a, b = divmod(i, 3)\no[i] = f32(a * 10 + b)", "i // 3 * 10 + i % 3"),
    ("divmod in a local", "q = divmod(i, 3)\no[i] = f32(q[1])", "i % 3"),
    ("a text in the body", "'''what it does'''\no[i] = x[i]\n'''the end'''", "x"),
    ("alias of a type", "F = f32\n---\no[i] = F(i)", "i * 1.0"),
    (
        "alias of an array",
        "A = DeviceArray[f32]\ndef k(x: A, o: A, n: u32):\n    i = get_global_id()\n    if i < n:\n        o[i] = x[i]",
        "x",
    ),
    ("alias of a vector", "V = vec2\n---\no[i] = V(x[i], 1.0).x", "x"),
    (
        "types in quotes",
        "def k(x: 'DeviceArray[f32]', o: 'DeviceArray[f32]', n: 'u32'):\n    i = get_global_id()\n    if i < n:\n        y: 'f32' = x[i]\n        o[i] = y",
        "x",
    ),
    ("size", "o[i] = f32(x.size)", "8 + 0 * x"),
    ("shape", "o[i] = f32(x.shape[0])", "8 + 0 * x"),
    ("loop over an array", "s = 0.0\nfor v in x:\n    s += v\no[i] = s", "36 + 0 * x"),
    (
        "two shared arrays in one line",
        "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    s, t = shared(f32, 8), shared(f32, 8)\n    i = get_global_id()\n    s[i] = x[i]\n    t[i] = 1.0\n    barrier()\n    o[i] = s[7 - i] + t[0]",
        "x[::-1] + 1",
    ),
    (
        "default of a compile-time bool",
        "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32, C: constexpr = True):\n    i = get_global_id()\n    if i < n:\n        o[i] = x[i] if C else 0.0",
        "x",
    ),
    (
        "default of a scalar",
        "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32, s: f32 = 2.0):\n    i = get_global_id()\n    if i < n:\n        o[i] = x[i] * s",
        "2 * x",
    ),
    (
        "local array of a compile-time size",
        "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32, C: constexpr = 4):\n    i = get_global_id()\n    t = local(f32, C)\n    if i < n:\n        for j in range(C):\n            t[j] = x[i]\n        o[i] = t[C - 1]",
        "x",
    ),
    ("list in brackets unpacked", "[a, b] = x[i], 1.0\no[i] = a + b", "x + 1"),
    ("nested targets", "(a, b), c = (x[i], 1.0), 2.0\no[i] = a + b + c", "x + 3"),
    (
        "optional array left out",
        "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32, mask: DeviceArray[f32] | None = None):\n    i = get_global_id()\n    if i < n:\n        if mask is not None:\n            o[i] = mask[i]\n        else:\n            o[i] = x[i]",
        "x",
    ),
    (
        "Optional",
        "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32, mask: Optional[DeviceArray[f32]] = None):\n    i = get_global_id()\n    if i < n and (mask is None or mask[i] > 0.0):\n        o[i] = x[i]",
        "x",
    ),
    ("slice with a step", "r = x[::2]\no[i] = r[0]", "!a slice with a step"),
    (
        "round with digits",
        "o[i] = round(x[i], 2)",
        "!`round` takes one number; write `round(x[i] * 100.0) / 100.0`",
    ),
    ("text as a value", "o[i] = 'a'", "!a string is not in the kernel language"),
    (
        "is with numbers",
        "o[i] = 1.0 if i is 3 else 0.0",
        "!`is` is not in the kernel language; write `==`",
    ),
    ("lambda", "@inline\ndef app(f, v):\n    return f(v)\n---\no[i] = app(lambda v: v, x[i])", "x"),
    (
        "lambda of a local",
        "@inline\ndef app(f, v):\n    return f(v)\n---\ns = 2.0\no[i] = app(lambda v: v * s, x[i])",
        "!a lambda sees its parameters and constants only, not `s`",
    ),
]
ARRAYS = [
    ("row", "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(f32, (3, 2))\n    i = get_global_id()\n    if i < n:\n        t[1, 0] = x[i]\n        r = t[1]\n        r[1] = 5.0\n        o[i] = r[0] + t[1, 1]", "x + 5"),
    ("row given to a helper", "@inline\ndef total(r: DeviceArray[f32]):\n    s = 0.0\n    for j in range(len(r)):\n        s += r[j]\n    return s\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(f32, (3, 2))\n    i = get_global_id()\n    if i < n:\n        t[1, 0] = x[i]\n        t[1, 1] = 2.0\n        o[i] = total(t[1])", "x + 2"),
    ("part of an array", "if i + 2 < n:\n    r = x[i + 1:]\n    o[i] = r[0] + r[1]", "np.where(i < 6, 2 * x + 3, 0)"),
    ("part with an end", "r = x[2:5]\ns = 0.0\nfor v in r:\n    s += v\no[i] = s + f32(len(r))", "15 + 0 * x"),
    ("two dimensions", "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(f32, (3, 4))\n    i = get_global_id()\n    if i < n:\n        for j in range(4):\n            t[2, j] = x[i] + f32(j)\n        r = t[2, 1:]\n        o[i] = r[0] + r[2] + f32(t.size)", "2 * x + 16"),
    ("local array of vectors", "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(vec3, 4)\n    i = get_global_id()\n    if i < n:\n        t[2] = vec3(x[i], 1.0, 2.0)\n        t[2].y += 5.0\n        t[3] += t[2] * 2.0\n        o[i] = t[3].x + t[2].y + f32(len(t))", "2 * x + 10"),
    ("shared array of vectors", "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(vec2, 8)\n    i = get_global_id()\n    t[i] = vec2(x[i], 1.0)\n    barrier()\n    o[i] = t[7 - i].x + t[0].y", "x[::-1] + 1"),
    ("array of vectors", "def k(x: DeviceArray[vec2], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n    if i < len(x):\n        o[i] = x[i].x * 10.0 + x[i].y", "np.concatenate([x[::2] * 10 + x[1::2], np.zeros(4)])"),
    ("array of complex numbers", "def k(x: DeviceArray[complex64], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n    if i < len(x):\n        z = x[i] * x[i]\n        o[i] = z.imag", "np.concatenate([2 * x[::2] * x[1::2], np.zeros(4)])"),
    ("array of structs", "class P(NamedTuple):\n    p: f32\n    v: f32\ndef k(x: DeviceArray[P], o: DeviceArray[P], n: u32):\n    i = get_global_id()\n    if i < len(x):\n        o[i].p = x[i].p + 2.0 * x[i].v\n        o[i].v = x[i].v", "np.stack([x[::2] + 2 * x[1::2], x[1::2]], 1).reshape(-1)"),
    ("loop over vectors", "def k(x: DeviceArray[vec2], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n    if i < n:\n        s = vec2(0.0)\n        for v in x:\n            s += v\n        o[i] = s.y", "20 + 0 * x"),
    ("index of few bits", "def k(x: DeviceArray[vec2], o: DeviceArray[f32], n: u32):\n    i = get_global_id()\n    if i < 4:\n        j: u8 = u8(i)\n        o[i] = x[j].y", "np.concatenate([x[1::2], np.zeros(4)])"),
    ("atomic on an array of vectors", "def k(x: DeviceArray[f32], o: DeviceArray[vec2], n: u32):\n    i = get_global_id()\n    if i < n:\n        atomic_add(o, i % 4, vec2(x[i], 1.0))", "np.stack([x[:4] + x[4:], np.full(4, 2)], 1).reshape(-1)"),
    ("local array of structs of several types", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(P, 4)\n    i = get_global_id()\n    if i < n:\n        t[1] = P(x[i], i32(i), 0.5, i > 3)\n        t[1].p += 1.0\n        t[2] = t[1]\n        t[2].v -= 2\n        q = t[2]\n        o[i] = q.p + f32(q.v) + f32(q.big) + select(q.on, 100.0, 0.0)", "x + i - 0.5 + np.where(i > 3, 100, 0)"),
    ("shared array of structs of several types", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\n@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(P, 8)\n    i = get_global_id()\n    t[i] = P(x[i], i32(i), 0.5, True)\n    barrier()\n    o[i] = t[7 - i].p + f32(t[i].v + i32(len(t)))", "x[::-1] + i + 8"),
    ("struct of several types given to a helper", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\n@inline\ndef heavy(a: DeviceArray[P], j):\n    a[j].p, a[j].v = 2.0, 3\n    return a[j]\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(P, 4)\n    i = get_global_id()\n    if i < n:\n        w = heavy(t, 1)\n        o[i] = x[i] * w.p + f32(t[1].v)", "2 * x + 3"),
    ("rows of structs of several types", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(P, (2, 3))\n    i = get_global_id()\n    if i < n:\n        t[1, 2].p = x[i]\n        r = t[1]\n        r[0].v = 7\n        o[i] = r[2].p + f32(t[1, 0].v)", "x + 7"),
    ("atomic on a struct of several types", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(P, 2)\n    atomic_add(t, 0, P(1.0, 2, 0.5, True))", "!an atomic updates numbers of one type; write one of them, as in `atomic_add(t[i].p, ...)`"),
    ("another type in a field", "class P(NamedTuple):\n    p: f32\n    v: i32\n    big: f64\n    on: bool\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(P, 2)\n    i = get_global_id()\n    t[0].v = x[i]", "!cannot assign f32"),
    ("shared memory that the launch sizes", "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(f32, n, most=16)\n    i = get_global_id()\n    if i < n:\n        t[i] = x[i]\n    barrier()\n    s = 0.0\n    for v in t:\n        s += v\n    if i < n:\n        o[i] = s + f32(len(t)) + t[n - 1 - i]", "44 + x[::-1]"),
    ("vectors in memory that the launch sizes", "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(vec2, n, most=16)\n    i = get_global_id()\n    if i < n:\n        t[i] = vec2(x[i], 2.0)\n    barrier()\n    if i < n:\n        o[i] = t[7 - i].x + t[i].y * f32(len(t))", "x[::-1] + 16"),
    ("local memory that the launch sizes", "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = local(f32, n + 1, most=16)\n    i = get_global_id()\n    if i < n:\n        t[n] = x[i]\n        o[i] = t[n] + f32(len(t))", "x + 9"),
    ("more than there is memory for", "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(f32, n, most=4)\n    o[0] = t[0]", "!more elements than it has room for: shared(f32, n, most=4) (n = 8)"),
    ("memory without the most", "@kernel(block=8)\ndef k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(f32, n)\n    t[0] = 1.0\n    o[0] = t[0] + f32(len(t))", "!write shared(f32, n, most=256) for one that comes with the launch"),
    ("memory with another keyword", "def k(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):\n    t = shared(f32, n, at_most=4)\n    o[0] = t[0]", "!the most that it may be: shared(f32, n, most=256)"),
    ("more indices than dimensions", "o[i] = x[i, 0]", "!'x' has 1 dimension"),
]  # fmt: skip
ORDER = [
    (
        "a loop over locals that it assigns",
        "a = x[i]\nb = 1.0\ns = 0.0\nfor v in (a, b):\n    a += 10.0\n    s += v\no[i] = s",
        "x + 1",
    ),
    (
        "chained assignment of a swap",
        "a = x[i]\nb = 1.0\na, b = c = b, a\no[i] = c[0] * 100.0 + c[1]",
        "100 + x",
    ),
    (
        "a swap of vectors",
        "p = vec2(x[i], 1.0)\np.x, p.y = p.y, p.x\no[i] = p.y * 10.0 + p.x",
        "10 * x + 1",
    ),
    ("a row keeps its index", "j = 1\nr = x[j:]\nj = 3\no[i] = r[0] + f32(j)", "5 + 0 * x"),
    (":= behind a read", "y = 1.0\no[i] = y + (y := x[i])", "!`y` is read before `:=` assigns it"),
    (
        "a helper that stores, beside a read",
        "@inline\ndef put(o: DeviceArray[f32], i):\n    o[i] = 5.0\n    return vec2(1.0, 2.0)\n---\no[i] = o[i] + put(o, i).x",
        "!`put` stores into an array; assign its result",
    ),
    (
        "a helper that stores, alone",
        "@inline\ndef put(o: DeviceArray[f32], i):\n    o[i] = 5.0\n    return vec2(1.0, 2.0)\n---\np = put(o, i)\no[i] += p.x",
        "6 + 0 * x",
    ),
]
HINTS = [
    ("where", "o[i] = where(i > 2, x[i], 0.0)", "np.where(i > 2, x, 0)"),
    ("clip", "o[i] = clip(x[i], 0.0, 1.0)", "np.clip(x, 0, 1)"),
    ("iif", "o[i] = iif(i > 2, x[i], 0.0)", "!undefined function 'iif'; write select("),
    ("syncthreads", "syncthreads()\no[i] = x[i]", "!write barrier()"),
    ("sizes of OpenCL", "o[i] = f32(get_global_size(0))", "!get_grid_dim(d) * get_block_dim(d)"),
    ("groups of OpenCL", "o[i] = f32(get_group_id(0))", "!write get_block_id(d)"),
    ("sums of OpenCL", "o[i] = work_group_reduce_add(x[i])", "!write block_reduce_add(x)"),
    ("casts of OpenCL", "o[i] = convert_float(i)", "!write f32(x)"),
    ("lanes of ISPC", "o[i] = x[programIndex]", "!write get_local_id()"),
    ("lanes of GLSL", "o[i] = x[gl_GlobalInvocationID.x]", "!write get_global_id(0)"),
    ("grid of Numba", "j = cuda.grid(1)\no[i] = x[i]", "!write get_global_id()"),
    ("float3", "p = float3(x[i], 1.0, 2.0)\no[i] = 1.0", "!write vec3(x, y, z)"),
    ("sum", "o[i] = sum(x)", "!write a loop"),
    ("atomicAdd", "atomicAdd(o, i, 1.0)", "!write atomic_add(array, i, value)"),
    (
        "a helper of such a name",
        "@inline\ndef where(c, a, b):\n    return a if c else b\n---\no[i] = where(i > 2, x[i], 0.0)",
        "np.where(i > 2, x, 0)",
    ),
]
GROUPS = {
    "vectors": VECTORS, "matrices": MATRICES, "complex": COMPLEX, "structs": STRUCTS,
    "helpers": HELPERS, "tables": TABLES, "habits": HABITS, "arrays": ARRAYS,
    "order": ORDER,
    "hints": HINTS,
    "wraps": WRAPS, "fields": FIELDS, "warps": WARPS, "memory": MEMORY, "names": NAMES,
    "loops over values": LOOPS, "constants": CONSTANTS, "bools": BOOLS, "shifts": SHIFTS,
    "counters": COUNTERS,
}  # fmt: skip


def cases() -> list[Case]:
    found = []
    for group, rows in GROUPS.items():
        for name, text, meaning in rows:
            refused = meaning[1:] if meaning.startswith("!") else ""
            found.append(Case(group, name, text, "" if refused else meaning, refused))
    return found
