"""Operations of the package on arrays of several shapes, strides and types: a line for each."""

import hashlib

import numpy as np

import hologram as hg
from hologram import ops

STEPS = (np.arange(6 * 70 * 9) * 7919 % 2003).astype(np.float32) / 997 - 1
X = STEPS.reshape(6, 70, 9)
LONG = np.resize(STEPS, 9001)


def line(name, value):
    array = np.ascontiguousarray(value)
    digest = hashlib.sha256(array.tobytes()).hexdigest()[:16]
    print(f"{name:28} {array.dtype} {array.shape} {digest}")


for kind in ("f2", "f4", "f8", "i2", "i8", "u4"):
    x = (
        (X * 50 if kind != "u4" else np.abs(X * 50)).astype(kind)
        if kind[0] in "iu"
        else X.astype(kind)
    )
    for name in ("sum", "prod", "mean", "min", "max", "any", "all", "argmin", "argmax", "norm"):
        if name == "norm" and kind[0] in "iu":
            continue
        op = getattr(ops, name)
        line(f"{name} {kind}", op(x))
        line(f"{name} {kind} axis 1", op(x, axis=1))
        line(f"{name} {kind} turned", op(x.T, axis=0, keepdims=True))
    line(f"add {kind}", ops.add(x, x[:, :1, :]))
    line(f"add {kind} strided", ops.add(x[::2, ::-1], x[::2]))
    line(f"number {kind}", ops.mul(x, 3))
    line(f"cast {kind}", ops.cast(x, np.float64))
    line(f"cumsum {kind}", ops.cumsum(x, axis=2))

for name in ("sum", "mean", "max", "argmax", "norm"):
    line(f"{name} long", getattr(ops, name)(LONG))
line("dot", ops.dot(LONG, LONG[::-1].copy()))
line("mse", ops.mse(LONG, LONG * np.float32(0.5)))
line("cross_entropy", ops.cross_entropy(np.abs(X[0]) + np.float32(0.1), np.abs(X[1])))
for name in ("exp", "sin", "tanh", "sigmoid", "gelu", "relu", "sqrt", "log", "erf", "softplus"):
    line(name, getattr(ops, name)(np.abs(X)))
line("exp fast", ops.exp(X, accuracy="fast"))
line("pow", ops.pow(np.abs(X), 2.5))
line("clip", ops.clip(X, -0.5, 0.5))
for name in ("softmax", "log_softmax", "layer_norm", "rms_norm"):
    line(name, getattr(ops, name)(X))
for m, n, k in ((1, 10, 64), (5, 7, 9), (40, 70, 30), (70, 200, 64)):
    a, b = np.resize(STEPS, (m, k)), np.resize(STEPS[::-1], (k, n))
    line(f"gemm {m} {n} {k}", ops.gemm(a, b))
    line(f"gemm {m} {n} {k} turned", ops.gemm(a, np.asfortranarray(b)))
    line(f"matvec {m} {k}", ops.matvec(a, b[:, 0].copy()))
line("transpose", ops.transpose(X))
line("where", ops.where(X > 0, X, 0.0))
out = np.zeros((70, 12), np.float32)
ops.copy(X[0], out=out[:, 2:11])
line("out with gaps", out)
ops.fill(out[::2], 7)
line("fill", out)

scale = hg.fuse(lambda x, y, a: ops.relu(a * x + y))
line("fused", scale(X, X[0] * 0 + X, 1.5))
line("fused columns", hg.fuse(lambda x, r, c: x * r - c)(X[0], X[0, 0], X[0, :, :1].copy()))
line("fused sum", hg.fuse(lambda x: ops.sum(x * x))(LONG))
line("fused rows", hg.fuse(lambda x: ops.max(x + 1, axis=-1))(X[0]))
for name, wrong in (
    ("axis", lambda: ops.sum(X, axis=5)),
    ("types", lambda: ops.add(X, X.astype("f8"))),
):
    try:
        wrong()
    except hg.Error as error:
        print(name, error)

parts = [ops.sum.parts(chunk) for chunk in np.split(LONG, [4096, 8192])]
line("parts", ops.sum.finish(np.concatenate(parts), LONG.size))
running = hg.Accumulator("sum", "f32")
for chunk in np.split(LONG, [100, 7000]):
    running.add(chunk)
line("running", running.result())
