#!/usr/bin/env python3
"""Every kernel of the tree on every engine: equal bits, and NumPy's bits where IEEE defines them.

usage: run.py HOLOGRAM [ENGINE ...]      prints a line per kernel and engine and the totals
Engines: the interpreter, native code for x86-64-v3 and for x86-64-v4 (skipped with a line on a
machine without AVX-512). Where a function is not defined by IEEE (SIGMOID, EXP) the result is
compared with binary64 mathematics and the documented bound in ulp.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
F = np.float32
RNG = np.random.default_rng(20)
TYPES = {"float32": "f32", "uint8": "u8", "uint32": "u32"}


@dataclass
class Case:
    kernel: str
    file: str
    inputs: dict[str, np.ndarray]
    scalars: dict[str, object]
    expected: dict[str, np.ndarray]
    launch: tuple[str, str] | None = None  # grid, block
    ulp: float = 0.0  # 0: equal bits
    started: dict[str, np.ndarray] = field(default_factory=dict)  # in-out parameters
    first: dict[str, np.ndarray] | None = None  # what the first engine gave

    @property
    def name(self) -> str:
        return f"{self.kernel} {self.scalars}"


def floats(n: int, low: float = -3, high: float = 3) -> np.ndarray:
    return RNG.uniform(low, high, n).astype(F)


def block_tree(blocks: np.ndarray) -> np.ndarray:
    """The sum of each row as BLK.RED adds: rows of 16 in pairs, then halves of the last one."""
    rows = blocks.reshape(len(blocks), -1, 16)
    while rows.shape[1] > 1:
        rows = rows[:, ::2] + rows[:, 1::2]
    slots = rows[:, 0]
    while slots.shape[1] > 1:
        half = slots.shape[1] // 2
        slots = slots[:, :half] + slots[:, half:]
    return slots[:, 0]


def plane(width: int, height: int, block: int = 64) -> tuple[str, str]:
    return f"{-(-width // block)},{height},1", f"{block},1,1"


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c rounded once. The product is exact in 64 significant bits; where the sum is not and
    lies halfway between two floats, what the sum lost decides."""
    wide = np.longdouble
    product, addend = a.astype(wide) * b.astype(wide), c.astype(wide)
    total = product + addend
    part = total - product
    lost = (product - (total - part)) + (addend - part)  # exact, by TwoSum
    near = total.astype(F)
    off = total - near.astype(wide)
    other = np.nextafter(near, np.where(off > 0, F(np.inf), F(-np.inf)))
    tie = (off != 0) & (total == (near.astype(wide) + other.astype(wide)) / 2)
    return np.where(tie & (lost != 0), np.where(lost * off > 0, other, near), near)


def special_floats(n: int) -> np.ndarray:
    """All kinds of bit patterns, with the edges in front."""
    x = RNG.integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32).view(F).copy()
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 1e-45, -1e-45, 3.4e38, -3.4e38, 88.8, -103.9]
    m = min(n, len(edges))
    x[:m] = np.array(edges[:m], F)
    x[np.isnan(x)] = np.array([0x7FC00000], np.uint32).view(F)[0]
    return x


def mandelbrot(width: int, height: int, limit: int) -> np.ndarray:
    dx, dy = F(2.5 / width), F(2.5 / height)
    cx = F(-2.0) + np.arange(width).astype(F) * dx
    cy = (F(-1.25) + np.arange(height).astype(F) * dy)[:, None]
    cx, cy = np.broadcast_arrays(cx, cy)
    zx, zy = np.zeros_like(cx), np.zeros_like(cx)
    count = np.zeros(cx.shape, np.uint32)
    live = np.ones(cx.shape, bool)
    for _ in range(limit):
        xx, yy = zx * zx, zy * zy
        live &= ~(xx + yy > F(4))
        zy = np.where(live, fma(zx + zx, zy, cy), zy)
        zx = np.where(live, xx - yy + cx, zx)
        count += live
    return count.ravel()


def stencil5(src: np.ndarray) -> np.ndarray:
    dst = src.copy()
    c = src[1:-1, 1:-1] + src[1:-1, :-2] + src[1:-1, 2:] + src[:-2, 1:-1] + src[2:, 1:-1]
    dst[1:-1, 1:-1] = F(0.2) * c
    return dst


def sobel(src: np.ndarray) -> np.ndarray:
    p = src.astype(np.int32)
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    dst = np.zeros_like(src)
    dst[1:-1, 1:-1] = np.minimum(np.abs(gx) + np.abs(gy), 255)
    return dst


def ordered_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    total = np.zeros((a.shape[0], b.shape[1]), F)
    for p in range(a.shape[1]):
        total = total + a[:, p : p + 1] * b[p : p + 1, :]
    return total


def elementwise_cases():
    for n in (1, 1000, 4099):
        a, b = special_floats(n), special_floats(n)[::-1].copy()
        yield Case("vector_add", "vector_add", {"a": a, "b": b}, {"n": n}, {"c": a + b})
        fused = fma(np.broadcast_to(F(2.5), n), a, b)
        yield Case("saxpy", "saxpy", {"x": a, "y": b}, {"a": 2.5, "n": n}, {"out": fused})
        x = np.concatenate([special_floats(n), floats(n, -110, 110)])
        exact = 1 / (1 + np.exp(-x.astype(np.longdouble)))
        m = len(x)
        yield Case("sigmoid_precise", "sigmoid", {"x": x}, {"n": m}, {"y": exact}, ulp=1.0)
        yield Case("sigmoid_fast", "sigmoid_fast", {"x": x}, {"n": m}, {"y": exact}, ulp=4.0)
        # 1 / (1 + e^-x) as written overflows to 0 for x < -88.7: compare above that.
        y = floats(n, -80, 80)
        exact = 1 / (1 + np.exp(-y.astype(np.longdouble)))
        yield Case("sigmoid_formula", "sigmoid_formula", {"x": y}, {"n": n}, {"y": exact}, ulp=2.5)
        src, index = floats(n + 7), RNG.integers(0, n + 7, n).astype(np.uint32)
        yield Case("gather", "gather", {"src": src, "index": index}, {"n": n}, {"out": src[index]})


def plane_cases():
    for width, height in ((1, 1), (67, 33), (128, 5)):
        size = {"width": width, "height": height}
        src = floats(width * height).reshape(height, width)
        launch = plane(width, height)
        flat = {"src": src.ravel()}
        yield Case("stencil5", "stencil5", flat, size, {"dst": stencil5(src).ravel()}, launch)
        yield Case("transpose", "transpose", flat, size, {"dst": src.T.ravel()}, launch)
        grey = RNG.integers(0, 256, (height, width)).astype(np.uint8)
        yield Case(
            "sobel", "sobel", {"src": grey.ravel()}, size, {"dst": sobel(grey).ravel()}, launch
        )
        view = dict(size, x0=-2.0, y0=-1.25, dx=F(2.5 / width), dy=F(2.5 / height), limit=60)
        picture = mandelbrot(width, height, 60)
        yield Case("mandelbrot", "mandelbrot", {}, view, {"out": picture}, launch)


def block_cases():
    for n in (1, 700, 5000):
        blocks = -(-n // 256)
        x = floats(n)
        padded = np.pad(x, (0, blocks * 256 - n), constant_values=F(-3.4e38))
        launch = (f"{blocks},1,1", "256,1,1")
        top = padded.reshape(blocks, 256).max(1)
        yield Case("block_max", "block_max", {"src": x}, {"n": n}, {"out": top}, launch)
        filled = np.pad(x, (0, blocks * 256 - n)).reshape(blocks, 256)
        sums = {"out": block_tree(filled)}
        yield Case("block_sum", "block_sum", {"src": x}, {"n": n}, sums, launch)
        medians = np.zeros(n, F)
        if n > 4:
            medians[2:-2] = np.median(np.lib.stride_tricks.sliding_window_view(x, 5), axis=1)
        yield Case("median5", "median5", {"src": x}, {"n": n}, {"out": medians}, launch)
        data = RNG.integers(0, 256, n).astype(np.uint8)
        counts = np.bincount(data, minlength=256).astype(np.uint32)
        yield Case("histogram", "histogram", {"data": data}, {"n": n}, {"counts": counts}, launch)


def gemm_cases():
    for m, n, k in ((1, 1, 1), (5, 7, 3), (33, 70, 20)):
        lda, ldb, ldc = k + 2, n + 1, n + 3
        a, b = floats(m * lda).reshape(m, lda), floats(k * ldb).reshape(k, ldb)
        c = np.zeros((m, ldc), F)
        c[:, :n] = ordered_product(a[:, :k], b[:, :n])
        scalars = {"m": m, "n": n, "k": k, "lda": lda, "ldb": ldb, "ldc": ldc}
        launch = (f"{-(-m * n // 256)},1,1", "256,1,1")
        inputs = {"a": a.ravel(), "b": b.ravel()}
        yield Case("gemm", "gemm", inputs, scalars, {"c": c.ravel()}, launch)


def digits_cases():
    count, pixels, classes = 77, 64, 10
    raw = RNG.integers(0, 17, count * pixels).astype(np.uint8)
    x = raw.astype(F) * F(0.0625)
    yield Case("normalise", "digits", {"raw": raw}, {"n": len(raw)}, {"x": x})
    x2, w, bias = x.reshape(count, pixels), floats(classes * pixels), floats(classes)
    shape = {"count": count, "pixels": pixels}
    turned = x2.T.ravel()
    launch = plane(count, pixels)
    yield Case("transpose_pictures", "digits", {"x": x}, shape, {"x_t": turned}, launch)
    scores = np.repeat(bias[:, None], count, 1)
    for d in range(pixels):
        scores = scores + w.reshape(classes, pixels)[:, d : d + 1] * x2.T[d : d + 1]
    inputs = {"x_t": turned, "weights": w, "bias": bias}
    full = dict(shape, classes=classes)
    launch = plane(count, classes)
    yield Case("logits", "digits", inputs, full, {"scores_t": scores.ravel()}, launch)
    labels = RNG.integers(0, classes, count).astype(np.uint8)
    error = floats(classes * count, -1, 1)
    e2, gradient = error.reshape(classes, count), np.zeros((classes, pixels), F)
    for n in range(count):
        gradient = gradient + e2[:, n : n + 1] * x2[n : n + 1]
    w2 = w.reshape(classes, pixels)
    moved = w2 - F(0.5) * (gradient / F(count) + F(0.25) * w2)
    scalars = dict(full, rate=0.5, decay=0.25)
    yield Case(
        "update_weights", "digits", {"error_t": error, "x": x}, scalars,
        {"weights": moved.ravel()}, plane(pixels, classes), started={"weights": w},
    )  # fmt: skip
    best = scores.argmax(0).astype(np.uint8)
    small = {"count": count, "classes": classes}
    launch = (f"{-(-count // 256)},1,1", "256,1,1")
    inputs = {"scores_t": scores.ravel()}
    yield Case("classify", "digits", inputs, small, {"predictions": best}, launch)
    matrix = np.zeros((classes, classes), np.uint32)
    np.add.at(matrix, (labels, best), 1)
    inputs = {"predictions": best, "labels": labels}
    yield Case("confusion", "digits", inputs, small, {"matrix": matrix.ravel()}, launch)


def run(hologram: str, engine: str, case: Case, folder: str) -> dict[str, np.ndarray]:
    command = [hologram, "run", f"{ROOT}/kernels/{case.file}.py", "--entry", case.kernel]
    for name, array in {**case.inputs, **case.started}.items():
        np.save(f"{folder}/{name}.npy", array)
        command += ["--in", f"{name}={folder}/{name}.npy"]
    for name, array in case.expected.items():
        dtype = "f32" if case.ulp else TYPES[array.dtype.name]
        command += ["--out", f"{name}={folder}/out_{name}.npy:{dtype}:{array.size}"]
    for name, value in case.scalars.items():
        command += ["--set", f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"]
    if case.launch:
        command += ["--grid", case.launch[0], "--block", case.launch[1]]
    backend, _, level = engine.partition(" ")
    environment = dict(os.environ, **({"HOLOGRAM_CPU_LEVEL": level} if level else {}))
    result = subprocess.run(
        [*command, "--backend", backend],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    if result.returncode != 0:
        raise RuntimeError(f"exit {result.returncode}: {result.stdout}{result.stderr}")
    return {name: np.load(f"{folder}/out_{name}.npy").ravel() for name in case.expected}


def ulps(actual: np.ndarray, exact: np.ndarray) -> float:
    """Largest distance in units of the last place of the exact value, NaN only where NaN."""
    if not np.array_equal(np.isnan(actual), np.isnan(exact)):
        return float("inf")
    live = ~np.isnan(exact)
    exponent = np.floor(np.log2(np.maximum(np.abs(exact[live]), np.longdouble(2.0) ** -126)))
    unit = np.longdouble(2.0) ** (exponent - 23)
    return float(np.max(np.abs(actual[live].astype(np.longdouble) - exact[live]) / unit, initial=0))


def problem(case: Case, actual: dict[str, np.ndarray]) -> str | None:
    for name, expected in case.expected.items():
        if case.ulp:
            distance = ulps(actual[name], expected)
            if not distance <= case.ulp:
                return f"{name} is {distance:.3f} ulp off, allowed {case.ulp}"
            continue
        got = actual[name].view(np.uint8 if expected.dtype == np.uint8 else np.uint32)
        want = expected.copy()
        if want.dtype == F:  # computed NaN is canonical by definition
            want[np.isnan(want)] = np.array([0x7FC00000], np.uint32).view(F)[0]
        want = want.view(got.dtype)
        if not np.array_equal(got, want):
            at = int(np.flatnonzero(got != want)[0])
            return f"{name}[{at}] is {actual[name][at]!r}, NumPy has {expected[at]!r}"
    return None


def engines() -> list[str]:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read()
    found = ["interpreter", "cpu v3"]
    if "avx512vl" in flags and "avx512dq" in flags:
        return [*found, "cpu v4"]
    print("cpu v4: SKIPPED, this machine has no AVX-512")
    return found


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    passed = failed = 0
    generators = (elementwise_cases, plane_cases, block_cases, gemm_cases, digits_cases)
    cases = [case for generator in generators for case in generator()]
    with tempfile.TemporaryDirectory() as folder:
        for engine in sys.argv[2:] or engines():
            for case in cases:
                try:
                    actual = run(hologram, engine, case, folder)
                    reason = problem(case, actual)
                    # Engines must agree bit for bit also where only a bound is known.
                    if case.first is None:
                        case.first = actual
                    elif any(case.first[k].tobytes() != actual[k].tobytes() for k in actual):
                        reason = reason or "other bits than the interpreter"
                except RuntimeError as error:
                    reason = str(error).strip()
                passed += reason is None
                failed += reason is not None
                if reason is not None:
                    print(f"FAIL {engine}: {case.name}: {reason}")
            print(f"{engine}: {len(cases)} cases run")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
