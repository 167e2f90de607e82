"""Atomics as Python and compiled: equal bits, or the same refusal with the same words.

Which additions are a sum over the launch is a rule of its own (docs/isa.md), so each index and each
place in a kernel that it distinguishes is here, with one lane block and with several trees. Where
the two forms do not agree about that, one has the bits of a tree and the other those of the order
of lanes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace

import numpy as np
from compiled import CompiledError, Run, compiled, difference

from hologram.simulator.errors import LaunchError

HEAD = """from hologram.lang import *
K = 3
@inline
def half(x):
    return x // 2
@inline
def early(x):
    if x > 5:
        return x
    return x // 2
@inline
def put(r, v):
    atomic_add(r, 0, v)
@inline
def put_often(r, v):
    for k in range(2):
        atomic_add(r, 0, v)
"""
PARAMETERS = """(r: DeviceArray[f32], w: DeviceArray[f64], c: DeviceArray[u32], x: DeviceArray[f32], out: DeviceArray[f32], g: DeviceArray[f32, 2], h: DeviceArray[f16], b: DeviceArray[bf16], n: u32, m: i32, a: f32):
    i = get_global_id()
    v = x[i]
    """
# An addition at each of these; the first are one index for all lanes, for the others that is not
# known.
SAME = ["0", "n", "n // 2", "n % 3", "m // 2", "m % 4", "n - 1", "n << 1", "m >> 1", "n & 3", "u32(m)",
        "u64(n) * 2", "u8(n)", "n ** 2", "min(n, 3)", "max(m, 0)", "get_block_dim() // 50", "len(r) - 1",
        "get_grid_dim() - 1", "u32(a)", "u32(a + 1.0)", "u32(n / n)", "g.shape[1]", "half(n)", "K", "-3 + m", "+m"]  # fmt: skip
DIFFERENT = ["m % 3", "-m + 8", "~n - 4294967280", "abs(m)", "get_block_id()", "n if n > 3 else 2",
             "select(n > 3, n, 2)", "u32(n > 3)", "early(n)", "c[0]", "n // m", "m // 5", "u32(floor(a))"]  # fmt: skip
RETURNS = (
    "for k in range(n):\n        if x[k] > 0.0:\n            atomic_add(r, 0, v)\n            "
)
BODIES = [
    "j = n // 2\n    j = n\n    atomic_add(r, j, v)",
    "j = get_local_id()\n    j = n\n    atomic_add(r, j, v)",
    "j, q = n, get_local_id()\n    atomic_add(r, j, v)",
    "j, q = n, get_local_id() % 64\n    atomic_add(r, q, v)",
    "rows, columns = g.shape\n    atomic_add(r, columns, v)",
    "j = n\n    j += 1\n    atomic_add(r, j, v)",
    "j: u64 = n\n    atomic_add(r, j, v)",
    "j = n\n    if a > 0.0:\n        j = n\n    atomic_add(r, j, v)",
    "if a > 9.0:\n        j = n\n        return\n    else:\n        j = n + 1\n    atomic_add(r, j, v)",
    "j = n\n    if a > 9.0:\n        j = i\n        return\n    atomic_add(r, j, v)",
    "j = n\n    for k in range(3):\n        j += 1\n    atomic_add(r, j, v)",
    "j = n\n    for k in range(3):\n        out[i] += v\n    atomic_add(r, j, v)",
    "k = 0\n    for k in range(3):\n        pass\n    atomic_add(r, k, v)",
    "j = n\n    while j > 100:\n        j //= 2\n    atomic_add(r, j, v)",
    "if v > 0.0:\n        atomic_add(r, 0, v)",
    "for k in range(1):\n        atomic_add(r, 0, v)",
    RETURNS + "return",
    RETURNS + "break",
    RETURNS + "continue\n        break",
    "for q in range(n):\n        " + RETURNS.replace("\n", "\n    ") + "break",
    "for q in range(n):\n        " + RETURNS.replace("\n", "\n    ") + "return",
    "while True:\n        if v > 0.0:\n            atomic_add(r, 0, v)\n            return\n        v += 1.0",
    "while True:\n        atomic_add(r, 0, v)\n        if v > 0.0:\n            break\n        v += 1.0",
    "put(r, v)",
    "for k in range(3):\n        put(r, v)",
    "for k in range(3):\n        put(r, v)\n        return",
    "put_often(r, v)",
    "atomic_add(r, 0, v)\n    atomic_add(r, 1, v)",
    "atomic_add(r, 0, v)\n    atomic_add(r, 0, 0.1)",
    "atomic_add(w, 1, f64(v) * 0.1)",
    "if i > 1022 and i < 1027:\n        atomic_add(r, 0, v)",
    "if i > 9000:\n        atomic_add(r, 0, v)",
    "atomic_add(r, 0, v - v / 0.0)",
    "atomic_add(r, 0, -0.0)",
    "atomic_add(g, (1, 2), v)",
    "atomic_add(g, (i // 16, i % 16), v)",
    "atomic_add_f32(r, v)",
    "old = atomic_add(r, 0, v)",
    "old = atomic_add(r, 0, v)\n    out[i] = old",
    "out[i] = atomic_add(r, 0, v)",
    "if K > 9:\n        r[2] = 1.0\n    atomic_add(r, 0, v)",
    "atomic_add(h, n, h[i % 64])",
    "atomic_add(h, 0, 0.3)",
    "atomic_add(b, n, 0.3)",
    "atomic_max(b, i % 3, b[i % 64])",
    "atomic_cas(r, 0, 0.0, v)",
    "atomic_add(r, 0, v)\n    r[1] = 1.0",
    "atomic_add(r, 0, v)\n    atomic_max(r, 0, v)",
    "atomic_min(r, 0, v)",
    "atomic_max(r, i % 64, v)",
    "atomic_exchange(r, 0, v)",
    "atomic_exchange(c, 0, i)",
    "atomic_cas(c, 0, 0, i + 7)",
    "atomic_cas(c, i % 5, i % 7, i)",
    "out[i] = f32(atomic_cas(c, 0, i, i + 1))",
    "out[i] = f32(atomic_add(c, 1, 2))",
    "atomic_add(c, 0, 1)\n    atomic_max(c, 1, 1)",
    "s = shared(f32, 128)\n    atomic_add(s, get_local_id(), v)\n    out[i] = v",
    "s = shared(u32, 128)\n    out[i] = f32(atomic_add(s, get_local_id(), 1))",
    "s = shared(u32, 128)\n    atomic_cas(s, get_local_id(), 0, 7)\n    out[i] = f32(s[get_local_id()])",
]
# Updates in the order of lanes, of which one has several in an interval.
TURNS = [
    "for k in range(3):\n        atomic_add(r, i % 5, v * f32(k + 1))",
    "for k in range(i % 7):\n        atomic_add(r, (i + k) % 5, v)",
    "atomic_add(r, i % 3, v)\n    atomic_add(r, i % 2, v * 0.3)",
    "if v > 0.0:\n        atomic_add(r, 1, v)\n    else:\n        atomic_add(r, 1, v * 0.7)",
    "if v > 0.0:\n        for k in range(2):\n            atomic_add(r, i % 2 + k, v)\n    atomic_max(r, i % 3, 0.25)",
    "atomic_add(r, i % 3, v)\n    atomic_exchange(r, i % 2, v)",
    "atomic_add(r, i % 3, v)\n    atomic_add(w, i % 2, f64(v) / 3.0)\n    atomic_add(r, i % 2, v)",
    "atomic_add(h, i % 3, f16(v))\n    atomic_min(h, i % 2, f16(v))",
    "atomic_add(b, i % 3, bf16(v))\n    atomic_add(b, i % 4, bf16(v))",
    "while v > 0.1:\n        atomic_add(r, i % 4, v)\n        v = v * 0.5",
    "for k in range(n):\n        if x[(i + k) % 2100] > 0.5:\n            atomic_add(r, k, v)\n        if v < 0.0:\n            break",
    "atomic_add(r, i % 3, v / 0.0 * 0.0)\n    atomic_add(r, i % 2, v)",
    "out[i] = v\n    for k in range(i % 3 + 1):\n        out[i] += 1.0\n        atomic_add(r, k, out[i])",
    "s = shared(f32, 4)\n    atomic_add(s, i % 4, v)\n    atomic_add(s, i % 3, v)\n    barrier()\n    out[i] = s[i % 4]",
    "s = shared(f32, 4)\n    for k in range(3):\n        for j in range(i % 4):\n            atomic_add(s, j, v)\n        barrier()\n        atomic_add(r, k, s[i % 4])\n        barrier()\n    out[i] = s[i % 4]",
    "atomic_add(r, i % 3, v)\n    t = block_reduce_add(v)\n    atomic_add(r, i % 2, t)",
    "s = shared(f64, 4)\n    for j in range(get_local_id(), 2000, 100):\n        atomic_add(s, j % 4, f64(x[j]))\n    barrier()\n    out[i] = f32(s[i % 4])",
    "s = shared(f32, 128)\n    atomic_add(s, get_local_id(), v)\n    out[i] = s[get_local_id()]",
]
# With deterministic=False each call once, so that both forms do it in the order of lanes.
IN_ORDER = [
    "atomic_add(r, 0, v)\n    r[1] = 1.0",
    "atomic_add(r, i % 3, v)",
    "atomic_add(w, i % 3, f64(v) / 3.0)",
    "atomic_min(r, 0, v)",
    "atomic_max(w, 0, f64(v))",
    "atomic_min(r, 0, v / 0.0 * 0.0)",
    "atomic_exchange(r, 0, v)",
    "out[i] = atomic_add(r, 0, v)",
    "out[i] = atomic_exchange(r, i % 3, v)",
    "atomic_cas(c, 0, 0, i + 7)",
    "out[i] = f32(atomic_cas(c, 0, i, i + 1))",
    "out[i] = f32(atomic_add(h, i % 3, f16(v)))",
    "atomic_add(b, i % 3, bf16(v))",
    "out[i] = f32(atomic_min(b, 1, bf16(v)))",
    "atomic_max(h, 1, f16(v / 0.0 * 0.0))",
    "out[i] = f32(atomic_exchange(b, i % 3, bf16(v)))",
    "out[i] = atomic_cas(r, 0, 0.0, v)",
    "out[i] = atomic_cas(r, 1, -0.0, v)",
    "atomic_cas(w, 2, 0.0 / f64(a - a), 1.0)",
    "out[i] = f32(atomic_cas(b, 1, 0.0, bf16(v)))",
    "s = shared(f32, 4)\n    atomic_add(s, 0, v)\n    barrier()\n    out[i] = s[0]",
    "s = shared(f32, 4)\n    old = atomic_max(s, 0, v)\n    barrier()\n    out[i] = s[0] + old",
    "s = shared(u32, 4)\n    atomic_cas(s, 0, 0, i + 1)\n    barrier()\n    out[i] = f32(s[0])",
    "s = shared(u32, 4)\n    old = atomic_exchange(s, 1, i)\n    out[i] = f32(old)",
]
TOGETHER = 12  # kernels of a file; the front end reads all of it for each
LAUNCHES = ((1, 4), (21, 100))  # one tree, and three


def arrays() -> dict[str, object]:
    numbers = np.random.default_rng(7)
    r, b = (numbers.normal(size=64).astype(np.float32) for _ in range(2))
    r[:2], b[1] = 0.0, 0.0  # what compare-and-swap looks for; -0 is another
    return {
        "r": r, "w": numbers.normal(size=64),
        "c": np.arange(64, dtype=np.uint32), "x": numbers.normal(size=2100).astype(np.float32),
        "out": np.zeros(2100, np.float32), "g": numbers.normal(size=(132, 16)).astype(np.float32),
        "h": numbers.normal(size=64).astype(np.float16),
        "b": (b.view(np.uint32) >> 16).astype(np.uint16),
        "n": 4, "m": 4, "a": 1.0,
    }  # fmt: skip


def check(hologram: str, run: Run) -> tuple[bool, str | None]:
    """Whether both forms ran, and what is wrong."""
    try:
        return True, difference(hologram, run)
    except LaunchError as error:
        mine = str(error)
    try:
        compiled(hologram, run)
    except CompiledError as error:
        theirs = str(error).split("\n")[0]
        return False, None if theirs == mine else f"as Python {mine}\n  compiled  {theirs}"
    return False, f"only as Python: {mine}"


def write(path: str, bodies: list[tuple[int, str]]) -> None:
    kernels = [f"def k{number}{PARAMETERS}{body}\n" for number, body in bodies]
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(kernels))


def build(hologram: str, path: str, built: str) -> dict[str, set[str]]:
    """Compiles the file for the interpreter; the arrays that each kernel writes."""
    subprocess.run([hologram, "compile", path, "--native", "none", "-o", built], check=True)
    command = [hologram, "compile", path, "--emit", "asm"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    written: dict[str, set[str]] = {}
    for row in (line.split() for line in text.splitlines()):
        if row[:1] == [".kernel"]:
            rows = written[row[1]] = set()
        elif row[:1] == [".param"] and row[-1] in ("out", "inout"):
            rows.add(row[1])
    return written


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    indices = len(SAME) + len(DIFFERENT)
    bodies = [f"atomic_add(r, {index}, v)" for index in (*SAME, *DIFFERENT)] + BODIES + TURNS
    first_in_order = len(bodies)
    bodies += IN_ORDER
    failures = ran = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        numbered = list(enumerate(bodies))
        for number, body in numbered:
            path, built = (
                f"{folder}/k{number // TOGETHER}.py",
                f"{folder}/k{number // TOGETHER}.holo",
            )
            if number % TOGETHER == 0:
                write(path, numbered[number : number + TOGETHER])
                written = build(hologram, path, built)
            name, waits = f"k{number}", number < first_in_order
            for grid, block in LAUNCHES[1:] if number < indices else LAUNCHES:
                run = Run(path, name, arrays(), (grid,), (block,), ("b",), tuple(written[name]))
                both, wrong = check(hologram, replace(run, deterministic=waits, built=built))
                ran, refused = ran + both, refused + (not both)
                if wrong is None and number < indices and not both:
                    wrong = "refused"
                if wrong is not None:
                    failures += 1
                    print(f"FAIL {body!r} {'' if waits else 'in order '}{grid}x{block}: {wrong}")
    print(f"{ran} launches equal, {refused} refused alike, {failures} failed")
    return 1 if failures or not ran or not refused else 0


if __name__ == "__main__":
    sys.exit(main())
