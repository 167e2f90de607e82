#!/usr/bin/env python3
"""Four pipelines: hologram.capture against operations one by one, torch.compile and jax.jit.

usage: pipelines.py [--batches 1,64] [--rounds 60] [--only NAME]

    digits       two layers and softmax: 64 -> 64 -> 10
    cnn          a convolution (8 filters of 3 x 3 on pictures of 8 x 8), relu, maximum of 2 x 2,
                 a layer, softmax
    transformer  one block over as many tokens of 64 numbers: attention, residuals, norms, a layer
                 of 256 with gelu
    image        pictures of 64 x 64: luma of three planes, gain, a square, contrast about the
                 mean, clip

Microseconds of a call, the least of rounds in which all take turns in one process on one
processor, and the launches of a pipeline of those that were recorded; then milliseconds from the
function to its first result, each in a process of its own with empty caches, imports left out.
Peers that are not installed are named and left out. Exit 1 where a pipeline does not have the bits
of its operations.
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

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ("torch", "jax")
BARS = {"one by one": 1 / 0.8, "torch": 1.0, "jax": 1.0}
FIRST_BARS = {"torch": 20.0}
Arrays = dict[str, Any]


def numbers(*shape: int, seed: int = 1) -> Any:
    random = np.random.default_rng([seed, *shape])
    return (random.standard_normal(shape) * 0.2).astype(np.float32)


def parameters(name: str) -> Arrays:
    if name == "digits":
        return {"w1": numbers(64, 64), "b1": numbers(64), "w2": numbers(64, 10), "b2": numbers(10)}
    if name == "cnn":
        return {"f": numbers(8, 1, 3, 3), "b": numbers(8), "w": numbers(128, 10), "c": numbers(10)}
    if name == "transformer":
        made = {key: numbers(64, 64, seed=k) for k, key in enumerate("qkvo")}
        made |= {"up": numbers(64, 256), "down": numbers(256, 64), "g": 1 + numbers(64)}
        return made | {"h": numbers(64, seed=3), "b1": numbers(256), "b2": numbers(64)}
    return {}


def example(name: str, batch: int) -> Any:
    if name == "image":
        return np.abs(numbers(3, batch, 64 * 64)) + np.float32(0.1)
    return numbers(batch, 64)


# ---- ours


def digits(x: Any, p: Arrays, _empty: Any) -> Any:
    from hologram import ops

    hidden = ops.relu(ops.add(ops.gemm(x, p["w1"]), p["b1"]))
    return ops.softmax(ops.add(ops.gemm(hidden, p["w2"]), p["b2"]))


def cnn(x: Any, p: Arrays, empty: Any) -> Any:
    import hologram as hg
    from hologram import ops

    batch = x.shape[0]
    maps = empty((batch, 8, 8, 8))
    hg.kernels.conv2d[(1, 1, batch * 8), (8, 8, 1)](
        x.reshape(-1), p["f"].reshape(-1), p["b"], maps, batch, 1, 8, 8, 8, 3, 1, 1, 1, 8, 8
    )
    maps = ops.relu(maps)
    pooled = empty((batch, 128))
    hg.kernels.max_pool2d[(1, 1, batch * 8), (4, 4, 1)](
        maps, pooled, batch * 8, 8, 8, 2, 2, 0, 4, 4
    )
    return ops.softmax(ops.add(ops.gemm(pooled, p["w"]), p["c"]))


def transformer(x: Any, p: Arrays, _empty: Any) -> Any:
    from hologram import ops

    y = ops.layer_norm(x, p["g"], p["h"])
    q, k, v = (ops.gemm(y, p[key]) for key in "qkv")
    weights = ops.softmax(ops.mul(ops.gemm(q, k.T), 0.125))
    x = ops.add(x, ops.gemm(ops.gemm(weights, v), p["o"]))
    y = ops.layer_norm(x, p["g"], p["h"])
    hidden = ops.gelu(ops.add(ops.gemm(y, p["up"]), p["b1"]))
    return ops.add(x, ops.add(ops.gemm(hidden, p["down"]), p["b2"]))


def image(x: Any, _p: Arrays, _empty: Any) -> Any:
    from hologram import ops

    red, green, blue = (ops.mul(x[k], weight) for k, weight in enumerate((0.299, 0.587, 0.114)))
    luma = ops.mul(ops.add(ops.add(red, green), blue), 1.1)
    luma = ops.mul(luma, luma)
    mean = ops.mean(luma, axis=1, keepdims=True)
    return ops.clip(ops.add(ops.mul(ops.sub(luma, mean), 1.2), mean), 0.0, 1.0)


OURS = {"digits": digits, "cnn": cnn, "transformer": transformer, "image": image}


def one_by_one(name: str, batch: int) -> Callable[[], Any]:
    x, p = example(name, batch), parameters(name)
    return lambda: OURS[name](x, p, lambda shape: np.empty(shape, np.float32))


def capture(name: str, batch: int, fuse: bool = True) -> Any:
    import hologram as hg

    x, p = example(name, batch), parameters(name)
    with hg.capture(name, fuse=fuse) as made:
        made.output("y", OURS[name](made.input("x", x), p, made.empty))
    return made


def pipeline(name: str, batch: int, fuse: bool = True) -> Callable[[], Any]:
    made, x = capture(name, batch, fuse), example(name, batch)
    return lambda: made.run(x)


# ---- peers: the same in their words


def in_words_of(f: Any, name: str, x: Any, p: Arrays) -> Any:
    """`f` has the functions in which the peers differ."""
    if name == "digits":
        return f.softmax(f.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"])
    if name == "cnn":
        maps = f.relu(f.conv(x.reshape(-1, 1, 8, 8), p["f"]) + p["b"].reshape(8, 1, 1))
        pooled = f.amax(maps.reshape(-1, 8, 4, 2, 4, 2), (3, 5)).reshape(-1, 128)
        return f.softmax(pooled @ p["w"] + p["c"])
    if name == "transformer":
        y = f.norm(x, p["g"], p["h"])
        weights = f.softmax((y @ p["q"]) @ (y @ p["k"]).T * 0.125)
        x = x + (weights @ (y @ p["v"])) @ p["o"]
        y = f.norm(x, p["g"], p["h"])
        return x + (f.gelu(y @ p["up"] + p["b1"]) @ p["down"] + p["b2"])
    luma = (x[0] * 0.299 + x[1] * 0.587 + x[2] * 0.114) * 1.1
    luma = luma * luma
    mean = f.mean(luma)
    return f.clip((luma - mean) * 1.2 + mean)


def with_torch(name: str, batch: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(1)

    class Words:
        relu = staticmethod(torch.relu)
        amax = staticmethod(torch.amax)
        softmax = staticmethod(lambda x: torch.softmax(x, 1))
        conv = staticmethod(lambda x, f: torch.nn.functional.conv2d(x, f, padding=1))
        norm = staticmethod(lambda x, g, h: torch.nn.functional.layer_norm(x, (64,), g, h))
        gelu = staticmethod(lambda x: torch.nn.functional.gelu(x, approximate="tanh"))
        mean = staticmethod(lambda x: x.mean(1, keepdim=True))
        clip = staticmethod(lambda x: torch.clip(x, 0, 1))

    x = torch.from_numpy(example(name, batch))
    p = {key: torch.from_numpy(array) for key, array in parameters(name).items()}
    run = torch.compile(lambda x: in_words_of(Words, name, x, p), dynamic=False)

    def call() -> Any:
        with torch.inference_mode():
            return run(x).numpy()

    return call


def with_jax(name: str, batch: int) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    def norm(x: Any, g: Any, h: Any) -> Any:
        centred = x - x.mean(1, keepdims=True)
        variance = (centred * centred).mean(1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + 1e-5) * g + h

    class Words:
        relu = staticmethod(jax.nn.relu)
        amax = staticmethod(jnp.max)
        softmax = staticmethod(lambda x: jax.nn.softmax(x, axis=1))
        conv = staticmethod(lambda x, f: jax.lax.conv(x, f, (1, 1), "SAME"))
        gelu = staticmethod(lambda x: jax.nn.gelu(x, approximate=True))
        mean = staticmethod(lambda x: x.mean(1, keepdims=True))
        clip = staticmethod(lambda x: jnp.clip(x, 0, 1))

    Words.norm = staticmethod(norm)
    x = jax.device_put(example(name, batch))
    p = {key: jax.device_put(array) for key, array in parameters(name).items()}
    run = jax.jit(lambda x: in_words_of(Words, name, x, p))
    return lambda: np.asarray(run(x))


MAKERS: dict[str, Callable[[str, int], Callable[[], Any]]] = {
    "pipeline": pipeline,
    "not merged": lambda name, batch: pipeline(name, batch, fuse=False),
    "one by one": one_by_one,
    "torch": with_torch,
    "jax": with_jax,
}


def steady(names: list[str], name: str, batch: int, rounds: int) -> dict[str, float]:
    runs = {maker: MAKERS[maker](name, batch) for maker in names}
    results = {maker: np.array(run()) for maker, run in runs.items()}
    wanted = results["one by one"]
    for maker in ("pipeline", "not merged"):
        if results[maker].tobytes() != wanted.tobytes():
            sys.exit(f"{name}: {maker} differs from the operations")
    for maker in PEERS:  # which sum in another order
        if maker in results and not np.allclose(results[maker], wanted, atol=1e-4):
            sys.exit(f"{name}: {maker} differs from the operations")
    best = dict.fromkeys(names, float("inf"))
    repeats = dict.fromkeys(names, 1)
    for _ in range(rounds):
        for maker, run in runs.items():
            run()  # another one has had the caches
            start = time.perf_counter()
            for _ in range(repeats[maker]):
                run()
            best[maker] = min(best[maker], (time.perf_counter() - start) / repeats[maker])
            repeats[maker] = max(1, int(0.001 / best[maker]))  # no longer than a time slice
    return best


def first_result(maker: str, name: str, batch: int) -> None:
    """In a process of its own: imports, then the time to the first result, as JSON."""
    if maker == "pipeline":
        import hologram as hg

        hg.ops.add(numbers(3), numbers(3))  # the module and the standard library are loaded
    else:
        importlib.import_module(maker)
    start = time.perf_counter()
    MAKERS[maker](name, batch)()
    print(json.dumps(time.perf_counter() - start))


def measure_first(maker: str, name: str, batch: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        caches = ("HOLOGRAM_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
        environment = {**os.environ, **{key: f"{folder}/{key}" for key in caches}}
        os.mkdir(f"{folder}/HOLOGRAM_CACHE_DIR", 0o700)
        command = [sys.executable, __file__, "--first", maker, "--only", name]
        command += ["--batches", str(batch)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{maker}: {done.stderr}")
        return float(json.loads(done.stdout.splitlines()[-1]))


def report(name: str, batch: int, peers: list[str], rounds: int) -> None:
    names = ["pipeline", "not merged", "one by one", *peers]
    found = steady(names, name, batch, rounds)
    merged = capture(name, batch).text.count("  launch ")
    whole = capture(name, batch, fuse=False).text.count("  launch ")
    print(f"\n{name}, batch {batch}: {merged} launches of {whole}")
    for maker in names:
        ratio = found["pipeline"] / found[maker]
        bar = BARS.get(maker)
        judged = ""
        if bar is not None:
            judged = f", bar {1 / bar:g}" + ("" if ratio <= 1 / bar else "  MISSED")
        print(f"  {maker:12} {found[maker] * 1e6:9.2f} us  pipeline {ratio:5.2f} x{judged}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", default="1,64")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only", default="", choices=["", *OURS])
    parser.add_argument("--first", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("HOLOGRAM_NUM_THREADS", "1")
    batches = [int(batch) for batch in options.batches.split(",")]
    if options.first:
        first_result(options.first, options.only, batches[0])
        return
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer) is not None]
    for peer in PEERS:
        if peer not in peers:
            print(f"left out: {peer} is not installed")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    names = [options.only] if options.only else list(OURS)
    for name in names:
        for batch in batches:
            report(name, batch, peers, options.rounds)
    print("\nfirst result, batch 1")
    for name in names:
        first = {maker: measure_first(maker, name, 1) for maker in ("pipeline", *peers)}
        for maker, seconds in first.items():
            judged = ""
            if maker in FIRST_BARS:
                ratio = seconds / first["pipeline"]
                missed = "" if ratio >= FIRST_BARS[maker] else "  MISSED"
                judged = f"  {ratio:.1f} x as long, bar {FIRST_BARS[maker]:g} x{missed}"
            print(f"  {name:12} {maker:12} {seconds * 1e3:9.1f} ms{judged}")


if __name__ == "__main__":
    main()
