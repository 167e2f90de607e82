"""Launches in parts, streams, and buffers of executors: for web/tests/programs_test.py."""

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32


@hg.kernel
def sharpen(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i > 0 and i + 1 < n:
        dst[i] = 3.0 * src[i] - src[i - 1] - src[i + 1]


@hg.kernel
def added(x: DeviceArray[f32], total: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n:
        total[i] = total[i] + x[i]


@hg.kernel
def gathered(x: DeviceArray[f32], at: DeviceArray[u32], y: DeviceArray[f32], n: u32):
    i = get_global_id(0)
    if i < n and at[i] < n:
        y[i] = x[at[i]]


@hg.kernel
def grid(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2]):
    r, c = get_global_id(1), get_global_id(0)
    if r < x.shape[0] and c < x.shape[1]:
        y[r, c] = x[r, c] * 2.0


def show(name, action):
    try:
        print(name, action())
    except Exception as error:
        print(name, type(error).__name__, error)


# ---- Windows

COUNT = 5000
SRC = (np.arange(COUNT) * 7919 % 1000).astype(np.float32) / 1000
whole = np.zeros_like(SRC)
sharpen(SRC, whole, COUNT)
launch = hg.windows(sharpen, src=COUNT, dst=COUNT, n=COUNT)
print(launch, launch.unit, launch.units)
for units in ((0, 1), (0, 1024), (2048, 3072), (4096, launch.units), (5, 5)):
    show(f"reach {units}", lambda units=units: launch.reach(*units))
made = np.zeros_like(SRC)
for first in range(0, launch.units, 1024):
    last = min(first + 1024, launch.units)
    need, make = launch.reach(first, last).values()
    launch.launch(
        first, last,
        src=(SRC[need.low : need.high].copy(), need.low),
        dst=(made[make.low : make.high], make.low),
    )  # fmt: skip
print("same", np.array_equal(made, whole), sharpen.last_launch.checked)
show("too little", lambda: launch.launch(0, 1024, src=(SRC[:1024].copy(), 0), dst=(made, 0)))
show("beyond", lambda: launch.launch(0, 10**6, src=SRC, dst=made))
show("another type", lambda: launch.launch(0, 1, src=SRC.astype("f8"), dst=made))
show("missing", lambda: launch.launch(0, 1, src=SRC))
show("no shape", lambda: hg.windows(sharpen, src=(), dst=COUNT, n=COUNT))
two = hg.windows(grid[(2, 8), (8, 4)], x=(30, 16), y=(30, 16))
print(two)
show("rows", lambda: two.reach(8, 16))
show("any", lambda: hg.windows(gathered, x=9, at=9, y=9, n=9).reach(0, 9))

# ---- Streams

np.save("src.npy", SRC)
SRC.tofile("src.raw")
BIG = np.tile(SRC, 200)  # several windows
BIG.tofile("big.raw")


def streamed(*values, **named):
    done = hg.stream(*values, **named)
    return done[:5], done.result


def after(path, count=-1):
    return float(np.fromfile(path, np.float32, count).astype(np.float64).sum())


N = {"n": hg.length_of("src")}
show("a file", lambda: streamed(sharpen, {"src": "src.npy", **N}, {"dst": "dst.raw"}))
print(np.array_equal(np.fromfile("dst.raw", np.float32), whole))
SMALL = {"window": 1 << 14, "depth": 2}
TO_FILE = {"dst": "dst.raw"}
show("windows", lambda: streamed(sharpen, {"src": "big.raw", **N}, TO_FILE))
big = np.zeros_like(BIG)
sharpen(BIG, big, BIG.size)
print(np.array_equal(np.fromfile("dst.raw", np.float32), big))
show("small windows", lambda: streamed(sharpen, {"src": "big.raw", **N}, TO_FILE, **SMALL))
print(np.array_equal(np.fromfile("dst.raw", np.float32), big))
show("a header", lambda: streamed(sharpen, {"src": "src.raw", **N}, {"dst": "dst.npy"}))
print(np.array_equal(np.load("dst.npy"), whole))
both = {"x": "src.npy", "total": "src.raw", "n": COUNT}
show("read and written", lambda: streamed(added, both, {"total": "sum.raw"}))
print(after("sum.raw"))
by_data = {"x": "src.npy", "at": np.arange(COUNT, dtype="u4"), "n": COUNT}
show("anywhere", lambda: streamed(gathered, by_data, {"y": "y.raw"}))
show("a missing file", lambda: streamed(sharpen, {"src": "no.raw", **N}, TO_FILE))
show("a missing name", lambda: streamed(sharpen, {"src": "src.npy"}, TO_FILE))
show("a function", lambda: streamed(hg.ops.exp, ["big.raw:f32"], ["exp.raw"]))
print(np.array_equal(np.fromfile("exp.raw", np.float32), hg.ops.exp(BIG)))
square = hg.fuse(lambda x: x * x)
for reduction in (hg.ops.sum, hg.ops.max, hg.ops.mean):
    steps = [square, reduction]
    show("reduced", lambda steps=steps: streamed(steps, ["big.raw:f32"]))
    print(reduction(square(BIG)))
show("arrays", lambda: streamed(hg.ops.add, [SRC, SRC], [np.zeros_like(SRC)]))
pieces = []
show("pieces", lambda: streamed(hg.ops.neg, ["big.raw:f32"], [lambda part: pieces.append(part)]))
print(len(pieces), float(np.concatenate(pieces)[5]))


def softmax(x):
    return hg.ops.softmax(x.reshape(-1, 100)).reshape(-1)


show("rows", lambda: streamed(softmax, ["src.raw:f32"], ["rows.raw"], row=100))
print(after("rows.raw", 100))
show("lengths", lambda: streamed(hg.ops.add, ["src.raw:f32", "big.raw:f32"], ["out.raw"]))

# ---- Buffers

executor = hg.Executor()
print(executor.num_free_classes, hg.max_elements_per_class(), hg.fits_in_class(3073))
taken = executor.allocate_boundary(7)
print(taken, taken.pool, taken.class_index, len(taken), taken.element_size, taken.size_bytes)
view = np.asarray(taken)
view[:] = np.arange(len(taken))
hg.ops.add(taken, taken, out=taken)
print(view[-1], executor.num_free_classes)
show("taken", lambda: executor.allocate_boundary(7))
show("no class", lambda: executor.allocate_boundary(96))
show("too wide", lambda: executor.allocate_boundary(width=49))
show("no height", lambda: executor.allocate_boundary(height=0))
lowest = executor.allocate_boundary(dtype="u8", width=2, height=3)
print(lowest, lowest.to_vec())
del taken
print(executor.num_free_classes)  # an array is on its memory
del view
print(executor.num_free_classes)
again = executor.allocate_boundary(7)
print(float(np.asarray(again)[-1]))  # it holds what the class holds
linear = executor.allocate(4)
linear.fill(1.5)
print(linear, linear.to_vec(), linear.is_linear, linear.verify_canonical())
linear.copy_from_canonical_slice(np.array([1, 2, 0.1, 4], np.float32))
print(linear.to_vec(), linear.verify_canonical())
target = np.zeros(4, np.float32)
linear.copy_to_slice(target)
print(target)
show("another length", lambda: linear.copy_from_slice(np.zeros(5, np.float32)))
show("another type", lambda: linear.copy_from_slice(np.zeros(4)))
show("no array", lambda: linear.copy_from_slice(3))
show("no number", lambda: linear.fill("x"))
show("a size", lambda: executor.allocate(-1))
show("no type", lambda: executor.allocate(1, "f99"))
show("of bf16", lambda: executor.allocate(3, "bf16").to_vec())
print(hg.offset_to_phi(7, 1024), hg.phi_to_offset(7, 4, 3), hg.default_launch_config(1000))
show("no offset", lambda: hg.offset_to_phi(7, 12288))
show("no elements", lambda: hg.default_launch_config(0))
