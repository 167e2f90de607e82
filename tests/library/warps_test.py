"""Functions of warps on every engine, with equal bits, and their values by NumPy.

usage: warps_test.py HOLOGRAM [--worker ENGINE FILE]

Blocks that are no multiple of a warp, of one, two and three dimensions, and lanes that have returned: in the
interpreter, as native code of each level of this processor, each in a process of its own, and as plain Python.
All kernels have PTX, and a warp under a condition that differs between lanes is refused.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages
from levels import levels_here

guard_pages.install()
sys.dont_write_bytecode = True
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
}
BLOCKS = ((1,), (31,), (32,), (33,), (64,), (100,), (1024,), (8, 5), (16, 16), (5, 4, 3))
CALLS = 4  # in a kernel
OPERATIONS = ("add", "min", "max", "mul", "and", "or", "xor")
SHUFFLES = (
    ("shuffle(v, 5)", lambda lane: np.full_like(lane, 5)),
    ("shuffle(v, 40)", lambda lane: np.full_like(lane, 40)),
    ("shuffle(v, (me * 7 + 3) % 40)", lambda lane: (lane * 7 + 3) % 40),
    ("shuffle_up(v, 1)", lambda lane: lane - 1),
    ("shuffle_up(v, me % 5)", lambda lane: lane - lane % 5),
    ("shuffle_down(v, 4)", lambda lane: lane + 4),
    ("shuffle_down(v, 0xFFFFFFFF)", lambda lane: np.full_like(lane, -1)),
    ("shuffle_xor(v, 16)", lambda lane: lane ^ 16),
    ("shuffle_xor(v, 33)", lambda lane: lane ^ 33),
)
HEAD = """from hologram.lang import *


@inline
def number():
    return get_local_id(0) + get_block_dim(0) * (get_local_id(1) + get_block_dim(1) * get_local_id(2))
"""


def folds(kind: str) -> list[str]:
    names = OPERATIONS[:4] if kind[0] == "f" else OPERATIONS
    calls = [f"warp_{how}_{name}(v)" for how in ("reduce", "scan") for name in names]
    return [*calls, "warp_exclusive_scan_add(v)"]


def calls(kind: str) -> list[str]:
    return [call.replace("me", "me % 32") for call, _ in SHUFFLES] + folds(kind)


def parts(kind: str) -> list[str]:
    """The kernels of a type. One of all calls would take the compiler ten times as long."""
    if kind == "bool":
        return ["warp_bool"]
    return [f"warp_{kind}_{first}" for first in range(0, len(calls(kind)), CALLS)]


def kernel(name: str, kind: str, first: int) -> str:
    """Each result in a row; lanes whose element of `gone` is not 0 return before."""
    lines = [
        f"def {name}(x: DeviceArray[{kind}], gone: DeviceArray[u32], out: DeviceArray[{kind}, 2]):",
        "    me = number()",
        "    if gone[me] != 0:",
        "        return",
        "    v = x[me]",
    ]
    mine = list(enumerate(calls(kind)))[first : first + CALLS]
    lines += [f"    r{row} = {call}" for row, call in mine]
    lines += ["    if me < out.shape[1]:"]
    lines += [f"        out[{row}, me] = r{row}" for row, _ in mine]
    return "\n".join(lines) + "\n"


def kernels(kind: str) -> list[str]:
    return [kernel(name, kind, k * CALLS) for k, name in enumerate(parts(kind))]


BOOLS = """def warp_bool(x: DeviceArray[u32], gone: DeviceArray[u32], out: DeviceArray[u32, 2]):
    me = number()
    if gone[me] != 0:
        return
    v = x[me] % 3 != 0
    bits = ballot(v)
    some = warp_any(x[me] > 96)
    every = warp_all(x[me] > 2)
    a, b = shuffle_xor(v, 1), shuffle(v, 3)
    c, d = shuffle_up(v, 2), shuffle_down(v, 2)
    if me < out.shape[1]:
        out[0, me] = bits
        out[1, me] = u32(some)
        out[2, me] = u32(every)
        out[3, me] = u32(a)
        out[4, me] = u32(b)
        out[5, me] = u32(c)
        out[6, me] = u32(d)
"""
# In a loop, by several blocks of a launch, and in a helper.
LOOPED = """@inline
def total(v):
    for d in (16, 8, 4, 2, 1):
        v += shuffle_down(v, d)
    return v


@kernel(block=64)
def looped(x: DeviceArray[f32], sums: DeviceArray[f32], rounds: u32):
    i = get_global_id()
    v = x[i]
    for k in range(rounds):
        s = total(v)
        v = 0.5 * shuffle(s, 0) + shuffle_xor(v, 1)
        v = warp_scan_max(v)
    sums[i] = v
"""
DIVERGENT = (
    ("shuffle(x[i], 0)", "7:16: error: a shuffle"),
    ("warp_reduce_add(x[i])", "7:16: error: a reduction of the warp"),
    ("warp_scan_add(x[i])", "7:16: error: a scan of the warp"),
    ("f32(ballot(x[i] > 0.0))", "7:20: error: a reduction of the warp"),
)


def text() -> str:
    return "\n\n".join([HEAD, *(text for kind in TYPES for text in kernels(kind)), BOOLS, LOOPED])


def inputs(kind: str, lanes: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if kind == "bool":
        return rng.integers(0, 100, lanes, dtype=np.uint32)
    if kind[0] == "f":
        values = rng.normal(size=lanes).astype(TYPES[kind])
        values[rng.random(lanes) < 0.05] = np.nan
        values[rng.random(lanes) < 0.05] = np.inf
        return values
    return rng.integers(0, 2**32, lanes).astype(TYPES[kind]) * TYPES[kind](2654435761 % 2**31)


def absent(lanes: int, seed: int) -> Any:
    """No lane is gone, the last third, or some."""
    rng = np.random.default_rng(seed)
    return (
        np.zeros(lanes, np.uint32),
        (np.arange(lanes) > lanes * 2 // 3).astype(np.uint32),
        (rng.random(lanes) < 0.3).astype(np.uint32),
    )[seed % 3]


def cases() -> list[tuple[str, tuple[int, ...], int]]:
    """Every type with every block, with lanes that are gone in turn, and with all of these for two."""
    found = []
    for number, kind in enumerate((*TYPES, "bool")):
        for place, block in enumerate(BLOCKS):
            seeds = range(3) if block in ((100,), (8, 5)) else [(number + place) % 3]
            found += [(kind, block, seed) for seed in seeds]
    return found


def rows(kind: str) -> int:
    return 7 if kind == "bool" else len(SHUFFLES) + len(folds(kind))


def run_all(engine: str, path: str) -> dict[str, Any]:
    import hologram as hg
    from hologram.simulator import launch

    module: dict[str, Any] = {}
    kernels: Any = {}
    if engine == "python":
        import importlib.util

        spec = importlib.util.spec_from_file_location("warps", path)
        assert spec is not None and spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        module = vars(loaded)
    else:
        kernels = hg.compile(path)

    def run(name: str, grid: int, block: tuple[int, ...], *values: Any) -> None:
        if engine == "python":
            function = getattr(module[name], "_atlas_kernel", module[name])
            launch(function, (grid,), block, deterministic=False)(*values)
        else:
            backend = engine if engine == "interpreter" else "cpu"
            # That no two lanes store to one element of a block of several dimensions is not proved.
            configured = kernels[name].configure(
                grid=(grid, 1, 1), block=(*block, 1, 1)[:3], backend=backend, deterministic=False
            )
            configured(*values)

    found = {}
    for kind, block, seed in cases():
        lanes = int(np.prod(block))
        x = inputs(kind, lanes, seed)
        out = np.zeros((rows(kind), lanes), x.dtype)
        for name in parts(kind):
            run(name, 1, block, x, absent(lanes, seed), out)
        found[f"{kind} {block} {seed}"] = out
    x = np.random.default_rng(3).normal(size=192).astype(np.float32)
    sums = np.zeros_like(x)
    run("looped", 3, (64,), x, sums, 5)
    found["looped"] = sums
    return found


NEUTRAL = {"mul": 1, "and": -1, "or": 0, "xor": 0}
STEPS: dict[str, Any] = {
    "add": np.add,
    "min": np.fmin,
    "max": np.fmax,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def neutral(name: str, dtype: Any) -> Any:
    if dtype.kind == "f":
        return dtype.type({"add": -0.0, "mul": 1.0}.get(name, np.nan))
    bounds = np.iinfo(dtype)
    value = {"add": 0, "min": bounds.max, "max": bounds.min, **NEUTRAL}[name]
    return np.array(value).astype(dtype)[()]


def scanned(name: str, x: Any, there: Any) -> Any:
    """A scan of each warp, of all 32 lanes."""
    warps = -(-len(x) // 32)
    values = np.full(warps * 32, neutral(name, x.dtype))
    values[: len(x)][there] = x[there]
    values = values.reshape(warps, 32)
    step = 1
    while step < 32:
        later = STEPS[name](values[:, :-step], values[:, step:])
        values = np.concatenate([values[:, :step], later], axis=1)
        step *= 2
    return values


def shuffled(x: Any, there: Any, source: Any) -> Any:
    lane = np.arange(len(x))
    of = source(lane % 32)
    at = lane - lane % 32 + of
    good = (of >= 0) & (of < 32) & (at < len(x))
    at = np.where(good, at, 0)
    good &= there[at]
    return np.where(good, x[at], np.zeros_like(x))


def expected(kind: str, x: Any, there: Any) -> Any:
    lane = np.arange(len(x))

    def whole(values: Any) -> Any:
        return np.repeat(values[:, 31], 32)[: len(x)]

    if kind == "bool":
        v = x % 3 != 0
        bits = np.where(v, np.uint32(1) << (lane % 32).astype(np.uint32), np.uint32(0)).astype(
            np.uint32
        )
        result = [whole(scanned("or", bits, there))]
        result.append(whole(scanned("or", (x > 96).astype(np.uint32), there)))
        result.append(whole(scanned("and", (x > 2).astype(np.uint32), there)))
        for source in (lambda k: k ^ 1, lambda k: k * 0 + 3, lambda k: k - 2, lambda k: k + 2):
            result.append(shuffled(v.astype(np.uint32), there, source))
        return np.array(result)
    result = [shuffled(x, there, source) for _, source in SHUFFLES]
    for call in folds(kind):
        how, name = call.removeprefix("warp_").removesuffix("(v)").rsplit("_", 1)
        if how == "exclusive_scan":
            sums = scanned("add", x, there).reshape(-1)[: len(x)]
            result.append(shuffled(sums, there, lambda k: k - 1))
        elif how == "reduce":
            result.append(whole(scanned(name, x, there)))
        else:
            result.append(scanned(name, x, there).reshape(-1)[: len(x)])
    return np.array(result)


def check(found: dict[str, dict[str, Any]]) -> list[str]:
    problems = []
    for engine, outs in found.items():
        for name, out in outs.items():
            if out.tobytes() != found["interpreter"][name].tobytes():
                wrong = np.argwhere(np.atleast_2d(out != found["interpreter"][name]))[:4].tolist()
                problems.append(f"{name}: {engine} differs from the interpreter at {wrong}")
    with np.errstate(all="ignore"):
        for kind, block, seed in cases():
            lanes = int(np.prod(block))
            x, gone = inputs(kind, lanes, seed), absent(lanes, seed)
            wanted = expected(kind, x, gone == 0)
            wanted[:, gone != 0] = 0
            got = found["interpreter"][f"{kind} {block} {seed}"]
            for row in range(rows(kind)):
                nans = wanted.dtype.kind == "f"
                if not np.array_equal(got[row], wanted[row], equal_nan=nans):
                    at = np.flatnonzero(~((got[row] == wanted[row]) | (got[row] != got[row])))[:3]
                    problems.append(
                        f"{kind} {block} {seed}: row {row} at {at}: {got[row][at]} for {wanted[row][at]}"
                    )
    return problems


def refusals(hologram: str, folder: str) -> list[str]:
    problems = []
    for call, words in DIVERGENT:
        path = os.path.join(folder, "divergent.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "from hologram.lang import *\n\n\ndef k(x: DeviceArray[f32], y: DeviceArray[f32]):\n"
                f"    i = get_global_id()\n    if i < len(y) and x[i] > 0.0:\n        y[i] = {call}\n"
            )
        result = subprocess.run([hologram, "verify", path], capture_output=True, text=True)
        wanted = f"divergent.py:{words} is reached by some lanes of a block only"
        if (
            result.returncode == 0
            or wanted not in result.stderr
            or result.stderr.count("error:") != 1
        ):
            problems.append(f"{call} under a condition: {result.stderr.strip() or 'accepted'}")
    return problems


def main() -> int:
    if sys.argv[2:3] == ["--worker"]:
        engine, path = sys.argv[3:5]
        np.savez(f"{path}.{engine}.npz", **run_all(engine, path))
        return 0
    hologram = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "warps.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text())
        found = {}
        for engine in ("python", "interpreter", *levels_here()):
            environment = {
                **os.environ,
                **({"HOLOGRAM_CPU_LEVEL": engine} if engine[0] == "v" else {}),
            }
            command = [sys.executable, __file__, hologram, "--worker", engine, path]
            subprocess.run(command, check=True, env=environment)
            found[engine] = dict(np.load(f"{path}.{engine}.npz"))
        problems = check(found)
        for name in (name for kind in (*TYPES, "bool") for name in parts(kind)):
            command = [hologram, "compile", path, "--entry", name, "--emit", "ptx"]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0 or ".entry" not in result.stdout:
                problems.append(f"PTX of {name}: {result.stderr.strip()}")
        problems += refusals(hologram, folder)
    for problem in problems[:20]:
        print(f"FAIL {problem}")
    print(f"{len(cases())} launches on {len(found)} engines, {len(problems)} failures")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
