#!/usr/bin/env python3
"""A chain of five operations on float32 arrays: hologram.fuse against NumPy, torch.compile, JAX.

usage: fuse.py [--sizes 1000000,10000000] [--threads N] [--rounds 15]

    relu((x * a + y) * z - x)

Two tables: nanoseconds of a call once it is compiled, each the least of several rounds in which all
take turns in one process, and seconds from the function to its first result, each in a process of
its own with empty caches, imports left out. Peers that are not installed are named and left out.
Everybody has the same processors: N of them, all unless said. NumPy, torch.compile and ours write
into an array that is given; JAX cannot, so ours making a new array stands beside it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ("numpy", "torch", "jax")
BARS = {"numpy": 3.0, "torch": 1.0, "jax": 1.0}
FIRST_BARS = {"torch": 20.0, "jax": 2.0}
A = 1.5


def arrays(n: int) -> tuple[Any, Any, Any]:
    import numpy as np

    random = np.random.default_rng(1)
    x, y, z = (random.uniform(-1, 1, n).astype(np.float32) for _ in range(3))
    return x, y, z


def ours(n: int, new: bool = False) -> Callable[[], Any]:
    import numpy as np

    import hologram as hg

    x, y, z = arrays(n)
    out = np.empty_like(x)

    @hg.fuse
    def chain(x: Any, y: Any, z: Any, a: Any) -> Any:
        return hg.ops.relu((x * a + y) * z - x)

    if new:
        return lambda: chain(x, y, z, A)
    return lambda: chain(x, y, z, A, out=out)


def one_by_one(n: int) -> Callable[[], Any]:
    import numpy as np

    from hologram import ops

    x, y, z = arrays(n)
    out = np.empty_like(x)

    def run() -> Any:
        ops.mul(x, A, out=out)
        ops.add(out, y, out=out)
        ops.mul(out, z, out=out)
        ops.sub(out, x, out=out)
        return ops.relu(out, out=out)

    return run


def with_numpy(n: int) -> Callable[[], Any]:
    import numpy as np

    x, y, z = arrays(n)
    out, a, zero = np.empty_like(x), np.float32(A), np.float32(0)

    def run() -> Any:
        np.multiply(x, a, out=out)
        np.add(out, y, out=out)
        np.multiply(out, z, out=out)
        np.subtract(out, x, out=out)
        return np.maximum(out, zero, out=out)

    return run


def with_torch(n: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    x, y, z = (torch.from_numpy(array) for array in arrays(n))
    out = torch.empty_like(x)

    @torch.compile
    def chain(x: Any, y: Any, z: Any, a: float, out: Any) -> None:
        out.copy_(torch.relu((x * a + y) * z - x))

    def run() -> Any:
        chain(x, y, z, A, out)
        return out.numpy()

    return run


def with_jax(n: int) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    x, y, z = (jax.device_put(array) for array in arrays(n))
    chain = jax.jit(lambda x, y, z, a: jnp.maximum((x * a + y) * z - x, 0))
    return lambda: chain(x, y, z, A).block_until_ready()


MAKERS: dict[str, Callable[[int], Callable[[], Any]]] = {
    "ours": ours,
    "ours, new array": lambda n: ours(n, new=True),
    "one by one": one_by_one,
    "numpy": with_numpy,
    "torch": with_torch,
    "jax": with_jax,
}


def first_result(name: str) -> None:
    """In a process of its own: imports, then the time to the first result, as JSON."""
    run_once = MAKERS[name]
    arrays(10)
    if name == "ours":
        import hologram as hg

        hg.ops.add(*arrays(10)[:2])  # the module and the standard library are loaded
    elif name in ("torch", "jax"):
        importlib.import_module(name)
    start = time.perf_counter()
    run_once(1000)()
    print(json.dumps(time.perf_counter() - start))


def measure_first(name: str) -> float:
    best = float("inf")
    with tempfile.TemporaryDirectory() as modules:
        for _ in range(4):  # the first leaves byte code of modules, as an installation does
            with tempfile.TemporaryDirectory() as folder:
                caches = ("HOLOGRAM_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
                environment = {**os.environ, **{key: f"{folder}/{key}" for key in caches}}
                environment.pop("PYTHONDONTWRITEBYTECODE", None)
                environment["PYTHONPYCACHEPREFIX"] = modules
                os.mkdir(f"{folder}/HOLOGRAM_CACHE_DIR", 0o700)
                command = [sys.executable, __file__, "--first", name]
                done = subprocess.run(
                    command, env=environment, capture_output=True, text=True, check=False
                )
                if done.returncode != 0:
                    sys.exit(f"{name}: {done.stderr}")
                best = min(best, json.loads(done.stdout.splitlines()[-1]))
    return best


def steady(names: list[str], n: int, rounds: int) -> dict[str, float]:
    import numpy as np

    runs = {name: MAKERS[name](n) for name in names}
    results = {name: run() for name, run in runs.items()}
    wanted = results["numpy"].tobytes()
    for name in ("ours", "ours, new array", "one by one"):
        if results[name].tobytes() != wanted:
            sys.exit(f"{name} differs from NumPy")
    for name in ("torch", "jax"):  # which may fuse products and sums
        if name in results and not np.allclose(results[name], results["numpy"], atol=1e-6):
            sys.exit(f"{name} differs from NumPy")
    repeat = max(1, 5_000_000 // n)
    best = dict.fromkeys(names, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(repeat):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / repeat)
    return best


def verdict(ratio: float, bar: float) -> str:
    return f"{ratio:8.2f} x, bar {bar:g} x" + ("" if ratio >= bar else "  MISSED")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000000,10000000")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.threads:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    if options.first:
        first_result(options.first)
        return
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer) is not None]
    for peer in PEERS:
        if peer not in peers:
            print(f"left out: {peer} is not installed")
    print(f"relu((x * a + y) * z - x), float32, {len(os.sched_getaffinity(0))} processors")
    for n in (int(size) for size in options.sizes.split(",")):
        names = ["ours", "ours, new array", "one by one", *peers]
        found = steady(names, n, options.rounds)
        print(f"\nn = {n:,}")
        for name in names:
            against = "ours, new array" if name == "jax" else "ours"
            ratio = found[name] / found[against]
            judged = verdict(ratio, BARS[name]) if name in BARS else f"{ratio:8.2f} x"
            print(f"  {name:16} {found[name] * 1e6:10.1f} us  {judged}")
    print("\nfirst result, n = 1,000")
    first = {name: measure_first(name) for name in ("ours", *(p for p in peers if p != "numpy"))}
    for name, seconds in first.items():
        judged = verdict(seconds / first["ours"], FIRST_BARS[name]) if name in FIRST_BARS else ""
        print(f"  {name:16} {seconds * 1e3:10.1f} ms  {judged}")


if __name__ == "__main__":
    main()
