"""Structs, records, optional arrays, and short kernels of all kinds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "ray and sphere with a dataclass",
    lambda: [floats(30, 3, low=-0.4, high=0.4), zeros(30)],
    lambda d, o: spheres(d),
    """
from dataclasses import dataclass


@dataclass
class Sphere:
    center: vec3
    radius: f32


@dataclass
class Hit:
    ok: bool
    t: f32


@inline
def intersect(s: Sphere, origin: vec3, direction: vec3) -> Hit:
    oc = origin - s.center
    b = dot(oc, direction)
    c = dot(oc, oc) - s.radius ** 2
    disc = b * b - c
    if disc < 0:
        return Hit(False, 0.0)
    return Hit(True, -b - sqrt(disc))


@kernel
def trace(dirs: DeviceArray[vec3], depth: DeviceArray[f32]):
    i = get_global_id()
    if i < len(depth):
        d = dirs[i]
        d.z = 1.0
        hit = intersect(Sphere(vec3(0, 0, 5), 1.0), vec3(0, 0, 0), normalize(d))
        depth[i] = hit.t if hit.ok else -1.0
""",
    near=1e-5,
)


def spheres(d: Any) -> Any:
    d = d.astype(np.float64)
    d[:, 2] = 1
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    b = -5 * d[:, 2]
    disc = b * b - 24
    return np.where(disc < 0, -1, -b - np.sqrt(np.maximum(disc, 0)))


program(
    "records of NumPy, particles with a flag",
    lambda: [
        np.array(
            [(k % 3 != 0, k, 0.5 * k, -1.0) for k in range(20)],
            np.dtype([("alive", "?"), ("id", "i4"), ("x", "f4"), ("v", "f4")], align=True),
        ),
        0.25,
    ],
    lambda p, dt: (
        q := p.copy(),
        q.__setitem__("x", np.where(p["alive"], p["x"] + p["v"] * np.float32(dt), p["x"])),
        q.__setitem__("alive", p["alive"] & (q["x"] > 0.5)),
    )[0],
    """
class Particle(NamedTuple):
    alive: bool
    id: i32
    x: f32
    v: f32


@kernel
def move(particles: DeviceArray[Particle], dt: f32):
    i = get_global_id()
    if i >= len(particles):
        return
    if particles[i].alive:
        particles[i].x += particles[i].v * dt
        if particles[i].x <= 0.5:
            particles[i].alive = False
""",
)

program(
    "two results by divmod and strides written out",
    lambda: [floats(4 * 5 * 3), zeros(3 * 5 * 4)],
    lambda a, b: a.reshape(4, 5, 3).transpose(2, 1, 0).ravel(),
    """
@kernel
def permute(src: DeviceArray[f32], dst: DeviceArray[f32], d0: i32 = 4, d1: i32 = 5, d2: i32 = 3):
    idx = i32(get_global_id())
    if idx < d0 * d1 * d2:
        rest, k = divmod(idx, d2)
        i, j = divmod(rest, d1)
        dst[(k * d1 + j) * d0 + i] = src[idx]
""",
    shape=(1, 64),
)

program(
    "optional bias, as in a Triton kernel",
    lambda: [floats(6, 8), None, zeros(6, 8)],
    lambda x, b, y: np.maximum(x, 0),
    """
@kernel
def bias_relu(x: DeviceArray[f32, 2], bias: DeviceArray[f32] | None, y: DeviceArray[f32, 2]):
    col, row = get_global_id(0), get_global_id(1)
    if row < x.shape[0] and col < x.shape[1]:
        v = x[row, col]
        if bias is not None:
            v += bias[col]
        y[row, col] = max(v, 0)
""",
)

program(
    "dropout as in Triton's tutorial",
    lambda: [floats(70), zeros(70), 0.25, 123],
    lambda x, y, p, seed: np.where(uniforms(seed, 70) > p, x / np.float32(1 - p), 0),
    """
@kernel
def dropout(x: DeviceArray[f32], output: DeviceArray[f32], p: f32, seed: u32):
    offsets = get_global_id()
    mask = offsets < len(x)
    if mask:
        random = random_uniform(seed, offsets, 0)
        x_keep = random > p
        output[offsets] = where(x_keep, x[offsets] / (1 - p), 0.0)
""",
    near=1e-6,
)


def uniforms(seed: int, count: int) -> Any:
    """Numbers 0 to count - 1 of stream 0, by Philox-4x32-10 as Salmon and others published it."""
    found = []
    for index in range(count):
        words, key = [index // 4, 0, 0, 0], [seed, 0]
        for _ in range(10):
            a, b = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
            words = [b >> 32 ^ words[1] ^ key[0], b % 2**32, a >> 32 ^ words[3] ^ key[1], a % 2**32]
            key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
        found.append((words[index % 4] >> 8) / 2**24)
    return np.array(found, np.float32)


program(
    "counting with a nonlocal flag, any neighbour",
    lambda: [integers(40, high=5), zeros(40, dtype=np.bool_)],
    lambda x, o: [(i > 0 and x[i - 1] == x[i]) or (i < 39 and x[i + 1] == x[i]) for i in range(40)],
    """
@kernel
def has_twin(x: DeviceArray[i32], out: DeviceArray[bool]):
    i = get_global_id()
    n = len(x)
    if i < n:
        found = False
        if i > 0 and x[i - 1] == x[i]:
            found = True
        if i < n - 1 and x[i + 1] == x[i]:
            found = True
        out[i] = found
""",
)

program(
    "trapezoids between two arrays",
    lambda: [np.sort(doubles(30)), doubles(30, seed=2), zeros(29, dtype=np.float64)],
    lambda x, y, o: 0.5 * (y[1:] + y[:-1]) * np.diff(x),
    """
@kernel
def trapz(x: DeviceArray[f64], y: DeviceArray[f64], out: DeviceArray[f64]):
    i = get_global_id()
    if i < len(x) - 1:
        out[i] = 0.5 * (y[i + 1] + y[i]) * (x[i + 1] - x[i])
""",
)

program(
    "Horner in Taichi's style with ti.static",
    lambda: [floats(20), zeros(20)],
    lambda x, y: ((np.float32(4) * x + 3) * x + 2) * x + 1,
    """
@kernel
def horner(x: DeviceArray[f32], y: DeviceArray[f32]):
    for i in range(get_global_id(), len(x), get_grid_dim() * get_block_dim()):
        acc = 0.0
        for c in (4, 3, 2, 1):
            acc = acc * x[i] + c
        y[i] = acc
""",
    shape=(1, 16),
)

program(
    "determinant of many 3 x 3 matrices",
    lambda: [doubles(15, 3, 3), zeros(15, dtype=np.float64)],
    lambda a, o: np.linalg.det(a),
    """
@kernel
def det3(a: DeviceArray[f64, 3], out: DeviceArray[f64]):
    t = get_global_id()
    if t < a.shape[0]:
        m = a[t]
        out[t] = (
            m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
            - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
            + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        )
""",
    near=1e-12,
)

program(
    "Thomas algorithm, backwards with an unsigned counter",
    lambda: [doubles(5, 8, low=3, high=4), doubles(5, 8, seed=2), zeros(5, 8, dtype=np.float64)],
    lambda d, b, x: np.stack(
        [
            np.linalg.solve(
                np.diag(d[r]) + np.diag(-np.ones(7), 1) + np.diag(-np.ones(7), -1), b[r]
            )
            for r in range(5)
        ]
    ),
    """
@kernel
def thomas(d: DeviceArray[f64, 2], b: DeviceArray[f64, 2], x: DeviceArray[f64, 2]):
    cp = local(f64, 8)
    dp = local(f64, 8)
    r = get_global_id()
    if r < x.shape[0]:
        n = 8
        cp[0] = -1.0 / d[r, 0]
        dp[0] = b[r, 0] / d[r, 0]
        for i in range(1, n):
            m = d[r, i] + cp[i - 1]
            cp[i] = -1.0 / m
            dp[i] = (b[r, i] + dp[i - 1]) / m
        x[r, n - 1] = dp[n - 1]
        for i in range(n - 2, -1, -1):
            x[r, i] = dp[i] - cp[i] * x[r, i + 1]
""",
    near=1e-12,
)

program(
    "while True with a counter and continue",
    lambda: [np.arange(1, 41, dtype=np.int64), zeros(40, dtype=np.int32)],
    lambda x, o: [collatz(int(v)) for v in x],
    """
@kernel
def collatz(x: DeviceArray[i64], steps: DeviceArray[i32]):
    i = get_global_id()
    if i < len(x):
        n = x[i]
        count = 0
        while True:
            if n == 1:
                break
            count += 1
            if n % 2:
                n = 3 * n + 1
                continue
            n //= 2
        steps[i] = count
""",
)


def collatz(n: int) -> int:
    count = 0
    while n != 1:
        n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
    return count


program(
    "half precision in, float inside, half out",
    lambda: [floats(40).astype(np.float16), zeros(40, dtype=np.float16)],
    lambda x, y: (x.astype(np.float32) * 1.5 + 0.25).astype(np.float16),
    """
@kernel
def half(x: DeviceArray[f16], y: DeviceArray[f16]):
    i = get_global_id()
    if i < len(x):
        v = float(x[i])
        y[i] = f16(v * 1.5 + 0.25)
""",
)

program(
    "unsigned difference as signed, wrapped angles",
    lambda: [doubles(40, low=-20, high=20), zeros(40, dtype=np.float64)],
    lambda a, o: (a + math.pi) % (2 * math.pi) - math.pi,
    """
TWO_PI = 2 * np.pi


@kernel
def wrap(a: DeviceArray[f64], out: DeviceArray[f64]):
    i = get_global_id()
    if i < len(a):
        out[i] = (a[i] + np.pi) % TWO_PI - np.pi
""",
    near=1e-12,
)
