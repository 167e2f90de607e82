"""What ufuncs have besides calls, in NumPy's order: for web/tests/programs_test.py."""

import numpy as np

import hologram as hg

# Neither commutes nor associates, so that another order has other bits.
SAMPLES = np.linspace(-2, 3, 24, dtype=np.float32).reshape(2, 3, 4)


@hg.vectorize(["float32(float32, float32)", "int64(int64, int64)"])
def mixed(a, b):
    return a * a - b


@hg.vectorize(["float64(float64, float64)"], identity=0)
def added(a, b):
    return a + b


@hg.vectorize(["float32(float32)"])
def halved(a):
    return a / 2


@hg.vectorize(["int64(float64, float64)"])
def count(a, b):
    return 1 if a < b else 0


@hg.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),()->(n)")
def shifted(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + by[0]


@hg.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def summed(x, y):
    sums = x.copy()  # memory of the call
    for i in range(1, x.shape[0]):
        sums[i] = sums[i - 1] + x[i]
    for i in range(x.shape[0]):
        y[i] = sums[i] / sums[x.shape[0] - 1]


def show(name, action):
    try:
        value = action()
        print(name, type(value).__name__, getattr(value, "dtype", ""), np.asarray(value).tolist())
    except Exception as error:
        print(name, type(error).__name__, error)


def in_place(function, array, *rest):
    made = array.copy()
    function.at(made, *rest)
    return made


print([mixed.identity, added.identity, mixed.nin, mixed.types[0]])
for axis in (0, 1, 2, -1):
    show(f"reduce {axis}", lambda axis=axis: mixed.reduce(SAMPLES / 4, axis=axis))
    show(f"accumulate {axis}", lambda axis=axis: mixed.accumulate(SAMPLES / 4, axis=axis))
show("all axes without an identity", lambda: mixed.reduce(SAMPLES, axis=None))
for view in (SAMPLES, SAMPLES.T, SAMPLES[:, ::2], SAMPLES.astype("i4"), np.float64(SAMPLES)):
    show("all axes", lambda view=view: added.reduce(view, axis=None))
    show("two axes", lambda view=view: added.reduce(view, axis=(0, 2), keepdims=True))
    show("last axis", lambda view=view: added.reduce(view, axis=-1))
for line in (SAMPLES.ravel(), SAMPLES.ravel()[::-1], SAMPLES.ravel()[::3]):
    show("a line", lambda line=line: mixed.reduce(line / 4))
show("of none", lambda: added.reduce(np.zeros(0)))
show("of none without an identity", lambda: mixed.reduce(np.zeros(0, "f4")))
show("initial", lambda: mixed.reduce(np.float32([1, 2, 3]), initial=2))
show("where", lambda: added.reduce(np.arange(6.0), where=np.arange(6) % 2 == 0))
show("integers", lambda: mixed.reduce(np.arange(5)))
show("small integers", lambda: mixed.reduce(np.arange(5, dtype="i1")))
show("dtype", lambda: mixed.reduce(np.arange(3), dtype="f4"))
show("a result of another type", lambda: type(count.outer([1, 2], [1.5])[0, 0]).__name__)
show("out", lambda: added.reduce(SAMPLES, axis=0, out=np.ones((3, 4))))
show("out of another type", lambda: added.reduce(SAMPLES, axis=0, out=np.ones((3, 4), "f4")))
show("reduceat", lambda: mixed.reduceat(SAMPLES.ravel() / 4, [0, 5, 3, 20]))
show("outer", lambda: mixed.outer(np.float32([1, 2, 3]), np.float32([[1], [2]])))
show("outer of numbers", lambda: added.outer(2, 3))
show("at", lambda: in_place(mixed, np.float32([1, 2, 3]), [0, 0, 2], np.float32([1, 2, 3])))
show("at of one", lambda: in_place(halved, np.float32([1, 2, 3]), [0, 0, 2]))
show("at of a slice", lambda: in_place(added, np.arange(6.0), slice(1, 4), 10))
show("reduce of one argument", lambda: halved.reduce(SAMPLES))
show("outer of one argument", lambda: halved.outer(SAMPLES, SAMPLES))
show("reduce of parts", lambda: shifted.reduce(SAMPLES))
show("parts", lambda: shifted(SAMPLES, 1))
show("where of a call", lambda: added([1, 2, 3], 1, out=np.zeros(3), where=[True, False, True]))
show("memory of a call", lambda: summed(SAMPLES.astype(np.float64)))
