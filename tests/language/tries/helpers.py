"""First tries: helpers, tuples and classes."""

from __future__ import annotations

import numpy as np

from tries import N, form

f32 = np.float32
i32 = np.int32
u32 = np.uint32

# helpers, tuples and classes

form(
    "helper without annotations",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    """
def twice(v):
    return 2 * v
""",
)
form(
    "helper with annotations",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    """
def twice(v: f32) -> f32:
    return 2 * v
""",
)
form(
    "helper with a default",
    "f",
    "y[i] = times(x[i]) + times(x[i], 3)",
    lambda x: 5 * x,
    """
def times(v: f32, k: f32 = 2.0) -> f32:
    return k * v
""",
)
form(
    "helper by keyword",
    "f",
    "y[i] = axpy(x=x[i], a=2.0, b=1.0)",
    lambda x: 2 * x + 1,
    """
def axpy(a: f32, x: f32, b: f32) -> f32:
    return a * x + b
""",
)
form(
    "helper with float annotations",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    """
def twice(v: float) -> float:
    return 2 * v
""",
)
form(
    "helper with several returns",
    "f",
    "y[i] = relu(x[i])",
    lambda x: np.maximum(x, 0),
    """
def relu(v: f32) -> f32:
    if v < 0:
        return 0.0
    return v
""",
)
form(
    "helper that returns two values",
    "f",
    """
lo, hi = minmax(x[i], 1.0)
y[i] = hi - lo
""",
    lambda x: np.abs(x - 1),
    """
def minmax(a: f32, b: f32) -> tuple[f32, f32]:
    return min(a, b), max(a, b)
""",
)
form(
    "helper that stores",
    "f",
    "put(y, i, x[i])",
    lambda x: x,
    """
def put(out: DeviceArray[f32], at: u32, v: f32):
    out[at] = v
""",
)
form(
    "recursive helper",
    "u",
    "y[i] = fact(x[i] % 5)",
    lambda x: np.array([1, 1, 2, 6, 24], u32)[x % 5],
    """
def fact(v: u32) -> u32:
    return 1 if v <= 1 else v * fact(v - 1)
""",
)
form(
    "star arguments",
    "f",
    "y[i] = total(x[i], 1.0, 2.0)",
    lambda x: x + 3,
    """
def total(*values):
    s = 0.0
    for v in values:
        s += v
    return s
""",
)
form(
    "call with a star",
    "f",
    """
p = (x[i], 2.0)
y[i] = mul(*p)
""",
    lambda x: 2 * x,
    """
def mul(a: f32, b: f32) -> f32:
    return a * b
""",
)
form("lambda of the module", "f", "y[i] = twice(x[i])", lambda x: 2 * x, "twice = lambda v: 2 * v")
form(
    "decorated helper",
    "f",
    "y[i] = twice(x[i])",
    lambda x: 2 * x,
    """
import hologram as hg
@hg.func
def twice(v: f32) -> f32:
    return 2 * v
""",
)
form("constant of the module", "f", "y[i] = SCALE * x[i]", lambda x: 3 * x, "SCALE = 3.0")
form(
    "constant from an expression",
    "f",
    "y[i] = SCALE * x[i]",
    lambda x: 6 * x,
    "A = 3\nSCALE = A * 2.0",
)
form(
    "typed constant",
    "f",
    "y[i] = SCALE * x[i]",
    lambda x: 3 * x,
    "from typing import Final\nSCALE: Final = 3.0",
)
form(
    "table of the module",
    "f",
    "y[i] = W[i % 3] * x[i]",
    lambda x: np.array([1, 2, 4], f32)[np.arange(N) % 3] * x,
    "W = (1.0, 2.0, 4.0)",
)
form(
    "list of the module",
    "f",
    "y[i] = W[i % 3] * x[i]",
    lambda x: np.array([1, 2, 4], f32)[np.arange(N) % 3] * x,
    "W = [1.0, 2.0, 4.0]",
)
form(
    "global statement",
    "f",
    """
global SCALE
y[i] = SCALE * x[i]
""",
    lambda x: 3 * x,
    "SCALE = 3.0",
)
form(
    "type alias",
    "f",
    """
s: Real = 2.0
y[i] = s * Real(x[i])
""",
    lambda x: 2 * x,
    "Real = f32",
)
form(
    "alias by the type statement of typing",
    "f",
    """
s: Real = 2.0
y[i] = s * x[i]
""",
    lambda x: 2 * x,
    "from typing import TypeAlias\nReal: TypeAlias = f32",
)
form(
    "enumeration",
    "u",
    "y[i] = 1 if x[i] % 3 == Color.RED else 0",
    lambda x: (x % 3 == 1).astype(u32),
    """
from enum import IntEnum
class Color(IntEnum):
    RED = 1
    BLUE = 2
""",
)
form(
    "class of constants",
    "f",
    "y[i] = Config.SCALE * x[i]",
    lambda x: 3 * x,
    """
class Config:
    SCALE = 3.0
""",
)
form(
    "tuple in a local",
    "f",
    """
p = (x[i], 2.0)
y[i] = p[0] * p[1]
""",
    lambda x: 2 * x,
)
form(
    "tuple unpacking",
    "f",
    """
a, b = x[i], 2.0
a, b = b, a
y[i] = a - b
""",
    lambda x: 2 - x,
)
form(
    "unpacking in brackets",
    "f",
    """
[a, b] = x[i], 2.0
y[i] = a * b
""",
    lambda x: 2 * x,
)
form(
    "starred unpacking",
    "f",
    """
a, *rest = x[i], 2.0, 3.0
y[i] = a + rest[0] + rest[1]
""",
    lambda x: x + 5,
)
form(
    "len of a tuple",
    "f",
    """
p = (x[i], 2.0, 3.0)
y[i] = len(p)
""",
    lambda x: np.full_like(x, 3),
)
form(
    "slice of a tuple",
    "f",
    """
p = (x[i], 2.0, 3.0)
a, b = p[1:]
y[i] = a + b
""",
    lambda x: np.full_like(x, 5),
)
form(
    "augmented element of a tuple",
    "f",
    """
p = [x[i], 2.0]
p[0] += p[1]
y[i] = p[0]
""",
    lambda x: x + 2,
)
form(
    "sum of tuples concatenates",
    "f",
    """
p = (x[i],) + (2.0,)
y[i] = p[1]
""",
    lambda x: np.full_like(x, 2),
)
form(
    "comparison of tuples",
    "i",
    "y[i] = 1 if (x[i], 1) == (3, 1) else 0",
    lambda x: (x == 3).astype(i32),
)
form(
    "chained assignment",
    "i",
    """
a = b = x[i]
a += 1
y[i] = a - b
""",
    lambda x: np.ones_like(x),
)
form(
    "NamedTuple",
    "f",
    """
p = Point(x[i], 2.0)
y[i] = p.x * p.y
""",
    lambda x: 2 * x,
    """
from typing import NamedTuple
class Point(NamedTuple):
    x: f32
    y: f32
""",
)
form(
    "dataclass",
    "f",
    """
p = Point(x=x[i], y=2.0)
p.x += 1.0
y[i] = p.x * p.y
""",
    lambda x: 2 * (x + 1),
    """
from dataclasses import dataclass
@dataclass
class Point:
    x: f32
    y: f32
""",
)
form(
    "method of a class",
    "f",
    """
p = Point(x[i], 2.0)
y[i] = p.area()
""",
    lambda x: 2 * x,
    """
from typing import NamedTuple
class Point(NamedTuple):
    x: f32
    y: f32
    def area(self) -> f32:
        return self.x * self.y
""",
)
form(
    "vec3 and dot",
    "f",
    """
v = vec3(x[i], 1.0, 2.0)
y[i] = dot(v, v)
""",
    lambda x: x * x + 5,
    "from hologram.lang import vec3, dot",
)
form(
    "Taichi's vector",
    "f",
    """
v = ti.Vector([x[i], 1.0])
y[i] = v.dot(v)
""",
    lambda x: x * x + 1,
)
form(
    "swizzle",
    "f",
    """
v = vec3(x[i], 1.0, 2.0)
w = v.zyx
y[i] = w[2] + w.x
""",
    lambda x: x + 2,
    "from hologram.lang import vec3",
)
form(
    "norm of a vector",
    "f",
    """
v = vec3(2 * x[i], x[i], 2 * x[i])
y[i] = v.norm()
""",
    lambda x: 3 * np.abs(x),
    "from hologram.lang import vec3",
)
