"""Kernels on arrays of a device, each beside PyTorch on the same device: one line a row.

usage: device.py [cuda|opencl] [--small]

Without PyTorch, or where it has no such device, there are our times alone. A time is that of a
call, of many in a row, the last one finished; memory is taken before. GB/s are of the arrays that
are read and written, each once. The peers take turns in one process, five times, and the median
counts; a ratio above 1 is hologram's. PyTorch's products are in f32 throughout (no TF32), as ours
are.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f32,
    get_global_id,
    u32,
)

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("engine", nargs="?", default="cuda", choices=("cuda", "opencl"))
parser.add_argument("--small", action="store_true", help="sizes for a device that is a test")
options = parser.parse_args()
ENGINE = options.engine
SMALL = options.small

torch: Any = None
if ENGINE == "cuda":
    try:
        import torch
    except ImportError:
        print("device: there is no PyTorch: our times alone")
    if torch is not None and not torch.cuda.is_available():
        print("device: PyTorch has no CUDA device: our times alone")
        torch = None
if torch is not None:
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_grad_enabled(False)


def finish() -> None:
    if torch is not None:
        torch.cuda.synchronize()


def time_of(call: Callable[[], object], seconds: float) -> float:
    """Of one call, in seconds."""
    call()
    finish()
    begin = time.perf_counter()
    call()
    finish()
    once = time.perf_counter() - begin
    count = max(1, min(2000, int(seconds / max(once, 1e-7))))
    begin = time.perf_counter()
    for _ in range(count):
        call()
    finish()
    return (time.perf_counter() - begin) / count


def shown(seconds: float) -> str:
    return f"{1e6 * seconds:10.1f} us" if seconds < 1e-3 else f"{1e3 * seconds:10.3f} ms"


def row(
    name: str,
    ours: Callable[[], object],
    theirs: Callable[[], object] | None,
    unit: str = "",
    work: float = 0.0,
) -> None:
    """`work`: bytes or operations of a call, shown as GB/s or GFLOP/s."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(2 if SMALL else 5):
        times[0].append(time_of(ours, 0.02))
        if theirs is not None and torch is not None:
            times[1].append(time_of(theirs, 0.02))
    mine = statistics.median(times[0])
    line = f"{name:34} {shown(mine)}"
    if unit:
        line += f" {1e-9 * work / mine:9.0f} {unit:7}"
    if times[1]:
        other = statistics.median(times[1])
        line += f" PyTorch {shown(other)}"
        if unit:
            line += f" {1e-9 * work / other:9.0f} {unit:7}"
        line += f" {other / mine:7.2f}"
    print(line, flush=True)


def on_device(array: np.ndarray) -> tuple[Any, Any]:
    """Ours and PyTorch's, with the same elements."""
    return hg.to_device(array, ENGINE), None if torch is None else torch.from_numpy(array).cuda()


@hg.kernel
def axpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = a * x[i] + y[i]


@hg.kernel
def saturated(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] / (1.0 + abs(x[i])) * 3.0 + 0.5


def launches() -> None:
    x, their_x = on_device(np.ones(256, np.float32))
    y, their_y = on_device(np.ones(256, np.float32))
    row(
        "y = a x + y, n=256",
        lambda: axpy(0.5, x, y, 256),
        lambda: their_y.add_(their_x, alpha=0.5),
    )
    row(
        "ops.add into an array, n=256",
        lambda: hg.ops.add(x, x, out=y),
        lambda: torch.add(their_x, their_x, out=their_y),
    )
    row("ops.add, n=256", lambda: hg.ops.add(x, x), lambda: torch.add(their_x, their_x))


def elements() -> None:
    n = 1 << (12 if SMALL else 26)
    random = np.random.default_rng(1)
    host = random.random(n, np.float32) * 4 + np.float32(0.25)
    x, their_x = on_device(host)
    z, their_z = on_device(host[::-1].copy())
    y, their_y = on_device(np.empty(n, np.float32))
    row(
        f"y = a x + y, n={n}",
        lambda: axpy(0.5, x, y, n),
        lambda: their_y.add_(their_x, alpha=0.5),
        "GB/s",
        12 * n,
    )
    row(
        f"x / (1 + |x|) * 3 + 0.5, n={n}",
        lambda: saturated(x, y, n),
        lambda: their_x / (1.0 + their_x.abs()) * 3.0 + 0.5,
        "GB/s",
        8 * n,
    )
    for name in ("add", "mul", "div", "maximum"):
        ours, theirs = getattr(hg.ops, name), None if torch is None else getattr(torch, name)
        row(
            f"ops.{name}, n={n}",
            lambda ours=ours: ours(x, z, out=y),
            lambda theirs=theirs: theirs(their_x, their_z, out=their_y),
            "GB/s",
            12 * n,
        )
    without_out = ("gelu", "silu")
    for name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "erf", "sigmoid", "rsqrt", "gelu"):
        ours, theirs = getattr(hg.ops, name), None
        if torch is not None:
            theirs = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        takes_out = name not in without_out
        row(
            f"ops.{name}, n={n}",
            lambda ours=ours: ours(x, out=y),
            lambda theirs=theirs, takes_out=takes_out: (
                theirs(their_x, out=their_y) if takes_out else theirs(their_x)
            ),
            "GB/s",
            8 * n,
        )


def sums() -> None:
    for n in (1 << 12,) if SMALL else (1 << 20, 1 << 26):
        sum_of(n)


def sum_of(n: int) -> None:
    x, their_x = on_device(np.random.default_rng(2).random(n, np.float32))
    blocks = (n + 4095) // 4096
    partial, result = hg.device_empty(blocks, f32, ENGINE), hg.device_empty(1, f32, ENGINE)
    first, second = hg.kernels.reduce_sum_partial[blocks, 256], hg.kernels.reduce_sum[1, 256]

    def ours() -> None:
        first(x, partial, n)
        second(partial, result, blocks)

    row(f"sum, n={n}", ours, lambda: their_x.sum(), "GB/s", 4 * n)
    row(f"ops.sum, n={n}", lambda: hg.ops.sum(x), lambda: their_x.sum(), "GB/s", 4 * n)
    row(f"ops.max, n={n}", lambda: hg.ops.max(x), lambda: their_x.max(), "GB/s", 4 * n)
    row(
        f"ops.cumsum, n={n}",
        lambda: hg.ops.cumsum(x),
        lambda: torch.cumsum(their_x, 0),
        "GB/s",
        8 * n,
    )


def rows() -> None:
    shape = (64, 128) if SMALL else (8192, 4096)
    host = np.random.default_rng(3).standard_normal(shape, np.float32)
    x, their_x = on_device(host)
    y = hg.device_empty(shape, f32, ENGINE)
    ones, their_ones = on_device(np.ones(shape[1], np.float32))
    flat_x, flat_y = x.reshape(-1), y.reshape(-1)
    size = 4 * host.size
    softmax = hg.kernels.softmax[shape[0], 64]
    row(
        f"softmax, {shape[0]} x {shape[1]}",
        lambda: softmax(flat_x, flat_y, shape[1]),
        lambda: torch.softmax(their_x, 1),
        "GB/s",
        2 * size,
    )
    row(
        f"ops.softmax, {shape[0]} x {shape[1]}",
        lambda: hg.ops.softmax(x, out=y),
        lambda: torch.softmax(their_x, 1),
        "GB/s",
        2 * size,
    )
    row(
        f"ops.layer_norm, {shape[0]} x {shape[1]}",
        lambda: hg.ops.layer_norm(x, ones, ones, out=y),
        lambda: torch.nn.functional.layer_norm(their_x, shape[1:], their_ones, their_ones),
        "GB/s",
        2 * size,
    )
    for axis in (0, 1):
        row(
            f"ops.sum along {axis}, {shape[0]} x {shape[1]}",
            lambda axis=axis: hg.ops.sum(x, axis=axis),
            lambda axis=axis: their_x.sum(axis),
            "GB/s",
            size,
        )
    norm = hg.kernels.layer_norm[shape[0], 64]
    row(
        f"layer_norm, {shape[0]} x {shape[1]}",
        lambda: norm(flat_x, ones, ones, flat_y, shape[1], 1e-5),
        lambda: torch.nn.functional.layer_norm(their_x, shape[1:], their_ones, their_ones),
        "GB/s",
        2 * size,
    )
    turn = hg.kernels.transpose_shared[((shape[1] + 15) // 16, (shape[0] + 15) // 16), (16, 16)]
    row(
        f"transpose, {shape[0]} x {shape[1]}",
        lambda: turn(flat_x, flat_y, shape[1], shape[0]),
        lambda: their_x.t().contiguous(),
        "GB/s",
        2 * size,
    )


def products() -> None:
    for n in (64,) if SMALL else (1024, 4096):
        product_of(n)


def product_of(n: int) -> None:
    random = np.random.default_rng(4)
    a, their_a = on_device(random.standard_normal((n, n), np.float32))
    b, their_b = on_device(random.standard_normal((n, n), np.float32))
    c, their_c = on_device(np.zeros((n, n), np.float32))
    flat = [array.reshape(-1) for array in (a, b, c)]
    tiles = hg.kernels.gemm_shared[(n // 16, n // 16), (16, 16)]

    def theirs() -> None:
        torch.matmul(their_a, their_b, out=their_c)

    size = f"{n} x {n} x {n}"
    row(f"ops.matmul, {size}", lambda: hg.ops.matmul(a, b, out=c), theirs, "GFLOP/s", 2.0 * n**3)
    row(f"gemm_shared, {size}", lambda: tiles(*flat, n, n, n, n, n, n), None, "GFLOP/s", 2.0 * n**3)


def others() -> None:
    n = 1 << (10 if SMALL else 24)
    random = np.random.default_rng(5)
    spot, _ = on_device(random.random(n, np.float32) * 90 + 10)
    strike, _ = on_device(random.random(n, np.float32) * 90 + 10)
    years, _ = on_device(random.random(n, np.float32) * 4 + np.float32(0.1))
    call, put = hg.device_empty(n, f32, ENGINE), hg.device_empty(n, f32, ENGINE)
    row(
        f"black_scholes, n={n}",
        lambda: hg.kernels.black_scholes(spot, strike, years, call, put, 0.02, 0.3, n),
        None,
        "GB/s",
        20 * n,
    )
    n = 256 if SMALL else 16384
    arrays = [hg.to_device(random.random(n, np.float32), ENGINE) for _ in range(7)]
    x, y, z, mass, vx, vy, vz = arrays
    row(
        f"nbody_velocity, n={n}",
        lambda: hg.kernels.nbody_velocity(x, y, z, mass, vx, vy, vz, 0.001, 0.01, n),
        None,
        "GFLOP/s",
        20.0 * n * n,
    )


def copies() -> None:
    n = 1 << (12 if SMALL else 26)
    host = np.ones(n, np.float32)
    x, their_x = on_device(host)
    back = np.empty(n, np.float32)
    their_host = None if torch is None else torch.from_numpy(host)
    their_back = None if torch is None else torch.empty(n)
    row(
        f"to the device, n={n}",
        lambda: x.copy_from(host),
        lambda: their_x.copy_(their_host),
        "GB/s",
        4 * n,
    )
    row(
        f"to the host, n={n}",
        lambda: x.to_host(out=back),
        lambda: their_back.copy_(their_x),
        "GB/s",
        4 * n,
    )


if __name__ == "__main__":
    for device in hg.devices():
        print(device)
    for part in (launches, elements, sums, rows, products, others, copies):
        try:
            part()
        except Exception as error:  # the other rows are wanted all the same
            print(f"{part.__name__}: {type(error).__name__}: {error}")
