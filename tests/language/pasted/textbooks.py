"""Textbook algorithms: filters, sparse and small dense systems, models, rays, transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "COO matrix times vector with atomics",
    lambda: [
        integers(60, high=12, dtype=np.int32),
        integers(60, high=9, dtype=np.int32, seed=2),
        integers(60, low=-5, high=5, seed=3),
        integers(9, low=-5, high=5, seed=4),
        zeros(12, dtype=np.int32),
    ],
    lambda r, c, v, x, y: (np.add.at(y, r, v * x[c]), y)[1],
    """
@kernel
def spmv_coo(row: DeviceArray[i32], col: DeviceArray[i32], val: DeviceArray[i32], x: DeviceArray[i32], y: DeviceArray[i32]):
    nz = get_global_id()
    if nz < len(val):
        atomic_add(y, row[nz], val[nz] * x[col[nz]])
""",
    shape=(1, 64),
)


program(
    "centroids of k-means by atomics",
    lambda: [
        floats(50, 2),
        integers(50, high=3, dtype=np.int32),
        zeros(3, 2),
        zeros(3, dtype=np.int32),
    ],
    lambda p, k, s, c: (
        np.stack([p[k == j].sum(0) for j in range(3)]),
        np.bincount(k, minlength=3),
    ),
    """
@kernel
def accumulate(points: DeviceArray[f32, 2], label: DeviceArray[i32], sums: DeviceArray[f32, 2], counts: DeviceArray[i32]):
    i = get_global_id()
    if i < points.shape[0]:
        k = label[i]
        for d in range(points.shape[1]):
            atomic_add(sums, (k, d), points[i, d])
        atomic_add(counts, k, 1)
""",
    shape=(1, 64),
    near=1e-5,
    without_ptx=True,
)


def gray_scott(u: Any, v: Any, un: Any, vn: Any) -> Any:
    def lap(a: Any) -> Any:
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    r = u * v * v
    return (
        u + (0.16 * lap(u) - r + 0.035 * (1 - u)),
        v + (0.08 * lap(v) + r - (0.035 + 0.065) * v),
    )


program(
    "Gray and Scott on a torus",
    lambda: [
        doubles(8, 10, low=0),
        doubles(8, 10, low=0, seed=2),
        zeros(8, 10, dtype=np.float64),
        zeros(8, 10, dtype=np.float64),
    ],
    gray_scott,
    """
class Params:
    Du = 0.16
    Dv = 0.08
    F = 0.035
    k = 0.065


@inline
def laplacian(a, x, y, w, h):
    left = a[y, (x + w - 1) % w]
    right = a[y, (x + 1) % w]
    up = a[(y + h - 1) % h, x]
    down = a[(y + 1) % h, x]
    return left + right + up + down - 4 * a[y, x]


@kernel
def gray_scott(U: DeviceArray[f64, 2], V: DeviceArray[f64, 2], Un: DeviceArray[f64, 2], Vn: DeviceArray[f64, 2]):
    x, y = get_global_id(0), get_global_id(1)
    h, w = U.shape
    if x < w and y < h:
        u, v = U[y, x], V[y, x]
        uvv = u * v * v
        Un[y, x] = u + (Params.Du * laplacian(U, x, y, w, h) - uvv + Params.F * (1 - u))
        Vn[y, x] = v + (Params.Dv * laplacian(V, x, y, w, h) + uvv - (Params.F + Params.k) * v)
""",
    near=1e-12,
)


def box_hits(o: Any, d: Any, hit: Any) -> Any:
    with np.errstate(all="ignore"):
        t1, t2 = (-1 - o) / d, (1 - o) / d
    near, far = np.minimum(t1, t2).max(1), np.maximum(t1, t2).min(1)
    return np.where((far >= 0) & (near <= far), np.maximum(near, 0), -1)


program(
    "ray and box by slabs",
    lambda: [floats(40, 3, low=-3, high=3), floats(40, 3, seed=2), zeros(40)],
    box_hits,
    """
from dataclasses import dataclass


@dataclass
class AABB:
    lo: vec3
    hi: vec3


@inline
def intersect(ro: vec3, rd: vec3, box: AABB) -> f32:
    inv = 1.0 / rd
    t0 = (box.lo - ro) * inv
    t1 = (box.hi - ro) * inv
    tmin = min(t0, t1)
    tmax = max(t0, t1)
    near = max(tmin.x, tmin.y, tmin.z)
    far = min(tmax.x, tmax.y, tmax.z)
    if far < 0.0 or near > far:
        return -1.0
    return max(near, 0.0)


@kernel
def trace(o: DeviceArray[vec3], d: DeviceArray[vec3], hit: DeviceArray[f32]):
    i = get_global_id()
    if i < len(hit):
        hit[i] = intersect(o[i], d[i], AABB(vec3(-1.0), vec3(1.0)))
""",
    near=1e-5,
)


program(
    "a stage of a radix-2 FFT",
    lambda: [
        (floats(16) + 1j * floats(16, seed=2)).astype(np.complex64),
        zeros(16, dtype=np.complex64),
        4,
    ],
    lambda x, y, s: np.concatenate(
        [
            np.concatenate((a + w * b, a - w * b))
            for k in range(0, 16, 2 * s)
            for a, b, w in [
                (x[k : k + s], x[k + s : k + 2 * s], np.exp(-1j * np.pi * np.arange(s) / s))
            ]
        ]
    ),
    """
@kernel
def butterfly(x: DeviceArray[complex64], y: DeviceArray[complex64], s: u32):
    t = get_global_id()
    if t < len(x) // 2:
        k = t % s
        base = (t // s) * 2 * s
        angle = -math.pi * f32(k) / f32(s)
        w = complex64(cos(angle), sin(angle))
        a = x[base + k]
        b = w * x[base + k + s]
        y[base + k] = a + b
        y[base + k + s] = a - b
""",
    near=1e-5,
)


program(
    "product of quaternions as a NamedTuple",
    lambda: [floats(30, 4), floats(30, 4, seed=2), zeros(30, 4)],
    lambda a, b, c: np.stack(
        [
            a[:, 0] * b[:, 0] - a[:, 1] * b[:, 1] - a[:, 2] * b[:, 2] - a[:, 3] * b[:, 3],
            a[:, 0] * b[:, 1] + a[:, 1] * b[:, 0] + a[:, 2] * b[:, 3] - a[:, 3] * b[:, 2],
            a[:, 0] * b[:, 2] - a[:, 1] * b[:, 3] + a[:, 2] * b[:, 0] + a[:, 3] * b[:, 1],
            a[:, 0] * b[:, 3] + a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1] + a[:, 3] * b[:, 0],
        ],
        1,
    ),
    """
class Quat(NamedTuple):
    w: f32
    x: f32
    y: f32
    z: f32


@inline
def qmul(a: Quat, b: Quat) -> Quat:
    w1, x1, y1, z1 = a
    w2, x2, y2, z2 = b
    return Quat(
        w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    )


@kernel
def rotate(a: DeviceArray[Quat], b: DeviceArray[Quat], c: DeviceArray[Quat]):
    i = get_global_id()
    if i < len(a):
        c[i] = qmul(a[i], b[i])
""",
    near=1e-6,
)


def sir(beta: Any, peak: Any) -> Any:
    found = []
    for b in beta:
        s, i, r, top = 0.99, 0.01, 0.0, 0.01
        for _ in range(100):
            new, cured = b * s * i * 0.5, 0.1 * i * 0.5
            s, i, r = s - new, i + new - cured, r + cured
            top = max(top, i)
        found.append(top)
    return found


program(
    "SIR model by Euler's method",
    lambda: [doubles(20, low=0.1, high=0.9), zeros(20, dtype=np.float64)],
    sir,
    """
@kernel
def sir(beta: DeviceArray[f64], peak: DeviceArray[f64], gamma: f64 = 0.1, dt: f64 = 0.5, steps: i32 = 100):
    idx = get_global_id()
    if idx < len(beta):
        S, I, R = 0.99, 0.01, 0.0
        top = I
        for t in range(steps):
            infected = beta[idx] * S * I * dt
            recovered = gamma * I * dt
            S -= infected
            I += infected - recovered
            R += recovered
            top = max(top, I)
        peak[idx] = top
""",
    near=1e-12,
)


def positive(count: int) -> Any:
    a = doubles(count, 3, 3)
    return a @ a.transpose(0, 2, 1) + 3 * np.eye(3)


program(
    "Cholesky factors of many small matrices",
    lambda: [positive(7), zeros(7, 3, 3, dtype=np.float64)],
    lambda a, o: np.linalg.cholesky(a),
    """
@kernel
def cholesky(A: DeviceArray[f64, 3], L: DeviceArray[f64, 3]):
    b = get_global_id()
    if b < A.shape[0]:
        n = A.shape[1]
        for i in range(n):
            for j in range(i + 1):
                s = A[b, i, j]
                for k in range(j):
                    s -= L[b, i, k] * L[b, j, k]
                if i == j:
                    L[b, i, j] = math.sqrt(s)
                else:
                    L[b, i, j] = s / L[b, j, j]
""",
    near=1e-12,
)


def kalman(z: Any, out: Any) -> Any:
    for row, r in zip(z, range(len(z))):
        x, p = 0.0, 1.0
        for k, v in enumerate(row):
            p += 1e-3
            gain = p / (p + 0.1)
            x += gain * (v - x)
            p *= 1 - gain
            out[r, k] = x
    return out


program(
    "Kalman filter of rows",
    lambda: [doubles(5, 12), zeros(5, 12, dtype=np.float64)],
    kalman,
    """
Q = 1e-3
R = 0.1


@kernel
def kalman(z: DeviceArray[f64, 2], xhat: DeviceArray[f64, 2]):
    row = get_global_id()
    if row < z.shape[0]:
        x: f64 = 0.0
        P: f64 = 1.0
        for k in range(z.shape[1]):
            P += Q
            K = P / (P + R)
            x += K * (z[row, k] - x)
            P *= 1 - K
            xhat[row, k] = x
""",
    near=1e-12,
)


program(
    "softmax of a row with one block, as in CUDA",
    lambda: [floats(4, 50, low=-4, high=4), zeros(4, 50)],
    lambda x, y: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    """
BLOCK = 32


@kernel(block=BLOCK)
def softmax(x: DeviceArray[f32, 2], y: DeviceArray[f32, 2]):
    row = get_block_id(0)
    tid = get_local_id(0)
    n = x.shape[1]
    m = -inf
    for j in range(tid, n, BLOCK):
        m = max(m, x[row, j])
    m = block_reduce_max(m)
    s = 0.0
    for j in range(tid, n, BLOCK):
        s += exp(x[row, j] - m)
    s = block_reduce_add(s)
    for j in range(tid, n, BLOCK):
        y[row, j] = exp(x[row, j] - m) / s
""",
    shape=(4, 32),
    near=1e-6,
)


program(
    "exponential moving average and crossing",
    lambda: [floats(40), zeros(40), zeros(40, dtype=np.int8)],
    lambda x, e, s: averages(x),
    """
@kernel
def ema(price: DeviceArray[f32], avg: DeviceArray[f32], signal: DeviceArray[i8]):
    if get_global_id() != 0:
        return
    alpha = 2 / (9 + 1)
    prev = price[0]
    for i, p in enumerate(price):
        cur = alpha * p + (1 - alpha) * prev
        avg[i] = cur
        signal[i] = (p > cur) - (p < cur)
        prev = cur
""",
    near=1e-5,
)


def averages(x: Any) -> Any:
    prev, alpha = x[0], np.float32(0.2)
    averaged = []
    for v in x:
        prev = alpha * v + (np.float32(1) - alpha) * prev
        averaged.append(prev)
    return np.array(averaged), np.sign(x - np.array(averaged))
