"""What the simulator refuses, with the exact message, and that arrays stay as they were.

Each case is a kernel body, arguments, a launch and what must be raised.
"""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np
from compiled import load

from hologram.simulator import launch
from hologram.simulator.errors import KernelError, KernelFaultError, LaunchError

HEAD = "from hologram.lang import *\n\n"
X, OUT = "x: DeviceArray[f32]", "out: DeviceArray[f32]"
# (parameters, body, exception, text that its message ends with or, for places, contains)
KERNELS = [
    (f"{X}, n: u32", "x[n] = 1.0", KernelFaultError, "k.py:4:5: error: x[n] writes element 8 of 8 (n = 8)"),
    (f"{X}, n: i32", "x[n - 9] = 1.0", KernelFaultError, "k.py:4:5: error: x[n - 9] writes element -1 of 8 (n = 8)"),
    (f"{X}, n: i32", "x[0] = f32(n // (n - 8))", KernelFaultError, "k.py:4:16: error: division by zero: n // (n - 8) (n = 8)"),
    (f"{X}, n: i32", "x[0] = f32(n % (n - 8))", KernelFaultError, "division by zero: n % (n - 8) (n = 8)"),
    (f"{X}, n: i32", "while n > 0:\n        x[0] = 1.0", KernelFaultError, "the loop ran past its budget of 100 rounds in lane 0; budget= (library) or --budget (command) allows more"),
    (f"{X}, n: i32", "x[0] = n", KernelError, "cannot store i32 in x, an array of f32; write f32(...)"),
    (f"{X}, n: i32", "if x[0]:\n        x[0] = 1.0", KernelError, "a condition is a bool or an integer, not f32; write a comparison, as in x[0] != 0.0"),
    (f"{X}, n: i32", "a = 1\n    a = 1.5\n    x[0] = f32(a)", KernelError, "cannot assign f32 to a, a local of type i32; write i32(...)"),
    (f"{X}, n: i32", "x[0] = y", KernelError, "k.py:4:12: error: undefined name 'y'"),
    (f"{X}, n: i32", "x[0] = f32(u64(n) + n)", KernelError, "`+` of u64 and i32 has no common type; cast one, as in i64(...) or u64(...)"),
    (f"{X}, n: i32", "x[0] = f32(u8(n) + 300)", KernelError, "literal 300 does not fit u8"),
    (f"{X}, n: i32", "x[0] = sqrt(n)", KernelError, "sqrt takes a float, not i32; write f32(...)"),
    (f"{X}, n: i32", "n = 2\n    x[0] = 1.0", KernelError, "parameter 'n' cannot be assigned; copy it into a local first"),
    (f"{X}, n: i32", "x[1.5] = 1.0", KernelError, "an index is an integer, not f32; write u32(...)"),
    (f"{X}, n: i32", "for i in range(0, 4, n):\n        x[i] = 1.0", KernelError, "a step of range that is not known when compiling counts up; write u32(...)"),
    (f"{X}, n: i32", "for i in range(0, 4, u32(n - 8)):\n        x[i] = 1.0", KernelFaultError, "k.py:4:26: error: assertion failed: the step of range is not 0 (n = 8)"),
    (f"{X}, n: i32", "try:\n        x[0] = 1.0\n    except IndexError:\n        pass", KernelError, "`try` is not allowed inside a kernel; kernels raise nothing, test the condition with `if`"),
    (f"{X}, n: i32", "x[0] = [1.0][0]", KernelError, "only an array that has a name can be indexed"),
    (f"{X}, n: i32", "x[get_local_id() // 2] = f32(get_local_id())", KernelError, "x[get_local_id() // 2] writes element 0 in lane 1, which lane 0 wrote with no barrier in between: the result depends on their order"),
    (f"{X}, n: i32", "x[0] = f32(get_local_id())", KernelError, "writes element 0 in lane 1, which lane 0 wrote with no barrier in between: the result depends on their order"),
    (f"{X}, n: i32", "s = shared(f32, 4)\n    t = get_local_id()\n    s[t] = 1.0\n    x[t] = s[3 - t]", KernelError, "k.py:6:5: error: s[t] writes element 2 in lane 2, which lane 1 read with no barrier in between: the result depends on their order"),
    (f"{X}, n: i32", "if get_local_id() > 1:\n        barrier()\n    else:\n        barrier()\n    x[get_local_id()] = 1.0", KernelError, "k.py:5:9: error: lane 2 of block 0 waits here, lane 0 in line 7: all lanes of a block meet at the same barrier"),
    (f"{X}, n: i32", "if n > 9:\n        y = 1.0\n    x[0] = y", KernelError, "k.py:6:12: error: local 'y' may be read before it is assigned; assign it on every path"),
    (f"{X}, n: i32", "for y in range(n):\n        pass\n    x[y] = 1.0", KernelError, "k.py:6:7: error: local 'y' may be read before it is assigned; assign it on every path"),
    (f"{X}, n: i32", "while n > 0:\n        y = 1.0\n        break\n    x[0] = y", KernelError, "k.py:7:12: error: local 'y' may be read before it is assigned; assign it on every path"),
    (f"{X}, n: i32", "y = x[0]\n    if n > 9:\n        y += z\n        z = 1.0", KernelError, "k.py:6:14: error: local 'z' is read before it is assigned"),
    (f"{X}, n: i32", "x[0] = perhaps(n)\n\n\n@inline\ndef perhaps(n):\n    if n > 9:\n        return 1.0", KernelError, "k.py:8:1: error: helper `perhaps` may end without a `return`; return a value on every path"),
    (f"{X}, n: i32", "assert n < 8", KernelFaultError, "k.py:4:5: error: assertion failed: n < 8 (n = 8)"),
    (f"{X}, n: i32", "m = n + 1\n    assert m < 8 or n == 0, 'in order'", KernelFaultError, "k.py:5:5: error: assertion failed: in order: m < 8 or n == 0 (m = 9, n = 8)"),
    # The lowest lane of the block is named, whichever comes first in time.
    (f"{X}, n: i32", "t = get_local_id()\n    if t == 3:\n        assert n < 8\n    barrier()\n    if t == 1:\n        assert n < 7\n    x[t] = 1.0", KernelFaultError, "k.py:9:9: error: assertion failed: n < 7 (n = 8)"),
    (f"{X}, n: i32", "t = get_local_id()\n    if t == 1:\n        assert n < 8\n    barrier()\n    if t == 3:\n        assert n < 7\n    x[t] = 1.0", KernelFaultError, "k.py:6:9: error: assertion failed: n < 8 (n = 8)"),
    (f"{X}, n: i32", "assert x[0]", KernelError, "a condition is a bool or an integer, not f32; write a comparison, as in x[0] != 0.0"),
    (f"{X}, n: i32", "atomic_and(x, 0, 1)", KernelError, "atomic_and takes an array of i32, u32, i64 or u64; x is an array of f32"),
    (f"c: DeviceArray[u32], {X}, n: i32", "c[get_local_id()] = atomic_add(c, 4, 1)", LaunchError, "c[4] is updated atomically and its old value is used, so the result may depend on order; deterministic=False (library) or --nondeterministic (command) allows it"),
]  # fmt: skip


def write(folder: str, parameters: str, body: str) -> str:
    path = os.path.join(folder, "k.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{HEAD}def k({parameters}):\n    {body}\n")
    return path


def raised(run, expected: type[Exception]) -> str:
    try:
        run()
    except expected as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__} instead of {expected.__name__}: {error}"
    return "nothing was raised"


def launch_cases(folder: str):
    """(what runs, text): arguments and launches that do not fit."""
    body = "i = get_global_id()\n    if i < n:\n        out[i] = a * x[i]"
    kernel = load(write(folder, f"a: f32, {X}, {OUT}, n: u32", body)).k
    x, out = np.ones(8, np.float32), np.zeros(8, np.float32)
    frozen = out.copy()
    frozen.flags.writeable = False
    yield lambda: launch(kernel)(1.0, x, out), "k takes 4 arguments, not 3; n is missing"
    yield lambda: launch(kernel)(1.0, x, out, 8, 9), "k takes 4 arguments, not 5"
    yield lambda: launch(kernel)(1.0, x, out, 8, n=8), "k is given n twice"
    yield lambda: launch(kernel)(1.0, x, out, m=8), "k has no parameter m"
    yield (
        lambda: launch(kernel)(1.0, x.astype(np.float64), out, 8),
        "x is an array of f32; pass dtype float32, not float64",
    )
    yield lambda: launch(kernel)(1.0, [1.0], out, 8), "x is an array; pass a NumPy array, not [1.0]"
    yield (
        lambda: launch(kernel)(1.0, x, np.zeros(16, np.float32)[::2], 8),
        "out is not contiguous; pass np.ascontiguousarray(out)",
    )
    yield (
        lambda: launch(kernel)(1.0, x, frozen, 8),
        "out is written by the kernel, but the array is read-only",
    )
    yield lambda: launch(kernel)(1e300, x, out, 8), "a is f32, which does not hold 1e+300"
    yield lambda: launch(kernel)(1.0, x, out, -1), "n is u32, which does not hold -1"
    yield lambda: launch(kernel)(1.0, x, out, 2.5), "n is u32; pass an integer, not 2.5"
    yield (
        lambda: launch(kernel)(1.0, out[:6], out[2:], 6),
        "out is written and shares memory with x; a written array may be the same as another one, not overlap it",
    )
    yield (
        lambda: launch(kernel, 1, 2048)(1.0, x, out, 8),
        "a block has at most 1024 lanes, not 2048",
    )
    yield (
        lambda: launch(kernel, (1, 0))(1.0, x, out, 8),
        "grid is one to three positive integers, not (1, 0)",
    )
    body = "i = get_global_id()\n    if i < n:\n        atomic_add(c, 0, 1)"
    kernel = load(write(folder, "c: DeviceArray[u32], n: u32", body)).k
    c = np.zeros(8, np.uint32)
    yield (
        lambda: launch(kernel)(c, 999),
        "k has work for more lanes than the 256 that its largest output asks for; pass a grid: launch(k, grid=..., block=...)(...)",
    )
    body = "out[get_global_id(1)] = x[0]"
    kernel = load(write(folder, f"{X}, {OUT}", body)).k
    yield (
        lambda: launch(kernel)(x, out),
        "k uses ids of more than one dimension, and the lanes that it needs are not known; pass a grid: launch(k, grid=..., block=...)(...)",
    )


def main() -> int:
    failures = count = 0

    def report(wrong: bool, what: str, actual: str, expected: str) -> None:
        nonlocal failures, count
        count += 1
        if wrong:
            failures += 1
            print(f"FAIL {what}\n  got      {actual}\n  expected {expected}")

    with tempfile.TemporaryDirectory() as folder:
        for parameters, body, exception, text in KERNELS:
            kernel = load(write(folder, parameters, body)).k
            x, c = np.full(8, 3, np.float32), np.full(8, 5, np.uint32)
            arguments = [*([c] if "c:" in parameters else []), x, 8]
            run = launch(kernel, 1, 4, budget=100)
            actual = raised(lambda run=run, a=arguments: run(*a), exception)
            first = actual.split("\n")[0]
            report(not first.endswith(text), body, first, text)
            report((x != 3).any() or (c != 5).any(), body, "arrays changed", "arrays as they were")
        for run, text in launch_cases(folder):
            actual = raised(run, LaunchError)
            report(actual != text, "a launch", actual, text)
        os.environ["HOLOGRAM_LIBRARY"] = "/nowhere/lib.so"
        kernel = load(write(folder, f"{X}, n: u32", "x[get_global_id()] = exp(x[0])")).k
        actual = raised(lambda: launch(kernel, 1, 1)(np.ones(8, np.float32), 8), LaunchError)
        text = "HOLOGRAM_LIBRARY names /nowhere/lib.so, which cannot be loaded"
        report(not actual.startswith(text), "a missing library", actual, text)
        # By name, in any order; a compile-time parameter may have a default.
        body = "x[get_global_id()] = f32(n + R)"
        kernel = load(write(folder, f"{X}, n: u32, R: constexpr = 5", body)).k
        x = np.zeros(8, np.float32)
        launch(kernel, 1, 4)(n=1, x=x)
        report(x[3] != 6, "a default", str(x[3]), "6.0")
        launch(kernel, 1, 4)(x, 1, R=7)
        report(x[3] != 8, "by name", str(x[3]), "8.0")
        # Without an order there is no race to report, and the results of atomics may be used.
        kernel = load(write(folder, f"{X}, n: u32", "x[0] = f32(get_local_id())")).k
        x = np.zeros(8, np.float32)
        launch(kernel, 1, 4, deterministic=False)(x, 8)
        report(x[0] != 3, "deterministic=False", str(x[0]), "3.0, of the last lane")
    print(f"{count} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
