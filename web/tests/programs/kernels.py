"""Kernels of the package: arguments, shapes, faults and files, as a program has them."""

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, i32, u32


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


@hg.kernel
def rows(x: DeviceArray[i32, 2], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i, 0] + x[i, 1]
        print("row", i, "is", out[i])


@hg.kernel
def outside(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i + 1] = 2.0


x = np.arange(5, dtype=np.float32)
scale(2.0, x, len(x))
print(x, scale.parameters)
scale[1, 64](a=0.5, x=x, n=5)
print(x, scale.last_launch.engine != "")
pairs, sums = np.arange(6, dtype=np.int32).reshape(3, 2), np.zeros(3, np.int32)
rows(pairs, sums, 3)
print(sums)
for name, call in (
    ("fault", lambda: outside(x, 5)),
    ("type", lambda: scale(2.0, x.astype("f8"), 5)),
    ("gaps", lambda: scale(2.0, np.zeros(9, "f4")[::2], 5)),
    ("list", lambda: scale(2.0, [1.0], 1)),
    ("number", lambda: scale("a", x, 5)),
    ("large", lambda: scale(2.0, x, 2**40)),
    ("count", lambda: scale(2.0, x)),
    ("name", lambda: hg.kernels.no_such_kernel),
):
    try:
        call()
        print(name, "is not refused")
    except (hg.Error, TypeError, AttributeError) as error:
        print(name, type(error).__name__, error)
print(x)
saved = scale.bundle
print(saved.names, len(saved.data), hg.Bundle(saved.data).trust_hash == saved.trust_hash)
hg.kernels.vector_add(x, x, x, 5)
with open("program.py") as file:
    print(x, file.readline().strip()[:20])
